"""Moving about the screens: what an input does at a place, and what the caller then sees."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from sqlalchemy import Connection

from gateway.channels.base import UssdReply
from gateway.formats import gsm7
from gateway.ussd import paging
from gateway.ussd.screens import (
    BACK,
    HOME,
    HOME_SCREEN,
    MORE,
    RESUME,
    Again,
    Go,
    Next,
    Screen,
    Tree,
    Values,
    Visit,
)

INVALID_CHOICE = "Invalid choice."
BACK_LABEL, HOME_LABEL, MORE_LABEL = "0 Back", "00 Home", "98 More"
TEXTS = (INVALID_CHOICE, BACK_LABEL, HOME_LABEL, MORE_LABEL)
REDIRECTS_MAX = 5
_FULL_WIDTH = {0xFF10 + digit: str(digit) for digit in range(10)}


class Speaks(Protocol):
    """Translates: `text(language, msgid, **values)`."""

    def text(self, language: str, msgid: str, /, **values: str | int) -> str:
        """The message in a language, with its values."""


@dataclass(slots=True)
class Place:
    """Where a dialogue stands; stored as JSON, so it never holds what was typed as a token."""

    screen: str = HOME_SCREEN
    values: dict[str, str] = field(default_factory=dict)
    trail: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    page: int = 0
    listed: list[str] = field(default_factory=list)  # what the numbers on a list stood for
    resume: dict[str, Any] | None = None  # an interrupted dialogue that `9 Continue` picks up

    def stored(self) -> dict[str, Any]:
        """This place for the journal."""
        return {
            "screen": self.screen,
            "values": self.values,
            "trail": self.trail,
            "page": self.page,
            "listed": self.listed,
            "resume": self.resume,
        }

    @classmethod
    def restored(cls, stored: dict[str, Any]) -> "Place":
        """A place out of the journal."""
        trail = [(name, dict(values)) for name, values in stored["trail"]]
        return cls(**{**stored, "trail": trail})


class Dialogue:
    """One turn's walk from the place where the caller was."""

    def __init__(
        self,
        tree: Tree,
        speaks: Speaks,
        connection: Connection,
        caller: "CallerFacts",
        place: Place,
        language: str,
    ) -> None:
        self._tree = tree
        self._speaks = speaks
        self._connection = connection
        self._caller = caller
        self.place = place
        self.language = language
        self._complaint = ""

    @property
    def _screen(self) -> Screen:
        return self._tree[self.place.screen]

    def start(self) -> None:
        """Arrive at the root."""
        self._go(Go(HOME_SCREEN, forget=True))

    def follow(self, segments: Sequence[str], *, dialled: bool) -> None:
        """Give the segments of one text to the screens one after the other.

        A wrong one stops the walk; so does a private screen for what was not typed on it.
        """
        ahead = list(segments)
        typed_here = not dialled
        while ahead and not self._over():
            if self._screen.private and not typed_here:
                return
            entry, ahead = _take(self._screen, ahead)
            self._complaint = ""
            self._answer(entry)
            typed_here = False
            if self._complaint:
                return

    def reply(self) -> UssdReply:
        """What the caller sees now."""
        pages = self._pages()
        self.place.page = min(self.place.page, len(pages) - 1)
        last = self.place.page == len(pages) - 1
        return UssdReply(pages[self.place.page], self._screen.ends and last)

    def _over(self) -> bool:
        return self._screen.ends and self.place.page >= len(self._pages()) - 1

    def _answer(self, entry: str) -> None:
        key = _key(entry)
        screen = self._screen
        if self._navigated(key):
            return
        if screen.options:
            self._choose_option(screen, key)
        elif screen.choose is not None:
            self._choose_listed(screen, screen.choose, key)
        elif screen.answer is not None:
            self._next(screen.answer(self._visit(), entry))
        else:
            self._complaint = INVALID_CHOICE

    def _navigated(self, key: str) -> bool:
        place = self.place
        if key == MORE and place.page + 1 < len(self._pages()):
            place.page += 1
        elif place.screen == HOME_SCREEN:
            return False
        elif key == BACK and place.page > 0:
            place.page -= 1
        elif key == BACK and place.trail:
            name, values = place.trail.pop()
            if not self._arrive(name, values):
                self.start()
        elif key in (BACK, HOME):
            self.start()
        else:
            return False
        return True

    def _choose_option(self, screen: Screen, key: str) -> None:
        visit = self._visit()
        for option in screen.options:
            if option.key == key and option.shown(visit):
                if option.to == RESUME:
                    self._resume()
                else:
                    self._go(Go(option.to))
                return
        self._complaint = INVALID_CHOICE

    def _choose_listed(
        self, screen: Screen, choose: Callable[[Visit, str], Next], key: str
    ) -> None:
        numbers = {str(n): value for n, value in enumerate(self.place.listed, start=1)}
        if key in numbers:
            self._next(choose(self._visit(), numbers[key]))
        else:
            self._complaint = INVALID_CHOICE

    def _next(self, step: Next) -> None:
        if isinstance(step, Again):
            self._complaint = step.complaint
        else:
            self._go(step)

    def _go(self, step: Go) -> None:
        place = self.place
        if step.language is not None:
            self.language = step.language
        came_from = (place.screen, place.values)
        before = (place.screen, place.values, place.page, place.listed)
        arrived = self._arrive(step.to, dict(step.values))
        if not arrived:
            place.screen, place.values, place.page, place.listed = before
        elif step.forget or place.screen == HOME_SCREEN:
            place.trail = []
        else:
            place.trail.append(came_from)

    def _arrive(self, name: str, values: dict[str, str]) -> bool:
        """Stand on a screen; False (with a complaint) when its `arrive` turned the caller away."""
        for _ in range(REDIRECTS_MAX):
            self.place.screen, self.place.values, self.place.page = name, values, 0
            screen = self._screen
            found = screen.arrive(self._visit()) if screen.arrive is not None else {}
            if isinstance(found, Again):
                self._complaint = found.complaint
                return False
            if isinstance(found, Go):
                name, values = found.to, dict(found.values)
                continue
            self.place.values = {**values, **found}
            self._list(screen)
            return True
        raise RuntimeError(f"screens redirect in a circle at {name}")

    def _list(self, screen: Screen) -> None:
        chosen = screen.choices(self._visit()) if screen.choices is not None else ()
        self.place.listed = [choice.value for choice in chosen]
        if chosen:
            lines = (f"{n} {choice.label}" for n, choice in enumerate(chosen, start=1))
            self.place.values["@lines"] = "\n".join(lines)

    def _resume(self) -> None:
        stored = self.place.resume
        if stored is None:
            self._complaint = INVALID_CHOICE
            return
        self.place = Place.restored(stored["place"])
        page = self.place.page
        if self._arrive(self.place.screen, self.place.values):
            self.place.page = page
        else:
            self.start()

    def _visit(self) -> Visit:
        return Visit(
            connection=self._connection,
            msisdn=self._caller.msisdn,
            channel=self._caller.channel,
            language=self.language,
            now=self._caller.now,
            say=partial(self._speaks.text, self.language),
            values=self.place.values,
            resumable=self.place.resume is not None,
        )

    def _pages(self) -> list[str]:
        shown = [option for option in self._screen.options if option.shown(self._visit())]
        return rendered(
            self._screen,
            partial(self._speaks.text, self.language),
            self.place.values,
            [f"{option.key} {option.label}" for option in shown],
            complaint=self._complaint,
            deep=len(self.place.trail) > 1,
            budget=self._caller.budget,
        )


