"""Who tries PINs too often from one address is told when to go on; the others come in as ever."""

import pytest

from gateway.people.staff.store import Role
from gateway.people.staff.tries.limits import TRIES_MAX
from tests.support.clock import SteppedClock
from tests.support.wired import Wired
from tests.web.staffed import AREAS, PHONES, Staffed, Visitor, words

CROWDED = "Too many wrong entries from your network. Try again after 11:00."  # in Lagos
WRONG_PIN, STRANGERS = "8264", [f"+23480300009{n:02}" for n in range(TRIES_MAX + 1)]
SHOP, OUTSIDE = "203.0.113.7", "198.51.100.9"


def at(staffed: Staffed, address: str, area: str = "/counter") -> Visitor:
    """A browser at an address."""
    visitor = staffed.visitor(area)
    visitor.client.environ_base["REMOTE_ADDR"] = address
    return visitor


def crowd(visitor: Visitor) -> None:
    """Try until there is no try left."""
    for phone in STRANGERS[:TRIES_MAX]:  # one alone would be locked before
        assert visitor.kept_out(phone, WRONG_PIN).status_code == 422


def test_an_address_that_tried_too_often_is_told_so_whoever_it_tries_to_be(
    staffed: Staffed, clock: SteppedClock
) -> None:
    crowd(at(staffed, OUTSIDE))
    for role in Role:
        page = at(staffed, OUTSIDE, AREAS[role]).kept_out(PHONES[role])
        assert (page.status_code, CROWDED in words(page)) == (429, True)
        assert f'value="{PHONES[role]}"' in page.text
    assert at(staffed, SHOP).log_in(PHONES[Role.CASHIER]).status_code == 303
    clock.advance(hours=1)
    assert at(staffed, OUTSIDE).log_in(PHONES[Role.MANAGER]).location == "/counter"


def test_choosing_a_pin_is_counted_at_its_address_as_a_login_is(staffed: Staffed) -> None:
    visitor, form = at(staffed, OUTSIDE), {"pin": WRONG_PIN, "new": "6139", "again": "6139"}
    for phone in STRANGERS[:TRIES_MAX]:
        assert visitor.refused("/counter/pin", phone=phone, **form).status_code == 422
    assert visitor.refused("/counter/pin", phone=STRANGERS[-1], **form).status_code == 429
    assert CROWDED in words(visitor.kept_out(PHONES[Role.CASHIER]))


def test_whoever_locks_a_cashier_out_from_outside_does_not_at_their_till(
    staffed: Staffed,
) -> None:
    phone = PHONES[Role.CASHIER]
    assert at(staffed, SHOP).log_in(phone).status_code == 303
    for n in range(8):
        at(staffed, f"198.51.100.{n}").kept_out(phone, WRONG_PIN)
    assert "Too many wrong PINs." in words(at(staffed, OUTSIDE).kept_out(phone))
    assert at(staffed, SHOP).log_in(phone).location == "/counter"


def test_neighbours_in_one_network_of_ipv6_are_one(staffed: Staffed) -> None:
    *phones, last = STRANGERS
    for n, phone in enumerate(phones):
        at(staffed, f"2001:db8:1:1::{n:x}").kept_out(phone, WRONG_PIN)
    assert at(staffed, "2001:db8:1:1:ff::1").kept_out(last, WRONG_PIN).status_code == 429
    assert at(staffed, "2001:db8:1:2::1").kept_out(last, WRONG_PIN).status_code == 422


# How many proxies are trusted, and whether other words about whom they speak for are other places.
@pytest.mark.parametrize(("proxies", "is_another"), [(0, False), (1, True)])
def test_the_address_is_what_the_trusted_proxies_say_and_no_client(
    sqlite_url: str, clock: SteppedClock, proxies: int, is_another: bool
) -> None:
    staffed = Staffed(Wired(sqlite_url, clock, trusted_proxies=proxies))
    visitor = staffed.visitor("/counter")

    def tries(forwarded: str, phone: str = STRANGERS[-1]) -> int:
        form = {"csrf": visitor.form_key(), "phone": phone, "pin": WRONG_PIN}
        headers = {"X-Forwarded-For": forwarded}
        sent = visitor.client.post("/counter/login", data=form, headers=headers)
        return visitor.get(sent.headers["Location"]).status_code

    for n, phone in enumerate(STRANGERS[:TRIES_MAX]):
        assert tries(f"192.0.2.{n}, {SHOP}", phone) == 422  # the client's own word comes before it
    assert tries(f"192.0.2.99, {SHOP}") == 429
    assert (tries(f"{SHOP}, {OUTSIDE}") == 422) is is_another
    staffed.wired.close()
