"""Cutting a long screen into pages, each within its budget of septets. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from gateway.formats import gsm7


@dataclass(frozen=True, slots=True)
class Page:
    """What fits on the display at once; `next` is the line that the page after it begins with."""

    text: str
    next: int | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole screen as lines that each fit a page, with what stands below each page."""

    lines: Sequence[str]
    footer: str
    more: str
    budget: int

    def page(self, start: int = 0, complaint: str = "") -> Page:
        """The page that begins with line `start`, below a complaint.

        A complaint takes the place of lines, which the next page then begins with. One that
        leaves no room for the way on is cut between words.
        """
        rest = self.lines[start:]
        below = _joined(self.more, self.footer)
        if complaint:
            complaint = cut(complaint, self.budget - gsm7.septets(below) - 1)[0]
        whole = _joined(complaint, "\n".join(rest), self.footer)
        if gsm7.septets(whole) <= self.budget:
            return Page(whole, None)
        used = gsm7.septets(_joined(complaint, below))
        shown = 0
        for line in rest:
            used += gsm7.septets(line) + 1
            if used > self.budget:
                break
            shown += 1
        return Page(_joined(complaint, "\n".join(rest[:shown]), below), start + shown)

    def pages(self, complaint: str = "") -> list[str]:
        """Every page one after the other, a complaint above the first."""
        page = self.page(0, complaint)
        texts = [page.text]
        while page.next is not None:
            page = self.page(page.next)
            texts.append(page.text)
        return texts


def sheet(body: str, footer: str, more: str, budget: int) -> Sheet:
    """A body ready to be shown page by page, `footer` below each and `more` on all but the last.

    Lines stay whole where they fit; a longer one is cut between words, and a word that alone is
    too long between characters. `body`, `footer` and `more` are GSM-7. Raises ValueError when
    they leave no room for the body.

    >>> sheet("one\\ntwo", "0 Back", "98 More", 160).pages()
    ['one\\ntwo\\n0 Back']
    >>> sheet("one two three", "0", "98", 14).pages()
    ['one two\\n98\\n0', 'three\\n0']
    >>> sheet("one two", "0 Back", "98 More", 13)
    Traceback (most recent call last):
    ValueError: the footer leaves no room for the screen
    """
    lines = body.split("\n")
    if gsm7.septets(_joined(body, footer)) > budget:
        room = budget - gsm7.septets(_joined(more, footer)) - 1
        lines = [piece for line in lines for piece in cut(line, room)]
    return Sheet(lines, footer, more, budget)


def cut(line: str, room: int) -> list[str]:
    """One line in pieces of at most `room` septets, at least 2: one character may take two.

    >>> cut("Please check the digits", 12)
    ['Please check', 'the digits']
    >>> cut("[[[", 5)
    ['[[', '[']
    """
    if room < 2:
        raise ValueError("the footer leaves no room for the screen")
    if gsm7.septets(line) <= room:
        return [line]
    pieces, current = [], ""
    for word in line.split():
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


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _characters_that_fit(word: str, room: int) -> int:
    used = 0
    for index, character in enumerate(word):
        used += gsm7.septets(character)
        if used > room:
            return index
    return len(word)
