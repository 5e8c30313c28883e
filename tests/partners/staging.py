"""What the partner tests stage: partners with money, and two operators who bring it."""

from decimal import Decimal
from typing import Any

from gateway.audit.decisions.store import Approval
from gateway.ledger import floats
from gateway.ledger.store import Account
from gateway.partners import profiles
from gateway.partners.funding import APPROVAL
from gateway.tokens.issue import Issued, Order, expiry
from tests.support.wired import BELLO, Wired

ASKER, SECOND = "cli:first", "cli:second"
ACME = "acme"


def partner(wired: Wired, code: str = ACME, amount: str = "") -> str:
    """A partner, with money on its float if an amount is given."""
    now = wired.clock.now()
    wired.run(lambda c: profiles.create(c, code.title(), code, ASKER, now))
    if amount:
        approve(wired, ask(wired, code, amount, f"first of {code}"))
    return code


def ask(wired: Wired, owner: str, amount: str, reference: str) -> int:
    """Ask for a funding; the number of the approval that waits."""
    now, funding = wired.clock.now(), wired.gateway.partners.funding

    def work(connection: Any) -> int:
        details = funding.request(connection, owner, Decimal(amount), "NGN", reference, now)
        return wired.gateway.approvals.ask(
            connection, APPROVAL, reference, details, ASKER, "it came in", now
        )

    return wired.run(work)


def approve(wired: Wired, number: int, actor: str = SECOND) -> Approval:
    """Let somebody else approve it."""
    now = wired.clock.now()
    return wired.run(lambda c: wired.gateway.approvals.approve(c, number, actor, now))


def float_of(wired: Wired, owner: str = ACME) -> Account | None:
    """The float as it stands."""
    return wired.run(lambda c: floats.find(c, owner, "NGN"))


def balance(wired: Wired, owner: str = ACME) -> Decimal | None:
    """What is on a float; None before its first funding."""
    found = float_of(wired, owner)
    return None if found is None else found.balance


def issue(wired: Wired, amount: str = "1.00", code: str = ACME) -> Issued:
    """A token that a partner pays for."""
    now = wired.clock.now()
    expires_at = expiry("30d", now, wired.gateway.settings.zone)
    order = Order(Decimal(amount), "NGN", expires_at, recipient=BELLO, issuer=code, deliver=False)

    return wired.run(lambda c: wired.gateway.partners.issuing.issue(c, order, now))
