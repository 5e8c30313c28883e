"""A day of money over real processes leaves no PIN, token or path secret behind (T3)."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.emulators.africastalking import SmsApi
from tests.emulators.daraja import DarajaApi
from tests.emulators.snippe import SnippeApi
from tests.end_to_end import hooks, providers
from tests.end_to_end.calls import books_are_sound, form, post
from tests.end_to_end.hooks import Proven, deliver, send
from tests.end_to_end.leaks import files_of, leaks, lines_of, rows_of
from tests.end_to_end.market import Market
from tests.providers.contract import sample
from tests.support.serving import Installed
from tests.support.wired import SECRET

PIN, CHANGED, WRONG, TYPED = "490726", "815062", "730519", "264095"
PINS = (PIN, CHANGED, WRONG, TYPED)
JUMA, NEEMA, ASHA = "+255620000001", "+255620000002", "+255620000003"
UNKNOWN = "902100000000000014"
CREDENTIALS = (SECRET, providers.HOOK_SECRET, providers.C2B_TOKEN, "test-pin-pepper")


class Day:
    """The day; `digits` are all tokens that were sent or typed."""

    def __init__(self, market: Market, sms: SmsApi, snippe: SnippeApi) -> None:
        self.market, self.sms, self.snippe = market, sms, snippe
        self.digits = {UNKNOWN}

    def morning(self) -> None:
        """PINs are set, mistyped, changed and typed where none is asked for."""
        for phone in (JUMA, NEEMA):
            self.market.set_pin(phone, PIN)
        self.market.dialled(JUMA, "5*2", WRONG, PIN, CHANGED, WRONG).end("Failed")
        self.market.dialled(JUMA, "5*2", PIN, CHANGED, CHANGED).end("Success")
        for path in (
            f"4*1*{TYPED}",
            f"4*4*1*5000*1*{CHANGED}",
            f"1*{TYPED}",
            f"5*2*{TYPED}*{TYPED}",
        ):
            self.market.dialled(JUMA, path).end("Incomplete")
        self.market.dialled(ASHA, "1", TYPED)
        for entry in (f"{CHANGED}#", " ".join(CHANGED), f"{WRONG}*{WRONG}"):
            self.market.dialled(JUMA, "4*1", entry)
        post(self.market.web, {**form("", "odd", JUMA), "phoneNumber": CHANGED})
        post(self.market.web, form(f"4*1*{CHANGED}", "", JUMA))

    def noon(self) -> None:
        """Money comes in: ordered and paid, unordered, with a token typed as its reference."""
        reference = self.market.top_up(JUMA, "90000")
        self.market.until(lambda: self.snippe.by_order(reference))
        (made,) = self.snippe.by_order(reference)
        self.snippe.settle(made["reference"], "completed", external_reference="SYNX1")
        body = json.dumps({"id": "e1", "type": "payment.completed", "data": made}).encode()
        for secret in (providers.HOOK_SECRET, "another"):
            deliver(self.market.web, "/webhooks/snippe", hooks.snippe(body, secret))
        self.market.until(lambda: self.market.wallet(JUMA)[0] == "90000.00")
        grouped = " ".join(re.findall(r"\d{1,4}", UNKNOWN))
        for number, typed in enumerate((UNKNOWN, grouped, f"{UNKNOWN}#")):
            self.unordered(number, typed)

    def unordered(self, number: int, typed: str) -> None:
        """Payments that nobody ordered, and Safaricom's results, which name our own paths."""
        web, path = self.market.web, f"/webhooks/tigopesa/{SECRET}/billpay"
        for name in ("lookup", "billpay"):
            body = sample(f"tigopesa/{name}.xml").replace(b"ORD-1001", typed.encode())
            send(web, path, body.replace(b"SYN0000000", f"SYN{number}00000".encode()))
        said = {**json.loads(sample("selcom/c2b.json")), "utilityref": typed}
        for part in ("lookup", "validation", "notification"):
            proven = hooks.bearer(
                json.dumps({**said, "reference": f"R{number}"}).encode(), providers.C2B_TOKEN
            )
            deliver(web, f"/webhooks/selcom/c2b/{part}", proven)
        paid = {**json.loads(sample("daraja/c2b.json")), "BillRefNumber": typed}
        paid["TransID"] = f"TK{number}"
        for part in ("validation", "confirmation"):
            send(web, f"/webhooks/daraja/{SECRET}/c2b/{part}", json.dumps(paid).encode())
        result = sample("daraja/b2c-result.json").replace(
            b"daraja/x/", f"daraja/{SECRET}/".encode()
        )
        for part in ("result", "timeout"):
            seen = [("X-Original-URI", f"/webhooks/daraja/{SECRET}/b2c/{part}")]
            send(web, f"/webhooks/daraja/{SECRET}/b2c/{part}", result, seen)
            send(web, f"/webhooks/daraja/{SECRET}/b2c/{part}", result[:-1], seen)
            send(web, f"/webhooks/daraja/{SECRET}/{part}", result, seen)  # no such path
            deliver(web, f"/webhooks/daraja/{SECRET}x/b2c/{part}", Proven(seen, result))

    def afternoon(self) -> None:
        """Money goes out: by a token, in cash and to mobile money, each behind a PIN."""
        market = self.market
        market.dialled(JUMA, f"2*{ASHA}*5000", "1", WRONG, CHANGED).end("Success")
        market.dialled(JUMA, "4*4", "2", "5000", "1", WRONG, CHANGED).end("Success")
        reference = market.withdraw(JUMA, "60000", CHANGED)
        assert reference
        market.until(lambda: self.snippe.by_order(reference))
        (made,) = self.snippe.by_order(reference)
        self.snippe.settle(made["reference"], "completed", external_reference="SYNX2")
        market.until(lambda: market.withdrawal(reference).state == "paid", passing_seconds=60)
        market.until(lambda: len(self.tokens()) == 2)
        self.digits |= self.tokens()
        for token in self.tokens():
            market.dialled(ASHA, f"1*{token}").end("Success")
        market.dialled(JUMA, "4*2", CHANGED).end("Success")

    def evening(self) -> None:
        """A wallet is blocked from another phone; a PIN is locked; people look and reconcile."""
        market = self.market
        for entry in (WRONG, CHANGED):
            market.dialled(ASHA, "5*3*2", JUMA, entry, "1").end("Success")
        for _ in range(6):
            market.dialled(NEEMA, "4*1", WRONG).end("Success")
        commands: tuple[tuple[str, ...], ...] = (
            ("withdrawals", "list", "--state", "paid"),
            ("deposits", "list"),
            ("reconcile",),
            ("sweep",),
            ("books", "check"),
            ("wallets", "show", CHANGED),
            ("tokens", "show", UNKNOWN),
        )
        for words in commands:
            market.installed.command(*words, "--json")

    def tokens(self) -> set[str]:
        """The digits in the messages that phones have."""
        texts = [message.text for message in self.sms.messages]
        joined = [re.sub(r"(?<=\d) (?=\d)", "", text) for text in texts]
        return {found for text in joined for found in re.findall(r"\b\d{18}\b", text)}


