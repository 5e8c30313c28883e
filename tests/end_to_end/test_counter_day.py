"""A day at the counter over real processes: tills, payments, a void, a variance, sound books."""

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from tests.emulators.africastalking import SmsApi
from tests.end_to_end.calls import Token, issue
from tests.end_to_end.clerk import Clerk, Page
from tests.end_to_end.leaks import files_of, leaks, lines_of, rows_of
from tests.end_to_end.test_money_day import alone
from tests.support.serving import Installed, Web
from tests.support.wired import ADA, BELLO

ZADIE, YUSUF, CHIKA, MUSA = (f"+23480300001{n:02}" for n in range(4))
PINS = {ZADIE: "482719", YUSUF: "915382", CHIKA: "360471", MUSA: "729416"}
FIRST = {CHIKA: "275913", MUSA: "648205"}  # what they are given when they are taken on
WRONG = "604913"
UNKNOWN = "902100000000000014"
_TOKEN = re.compile(r"Token ([0-9 ]+)\.")
_FRESH = re.compile(r"New token</dt>\s*<dd[^>]*>([A-Z0-9]{8})<")


class Day:
    """The shop and its people; `digits` are all that were issued or typed."""

    def __init__(self, installed: Installed, sms: SmsApi, web: Web) -> None:
        self.installed, self.sms, self.web = installed, sms, web
        self.digits = [UNKNOWN]
        self.cashier = Clerk(web.url, "/counter")
        self.manager = Clerk(web.url, "/counter")
        self.console = Clerk(web.url, "/console")

    def command(self, *words: str, by: str = ZADIE, pins: tuple[str, ...] = ()) -> object:
        """A command that an operator gives, with more PINs behind theirs."""
        stdin = "".join(f"{pin}\n" for pin in (PINS[by], *pins))
        return self.installed.json(*words, "--as", by, "--pin-stdin", stdin=stdin)

    def set_up(self) -> None:
        """Operators, an outlet with a till, a cashier and a manager, all by the command line."""
        first = ("staff", "create", "--name", "Zadie", "--role", "operator", "--phone", ZADIE)
        self.installed.json(*first, "--pin-stdin", stdin=f"{PINS[ZADIE]}\n")
        self.hire("Yusuf", YUSUF, "operator")
        self.command("outlets", "create", "LAG-1", "--name", "Ikeja", "--settle-to", "0123456789")
        self.command("tills", "create", "LAG-1", "--float-limit", "5000.00")
        self.hire("Chika", CHIKA, "cashier", "--outlet", "LAG-1")
        self.hire("Musa", MUSA, "manager", "--outlet", "LAG-1")
        own = f"{FIRST[MUSA]}\n{PINS[MUSA]}\n"
        self.installed.json("staff", "pin", "--as", MUSA, "--pin-stdin", stdin=own)

    def hire(self, name: str, phone: str, role: str, *more: str) -> None:
        """Take somebody on."""
        who = ("staff", "create", "--name", name, "--role", role, "--phone", phone, *more)
        self.command(*who, pins=(FIRST.get(phone, PINS[phone]),))

    def token(self, to: str = ADA) -> Token:
        """A token of 500.00, whose SMS goes out."""
        made = issue(self.installed, to=to)
        self.digits.append(made.digits)
        return made

    def sms_digits(self, phone: str, serial: str) -> str:
        """The digits that a phone got for a serial."""
        # How many come before it is the worker's pace: one for a token paid by then never does.
        sent = self.sms.requests
        while not any(m.taken and m.to == phone and serial in m.text for m in sent):
            self.sms.wait_for_requests(len(sent) + 1, 20.0)
            sent = self.sms.requests
        (text,) = (m.text for m in sent if m.taken and m.to == phone and serial in m.text)
        (found,) = _TOKEN.findall(text)
        return "".join(found.split())

    def pay(self, token: Token) -> Page:
        """Look up and confirm at the counter; the page that it ends at."""
        found = self.cashier.post("/counter/payments", entry=token.digits)
        assert "500.00" in found.text, found
        return self.cashier.post(f"{found.path}/confirm")

    def open(self) -> None:
        """The cashier's PIN, wrong once, then right, then their own; the till with its cash."""
        assert self.cashier.log_in(CHIKA, WRONG).status == 422
        assert self.cashier.log_in(CHIKA, FIRST[CHIKA]).path == "/counter/pin"
        assert self.cashier.get("/counter").path == "/counter/pin"
        own = {"phone": CHIKA, "pin": FIRST[CHIKA], "new": PINS[CHIKA], "again": PINS[CHIKA]}
        page = self.cashier.post("/counter/pin", **own)
        assert "LAG-1/1" in page.text
        assert self.cashier.post("/counter/shifts", till="1", cash="2000.00").status == 200

    def pay_three(self) -> Page:
        """Two in the browser, one of them sent twice, one on the phone; the last page."""
        unknown = self.cashier.send("/counter/payments", entry=UNKNOWN)
        assert unknown.status == 422
        assert UNKNOWN not in unknown.text.replace(" ", "")
        first, second, third = (self.token() for _ in range(3))
        paid = self.pay(first)
        where = _plain(paid.path)
        again = self.cashier.post(f"{where}/confirm")
        assert (again.status, again.path) == (200, f"{where}?again")
        call = self.web.dialer.dial(CHIKA, text=f"6*1*{second.digits}")
        assert call.send("1").text.startswith("END PAID NGN 500.00")
        return self.pay(third)

    def void(self, paid: Page) -> str:
        """The drawer was empty: the manager's PIN, wrong once; the digits of the fresh token."""
        fields = {"manager": MUSA, "reason": "the drawer was empty"}
        where = _plain(paid.path)
        refused = self.cashier.post(f"{where}/void", pin=WRONG, **fields)
        assert (refused.status, refused.path) == (422, where)
        taken = self.cashier.post(f"{where}/void", pin=PINS[MUSA], **fields)
        assert "Taken back" in taken.text
        (serial,) = _FRESH.findall(taken.text)
        self.digits.append(self.sms_digits(ADA, serial))
        return self.digits[-1]

    def close(self) -> str:
        """Counted with 10.00 too little, which the manager accepts; the shift's page."""
        asked = self.cashier.get("/counter/close")
        (shift,) = re.findall(r'name="shift" value="(\d+)"', asked.text)
        assert "000.00" not in asked.text  # the count is blind
        counted = self.cashier.post("/counter/close", shift=shift, counts="0", counted="990.00")
        assert "waits for your manager" in counted.text
        assert self.cashier.send(f"{counted.path}/accept", reason="mine").status == 403
        self.manager.log_in(MUSA, PINS[MUSA])
        word = {"counts": "1", "reason": "counted with her"}
        accepted = self.manager.post(f"{counted.path}/accept", **word)
        assert "counted with her" in accepted.text
        return counted.path


