"""Setting outlets and their tills up, each with its account; stopping them, and closing them."""

import re
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import BadInput, RaceLost
from gateway.formats import money
from gateway.formats.facts import fact
from gateway.ledger import store as ledger_store
from gateway.ledger.guards import store as guards
from gateway.ledger.operate import Deed
from gateway.ledger.store import ACTIVE, FROZEN, OUTLET, TILL
from gateway.outlets import store
from gateway.outlets.shifts import store as shifts
from gateway.outlets.shifts.closing import locked
from gateway.outlets.shifts.store import State
from gateway.outlets.store import NAME_MAX, SETTLE_TO_MAX, Outlet, Status, Till, till_name

# How the trail names them; the subject is the till's name or the outlet's code.
CREATE_TILL, CREATE_OUTLET = "till.create", "outlet.create"
FREEZE_TILL, UNFREEZE_TILL, CLOSE_TILL = "till.freeze", "till.unfreeze", "till.close"
LIMIT_TILL = "till.limit"
CREATE_OUTLET, CREATE_TILL = "outlet.create", "till.create"
FREEZE_OUTLET, UNFREEZE_OUTLET, CLOSE_OUTLET = "outlet.freeze", "outlet.unfreeze", "outlet.close"
_CODE = re.compile(r"[A-Z0-9-]{2,16}", re.ASCII)


def create_outlet(
    connection: Connection,
    code: str,
    name: str,
    settle_to: str,
    currency: str,
    actor: str,
    now: datetime,
    reason: str = "",
) -> Outlet:
    """A new outlet; `settle_to` is the bank account it is paid to. Raises `BadInput`."""
    code = code.strip().upper()
    if not _CODE.fullmatch(code):
        raise BadInput("an outlet's code has 2 to 16 of A-Z, 0-9 and -")
    if store.by_code(connection, code) is not None:
        raise BadInput(f"there is an outlet {code} already")
    name = _plain(name, NAME_MAX, "an outlet's name")
    settle_to = _plain(settle_to, SETTLE_TO_MAX, "a bank account")
    account = ledger_store.create(connection, OUTLET, code, currency, now, guarded=True)
    store.add_outlet(connection, code, name, settle_to, account.id, now)
    said = fact("settles to {account}", account=settle_to)
    trail.record(connection, actor, CREATE_OUTLET, code, now, reason, said)
    return known(connection, code)


def create_till(
    connection: Connection,
    code: str,
    float_limit: Decimal,
    currency: str,
    actor: str,
    now: datetime,
    reason: str = "",
) -> Till:
    """The next till of an outlet; `float_limit` is what one shift may pay out. Raises `BadInput`.

    A race for its number ends in `DuplicateKey` and a repeat.
    """
    _insist_limit(float_limit)
    outlet = _locked(connection, code)
    if outlet.stand is Status.CLOSED:
        raise BadInput(f"outlet {outlet.code} is closed for good")
    number = store.next_number(connection, outlet.id)
    owner = till_name(outlet.code, number)
    account = ledger_store.create(connection, TILL, owner, currency, now, guarded=True)
    made = store.add_till(connection, outlet.id, number, account.id, float_limit)
    said = fact("float limit {limit}", limit=float_limit)
    trail.record(connection, actor, CREATE_TILL, owner, now, reason, said)
    found = store.till(connection, made)
    if found is None:
        raise LookupError("a till that was just written is not there")
    return found


def freeze_till(connection: Connection, name: str, deed: Deed) -> Till:
    """Let a till pay nothing and be opened by nobody; its open shift can still end.

    It is counted, accepted and closed, and its payments voided, as ever. Raises `BadInput`.
    """
    till = _locked_till(connection, name)
    _set_status(connection, till.account_id, ACTIVE, FROZEN, f"till {till.name} is {till.stand}")
    return _done_to_till(connection, till, FREEZE_TILL, deed)


def unfreeze_till(connection: Connection, name: str, deed: Deed) -> Till:
    """Let a frozen till pay again. Raises `BadInput`."""
    till = _locked_till(connection, name)
    _set_status(connection, till.account_id, FROZEN, ACTIVE, f"till {till.name} is {till.stand}")
    return _done_to_till(connection, till, UNFREEZE_TILL, deed)


def close_till(connection: Connection, name: str, deed: Deed) -> Till:
    """Close a till for good: nobody has it open, and nothing is owed to it. Raises `BadInput`."""
    till = _locked_till(connection, name)
    shift = shifts.at_till(connection, till.id)
    if shift is not None:
        raise BadInput(f"till {till.name} is {shift.cashier}'s until its shift is closed")
    _close_account(connection, till.account_id, f"till {till.name}", till.stand)
    if not store.close_till(connection, till.id):
        raise RaceLost("the till changed while it was being closed")
    return _done_to_till(connection, till, CLOSE_TILL, deed)


def limit_till(connection: Connection, name: str, float_limit: Decimal, deed: Deed) -> Till:
    """Change what one shift may pay out, not below what the open one has paid. Raises `BadInput`.

    The open shift is locked: what it pays at this moment counts, or is held to the new limit.
    """
    _insist_limit(float_limit)
    till = _locked_till(connection, name)
    shift = shifts.at_till(connection, till.id)
    if shift is not None:
        shift = locked(connection, shift.id)
        if shift.state != State.CLOSED and shift.total > float_limit:
            raise BadInput(f"the open shift has paid {money.plain(shift.total)} already")
    if till.stand is Status.CLOSED:
        raise BadInput(f"till {till.name} is closed")
    if not store.limit_till(connection, till.id, till.float_limit, float_limit):
        raise RaceLost("the till changed meanwhile")
    why = trail.worded(deed.reason)
    said = fact("{limit} instead of {before}", limit=float_limit, before=till.float_limit)
    trail.record(connection, deed.actor, LIMIT_TILL, till.name, deed.now, why, said)
    return known_till(connection, till.name)


