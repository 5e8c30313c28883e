"""The console's page of switches: what is paused, and pausing and resuming a part."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import BadInput
from gateway.switches import board, operate, store
from gateway.switches.store import Switch
from gateway.web.console.doing import By, Mistake, done, has_done, seen_of
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.reading import read
from gateway.web.pages.answers import problem, sentence
from gateway.web.pages.door import AT_CONSOLE, allowed

ROOT: Final = "/console/switches"
# What each part is, and what people notice while it is paused.
WORDS: Final[Mapping[str, tuple[str, str]]] = {
    board.REDEEM: (
        "Redeeming",
        "Callers, texters and counters are told that redeeming is paused and that their token is"
        " safe. No guess is counted.",
    ),
    board.SENDS: ("Sending", "Nobody can send a token to somebody else. Redeeming goes on."),
    board.PAYOUTS: (
        "Payouts",
        "Withdrawals are taken and held. Nothing is handed to a provider.",
    ),
    board.SMS: ("SMS", "Texts wait in the outbox, and go out in their order afterwards."),
}
PROVIDER_WORDS: Final = "No call is made to it, and nobody can top up through it. What waits stays."
NO_PROVIDER: Final = "None is set up: each that is can be paused here."
NO_CHANNEL: Final = "None is set up but the simulator of the demo."
CHANNEL_WORDS: Final = "No SMS goes out over it: the next channel sends them, or they wait."
WORD_OF: Final = {"pause": "switch-pause", "resume": "switch-resume"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A switch as the page shows it; `last` is None for one that was never thrown."""

    name: str
    title: str
    effect: str
    last: Switch | None
    seen: int  # of the trail: its last line about it

    @property
    def paused(self) -> bool:
        """Whether it is paused now."""
        return self.last is not None and self.last.paused


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/switches` and what is below it."""

    @pages.get("/switches")
    @allowed(*AT_CONSOLE)
    def switches() -> Response:
        """All of them."""
        return _page(parts)

    @pages.post("/switches/<what>/pause")
    @allowed(*AT_CONSOLE)
    def pause_part(what: str) -> Response:
        """Stop a part."""
        return _throw(parts, what, "pause", operate.pause, operate.PAUSE)

    @pages.post("/switches/<what>/resume")
    @allowed(*AT_CONSOLE)
    def resume_part(what: str) -> Response:
        """Let it go on."""
        return _throw(parts, what, "resume", operate.resume, operate.RESUME)


def _throw(
    parts: ConsoleParts, what: str, form: str, throw: Callable[..., str], action: str
) -> Response:
    try:
        name = board.known(what)
    except BadInput as error:
        return problem(HTTPStatus.NOT_FOUND, sentence(str(error)))
    path = f"{ROOT}?done={WORD_OF[form]}"

    def work(connection: Connection, by: By) -> str:
        throw(connection, name, by.actor, by.reason, by.now, trail.record)
        return path

    def was_done(connection: Connection, by: By) -> str | None:
        return path if has_done(connection, by, action, name) else None

    def again(mistake: Mistake) -> Response:
        return _page(parts, mistake)

    return done(parts, _form(name, form), work, again, was_done, about=name)


def _form(name: str, form: str) -> str:
    """The form's id in the page.

    >>> _form("provider:mpesa", "pause")
    'provider-mpesa-pause'
    """
    return f"{name.replace(':', '-')}-{form}"


def _page(parts: ConsoleParts, mistake: Mistake | None = None) -> Response:
    with parts.database.snapshot() as connection:
        last = {switch.what: switch for switch in store.every(connection)}

        def shown(name: str, title: str, effect: str) -> Shown:
            return Shown(name, title, effect, last.get(name), seen_of(connection, name))

        ours = [shown(name, *WORDS[name]) for name in board.PARTS]
        providers = _outside(parts, board.PROVIDERS, PROVIDER_WORDS, shown)
        channels = _outside(parts, board.CHANNELS, CHANNEL_WORDS, shown)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    groups = (
        ("Parts of the gateway", ours, ""),
        ("Money providers", providers, NO_PROVIDER),
        ("SMS channels", channels, NO_CHANNEL),
    )
    every = (*ours, *providers, *channels)
    forms = {_form(s.name, "resume" if s.paused else "pause") for s in every}
    # Somebody else was first: the form that was sent is not on the page any more.
    late = mistake.said if mistake and mistake.form not in forms else ""
    values = {"groups": groups, "mistake": mistake, "late": late, "form_of": _form}
    return read(parts, "console/switches.html", status, **values)


def _outside(
    parts: ConsoleParts, names: Sequence[str], effect: str, shown: Callable[[str, str, str], Shown]
) -> list[Shown]:
    """Those that are set up, and whatever is paused, so that it can be resumed."""
    every = [shown(f"{board.PROVIDER}{name}", name, effect) for name in names]
    return [switch for switch in every if switch.paused or switch.title in parts.in_use]
