"""Plays contestants against each other in short rounds and keeps what each round measured."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from bench.load import Dialogue, Exchange, Measured, drive, get, menu_phase, redeem_phase
from bench.report import Row, Target, middle, quantile
from bench.servers import Server

LANES = 16
PHASE_SECONDS_MAX = 60.0
GETS = 3_000


@dataclass(slots=True)
class Contestant:
    """A running server, the dialogues it has left to play, and what its rounds measured."""

    name: str
    server: Server
    path: str
    success: bytes
    dialogues: Iterator[Dialogue]
    redeemed: int = 0
    warm_ups: list[Measured] = field(default_factory=list)
    menus: list[Measured] = field(default_factory=list)
    redeems: list[Measured] = field(default_factory=list)

    def play(self, count: int) -> None:
        """Take `count` sessions through their menu steps, then redeem in all of them."""
        chosen = [next(self.dialogues) for _ in range(count)]
        self.menus.append(self._drive(menu_phase(self.path, chosen)))
        self.redeems.append(self._drive(redeem_phase(self.path, chosen, self.success)))
        self.redeemed += self.redeems[-1].right

    def warm_up(self, count: int) -> None:
        """Play outside the rounds: first calls make rows that later ones find."""
        self.play(count)
        self.warm_ups += [self.menus.pop(), self.redeems.pop()]

    def _drive(self, items: Sequence[Sequence[Exchange]]) -> Measured:
        return drive(self.server.port, items, LANES, PHASE_SECONDS_MAX)


def dialogues(tokens: Sequence[str], phones: Sequence[str]) -> Iterator[Dialogue]:
    """Give each token a session of its own, the phones in turn.

    >>> one, two = dialogues(["1", "2"], ["+2348030000001"])
    >>> one.phone == two.phone, one.session_id == two.session_id, two.token
    (True, False, '2')
    """
    for number, token in enumerate(tokens):
        yield Dialogue(f"ATUid_{secrets.token_hex(16)}", phones[number % len(phones)], token)


def play_rounds(
    contestants: Sequence[Contestant], rounds: int, count: int, tell: Callable[[str], None]
) -> None:
    """Let every contestant play once a round, the order turned each time."""
    for number in range(rounds):
        order = contestants if number % 2 == 0 else contestants[::-1]
        for contestant in order:
            contestant.play(count)
        rates = ", ".join(
            f"{one.name} {one.menus[-1].per_second:.0f} / {one.redeems[-1].per_second:.0f}"
            for one in contestants
        )
        tell(f"round {number + 1} of {rounds}, menu / redeem steps a second: {rates}")


def gets_per_second(port: int, path: str) -> float:
    """Requests a second of a page that has nothing to do."""
    item = [Exchange(get(path), b"")]
    return drive(port, [item] * GETS, LANES, PHASE_SECONDS_MAX).per_second


def step_row(name: str, ours: Sequence[Measured], floor: Sequence[Measured], target: Target) -> Row:
    """Compare the rates of two contestants, round by round; an error on either side counts."""
    return _row(name, "a second", target, (ours, floor), lambda measured: measured.per_second)


def growth_row(many: Sequence[Measured], few: Sequence[Measured], target: Target) -> Row:
    """Compare the seconds a redemption takes among many tokens and among few."""
    return _row("redeem_growth", "s a redeem", target, (many, few), seconds_each)


def seconds_each(measured: Measured) -> float:
    """Seconds between two right replies, 0 when there was none."""
    return 1 / measured.per_second if measured.per_second else 0.0


def _row(
    name: str,
    unit: str,
    target: Target,
    sides: tuple[Sequence[Measured], Sequence[Measured]],
    value: Callable[[Measured], float],
) -> Row:
    ours, floor = ([value(measured) for measured in side] for side in sides)
    return Row(
        name,
        unit,
        middle(ours),
        middle(floor),
        target,
        errors=sum(measured.errors for side in sides for measured in side),
        details={**_latencies("ours", sides[0]), **_latencies("floor", sides[1])},
        round_ratios=tuple(one / other for one, other in zip(ours, floor, strict=True) if other),
    )


def first_errors(contestants: Sequence[Contestant]) -> list[str]:
    """The first wrong reply of each phase that had one."""
    return [
        f"{one.name}: {measured.errors} errors, the first: {measured.first_error}"
        for one in contestants
        for measured in (*one.warm_ups, *one.menus, *one.redeems)
        if measured.errors
    ]


def _latencies(side: str, phases: Sequence[Measured]) -> dict[str, float]:
    together = [value for measured in phases for value in measured.latencies_ms]
    if not together:
        return {}
    return {
        f"{side}_p50_ms": quantile(together, 0.50),
        f"{side}_p99_ms": quantile(together, 0.99),
    }
