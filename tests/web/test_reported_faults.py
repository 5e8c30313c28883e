"""Faults that others have reported of counters, customers' pages and proxies, on our pages."""

from datetime import datetime

import pytest

from gateway.outlets.payments.store import payments
from gateway.people.staff.store import Role
from gateway.tokens.issue import expiry
from gateway.tokens.tills.pay import CASHIER
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired
from tests.tokens.staging import count
from tests.web.counter.desk import Desk, words
from tests.web.staffed import Staffed

NOBODYS = "902100000000000014"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def desk(wired: Wired) -> Desk:
    """A counter with its cashier in."""
    return Desk(wired)


def test_a_plus_that_was_not_encoded_finds_the_same_customer(wired: Wired) -> None:
    operator = Staffed(wired).within(Role.OPERATOR)
    wired.redeem(wired.issue("75.00").reveal())
    bare = operator.get(f"/console/people?phone={ADA}")
    encoded = operator.get(f"/console/people?phone=%2B{ADA[1:]}")
    assert (bare.status_code, encoded.status_code) == (200, 200)
    assert "NGN 75.00" in words(bare)
    assert words(bare) == words(encoded)


@pytest.mark.parametrize("entry", ["", " ", "\u200b", "90210000000000001²", "①②③", "1\x00"])
def test_what_is_no_code_at_all_is_asked_for_again_and_looked_up_nowhere(
    desk: Desk, entry: str
) -> None:
    desk.open()
    answer = desk.look_up(entry)
    assert answer.status_code == 422
    assert "This is not a token" in words(answer)
    assert count(desk.wired, payments) == 0


def test_forwarded_addresses_give_a_cashier_no_further_guesses(desk: Desk) -> None:
    desk.open()
    answers = []
    for number in range(CASHIER.an_hour + 1):
        told = f"10.0.0.{number}, {HOSTILE}"
        answer = desk.cashier.client.post(
            "/counter/payments",
            data={"csrf": desk.cashier.form_key(), "entry": NOBODYS},
            headers={"X-Forwarded-For": told, "X_Forwarded_For": told, "Forwarded": told},
        )
        assert HOSTILE not in answer.text
        answers.append(words(answer))
    limited = ["Too many wrong entries" in said for said in answers]
    assert limited == [False] * CASHIER.an_hour + [True]


def test_a_text_message_with_markup_runs_nowhere_on_the_console(wired: Wired) -> None:
    visitor = Staffed(wired).within(Role.OPERATOR)
    secret = wired.gateway.settings.callback_secrets[0]
    fields = {"id": "mo-1", "from": ADA, "to": "38400", "text": HOSTILE, "date": ""}
    path = f"/sms/africastalking/{secret}/inbound"
    assert wired.client.post(path, data=fields).status_code == 200
    phone = f"phone=%2B{ADA[1:]}"
    for page in ("/console", f"/console/people?{phone}", f"/console/audit?subject=%2B{ADA[1:]}"):
        answer = visitor.get(page)
        assert answer.status_code == 200
        assert HOSTILE not in answer.text


def test_a_day_ends_at_one_moment_on_every_channel(desk: Desk, clock: SteppedClock) -> None:
    clock.advance(days=28, hours=13.5)
    wired, zone = desk.wired, desk.wired.gateway.settings.zone
    assert f"{clock.now().astimezone(zone):%d %H:%M}" == "30 23:30"
    made = wired.issue(expires_at=expiry("1d", clock.now(), zone), deliver=True)
    end = datetime(2026, 4, 1, tzinfo=zone)
    assert wired.token(made.serial).expires_at == end
    wired.send_all()
    desk.come_in()
    operator = desk.staffed.within(Role.OPERATOR)
    assert " by 31/03/2026." in wired.gateway.inbox(ADA)[0].text
    assert "\nValid until 31/03/2026\n" in wired.dial(text="3*1").body
    on_console = words(operator.get(f"/console/tokens/{made.serial}"))
    assert "Expires 31 Mar 2026 " in on_console
    assert "Times are those of Africa/Lagos." in on_console
    clock.advance(hours=24.5)
    desk.open()
    desk.come_in()
    assert "Was good until 31/03/2026" in words(desk.cashier.get(desk.shown(made.reveal())))
