"""Changing what is agreed with a partner: checked, and written down with a reason."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from functools import reduce

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.database.types import MONEY_MAX
from gateway.errors import BadInput
from gateway.formats import money
from gateway.formats.facts import Fact, fact
from gateway.ledger.limits import Tier
from gateway.partners import profiles
from gateway.partners.store import Partner
from gateway.partners.terms import store, wording
from gateway.partners.terms.store import Terms

ACTION = "partner.profile"  # in the trail, about the code
AMOUNTS = ("token_max", "day_max", "low_float")
FIELDS = ("sender_id", "language", "expiry", *AMOUNTS)


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be otherwise; `clears` names what is to be as with everybody again."""

    name: str | None = None
    sender_id: str | None = None
    language: str | None = None
    expiry: str | None = None
    token_max: str | None = None
    day_max: str | None = None
    low_float: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)  # by language
    clears: Collection[str] = ()  # of FIELDS
    silences: Collection[str] = ()  # the languages whose text is to be ours again


def change(
    connection: Connection,
    code: str,
    wanted: Change,
    languages: Sequence[str],
    actor: str,
    reason: str,
    now: datetime,
) -> Partner:
    """Change it; the partner as it then is. An expiry was read by the caller (`tokens.issue`).

    Raises `UnknownPartner`, and `BadInput` by the name of what cannot be so.
    """
    trail.worded(reason)
    told = _told(wanted)
    partner = profiles.find(connection, code)
    store.keep(connection, partner.id)
    spoken = {wanted.language or languages[0], *wanted.texts, *wanted.silences}
    if spoken - set(languages):
        raise BadInput(f"the languages are {', '.join(languages)}")
    texts = {language: wording.checked(text) for language, text in wanted.texts.items()}
    terms = _changed(store.of(connection, code), wanted)
    if wanted.name is not None:
        store.rename(connection, partner.id, profiles.worded(wanted.name))
    store.save(connection, partner.id, terms, now)
    for language in wanted.silences:
        store.say(connection, partner.id, language, None)
    for language, text in texts.items():
        store.say(connection, partner.id, language, text)
    trail.record(connection, actor, ACTION, code, now, reason, told)
    return profiles.find(connection, code)


def caps(terms: Terms) -> Tier:
    """The terms as the ledger holds a float to them."""
    return Tier(debit=terms.token_max or MONEY_MAX, debits_a_day=terms.day_max or MONEY_MAX)


def _changed(before: Terms, wanted: Change) -> Terms:
    given: dict[str, str | Decimal | None] = dict.fromkeys(wanted.clears)
    if wanted.sender_id is not None:
        given["sender_id"] = wording.sender_id(wanted.sender_id)
    for name in ("language", "expiry"):
        if getattr(wanted, name) is not None:
            given[name] = getattr(wanted, name)
    for name in AMOUNTS:
        if getattr(wanted, name) is not None:
            given[name] = money.parse(getattr(wanted, name))
    unknown = sorted(set(given) - set(FIELDS))
    if unknown:
        raise BadInput(f"nothing is called {', '.join(unknown)}: {', '.join(FIELDS)}")
    return replace(before, **given)  # type: ignore[arg-type]


def _told(wanted: Change) -> Fact:
    """What was changed, for the trail: names and short values, no texts."""
    values = [(name, getattr(wanted, name)) for name in ("name", *FIELDS)]
    said = [fact("{name} {value}", name=name, value=_value(name, v)) for name, v in values if v]
    said += [fact("text in {language}", language=one) for one in wanted.texts]
    said += [fact("no {name}", name=name) for name in wanted.clears]
    said += [fact("no text in {language}", language=one) for one in wanted.silences]
    if not said:
        raise BadInput("say what is to be changed")
    return reduce(lambda before, one: fact("{before}, {one}", before=before, one=one), said)


def _value(name: str, given: str) -> str | Decimal:
    return money.parse(given) if name in AMOUNTS else given
