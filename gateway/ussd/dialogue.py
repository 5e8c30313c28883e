"""Moving about the screens: what an input does at a place, and what the caller then sees."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Protocol

from sqlalchemy import Connection

from gateway.channels.base import UssdReply
from gateway.database.outside import Made
from gateway.formats import gsm7
from gateway.languages import placeholders
from gateway.ussd import entries, view
from gateway.ussd.paging import Page
from gateway.ussd.place import Place
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
    Visit,
)

INVALID_CHOICE = "Invalid choice."
MENU_CHANGED = "The menu has changed. Please choose again."
TEXTS = (INVALID_CHOICE, MENU_CHANGED)
REDIRECTS_MAX = 5


class Speaks(Protocol):
    """Translates: `text(language, msgid, **values)`."""

    def text(self, language: str, msgid: str, /, **values: str | int) -> str:
        """The message in a language, with its values."""


@dataclass(frozen=True, slots=True)
class CallerFacts:
    """Who is calling over what, when, and how many septets their screen takes."""

    msisdn: str
    channel: str
    now: datetime
    budget: int
    proofs: Made = field(default_factory=dict, repr=False)


class Dialogue:
    """One turn's walk from the place where the caller was."""

    def __init__(
        self,
        tree: Tree,
        speaks: Speaks,
        connection: Connection,
        caller: CallerFacts,
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
        self._moved = False  # the caller has not seen yet where the dialogue stands
        self._page: Page | None = None

    def start(self, complaint: str = "") -> None:
        """Arrive at the root."""
        self._go(Go(HOME_SCREEN, forget=True))
        self._moved = True
        self._complaint = complaint or self._complaint

    def stands(self) -> bool:
        """Whether the place can still be shown; a new version may have other screens and texts."""
        screen = self._tree.get(self.place.screen)
        return screen is not None and placeholders(screen.text) <= self.place.values.keys()

    def follow(self, segments: Sequence[str], *, dialled: bool) -> None:
        """Give the segments of one text to the screens one after the other.

        A wrong one stops the walk; so does a private screen for what was not typed on it.
        """
        ahead = list(segments)
        typed_here = not dialled
        over = False
        while ahead and not over:
            if self._screen.private and not typed_here:
                return
            entry, ahead = entries.take(self._screen, ahead)
            self._page, self._complaint = None, ""
            self._answer(entry)
            self._page, self._moved = None, True
            if self._complaint:
                return
            typed_here = False
            over = self._screen.ends and self._look().next is None

    def reply(self) -> UssdReply:
        """What the caller sees now."""
        page, said = self._look(), self._screen.unconfirmed
        unconfirmed = gsm7.transliterate(self._visit().say(said)) if said else ""
        return UssdReply(page.text, self._screen.ends and page.next is None, unconfirmed)

    @property
    def _screen(self) -> Screen:
        return self._tree[self.place.screen]

    def _look(self) -> Page:
        if self._page is None:
            place, visit = self.place, self._visit()
            sheet = view.sheet(
                self._screen,
                visit.say,
                visit.values,
                [option for option in self._screen.options if option.shown(visit)],
                [label for label, _ in place.listed],
                deep=len(place.trail) > 1,
                budget=self._caller.budget,
            )
            if place.pages[-1] >= len(sheet.lines):
                place.pages = [0]
            complaint = gsm7.transliterate(visit.say(self._complaint)) if self._complaint else ""
            self._page = sheet.page(place.pages[-1], complaint)
            place.more = self._page.next
        return self._page

    def _answer(self, entry: str) -> None:
        key, screen = entries.key(entry), self._screen
        if self._navigated(key):
            return
        if screen.options:
            self._choose_option(screen, key)
        elif screen.choose is not None:
            self._choose_listed(screen.choose, key)
        elif screen.answer is not None:
            self._next(screen.answer(self._visit(), entry))
        else:
            self._complaint = INVALID_CHOICE

    def _navigated(self, key: str) -> bool:
        place = self.place
        if key == MORE:
            # What the caller saw decides: a complaint may have left less room on that page.
            more = self._look().next if self._moved else place.more
            if more is None:
                return False
            place.pages = [*place.pages, more]
        elif place.screen == HOME_SCREEN:
            return False
        elif key == BACK and len(place.pages) > 1:
            place.pages = place.pages[:-1]
        elif key == BACK:
            self._back()
        elif key == HOME:
            self.start()
        else:
            return False
        return True

    def _back(self) -> None:
        trail = [stop for stop in self.place.trail if stop[0] in self._tree]
        if not trail or not self._arrive(*trail[-1]):
            self.start()
        else:
            self.place.trail = trail[:-1]

    def _choose_option(self, screen: Screen, key: str) -> None:
        visit = self._visit()
        chosen = next((o for o in screen.options if o.key == key and o.shown(visit)), None)
        if chosen is None:
            self._complaint = INVALID_CHOICE
        elif chosen.to == RESUME:
            self._resume()
        else:
            self._go(Go(chosen.to, visit.values))

    def _choose_listed(self, choose: Callable[[Visit, str], Next], key: str) -> None:
        numbers = {str(n): value for n, (_, value) in enumerate(self.place.listed, start=1)}
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
        if step.language is not None:
            self.language = step.language
        came_from = (self.place.screen, self.place.given)
        if not self._arrive(step.to, dict(step.values)):
            return
        if step.forget or self.place.screen == HOME_SCREEN:
            self.place.trail = []
        else:
            self.place.came_from(came_from)

    def _arrive(self, name: str, given: dict[str, str]) -> bool:
        """Stand on a screen; False, with a complaint, when it turned the caller away."""
        before = self.place
        for _ in range(REDIRECTS_MAX):
            self.place = replace(
                before, screen=name, given=given, found={}, listed=[], pages=[0], more=None
            )
            screen = self._screen
            arrived = screen.arrive(self._visit()) if screen.arrive is not None else {}
            if isinstance(arrived, Again):
                self.place, self._complaint = before, arrived.complaint
                return False
            if isinstance(arrived, Go):
                name, given = arrived.to, dict(arrived.values)
                continue
            self.place.found = dict(arrived)
            if screen.choices is not None:
                choices = screen.choices(self._visit())
                self.place.listed = [(choice.label, choice.value) for choice in choices]
            return True
        raise RuntimeError(f"screens redirect in a circle at {name}")

    def _resume(self) -> None:
        stored = self.place.resume
        if stored is None:
            self._complaint = INVALID_CHOICE
            return
        place = Place.restored(stored["place"])
        if place.screen not in self._tree:
            self.place.resume = None
            self._complaint = MENU_CHANGED
            return
        self.place = place
        if self._arrive(place.screen, place.given):
            self.place.pages = place.pages
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
            proofs=self._caller.proofs,
        )
