"""The tokens that stand in a text: alone, in groups over several lines, or in our own SMS."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gateway.tokens import code
from gateway.tokens.code import InvalidCode

_DIGIT = "[0-9\uff10-\uff19]"
_GROUP = re.compile(f"{_DIGIT}+")
# Digits that nobody can have been given (superscripts, other scripts') spoil what they touch.
_ODD = r"\d\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089"
# Digits with nothing between them but what people put between the groups of a token.
_RUN = re.compile(f"(?<![{_ODD}])(?>{_DIGIT}(?:[{code.DROPPED_CLASS}]*{_DIGIT})*)(?![{_ODD}])")
# The end of what a token's SMS tells people to dial: `1` redeems, then the digits.
_DIALLED = re.compile(rf"\*1\*({_DIGIT}{{18}}|{_DIGIT}{{11}})(?!{_DIGIT})")
_SERVICE_CODE = rf"(?:\*{_DIGIT}{{1,6}}){{0,5}}"
_DIAL_STRING = re.compile(f"{_SERVICE_CODE}{_DIALLED.pattern}#?")


@dataclass(frozen=True, slots=True)
class Group:
    """Digits without anything between them, and whether a line begins or ends with them."""

    digits: str = field(repr=False)
    opens: bool
    closes: bool


def dialled(text: str) -> list[str]:
    """The well-formed tokens in the dial strings of a text, each once.

    >>> dialled("To redeem dial *384*1*1*490750293453273258# by 31/12/2026.")
    ['490750293453273258']
    >>> dialled("490750293453273258"), dialled("*384*1*1*490750293453273259#")
    ([], [])
    """
    return list(dict.fromkeys(filter(is_token, _DIALLED.findall(text))))


def all_in(text: str) -> list[str]:
    """The well-formed tokens of a text, each once, in order.

    Where a dial string names one, shorter numbers elsewhere are no tokens: our SMS ends with a
    number to call.

    >>> all_in("NGN 500.00. Token 490750 293453\\n273258 Ref K7M29QXD")
    ['490750293453273258']
    >>> all_in("490750293453273258\\n0870 3809 007"), all_in("490750 293453 273259")
    (['490750293453273258', '08703809007'], [])
    >>> all_in("Token 0870 3809 007. Dial *384*1*1*08703809007#. Help 00137033965")
    ['08703809007']
    """
    named = dialled(text)
    left = _DIAL_STRING.sub(" / ", text) if named else text
    loose = [token for run in _RUN.finditer(left) for token in _of_run(run[0])]
    kept = [token for token in loose if not named or len(token) == code.LONG]
    return list(dict.fromkeys([*named, *(code.compact(token) for token in kept)]))


def resembling(text: str) -> list[str]:
    """Numbers of a token's length in a text, of which a digit is wrong.

    >>> resembling("my token: 490750 293453 273259"), resembling("call 12345")
    (['490750 293453 273259'], [])
    """
    runs = [run[0] for run in _RUN.finditer(text)]
    pieces = [piece for run in runs for piece in (run, *_GROUP.findall(run))]
    return [piece for piece in pieces if len(code.compact(piece)) in code.LENGTHS]


def is_token(entry: str) -> bool:
    """Whether an entry is well-formed."""
    try:
        code.validate(entry)
    except InvalidCode:
        return False
    return True


def _of_run(run: str) -> Iterator[str]:
    if len(code.compact(run)) in code.LENGTHS:
        if is_token(run):
            yield run
        return
    groups = _groups(run)
    at = 0
    while at < len(groups):
        taken = _begun(groups, at)
        if taken:
            yield "".join(group.digits for group in groups[at : at + taken])
        at += taken or 1


def _begun(groups: list[Group], at: int) -> int:
    """How many groups from here on are one token; 0 when none begins here.

    A short one has a group or whole lines of its own: three of a long one's groups have eleven
    digits too.
    """
    length = 0
    for end in range(at, len(groups)):
        length += len(groups[end].digits)
        if length > code.LONG:
            break
        alone = end == at or (groups[at].opens and groups[end].closes)
        sized = length == code.LONG or (length == code.SHORT and alone)
        if sized and is_token("".join(group.digits for group in groups[at : end + 1])):
            return end + 1 - at
    return 0


def _groups(run: str) -> list[Group]:
    found = list(_GROUP.finditer(run))
    ends = [0, *(group.end() for group in found)]
    starts = [*(group.start() for group in found), len(run)]
    breaks = ["\n" in run[end:start] for end, start in zip(ends, starts, strict=True)]
    breaks[0] = breaks[-1] = True
    return [
        Group(group[0], breaks[number], breaks[number + 1]) for number, group in enumerate(found)
    ]
