"""Setting outlets and their tills up, each with its account."""

import re
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.formats import money
from gateway.ledger import store as ledger_store
from gateway.ledger.store import OUTLET, TILL
from gateway.outlets import store
from gateway.outlets.record import record
from gateway.outlets.store import NAME_MAX, SETTLE_TO_MAX, Outlet, Till, till_name

_CODE = re.compile(r"[A-Z0-9-]{2,16}", re.ASCII)


def create_outlet(
    connection: Connection,
    code: str,
    name: str,
    settle_to: str,
    currency: str,
    actor: str,
    now: datetime,
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
    record(connection, actor, "outlet.create", code, now, f"settles to {settle_to}")
    return known(connection, code)


def create_till(
    connection: Connection,
    code: str,
    float_limit: Decimal,
    currency: str,
    actor: str,
    now: datetime,
) -> Till:
    """The next till of an outlet; `float_limit` is what one shift may pay out. Raises `BadInput`.

    A race for its number ends in `DuplicateKey` and a repeat.
    """
    outlet = known(connection, code)
    if money.exact(float_limit) <= 0:
        raise BadInput("the float limit must be above zero")
    number = store.next_number(connection, outlet.id)
    owner = till_name(outlet.code, number)
    account = ledger_store.create(connection, TILL, owner, currency, now, guarded=True)
    made = store.add_till(connection, outlet.id, number, account.id, float_limit)
    record(connection, actor, "till.create", owner, now, f"float limit {float_limit}")
    found = store.till(connection, made)
    if found is None:
        raise LookupError("a till that was just written is not there")
    return found


def known(connection: Connection, code: str) -> Outlet:
    """The outlet with this code. Raises `BadInput`."""
    found = store.by_code(connection, code.strip().upper())
    if found is None:
        raise BadInput("there is no outlet with this code")
    return found


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
