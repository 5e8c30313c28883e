"""What is agreed with a partner: its caps, its voice, its expiry, and an alarm of a low float."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from gateway.audit import store as audit
from gateway.errors import BadInput
from gateway.ledger.limits import LimitExceeded
from gateway.outbox import queue
from gateway.outbox import store as outbox
from gateway.outbox.sending import Text
from gateway.partners.terms import store
from gateway.partners.terms.change import Change
from gateway.tokens.issue import DELIVERY, Order
from tests.partners.staging import ACME, ASKER, float_of, issue, partner
from tests.support.clock import SteppedClock
from tests.support.log import Log, captured_log
from tests.support.wired import BELLO, Wired

OWN = "{sender}: {amount} for you. Code {token}, dial {dial}."


@pytest.fixture
def log() -> Iterator[Log]:
    with captured_log() as found:
        yield found


def agree(wired: Wired, code: str = ACME, **changes: Any) -> None:
    """Change a profile, as an operator does."""
    now, profiles = wired.clock.now(), wired.gateway.partners.profiles
    wired.run(lambda c: profiles.change(c, code, Change(**changes), ASKER, "as agreed", now))


def refused(wired: Wired, amount: str) -> tuple[str, str]:
    """Which cap an issue meets, and what it leaves."""
    with pytest.raises(LimitExceeded) as error:
        issue(wired, amount)
    return error.value.cap, str(error.value.most)


def test_without_a_profile_nothing_is_capped(wired: Wired) -> None:
    partner(wired, amount="100.00")
    assert issue(wired, "100.00").status == "issued"


def test_a_single_token_stays_below_its_cap(wired: Wired) -> None:
    partner(wired, amount="100.00")
    agree(wired, token_max="10")
    assert refused(wired, "10.01") == ("token_max", "10.00")
    assert issue(wired, "10.00").status == "issued"


def test_a_day_ends_at_local_midnight_and_counts_what_was_issued_before_the_cap(
    wired: Wired, clock: SteppedClock
) -> None:
    partner(wired, amount="1000.00")
    issue(wired, "30.00")
    agree(wired, day_max="50.00")
    issue(wired, "15.00")
    assert refused(wired, "5.01") == ("day_max", "5.00")
    issue(wired, "5.00")
    assert refused(wired, "0.01") == ("day_max", "0.00")
    clock.advance(hours=14)  # 23:00 UTC: the next day in Lagos
    assert refused(wired, "50.01") == ("day_max", "50.00")
    issue(wired, "50.00")
    assert wired.breaches() == []


def test_nobody_issues_from_a_float_without_asking_what_is_agreed(wired: Wired) -> None:
    partner(wired, amount="10.00")
    now, own = wired.clock.now(), float_of(wired)
    order = Order(Decimal("1.00"), "NGN", now + timedelta(days=1), recipient=BELLO, issuer=ACME)
    with pytest.raises(TypeError, match="agreed"):
        wired.run(lambda c: wired.gateway.issuer.issue(c, order, now, own))


def test_what_is_cancelled_still_counts_for_its_day(wired: Wired) -> None:
    partner(wired, amount="100.00")
    agree(wired, day_max="10")
    token, now = wired.token(issue(wired, "10.00").serial), wired.clock.now()
    wired.run(lambda c: wired.gateway.retirer.cancel(c, token, ASKER, "", now))
    assert refused(wired, "1.00") == ("day_max", "0.00")


def test_a_cleared_cap_holds_no_more(wired: Wired) -> None:
    partner(wired, amount="100.00")
    agree(wired, token_max="10", day_max="20")
    agree(wired, clears=("token_max",))
    assert refused(wired, "20.01")[0] == "day_max"
    assert issue(wired, "20.00").status == "issued"


def alarms(log: Log) -> int:
    """How many were written since the last look."""
    return sum(line["event"] == "float_low" for line in log.lines())


def test_a_low_float_alarms_once_for_each_time_it_falls(wired: Wired, log: Log) -> None:
    partner(wired, amount="100.00")
    log.lines()
    agree(wired, low_float="50")
    issue(wired, "50.00")
    assert alarms(log) == 0
    token = wired.token(issue(wired, "0.01").serial)
    issue(wired, "10.00")
    assert alarms(log) == 1
    now = wired.clock.now()
    low = wired.run(lambda c: store.low(c, "NGN", 10))
    assert [(one.code, str(one.balance)) for one in low] == [(ACME, "39.99")]
    wired.run(lambda c: wired.gateway.retirer.cancel(c, token, ASKER, "", now))
    issue(wired, "0.01")
    assert alarms(log) == 0, "it had not risen above"


def test_the_sms_of_a_token_speaks_as_its_partner_does_when_it_is_sent(wired: Wired) -> None:
    partner(wired, amount="100.00")
    serial = issue(wired, "5.00").serial
    agree(wired, sender_id="ACME", texts={"en": OWN, "fr": f"Bonjour, {OWN}"})
    text = sms_of(wired, serial, 1)
    assert text.sender_id == "ACME"
    assert text.body.startswith("Token Gateway: NGN 5.00 for you. Code ")
    agree(wired, language="fr")
    assert sms_of(wired, serial, 2).body.startswith("Bonjour, Token Gateway: NGN 5.00")
    agree(wired, silences=("fr",), clears=("sender_id",))
    text = sms_of(wired, serial, 3)
    assert (text.sender_id, text.body.startswith("Token Gateway: NGN 5.00. Jeton ")) == (
        None,
        True,
    ), text.body


def sms_of(wired: Wired, serial: str, number: int) -> Text:
    """The SMS as a worker would render it now."""
    now = wired.clock.now()

    def work(connection: Any) -> Text:
        queue.add(connection, f"look:{number}", DELIVERY, serial, BELLO, "", now)
        message = outbox.about(connection, serial)[-1]
        return wired.gateway.tokens.messages.delivery(connection, message)

    return wired.run(work)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sender_id": "12345"}, "sender ID"),
        ({"sender_id": "AB"}, "sender ID"),
        ({"sender_id": "A name too long"}, "sender ID"),
        ({"language": "xx"}, "languages"),
        ({"expiry": "soon"}, "30d"),
        ({"token_max": "0"}, "above zero"),
        ({"day_max": "1e3"}, "500"),
        ({"texts": {"en": "{amount} only"}}, "{token}"),
        ({"texts": {"en": "{token} only"}}, "{amount}"),
        ({"texts": {"en": OWN + "{colour}"}}, "braces"),
        ({"texts": {"en": OWN + "{"}}, "braces"),
        ({"texts": {"en": OWN + "₦"}}, "GSM-7"),
        ({"texts": {"en": OWN + "x" * 90}}, "septets"),
        ({"texts": {"xx": OWN}}, "languages"),
        ({"name": " "}, "name"),
        ({}, "say what"),
    ],
)
def test_what_cannot_be_so_is_refused_by_name_and_changes_nothing(
    wired: Wired, change: dict[str, Any], said: str
) -> None:
    partner(wired)
    before = wired.run(lambda c: wired.gateway.partners.profiles.show(c, ACME))
    with pytest.raises(BadInput, match=said):
        agree(wired, **change)
    assert wired.run(lambda c: wired.gateway.partners.profiles.show(c, ACME)) == before


def test_a_change_stands_in_the_trail_with_its_reason(wired: Wired) -> None:
    partner(wired)
    agree(wired, token_max="5000", texts={"en": OWN}, name="Acme Ltd")
    last = wired.run(lambda c: audit.about(c, ACME))[-1]
    said = "name Acme Ltd, token_max 5000.00, text in en: as agreed"
    assert (last.action, last.actor, last.reason) == ("partner.profile", ASKER, said)
    assert wired.run(lambda c: wired.gateway.partners.profiles.show(c, ACME))["name"] == "Acme Ltd"
