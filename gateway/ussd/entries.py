"""What a caller typed, as a screen takes it: choices, and codes typed in groups. Pure."""

from collections.abc import Sequence

from gateway.ussd.screens import NAVIGATION, Screen

_FULL_WIDTH = {0xFF10 + digit: str(digit) for digit in range(10)}


def key(entry: str) -> str:
    """An answer to a numbered question: spaces and a closing # do not count; `01` is not `1`.

    >>> key(" 1 "), key("1#"), key("\uff11"), key("01")
    ('1', '1', '1', '01')
    """
    return "".join(entry.translate(_FULL_WIDTH).split()).rstrip("#")


def take(screen: Screen, segments: Sequence[str]) -> tuple[str, list[str]]:
    """The next answer out of the segments of a text, and the segments after it.

    On a screen for codes the star key also stands between groups of digits: the leading
    segments that together form a code are one answer. All segments together come first, then
    the longest that is well-typed, then the longest that has a code's length.

    >>> take(Screen("list", text=""), ["1", "2"])
    ('1', ['2'])
    >>> entry = Screen("entry", text="", code_lengths=(4,), is_code=lambda code: code == "1234")
    >>> take(entry, ["1", "234", "9"])
    ('1234', ['9'])
    >>> take(entry, ["0", "9"])
    ('0', ['9'])
    """
    first, rest = segments[0], list(segments[1:])
    if not screen.code_lengths:
        return first, rest
    ends = [
        end
        for end in range(len(segments), 0, -1)
        if _digits("".join(segments[:end])) in screen.code_lengths
    ]
    if not ends and key(first) in NAVIGATION:
        return first, rest
    whole = len(segments)
    if whole in ends and "".join(segments).isdigit():
        end = whole
    else:
        typed = [end for end in ends if screen.is_code("".join(segments[:end]))]
        end = (typed or ends or [whole])[0]
    return "".join(segments[:end]), list(segments[end:])


def _digits(text: str) -> int:
    return sum(character.isdigit() for character in text)
