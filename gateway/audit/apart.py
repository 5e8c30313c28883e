"""Who may approve a request: nobody whom it concerns, nor whoever the asker could act as (M9)."""

import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from gateway.audit.decisions.store import Approval
from gateway.clock import iso
from gateway.errors import BadInput

CONCERNS = "concerns"  # the detail of a request that says whom
GONE = "whoever asked for this was let go since: refuse it, and have it asked for anew"
CHANGE_IT = "change it first, with gateway staff pin or under Change PIN"


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the person behind an actor's name."""

    phone: str = ""  # E.164
    hands: Collection[str] = ()  # who else knows their PIN, each as `person` writes them
    decides_from: datetime | None = None  # before that nothing is approved by or for them
    is_gone: bool = False  # of the staff once, and not now


# Who stands behind an actor's name.
Knows = Callable[[Connection, str], Known]


def nobody_is_known(_: Connection, __: str) -> Known:
    """The staff of one that has none."""
    return Known()


def concerning(*people: str) -> Mapping[str, str]:
    """The detail that says whom a request concerns, by phone or as actors: none approves it (M9).

    >>> concerning("+2348030000002", "", "staff:7:Ada Obi", "+2348030000002")
    {'concerns': '+2348030000002 staff:7'}
    >>> concerning("")
    {}
    """
    known = sorted({person(one) for one in people if one})
    return {CONCERNS: " ".join(known)} if known else {}


def person(actor: str) -> str:
    """Who stands behind an actor's name, however it is written: case and blanks are no disguise.

    >>> person("cli:Ops"), person(" cli: OPS "), person("cli:oрs") == person("cli:ops")
    ('cli:ops', 'cli:ops', False)
    >>> person("staff:7:Ada Obi"), person("staff:7:Ada O. (married)")
    ('staff:7', 'staff:7')
    """
    folded = unicodedata.normalize("NFKC", actor).casefold()
    plain = "".join(letter for letter in folded if letter.isprintable() and not letter.isspace())
    kind, _, rest = plain.partition(":")
    return f"staff:{rest.partition(':')[0]}" if kind == "staff" else plain


def insist_apart(
    connection: Connection, knows: Knows, found: Approval, actor: str, now: datetime
) -> None:
    """Refuse an approval by whom it concerns, or by whoever the asker could act as.

    Nor is done what somebody asked for who was let go since.
    """
    approver, asker = person(actor), person(found.asked_by)
    theirs, askers = knows(connection, approver), knows(connection, asker)
    words = {asker, askers.phone, *found.subject.split()}
    for value in found.details.values():
        words.update(value.split())
    if ({approver, theirs.phone} & words) - {""}:
        raise BadInput("this is about you: somebody else must approve it")
    if theirs.is_gone:
        raise BadInput("you do not work here any more")
    if askers.is_gone:
        raise BadInput(GONE)
    if theirs.decides_from is not None and now < theirs.decides_from:
        raise BadInput(f"you can approve from {iso(theirs.decides_from)} on, not before")
    if askers.decides_from is not None and now < askers.decides_from:
        when = iso(askers.decides_from)
        raise BadInput(f"what they asked for can be approved from {when} on, not before")
    if asker in theirs.hands:
        raise BadInput(f"whoever asked for this has set your PIN: {CHANGE_IT}")
    if approver in askers.hands:
        raise BadInput("you have set the PIN of whoever asked for this: they must change it")
    if set(theirs.hands) & set(askers.hands):
        raise BadInput(f"one person has set your PIN and that of who asked: {CHANGE_IT}")
