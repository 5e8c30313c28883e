"""A token from the command line, by SMS to a phone, redeemed once: over real processes."""

import re
import time
from collections import Counter
from uuid import uuid4

import pytest

from tests.emulators.africastalking import SmsApi
from tests.emulators.posting import Answer
from tests.end_to_end.calls import balance, books_are_sound, issue, phone
from tests.support.races import race
from tests.support.serving import Installed, Web
from tests.support.wired import ADA, SECRET

ISSUE = ("tokens", "issue", "--amount", "500.00", "--to", ADA, "--show")


def test_a_token_issued_by_command_arrives_by_sms_and_is_redeemed_once(
    installed: Installed, api: SmsApi
) -> None:
    with installed.web(processes=2) as web, installed.worker():
        token = str(installed.json(*ISSUE)["token"])
        api.wait_for_requests(1)
        (sms,) = api.messages
        assert sms.to == ADA
        assert token in re.sub(r"(?<=\d) (?=\d)", "", sms.text)
        call = web.dialer.dial(ADA)
        assert call.answer.text.startswith("CON ")
        assert "1 Redeem token" in call.answer.text
        call.send("1")
        first = call.send(token)
        assert first.ends
        assert "NGN 500.00" in first.text
        assert call.repeat() == first  # byte for byte
        again = web.dialer.dial(phone(77), text=f"1*{token}").answer
        assert "NGN 500.00" not in again.text
    wallet = installed.json("wallets", "show", ADA)
    assert (wallet["balance"], wallet["held"], wallet["currency"]) == ("500.00", "0.00", "NGN")
    assert installed.command("books", "check").returncode == 0


@pytest.mark.parametrize("digits", [18, 11])
def test_a_token_typed_in_groups_with_the_star_key_is_one_token(
    installed: Installed, digits: int
) -> None:
    with installed.web(processes=2) as web:
        grouped = "*".join(re.findall(r"\d{1,4}", issue(installed, digits=digits).digits))
        call = web.dialer.dial(ADA)
        call.send("1")
        assert "NGN 500.00" in call.send(grouped).text
        grouped = "*".join(re.findall(r"\d{1,4}", issue(installed, digits=digits).digits))
        assert "NGN 500.00" in web.dialer.dial(ADA, text=f"1*{grouped}").answer.text
    assert balance(installed) == "1000.00"


def redeemed_by_all(web: Web, token: str, phones: int) -> list[Answer]:
    """What each of so many phones is told, dialling the token directly at one moment."""
    answers = race(phones, lambda number: web.dialer.dial(phone(number), text=f"1*{token}").answer)
    assert [answer for answer in answers if isinstance(answer, Exception)] == []
    return [answer for answer in answers if not isinstance(answer, Exception)]


@pytest.mark.parametrize(("phones", "rounds"), [(20, 3), (50, 2)])
def test_many_phones_at_once_on_one_token_give_one_winner(
    installed: Installed, phones: int, rounds: int
) -> None:
    with installed.web(processes=2) as web:
        for _ in range(rounds):
            answers = redeemed_by_all(web, issue(installed).digits, phones)
            won = [answer for answer in answers if "NGN 500.00" in answer.text]
            assert len(won) == 1
            assert {answer.status for answer in answers} == {200}
            assert all(answer.ends or answer.text.startswith("CON ") for answer in answers)
    assert books_are_sound(installed)


def test_ussd_and_sms_at_once_on_one_token_give_one_winner(
    installed: Installed, api: SmsApi
) -> None:
    with installed.web(processes=2) as web:
        api.messages_to = f"{web.url}/sms/africastalking/{SECRET}/inbound"
        token = issue(installed)

        def redeem(number: int) -> Answer:
            if number % 2:
                return api.originate(phone(number), token.digits, message_id=str(uuid4()))
            return web.dialer.dial(phone(number), text=f"1*{token.digits}").answer

        answers = race(20, redeem)
        assert Counter(answer.status for answer in answers if isinstance(answer, Answer)) == {
            200: 20
        }
        shown = installed.json("tokens", "show", token.serial)
        assert shown["status"] == "redeemed"
        assert shown["redeemed_by"] in [phone(number) for number in range(20)]
        assert shown["redeemed_channel"]
        assert balance(installed, shown["redeemed_by"]) == "500.00"
    assert books_are_sound(installed)


def test_the_same_post_at_once_is_answered_with_the_same_bytes(installed: Installed) -> None:
    with installed.web(processes=2) as web:
        token = issue(installed).digits
        session = f"ATUid_{uuid4().hex}"
        answers = race(
            10,
            lambda _: web.dialer.dial(ADA, text=f"1*{token}", session_id=session).answer,
        )
        assert len({answer for answer in answers if isinstance(answer, Answer)}) == 1
        assert all(isinstance(answer, Answer) for answer in answers)
    assert balance(installed) == "500.00"


def test_two_hundred_parallel_requests_share_no_connection_and_meet_no_deadlock(
    installed: Installed,
) -> None:
    with installed.web(processes=2) as web:
        began = time.monotonic()
        answers = race(
            50,
            lambda number: [
                web.dialer.dial(phone(number + 1000 * round_)).answer for round_ in range(4)
            ],
        )
        took = time.monotonic() - began
        flat = [answer for some in answers if isinstance(some, list) for answer in some]
        assert len(flat) == 200, [some for some in answers if isinstance(some, Exception)]
        assert {answer.text.startswith("CON ") for answer in flat} == {True}
        assert took < 30
    for word in ("Packet sequence", "ussd_turn_failed", "request_failed", "Traceback"):
        assert word not in web.text()