def freeze_outlet(connection: Connection, code: str, deed: Deed) -> Outlet:
    """Let no till of an outlet pay or be opened, and nothing be paid to its bank.

    Open shifts can still be brought to an end. Raises `BadInput`.
    """
    outlet = _locked(connection, code)
    tills = [till.id for till in store.tills_of(connection, outlet.id)]
    # Who is opening a till or paying at this moment ends first; who comes later finds it frozen.
    store.lock_tills(connection, *tills)
    running = shifts.listed(connection, len(tills), (State.OPEN, State.COUNTED), outlet.id)
    for shift in reversed(running):
        shifts.lock(connection, shift.id)
    _set_status(
        connection, outlet.account_id, ACTIVE, FROZEN, f"outlet {outlet.code} is {outlet.stand}"
    )
    return _done_to_outlet(connection, outlet, FREEZE_OUTLET, deed)


def unfreeze_outlet(connection: Connection, code: str, deed: Deed) -> Outlet:
    """Let a frozen outlet work again; a till that was frozen itself stays so. Raises `BadInput`."""
    outlet = _locked(connection, code)
    _set_status(
        connection, outlet.account_id, FROZEN, ACTIVE, f"outlet {outlet.code} is {outlet.stand}"
    )
    return _done_to_outlet(connection, outlet, UNFREEZE_OUTLET, deed)


def close_outlet(connection: Connection, code: str, deed: Deed) -> Outlet:
    """Close an outlet for good: its tills are closed, and all it was owed is paid.

    Raises `BadInput`.
    """
    outlet = _locked(connection, code)
    tills = store.tills_of(connection, outlet.id)
    left = [till.name for till in tills if till.stand is not Status.CLOSED]
    if left:
        raise BadInput(f"close its tills first: {', '.join(left)}")
    _close_account(connection, outlet.account_id, f"outlet {outlet.code}", outlet.stand)
    if not store.close_outlet(connection, outlet.id):
        raise RaceLost("the outlet changed while it was being closed")
    return _done_to_outlet(connection, outlet, CLOSE_OUTLET, deed)


def known(connection: Connection, code: str) -> Outlet:
    """The outlet with this code. Raises `BadInput`."""
    found = store.by_code(connection, code.strip().upper())
    if found is None:
        raise BadInput("there is no outlet with this code")
    return found


def known_till(connection: Connection, name: str) -> Till:
    """The till with this name, such as LAG-1/2. Raises `BadInput`."""
    code, _, number = name.strip().upper().partition("/")
    outlet = store.by_code(connection, code)
    tills = store.tills_of(connection, outlet.id) if outlet else []
    for till in tills:
        if str(till.number) == number:
            return till
    raise BadInput("there is no till with this name: it reads like LAG-1/2")


def _locked(connection: Connection, code: str) -> Outlet:
    """An outlet to which nobody adds a till meanwhile."""
    store.lock(connection, known(connection, code).id)
    return known(connection, code)


def _locked_till(connection: Connection, name: str) -> Till:
    """A till that nobody opens meanwhile."""
    store.lock_tills(connection, known_till(connection, name).id)
    return known_till(connection, name)


def _insist_limit(float_limit: Decimal) -> None:
    if money.exact(float_limit) <= 0:
        raise BadInput("the float limit must be above zero")


def _set_status(
    connection: Connection, account_id: int, before: str, after: str, otherwise: str
) -> None:
    if not ledger_store.set_status(connection, account_id, before, after):
        raise BadInput(otherwise)


def _close_account(connection: Connection, account_id: int, what: str, stand: Status) -> None:
    if stand is Status.CLOSED:
        raise BadInput(f"{what} is closed")
    if not guards.close(connection, account_id):
        account = ledger_store.by_id(connection, account_id)
        owed, held = money.plain(account.balance or Decimal(0)), money.plain(account.held)
        raise BadInput(f"{what} is still owed {owed}, and {held} is on its way to the bank")


def _done_to_till(connection: Connection, till: Till, action: str, deed: Deed) -> Till:
    why = trail.worded(deed.reason)
    trail.record(connection, deed.actor, action, till.name, deed.now, why)
    return known_till(connection, till.name)


def _done_to_outlet(connection: Connection, outlet: Outlet, action: str, deed: Deed) -> Outlet:
    why = trail.worded(deed.reason)
    trail.record(connection, deed.actor, action, outlet.code, deed.now, why)
    return known(connection, outlet.code)


def _plain(words: str, characters_max: int, what: str) -> str:
    """Words fit to be shown and recorded. Raises `BadInput`.

    >>> _plain(" Ikeja  Mall ", 40, "a name")
    'Ikeja Mall'
    >>> _plain(" ", 40, "a name")
    Traceback (most recent call last):
    gateway.errors.BadInput: a name has 1 to 40 characters
    """
    plain = " ".join(words.split())
    if not 0 < len(plain) <= characters_max or not plain.isprintable():
        raise BadInput(f"{what} has 1 to {characters_max} characters")
    return plain
