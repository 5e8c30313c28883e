"""Pictures of numbers: where each bar stands in a drawing, in whole units of its own grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 720
LEFT: Final = 64  # room for the numbers of the axis
TOP, HEIGHT, BOTTOM = 16, 170, 34
APART: Final = 30  # so far from another a number can be read
STEPS: Final = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar; `kind` names its fill in the style sheet."""

    x: int
    y: int
    width: int
    height: int
    kind: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A word or number beside an axis, and where it stands."""

    x: int
    y: int
    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing; `zero` is where its base line runs."""

    bars: Sequence[Bar]
    across: Sequence[Mark]  # below, what each place means
    upright: Sequence[Mark]  # beside, what each height means
    zero: int
    left: int = LEFT
    width: int = WIDTH
    height: int = TOP + HEIGHT + BOTTOM


def nice(number: int) -> int:
    """A round number that is not below this one.

    >>> [nice(number) for number in (0, 1, 3, 7, 11, 101, 250)]
    [1, 1, 5, 10, 20, 200, 500]
    """
    power = 1
    while True:
        for step in STEPS:
            if step * power >= number:
                return step * power
        power *= 10


def up_and_down(
    up: Sequence[int], down: Sequence[int], labels: Sequence[str], kinds: tuple[str, str]
) -> Picture:
    """Bars above and below one line, at the same scale; an empty label is left out.

    >>> drawn = up_and_down([4, 0], [1, 0], ["10", ""], ("good", "bad"))
    >>> [(bar.kind, bar.height) for bar in drawn.bars], drawn.zero
    ([('good', 113), ('bad', 28)], 157)
    """
    highest, lowest = (nice(max(heights)) if any(heights) else 0 for heights in (up, down))
    highest = highest or (0 if lowest else 1)
    unit = HEIGHT * 100 // (highest + lowest)  # in hundredths, so that nothing is rounded twice
    zero = TOP + highest * unit // 100
    places = len(up)
    step = (WIDTH - LEFT) // max(1, places)
    bars = []
    for place, (above, below) in enumerate(zip(up, down, strict=True)):
        x, width = LEFT + place * step + 2, max(1, step - 4)
        tall, deep = _tall(above, unit), _tall(below, unit)
        bars += [Bar(x, zero - tall, width, tall, kinds[0])] if above else []
        bars += [Bar(x, zero, width, deep, kinds[1])] if below else []
    return Picture(bars, _across(labels, step), _upright(highest, lowest, unit, zero), zero)


def side_by_side(
    heights: Sequence[tuple[int, ...]], labels: Sequence[str], kinds: Sequence[str]
) -> Picture:
    """Groups of bars on one line, one bar for each kind.

    >>> drawn = side_by_side([(5, 0), (1, 2)], ["now", "later"], ("good", "wait"))
    >>> [(bar.kind, bar.height) for bar in drawn.bars]
    [('good', 170), ('good', 34), ('wait', 68)]
    """
    highest = nice(max((height for group in heights for height in group), default=0))
    unit, zero = HEIGHT * 100 // highest, TOP + HEIGHT
    step = (WIDTH - LEFT) // max(1, len(heights))
    width = (step - 16) // len(kinds)
    bars = []
    for place, group in enumerate(heights):
        for number, height in enumerate(group):
            x, tall = LEFT + place * step + 8 + number * width, _tall(height, unit)
            bars += [Bar(x, zero - tall, width - 2, tall, kinds[number])] if height else []
    return Picture(bars, _across(labels, step), _upright(highest, 0, unit, zero), zero)


def _tall(number: int, unit: int) -> int:
    """A height that is seen, however small beside the others."""
    return max(2, number * unit // 100) if number else 0


def _across(labels: Sequence[str], step: int) -> Sequence[Mark]:
    below = TOP + HEIGHT + BOTTOM - 8
    return [
        Mark(LEFT + place * step + step // 2, below, label)
        for place, label in enumerate(labels)
        if label
    ]


def _upright(highest: int, lowest: int, unit: int, zero: int) -> Sequence[Mark]:
    marks = [Mark(LEFT - 8, zero, "0")]
    if highest:
        marks.append(Mark(LEFT - 8, zero - highest * unit // 100, str(highest)))
    if lowest * unit // 100 >= APART:
        marks.append(Mark(LEFT - 8, zero + lowest * unit // 100, str(lowest)))
    return marks