@pytest.fixture
def day(installed: Installed, api: SmsApi) -> Iterator[Day]:
    """A shop that is set up and open."""
    installed.command("db", "upgrade")
    with installed.web() as web, installed.worker():
        made = Day(installed, api, web)
        made.set_up()
        yield made


def _plain(path: str) -> str:
    """A payment's address, without how one came to it."""
    return path.partition("?")[0]


def _one(rows: object, **where: str) -> dict[str, object]:
    assert isinstance(rows, list)
    (found,) = (row for row in rows if where.items() <= row.items())
    return dict(found)


def test_a_day_at_the_counter_ends_with_sound_books_and_nothing_left_lying_about(
    day: Day, installed: Installed, tmp_path: Path
) -> None:
    day.open()
    third = day.pay_three()
    assert _one(installed.json("tills", "list"), till="LAG-1/1")["balance"] == "1500.00"
    fresh = day.void(third)
    dead = day.cashier.post("/counter/payments", entry=day.digits[-2])
    assert "Hand out nothing" in dead.text
    shift = day.close()
    late = day.token(BELLO)
    assert day.cashier.send("/counter/payments", entry=late.digits).status == 422
    redeemed = day.web.dialer.dial(ADA, text=f"1*{fresh}")
    assert redeemed.answer.text.startswith("END You have received NGN 500.00.")
    assert day.console.log_in(YUSUF, PINS[YUSUF]).status == 200
    assert day.console.get(shift).status == 403

    owed = _one(installed.json("outlets", "list"), code="LAG-1")
    assert (owed["balance"], owed["held"]) == ("1000.00", "0.00")
    asked = day.command("outlets", "settle", "LAG-1", "--reason", "the day is closed")
    assert isinstance(asked, dict)
    assert Decimal(str(asked["amount"])) == Decimal("1000.00")
    owed = _one(installed.json("outlets", "list"), code="LAG-1")
    assert (owed["balance"], owed["held"]) == ("0.00", "1000.00")
    assert _one(installed.json("withdrawals", "list"), reference=str(asked["reference"]))
    check, reconciled = installed.command("books", "check"), installed.command("reconcile")
    assert (check.returncode, check.stdout) == (0, check.stdout), check.stdout
    assert reconciled.returncode == 0, reconciled.stdout + reconciled.stderr

    url = installed.env["GATEWAY_DATABASE_URL"]
    texts = [*rows_of(url), *lines_of(tmp_path)]
    assert {place for place, _ in texts} >= {"web.log", "worker.log", "payments.serial"}
    assert leaks([*texts, *files_of(url)], day.digits) == []
    secrets = [*PINS.values(), *FIRST.values(), WRONG]
    found = {(place, pin) for pin in secrets for place, text in texts if alone(pin).search(text)}
    assert found == set()
    cookies = [clerk.cookie.partition("=")[2] for clerk in (day.cashier, day.manager, day.console)]
    assert all(cookies)
    assert leaks([*texts, *files_of(url)], cookies) == []
