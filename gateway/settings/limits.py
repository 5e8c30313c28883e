"""Settings of caps and fees, for one country each: a deployment reads those of its own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from gateway.errors import Misconfigured

CAPS = ("debit", "debits_a_day", "credits_a_day", "balance")
AGENT_CAPS = ("a_day", "per_customer")
SERVICES = ("send", "withdraw_mobile", "withdraw_cash", "top_up")
_AMOUNT = re.compile(r"[0-9]{1,15}(\.[0-9]{1,2})?", re.ASCII)
_COUNTRY = re.compile(r"[A-Z]{2}")
_TIER = re.compile(r"[a-z][a-z0-9_]{0,15}")


@dataclass(frozen=True, slots=True)
class Money:
    """Caps by tier, an agent's caps, and bands of fees by service, in the country's currency."""

    tiers: Mapping[str, Mapping[str, Decimal]] = field(default_factory=dict)
    agent: Mapping[str, Decimal] = field(default_factory=dict)
    fees: Mapping[str, Sequence[tuple[Decimal, Decimal]]] = field(default_factory=dict)
    payout_alone_max: Decimal | None = None  # above it a payout needs a second operator; None: none
    unsolicited_max: Decimal = Decimal("50000.00")  # of an unsigned payment that nobody ordered
    house_advance: Decimal = Decimal("100000.00")  # what a house never funded may give away
    batch_alone_max: Decimal | None = None  # up to it nobody approves a partner's batch; None: all


def read(env: Mapping[str, str], country: str) -> Money:
    """What `GATEWAY_TIERS`, `GATEWAY_AGENT_CAPS` and `GATEWAY_FEES` say for a country.

    `GATEWAY_PAYOUT_APPROVAL` is one amount, in the country's currency, and so is
    `GATEWAY_UNSOLICITED_MAX`, above which a payment that nobody ordered waits in suspense, and
    `GATEWAY_BATCH_APPROVAL`, up to which a partner's batch runs without an operator's approval.
    Raises `Misconfigured` for what cannot be read, also of other countries.

    >>> found = read({"GATEWAY_TIERS": "NG basic debit=5000 balance=300000; KE basic debit=1",
    ...               "GATEWAY_FEES": "NG send 1000=10 5000=25.50"}, "NG")
    >>> found.tiers["basic"]["balance"], found.fees["send"][0]
    (Decimal('300000.00'), (Decimal('1000.00'), Decimal('10.00')))
    >>> read({"GATEWAY_PAYOUT_APPROVAL": "100000"}, "NG").payout_alone_max
    Decimal('100000.00')
    >>> read({"GATEWAY_PAYOUT_APPROVAL": "1e5"}, "NG")
    Traceback (most recent call last):
    gateway.errors.Misconfigured: GATEWAY_PAYOUT_APPROVAL: an amount reads like 500 or 500.00
    >>> read({"GATEWAY_FEES": "NG gifts 1=1"}, "NG")
    Traceback (most recent call last):
    gateway.errors.Misconfigured: GATEWAY_FEES: 'gifts' is none of send, withdraw_mobile, ...
    """
    tiers = dict(_named(env, "GATEWAY_TIERS", country, CAPS))
    agent = dict(_plain(env, "GATEWAY_AGENT_CAPS", country, AGENT_CAPS))
    fees = dict(_bands(env, "GATEWAY_FEES", country))
    alone = env.get("GATEWAY_PAYOUT_APPROVAL", "").strip()
    payout_alone_max = _amount("GATEWAY_PAYOUT_APPROVAL", alone) if alone else None
    unordered = env.get("GATEWAY_UNSOLICITED_MAX", "50000").strip()
    unsolicited_max = _amount("GATEWAY_UNSOLICITED_MAX", unordered)
    advance = env.get("GATEWAY_HOUSE_ADVANCE", "100000").strip()
    house_advance = _amount("GATEWAY_HOUSE_ADVANCE", advance)
    batch = env.get("GATEWAY_BATCH_APPROVAL", "").strip()
    batch_max = _amount("GATEWAY_BATCH_APPROVAL", batch) if batch else None
    return Money(tiers, agent, fees, payout_alone_max, unsolicited_max, house_advance, batch_max)


def _lines(env: Mapping[str, str], name: str) -> Iterator[tuple[str, list[str]]]:
    """The country and the words of each line; lines are parted by semicolons."""
    for line in env.get(name, "").split(";"):
        country, *words = line.split() or [""]
        if not country:
            continue
        if not _COUNTRY.fullmatch(country) or not words:
            raise Misconfigured(f"{name}: a line begins with a country, such as NG")
        yield country, words


def _named(
    env: Mapping[str, str], name: str, country: str, allowed: Sequence[str]
) -> Iterator[tuple[str, dict[str, Decimal]]]:
    for line_country, (tier, *words) in _lines(env, name):
        if not _TIER.fullmatch(tier):
            raise Misconfigured(f"{name}: a tier's name is of small letters, such as basic")
        caps = dict(_pair(name, word, allowed) for word in words)
        if line_country == country:
            yield tier, caps


def _plain(
    env: Mapping[str, str], name: str, country: str, allowed: Sequence[str]
) -> Iterator[tuple[str, Decimal]]:
    for line_country, words in _lines(env, name):
        caps = [_pair(name, word, allowed) for word in words]
        if line_country == country:
            yield from caps


def _bands(
    env: Mapping[str, str], name: str, country: str
) -> Iterator[tuple[str, tuple[tuple[Decimal, Decimal], ...]]]:
    for line_country, (service, *words) in _lines(env, name):
        _insist(name, service, SERVICES)
        bands = tuple((_amount(name, up_to), _amount(name, fee)) for up_to, fee in _pairs(words))
        if not bands or list(bands) != sorted(bands) or len(dict(bands)) != len(bands):
            raise Misconfigured(f"{name}: the bands of {service} are not in rising order")
        if line_country == country:
            yield service, bands


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    for word in words:
        left, _, right = word.partition("=")
        yield left, right


def _pair(name: str, word: str, allowed: Sequence[str]) -> tuple[str, Decimal]:
    cap, _, amount = word.partition("=")
    _insist(name, cap, allowed)
    return cap, _amount(name, amount)


def _insist(name: str, word: str, allowed: Sequence[str]) -> None:
    if word not in allowed:
        raise Misconfigured(f"{name}: {word!r} is none of {', '.join(allowed)}")


def _amount(name: str, text: str) -> Decimal:
    if not _AMOUNT.fullmatch(text):
        raise Misconfigured(f"{name}: an amount reads like 500 or 500.00")
    return Decimal(text).quantize(Decimal("0.01"))
