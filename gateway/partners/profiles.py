"""Who a partner is: a name for people, and a code that never changes for books and commands."""

import re
import unicodedata
from datetime import datetime

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import BadInput
from gateway.ledger.store import HOUSE
from gateway.partners import store
from gateway.partners.store import ACTIVE, SUSPENDED, Partner

CREATE = "partner.create"  # in the trail, about the code
NAME_MAX = 64
CODE_MAX = 20
_CODE = re.compile(r"[a-z][a-z0-9-]{1,19}", re.ASCII)


class UnknownPartner(BadInput):
    """There is no partner with this code."""


class PartnerSuspended(BadInput):
    """The partner's code is known, but nothing may be issued for it now."""


def create(
    connection: Connection, name: str, code: str, actor: str, now: datetime, reason: str = ""
) -> Partner:
    """A new partner; without a `code` one is made from the name. Raises `BadInput`.

    Without a reason, the trail keeps the name.
    """
    name = worded(name)
    code = code or code_from(name)
    if not _CODE.fullmatch(code) or code == HOUSE:
        raise BadInput(f"a code is 2 to {CODE_MAX} of a-z, 0-9 and -, and begins with a letter")
    if store.by_code(connection, code) is not None:
        raise BadInput(f"there is a partner {code} already: give another code")
    store.add(connection, code, name, now)
    trail.record(connection, actor, CREATE, code, now, reason or name)
    return find(connection, code)


def worded(name: str) -> str:
    """A partner's name with single blanks. Raises `BadInput`.

    >>> worded(" Acme   Stores ")
    'Acme Stores'
    >>> worded(" ")
    Traceback (most recent call last):
    gateway.errors.BadInput: a partner's name takes 1 to 64 printable characters
    """
    name = " ".join(name.split())
    if not name or len(name) > NAME_MAX or not name.isprintable():
        raise BadInput(f"a partner's name takes 1 to {NAME_MAX} printable characters")
    return name


def code_from(name: str) -> str:
    """A code out of a name.

    >>> code_from("Café Lagos & Sons"), code_from("\u65e5\u672c")
    ('cafe-lagos-sons', '')
    """
    plain = "".join(c for c in unicodedata.normalize("NFD", name) if c.isascii()).lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:CODE_MAX].strip("-")


def find(connection: Connection, code: str) -> Partner:
    """The partner with this code. Raises `UnknownPartner`."""
    found = store.by_code(connection, code)
    if found is None:
        raise UnknownPartner(f"there is no partner {code!r}")
    return found


def insist_active(connection: Connection, code: str) -> Partner:
    """The partner, which may issue now. Raises `UnknownPartner`, `PartnerSuspended`."""
    partner = find(connection, code)
    refuse_suspended(partner)
    return partner


def refuse_suspended(partner: Partner) -> None:
    """Raise `PartnerSuspended` for a partner that was read and may do nothing now."""
    if partner.status != ACTIVE:
        raise PartnerSuspended(f"the partner {partner.code} is {partner.status}")


def suspend(connection: Connection, code: str, actor: str, reason: str, now: datetime) -> None:
    """Let nothing be issued for a partner; its live tokens stay good. Raises `BadInput`."""
    _switch(connection, code, (ACTIVE, SUSPENDED), actor, reason, now)


def resume(connection: Connection, code: str, actor: str, reason: str, now: datetime) -> None:
    """Let a suspended partner issue again. Raises `BadInput`."""
    _switch(connection, code, (SUSPENDED, ACTIVE), actor, reason, now)


def _switch(
    connection: Connection,
    code: str,
    change: tuple[str, str],
    actor: str,
    reason: str,
    now: datetime,
) -> None:
    partner = find(connection, code)
    if not store.set_status(connection, code, *change):
        raise BadInput(f"the partner {code} is {partner.status}")
    trail.record(connection, actor, f"partner.{change[1]}", code, now, reason)
