"""Whose phone is one of the staff's: as the database has it, and a second old at most."""

import pytest

from gateway.outlets.rights import PAYERS
from gateway.people.staff.phones.known import FRESH_SECONDS, Phones
from gateway.people.staff.store import Role
from tests.outlets.staging import AMA, BIM, Shop
from tests.support.wired import ADA, Wired


@pytest.fixture
def now() -> list[float]:
    """A monotonic time that a test sets."""
    return [100.0]


def knows(wired: Wired, phones: Phones, msisdn: str) -> bool:
    """What is said of a phone."""
    return wired.run(lambda c: phones.has(c, msisdn))


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        (Role.CASHIER, True),
        (Role.MANAGER, True),
        (Role.OPERATOR, False),
        (Role.ADMIN, False),
    ],
)
def test_phones_of_these_roles_are_known_and_no_others(
    wired: Wired, role: Role, expected: bool
) -> None:
    Shop(wired).member(AMA, role, "LAG-1")
    phones = Phones(PAYERS)
    assert knows(wired, phones, AMA) is expected
    assert not knows(wired, phones, ADA)


def test_news_is_known_after_a_second(wired: Wired, now: list[float]) -> None:
    shop = Shop(wired)
    ama = shop.member(AMA, outlet="LAG-1")
    phones = Phones(PAYERS, lambda: now[0])
    assert knows(wired, phones, AMA)
    shop.dismiss(ama)
    shop.member(BIM, outlet="LAG-1")
    assert (knows(wired, phones, AMA), knows(wired, phones, BIM)) == (True, False)
    now[0] += FRESH_SECONDS
    assert (knows(wired, phones, AMA), knows(wired, phones, BIM)) == (False, True)
