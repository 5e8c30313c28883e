"""Cutting a long screen into pages, each within its budget of septets. Pure."""

from collections.abc import Sequence

from gateway.formats import gsm7


def pages(body: str, footer: str, more: str, budget: int) -> list[str]:
    """The pages of `body`, each ending in its footer and, but for the last, in `more` too.

    Lines stay whole where they fit; a longer one is cut between words, and a word that alone is
    too long between characters. `body`, `footer` and `more` are GSM-7.

    >>> pages("one\\ntwo", "0 Back", "98 More", 160)
    ['one\\ntwo\\n0 Back']
    >>> pages("one two three", "0 Back", "98 More", 22)
    ['one\\n98 More\\n0 Back', 'two\\n98 More\\n0 Back', 'three\\n0 Back']
    """
    whole = _joined(body, footer)
    if gsm7.septets(whole) <= budget:
        return [whole]
    paged_footer = _joined(more, footer)
    room = budget - gsm7.septets(paged_footer) - 1
    last_room = budget - (gsm7.septets(footer) + 1 if footer else 0)
    if room < 1:
        raise ValueError("the footer leaves no room for the screen")
    lines = [piece for line in body.split("\n") for piece in _cut(line, room)]
    made: list[str] = []
    while lines:
        rest = "\n".join(lines)
        if gsm7.septets(rest) <= last_room:
            made.append(_joined(rest, footer))
            break
        count = _lines_that_fit(lines, room)
        made.append(_joined("\n".join(lines[:count]), paged_footer))
        lines = lines[count:]
    return made


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _lines_that_fit(lines: Sequence[str], room: int) -> int:
    used, count = 0, 0
    for line in lines:
        used += gsm7.septets(line) + (1 if count else 0)
        if used > room:
            break
        count += 1
    return max(1, count)


def _cut(line: str, room: int) -> list[str]:
    """One line in pieces of at most `room` septets."""
    if gsm7.septets(line) <= room:
        return [line]
    pieces, current = [], ""
    for word in line.split(" "):
        longer = f"{current} {word}" if current else word
        if gsm7.septets(longer) <= room:
            current = longer
            continue
        if current:
            pieces.append(current)
        while gsm7.septets(word) > room:
            end = _characters_that_fit(word, room)
            pieces.append(word[:end])
            word = word[end:]
        current = word
    return [*pieces, current]


def _characters_that_fit(word: str, room: int) -> int:
    used = 0
    for index, character in enumerate(word):
        used += gsm7.septets(character)
        if used > room:
            return max(1, index)
    return len(word)