@dataclass(frozen=True, slots=True)
class CallerFacts:
    """Who is calling over what, when, and how many septets their screen takes."""

    msisdn: str
    channel: str
    now: datetime
    budget: int


def rendered(
    screen: Screen,
    say: Callable[..., str],
    values: Values,
    option_lines: Sequence[str],
    *,
    complaint: str = "",
    deep: bool = False,
    budget: int,
) -> list[str]:
    """A screen's pages: complaint, text, options (their labels are messages), way back."""
    named = {name: value for name, value in values.items() if not name.startswith("@")}
    lines = [say(complaint)] if complaint else []
    lines.append(say(screen.text, **named))
    lines += [f"{line.partition(' ')[0]} {say(line.partition(' ')[2])}" for line in option_lines]
    if values.get("@lines"):
        lines.append(values["@lines"])
    footer = ""
    if not screen.ends and screen.name != HOME_SCREEN:
        footer = say(BACK_LABEL) + (f" {say(HOME_LABEL)}" if deep else "")
    return paging.pages(
        gsm7.transliterate("\n".join(lines)),
        gsm7.transliterate(footer),
        gsm7.transliterate(say(MORE_LABEL)),
        budget,
    )


def _key(entry: str) -> str:
    """An answer to a numbered question: spaces and a closing # do not count; `01` is not `1`."""
    return "".join(entry.translate(_FULL_WIDTH).split()).rstrip("#")


def _take(screen: Screen, segments: Sequence[str]) -> tuple[str, list[str]]:
    """The next answer, and the segments after it.

    On a screen for codes the star key also stands between groups of digits: the leading
    segments that together form a code are one answer.
    """
    first, rest = segments[0], list(segments[1:])
    if not screen.code_lengths:
        return first, rest
    ends = [
        end
        for end in range(len(segments), 0, -1)
        if _digits("".join(segments[:end])) in screen.code_lengths
    ]
    for end in ends:
        if screen.is_code("".join(segments[:end])):
            return "".join(segments[:end]), list(segments[end:])
    if _key(first) in (BACK, HOME, MORE):
        return first, rest
    end = ends[0] if ends else len(segments)
    return "".join(segments[:end]), list(segments[end:])


def _digits(text: str) -> int:
    return sum(character.isdigit() for character in text)
