"""A whole day over real processes leaves no token, secret or whole phone number behind (T3)."""

import os
import re
import signal
import sqlite3
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.emulators.africastalking import SmsApi
from tests.emulators.africastalking_answers import DROP_AFTER_TAKING, SERVER_ERROR, refuse
from tests.end_to_end.calls import (
    INBOUND,
    USSD,
    Token,
    books_are_sound,
    form,
    issue,
    phone,
    post,
)
from tests.end_to_end.leaks import files_of, leaks, lines_of, rows_of
from tests.support.serving import Installed, Web
from tests.support.wired import ADA, GENERATE_KEY, LOOKUP_KEY, SECRET

UNKNOWN = ("902100000000000014", "76543210983")  # valid digits that were never issued
GROUPS = (" ", "-", "*", ".", "  ")


def grouped(digits: str, between: str) -> str:
    """The digits in groups of four."""
    return between.join(re.findall(r"\d{1,4}", digits))


def wrong(digits: str) -> str:
    """The same with its check digit off by one."""
    return digits[:-1] + str((int(digits[-1]) + 1) % 10)


def sms(number: int, text: str, caller: str) -> dict[str, str]:
    """Africa's Talking's fields of an inbound message."""
    return {
        "id": f"mo-{number}",
        "from": caller,
        "to": "38400",
        "text": text,
        "date": "2026-05-03T06:04:45Z",
        "linkId": f"link-{number}",
    }


class Day:
    """One day of an installation; `digits` are all that were typed, issued or unknown."""

    def __init__(self, installed: Installed, api: SmsApi, web: Web) -> None:
        self.installed, self.api, self.web = installed, api, web
        self.digits: list[str] = list(UNKNOWN)
        self.phones = [phone(number) for number in range(40)]
        api.reports_to = f"{web.url}/sms/africastalking/{SECRET}/receipts"

    def issued(self, number: int, digits: int = 18) -> Token:
        """A token for one of the phones."""
        token = issue(self.installed, digits=digits, to=self.phones[number])
        self.digits.append(token.digits)
        return token

    def morning(self) -> None:
        """Tokens arrive by SMS, some refused or with an answer that is lost, and are resent."""
        self.api.script(SERVER_ERROR, DROP_AFTER_TAKING)
        self.api.answer_to(self.phones[3], refuse(403, "InvalidPhoneNumber"))
        tokens = [self.issued(n, 18 if n % 2 else 11) for n in range(4)]
        self.api.wait_for_requests(4)
        for message in self.api.messages:
            self.api.deliver(message.message_id, "Sent")
            self.api.deliver(message.message_id, "Failed", "DeliveryFailure")
            self.api.deliver(message.message_id, "Borked")
            self.api.deliver(message.message_id, f"Echo {message.text}", message.text)
        self.installed.json("tokens", "reprint", tokens[0].serial)
        call = self.web.dialer.dial(self.phones[0])
        for entry in ("3", "1", "1"):
            call.send(entry)
        call.end("Success")
        reason = f"caller read {grouped(tokens[1].digits, ' ')} aloud"
        self.installed.json("tokens", "suspend", tokens[1].serial, "--reason", reason)
        self.installed.json("tokens", "resume", tokens[1].serial, "--reason", reason)
        self.installed.command("tokens", "show", tokens[1].digits)
        self.installed.command("wallets", "show", tokens[1].digits)

    def noon(self) -> None:
        """Redeemed by every way there is: menu, direct dial, groups, SMS, twice, and dropped."""
        for number, digits in enumerate((18, 11, 18, 11, 18)):
            token = self.issued(4 + number, digits)
            caller, typed = self.phones[4 + number], grouped(token.digits, GROUPS[number])
            call = self.web.dialer.dial(caller)
            call.send("1")
            assert "NGN 500.00" in call.send(typed).text
            call.repeat()
            call.end("Success")
            self.web.dialer.dial(caller, text=f"1*{token.digits}").end("Failed")
            self.web.dialer.dial(phone(90), text=f"1*{typed}")
        for number, words in enumerate(("{}", "REDEEM {}", "redeem {} please", "hello {}!")):
            token = self.issued(10 + number)
            text = words.format(grouped(token.digits, " "))
            for _ in range(2):
                post(self.web, sms(number, text, self.phones[10 + number]), INBOUND)

    def afternoon(self) -> None:
        """Wrong entries by USSD and SMS up to the limit, and requests that nobody can read."""
        token = self.issued(20)
        entries = (token.digits[:-1], wrong(token.digits), token.digits + "1", *UNKNOWN)
        for number in range(8):
            for place, typed in enumerate(entries):
                session = f"wrong-{number}-{place}"
                post(self.web, form(f"1*{typed}", session, self.phones[21]))
            post(self.web, sms(100 + number, entries[number % 5], self.phones[22]), INBOUND)
        body = form(f"1*{token.digits}", "odd", self.phones[23])
        no_phone = {**body, "phoneNumber": token.digits}
        for odd in (no_phone, {**body, "sessionId": ""}, {"text": token.digits}):
            post(self.web, odd)
            post(self.web, odd, f"{USSD}/events")
            post(self.web, odd, INBOUND)
            post(self.web, odd, INBOUND.replace("inbound", "receipts"))
        for path in (f"/{token.digits}", f"{USSD}/{token.digits}", f"{USSD}?text={token.digits}"):
            post(self.web, body, path)
        post(self.web, body, f"/ussd/africastalking/{token.digits}")
        post(self.web, f"text={quote(grouped(token.digits, '*'))}".encode() * 3_000)

    def evening(self) -> None:
        """The database is locked in mid-call, workers die, housekeeping runs."""
        token = self.issued(30)
        turn = form(f"1*{token.digits}", "locked", self.phones[30])
        url = self.installed.env["GATEWAY_DATABASE_URL"]
        if url.startswith("sqlite"):
            other = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            assert post(self.web, turn).ends
            other.close()
        for worker in self.web.children():
            os.kill(worker, signal.SIGKILL)
        time.sleep(2)
        assert "NGN 500.00" in post(self.web, {**turn, "sessionId": "after"}).text
        cancelled = self.issued(31)
        reason = f"lost {cancelled.digits}"
        self.installed.json("tokens", "cancel", cancelled.serial, "--reason", reason)
        self.installed.json("sweep")
        for command in (("books", "check"), ("doctor",), ("keys", "list")):
            self.installed.command(*command)


