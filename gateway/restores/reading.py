"""Reading the log for the tokens that have left circulation (gateway/tokens/witness.py)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from gateway.tokens.serials import normalise
from gateway.tokens.witness import EVENT

REDEEMED = "redeemed"
_MARK = f'"event":"{EVENT}"'
NUMBER_MAX = 50_000_000  # of one process: a line with a greater one is not ours


@dataclass(frozen=True, slots=True)
class Leaving:
    """What the log says of a token's end."""

    serial: str
    to: str
    at: datetime
    over: str = ""
    amount: str = ""
    by: str = ""


@dataclass(slots=True)
class Reading:
    """What was read so far; the same lines may be read twice."""

    leavings: dict[str, Leaving] = field(default_factory=dict)  # by serial, the last one
    lines: int = 0
    unreadable: int = 0  # lines about a token that were cut or damaged
    first_at: datetime | None = None
    last_at: datetime | None = None
    _numbers: dict[str, bytearray] = field(default_factory=dict)

    def take(self, lines: Iterable[str]) -> None:
        """Read lines of a log, with whatever a log daemon wrote in front of them."""
        for line in lines:
            said = _json(line)
            if said is None:
                self.unreadable += _MARK in line
                continue
            at = _instant(said.get("at"))
            if at is None:
                continue
            self.lines += 1
            self.first_at = min(self.first_at or at, at)
            self.last_at = max(self.last_at or at, at)
            if said.get("event") == EVENT and not self._keep(said, at):
                self.unreadable += 1

    def missed(self) -> int:
        """How many lines about tokens were written and are not there, or cannot be read."""
        return self.unreadable + sum(
            numbers[numbers.find(1) :].count(0) for numbers in self._numbers.values()
        )

    def reaches(self, instant: datetime | None) -> bool:
        """Whether the log begins before that."""
        return self.first_at is not None and (instant is None or self.first_at <= instant)

    def _keep(self, said: Mapping[str, Any], at: datetime) -> bool:
        run, number = str(said.get("run", "")), said.get("count")
        serial = normalise(str(said.get("serial", "")))
        if serial is None or type(number) is not int or not 0 < number <= NUMBER_MAX:
            return False
        numbers = self._numbers.setdefault(run, bytearray())
        if len(numbers) <= number:
            numbers.extend(bytes(number + 1 - len(numbers)))
        numbers[number] = 1
        before = self.leavings.get(serial)
        if before is None or before.to != REDEEMED:
            over, amount, by = (str(said.get(name, "")) for name in ("over", "amount", "by"))
            self.leavings[serial] = Leaving(serial, str(said.get("to")), at, over, amount, by)
        return True


def _json(line: str) -> dict[str, Any] | None:
    """The object of a line.

    >>> _json('Mar  2 10:00:01 gw1 gateway[7]: {"at":"2026-03-02T09:00:01Z"}')
    {'at': '2026-03-02T09:00:01Z'}
    >>> _json("Booting worker") is None, _json('{"at":"2026-03') is None
    (True, True)
    """
    _, brace, rest = line.partition("{")
    try:
        found = json.loads(brace + rest)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _instant(text: object) -> datetime | None:
    """An instant as our log writes it; None for anything else.

    >>> _instant("2026-03-02T09:00:01.000002Z").isoformat()
    '2026-03-02T09:00:01.000002+00:00'
    >>> _instant("yesterday") is None, _instant(7) is None
    (True, True)
    """
    try:
        at = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return at.astimezone(UTC) if at.tzinfo else None


def spent(reading: Reading) -> Iterator[Leaving]:
    """Every token that the log names, by its serial."""
    yield from (reading.leavings[serial] for serial in sorted(reading.leavings))
