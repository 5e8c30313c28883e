"""What the demo begins with; each start adds what is missing and keeps everything else."""

from collections.abc import Mapping
from decimal import Decimal
from itertools import count

from sqlalchemy import Connection

from gateway.cli.demo import people
from gateway.cli.demo.people import CALLERS, OUTLET, STAFF, Worker
from gateway.cli.parts import Parts
from gateway.formats import money
from gateway.outlets import manage
from gateway.outlets import store as outlets
from gateway.people.staff import store as staff
from gateway.people.staff.hands import DEMO
from gateway.people.staff.roster import FOUNDERS, Hire
from gateway.people.staff.store import OPERATORS, Role, Status
from gateway.tokens import store as tokens
from gateway.tokens.issue import DuplicateIssueRef, Order, expiry
from gateway.tokens.store import Status as TokenStatus

ACTOR = DEMO
# What each demo phone finds in its inbox on the first start.
TOKENS = (
    ("demo-1", "500.00", CALLERS[0][0], 18, "Mama Ngozi"),
    ("demo-2", "1250.50", CALLERS[1][0], 11, "Bright Farms"),
    ("demo-3", "75.00", CALLERS[2][0], 18, "School Fund"),
)
# And what waits to be paid at the counter: a new one at the start after it was paid.
CASH_AMOUNT, CASH_KEEPER = "2000.00", CALLERS[2]
CASH_FROM = "Cash Aid"
FLOAT_LIMIT = Decimal("50000.00")


def seed(parts: Parts) -> bool:
    """Tokens, the outlet and its staff; False when the tokens are those of an earlier start."""
    made = [_issue(parts, *token)[1] for token in TOKENS]
    for number in count(1):
        serial, fresh = _issue(
            parts, f"demo-cash-{number}", CASH_AMOUNT, CASH_KEEPER[0], 18, CASH_FROM
        )
        if fresh or _is_live(parts, serial):
            break
    parts.database.run(lambda c: _outlet(parts, c))
    pins = people.pins(parts.settings.var)
    for worker in STAFF:
        _take_on(parts, worker, pins[worker.msisdn])
    return any(made)


def usable(parts: Parts) -> Mapping[str, tuple[Role, str]]:
    """Role and PIN, by phone, of those who still have the PIN that was made for them."""
    pins = people.kept_pins(parts.settings.var)
    with parts.database.snapshot() as connection:
        found = [staff.by_msisdn(connection, msisdn) for msisdn in pins]
    return {
        one.msisdn: (Role(one.role), pins[one.msisdn])  # an earlier demo had no admin
        for one in found
        if one and one.status == Status.ACTIVE and one.pin_set_by == ACTOR
    }


def _issue(
    parts: Parts, reference: str, amount: str, recipient: str, digits: int, sender: str
) -> tuple[str, bool]:
    """The serial of the token of this reference, and whether it was issued just now."""
    now = parts.clock.now()
    order = Order(
        amount=money.parse(amount),
        currency=parts.settings.currency,
        expires_at=expiry("30d", now, parts.settings.zone),
        digits=digits,
        recipient=recipient,
        issue_ref=reference,
        sender_name=sender,
        actor=ACTOR,
    )
    try:
        issued = parts.database.run(lambda c: parts.issuer.issue(c, order, now))
    except DuplicateIssueRef as error:
        return error.serial, False
    return issued.serial, True


def _is_live(parts: Parts, serial: str) -> bool:
    with parts.database.snapshot() as connection:
        token = tokens.by_serial(connection, serial)
    now = parts.clock.now()
    return token is not None and token.status == TokenStatus.ISSUED and now < token.expires_at


def _outlet(parts: Parts, connection: Connection) -> None:
    now, currency = parts.clock.now(), parts.settings.currency
    known = outlets.by_code(connection, OUTLET)
    if known is None:
        named = (OUTLET, "Ikeja Mall", "Demo Bank 0000000001")
        known = manage.create_outlet(connection, *named, currency, ACTOR, now)
    if not outlets.tills_of(connection, known.id):
        manage.create_till(connection, OUTLET, FLOAT_LIMIT, currency, ACTOR, now)


def _take_on(parts: Parts, worker: Worker, pin: str) -> None:
    """Somebody of the staff, as far as nobody else's approval is needed for it."""
    with parts.database.snapshot() as connection:
        known = staff.by_msisdn(connection, worker.msisdn)
        waits = worker.role in OPERATORS and staff.operators(connection) >= FOUNDERS
    if known is None and waits:
        return  # somebody has taken on operators of their own
    if known is not None and known.pin_set_by != ACTOR:
        return  # they have chosen a PIN themselves
    hashed = parts.roster.hashed(pin, worker.msisdn)
    hire = Hire(worker.name, worker.msisdn, worker.role, hashed, worker.outlet)

    def work(connection: Connection) -> None:
        if known is None:
            why = f"{worker.name} works in the demo as {worker.role}"
            parts.roster.hire(connection, hire, ACTOR, why, parts.clock.now())
        else:
            staff.set_pin(connection, known.id, known.pin_hash, hashed, ACTOR)

    parts.database.run(work)