@pytest.fixture
def day(installed: Installed, api: SmsApi) -> Day:
    """A day that is over: its processes have stopped."""
    with installed.web(processes=2) as web:
        whole = Day(installed, api, web)
        with installed.worker() as worker:
            whole.morning()
            whole.noon()
            os.kill(worker.pid, signal.SIGKILL)
            worker.popen.wait()
        with installed.worker(name="second"):
            whole.afternoon()
            whole.evening()
            time.sleep(2)
    return whole


def kept(installed: Installed, folder: Path) -> list[tuple[str, str]]:
    """All that the installation has kept: rows, database files and logs."""
    url = installed.env["GATEWAY_DATABASE_URL"]
    return [*rows_of(url), *files_of(url), *lines_of(folder)]


def test_a_days_rows_and_logs_hold_no_token_secret_or_phone(
    day: Day, installed: Installed, tmp_path: Path
) -> None:
    assert books_are_sound(installed)
    everything = kept(installed, tmp_path)
    assert len(everything) > 300
    assert {place for place, _ in everything} >= {"web.log", "worker.log", "commands.log"}
    places = {leak.place for leak in leaks(everything, day.digits)}
    assert not places, ", ".join(sorted(places))
    logs = list(lines_of(tmp_path))
    assert leaks(logs, [SECRET, GENERATE_KEY, LOOKUP_KEY, "test-api-key", "test-pin-pepper"]) == []
    assert leaks(logs, [caller.lstrip("+") for caller in (*day.phones, ADA)]) == []
    assert leaks(rows_of(installed.env["GATEWAY_DATABASE_URL"]), [SECRET, GENERATE_KEY]) == []


PLANTED = ("{}", "1*{}", "text=1%2A{}&x", "caller said {} twice")


@pytest.mark.parametrize("words", PLANTED)
@pytest.mark.parametrize("between", ["", " ", "*", "-", "%20", "%2A"])
def test_a_token_that_is_planted_in_a_log_or_a_row_is_found(
    on_sqlite: Installed, tmp_path: Path, words: str, between: str
) -> None:
    digits = UNKNOWN[0]
    text = words.format(grouped(digits, between))
    (tmp_path / "web.log").write_text(f"a line\n{text}\n")
    with on_sqlite_file(on_sqlite) as file:
        file.execute(
            "INSERT INTO audit_trail (at, actor, action, subject, reason)"
            " VALUES ('2026-03-02 09:00:00.000000', 'cli', 'x', 'y', ?)",
            (text,),
        )
        file.commit()
    found = {leak.place for leak in leaks(kept(on_sqlite, tmp_path), [digits, "+2348099999999"])}
    assert {"web.log", "audit_trail.reason"} <= found


def on_sqlite_file(installed: Installed) -> sqlite3.Connection:
    """The database file itself, past all of our code."""
    return sqlite3.connect(installed.env["GATEWAY_DATABASE_URL"].removeprefix("sqlite:///"))
