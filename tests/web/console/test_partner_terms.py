"""What the console shows of a partner's terms: caps, a float that is low, and its batches."""

import pytest

from tests.api.batching import advance, running, sheet
from tests.partners.test_terms import agree
from tests.support.partner import Partner
from tests.support.partner import partner as made
from tests.web.staffed import Staffed, Visitor


@pytest.fixture
def acme(staffed: Staffed) -> Partner:
    return made(staffed.wired, fund="100.00")


def test_the_page_shows_what_is_agreed(staffed: Staffed, operator: Visitor, acme: Partner) -> None:
    agree(staffed.wired, day_max="5000", sender_id="ACME", expiry="12h")
    text = operator.get("/console/partners/acme").text
    for shown in ("Most in a day", "5,000.00", "Sender ID", "ACME", "12h"):
        assert shown in text, shown
    assert "Most in one token" not in text


def test_a_low_float_needs_somebody_until_it_is_funded(
    staffed: Staffed, operator: Visitor, acme: Partner
) -> None:
    agree(staffed.wired, low_float="95")
    assert "The float of Acme is low" not in operator.get("/console").text
    acme.post("/tokens", {"amount": "10.00", "recipient": "+2348030000001"})
    text = operator.get("/console").text
    assert "The float of Acme is low" in text
    assert "NGN 90.00 is left, the alarm is at 95.00" in text
    agree(staffed.wired, clears=("low_float",))
    assert "The float of Acme is low" not in operator.get("/console").text


def test_a_partners_batches_are_listed_with_what_became_of_them(
    staffed: Staffed, operator: Visitor, acme: Partner
) -> None:
    assert "Batches" not in operator.get("/console/partners/acme").text
    name = running(staffed.wired, sheet(3, amount="40.00"))
    advance(staffed.wired)
    text = operator.get("/console/partners/acme").text
    assert name in text
    assert '<td class="amount">3</td><td class="amount">2</td><td class="amount">1</td>' in text