@pytest.fixture
def day(market: Market, api: SmsApi) -> Iterator[Day]:
    """A day that is over: its processes have stopped."""
    listed = {"GATEWAY_TIGOPESA_ALLOWED_ADDRESSES": providers.LOOPBACK}
    typed = {"GATEWAY_SELCOM_C2B_TOKEN": providers.C2B_TOKEN}
    with ExitStack() as serving:
        snippe, safaricom = SnippeApi(), DarajaApi()
        serving.enter_context(snippe)
        serving.enter_context(safaricom)
        settings = (
            providers.TANZANIA,
            providers.of_snippe(snippe),
            providers.of_daraja(safaricom),
            listed,
            typed,
        )
        whole = Day(market, api, snippe)
        with market.open(*settings), market.installed.worker():
            whole.morning()
            whole.noon()
            whole.afternoon()
            whole.evening()
        yield whole


def alone(pin: str) -> re.Pattern[str]:
    """A PIN that stands by itself: six digits within longer ones, or after a point, are chance."""
    return re.compile(rf"(?:(?<![0-9A-Za-z.])|(?<=%2[Aa]))(?:{pin})(?![0-9A-Za-z])")


def test_a_day_of_money_leaves_no_pin_token_or_path_secret_behind(
    day: Day, installed: Installed, tmp_path: Path
) -> None:
    assert books_are_sound(installed)
    assert len(day.digits) == 3
    url = installed.env["GATEWAY_DATABASE_URL"]
    rows, logs = list(rows_of(url)), list(lines_of(tmp_path))
    texts = [*rows, *logs]
    assert {place for place, _ in texts} >= {"web.log", "worker.log", "callbacks.body"}
    assert leaks([*texts, *files_of(url)], day.digits) == []
    assert {
        (place, pin) for pin in PINS for place, text in texts if alone(pin).search(text)
    } == set()
    assert leaks([*texts, *files_of(url)], CREDENTIALS) == []
    kept = [place for place, text in rows if "b2c/timeout" in text]
    assert kept.count("callbacks.body") == 12  # what names our path is there, without its secret


@pytest.mark.parametrize("words", ["{}", "4*1*{}", "text=5%2A2%2A{}&x", '"pin":"{}"', " {}\n"])
def test_a_pin_that_is_planted_is_found(words: str) -> None:
    assert alone(PIN).search(words.format(PIN))


def test_a_longer_number_or_a_part_of_a_second_is_no_pin() -> None:
    for text in (f"1{PIN}", f"{PIN}7", f"12:00:00.{PIN}Z", f"ab{PIN}"):
        assert not alone(PIN).search(text)
