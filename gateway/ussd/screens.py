"""What a screen is: data plus small functions. The whole tree can be listed, drawn and checked."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection

from gateway.database.outside import Made
from gateway.languages import placeholders

BACK, HOME, MORE, CONTINUE = "0", "00", "98", "9"
NAVIGATION = {BACK, HOME, MORE}
HOME_SCREEN = "home"
RESUME = "@resume"  # where the option to go on after a dropped call leads
Values = Mapping[str, str]
_KEY = re.compile("[0-9]{1,2}", re.ASCII)
Say = Callable[..., str]  # say(msgid, **values) -> text in the caller's language


@dataclass(frozen=True, slots=True)
class Visit:
    """What a screen's functions may know and use in one turn."""

    connection: Connection
    msisdn: str
    channel: str
    language: str
    now: datetime
    say: Say
    values: Values
    resumable: bool = False
    proofs: Made = field(default_factory=dict, repr=False)  # what was made outside for this turn


@dataclass(frozen=True, slots=True)
class Go:
    """Show another screen, with the values its text names; `language` changes the caller's."""

    to: str
    values: Values = field(default_factory=dict)
    language: str | None = None
    forget: bool = False  # the way back leads home: what was asked is done


@dataclass(frozen=True, slots=True)
class Again:
    """Ask again, with a complaint above; it is one of the screen's `complaints`."""

    complaint: str


Next = Go | Again


def always(_: Visit) -> bool:
    """The usual condition of an option."""
    return True


def never(_: str) -> bool:
    """The usual answer of a screen that takes no code."""
    return False


@dataclass(frozen=True, slots=True)
class Option:
    """A numbered way on; the screen it leads to is given the values of this one.

    Numbers are a public contract: people dial them directly.
    """

    key: str
    label: str
    to: str
    shown: Callable[[Visit], bool] = always


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a list that is made when the screen is shown."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Screen:
    """One screen of the dialogue.

    `text` is a message with `{placeholders}`; `arrive` gathers their values (or sends the caller
    elsewhere). A screen has options, or a list of choices, or takes a typed `answer`, or ends the
    dialogue. One with an `answer` sends callers elsewhere when they arrive, never back. `leads_to`
    names every screen that `arrive`, `choose` and `answer` may go to.
    """

    name: str
    text: str
    options: Sequence[Option] = ()
    arrive: Callable[[Visit], Next | Values] | None = None
    choices: Callable[[Visit], Sequence[Choice]] | None = None
    choose: Callable[[Visit, str], Next] | None = None
    answer: Callable[[Visit, str], Next] | None = None
    leads_to: Sequence[str] = ()
    complaints: Sequence[str] = ()
    code_lengths: Sequence[int] = ()  # digits of the code typed here, in groups or in one
    is_code: Callable[[str], bool] = never  # whether an entry is a complete, well-typed code
    ends: bool = False
    unconfirmed: str = ""  # where to look whether it worked; else an SMS says so
    private: bool = False  # a PIN or a confirmation: never resumed, dialled or replayed into
    long: bool = False  # may take several pages
    sample: Values = field(default_factory=dict)  # the longest values, for the checks
    sample_choices: Sequence[str] = ()

    @property
    def targets(self) -> list[str]:
        """Every screen that can follow, apart from back and home."""
        return [*(option.to for option in self.options), *self.leads_to]


Tree = Mapping[str, Screen]


def tree(screens: Sequence[Screen]) -> Tree:
    """The screens by name; raises `ValueError` when the tree has a fault."""
    by_name = {screen.name: screen for screen in screens}
    faults = [] if HOME_SCREEN in by_name else [f"there is no screen {HOME_SCREEN}"]
    faults += [f"two screens are named {s.name}" for s in screens if by_name[s.name] is not s]
    for screen in by_name.values():
        faults += _faults(screen, by_name)
    faults += [f"{name} cannot be reached" for name in sorted(set(by_name) - _reached(by_name))]
    if faults:
        raise ValueError("; ".join(faults))
    return by_name


def _faults(screen: Screen, by_name: Tree) -> list[str]:
    name = screen.name
    faults = [
        f"{name} leads to {to}, which is no screen"
        for to in screen.targets
        if to not in by_name and (to != RESUME or name != HOME_SCREEN)
    ]
    faults += _option_faults(screen)
    asks = [bool(screen.options), screen.choices is not None, screen.answer is not None]
    if screen.ends and any(asks):
        faults.append(f"{name} ends but asks")
    if not screen.ends and not any(asks):
        faults.append(f"{name} is a dead end: it neither asks nor ends")
    if sum(asks) > 1:
        faults.append(f"{name} asks in several ways at once")
    if (screen.choices is None) != (screen.choose is None):
        faults.append(f"{name} lists choices without taking one")
    if screen.code_lengths and screen.answer is None:
        faults.append(f"{name} expects a code but takes no answer")
    if name == HOME_SCREEN and (screen.ends or screen.private):
        faults.append(f"{name} cannot be private or the end")
    return faults + _text_faults(screen)


def _option_faults(screen: Screen) -> list[str]:
    name, keys = screen.name, [option.key for option in screen.options]
    # At the root `0` leaves: there is nothing to go back to.
    taken = NAVIGATION if name != HOME_SCREEN else NAVIGATION - {BACK}
    twice = sorted({key for key in keys if keys.count(key) > 1})
    faults = [f"{name} offers {key} twice" for key in twice]
    faults += [f"{name} uses {key}, which navigates" for key in keys if key in taken]
    return faults + [
        f"{name} offers {key!r}, which is no number" for key in keys if not _KEY.fullmatch(key)
    ]


def _text_faults(screen: Screen) -> list[str]:
    texts = [screen.text, *(option.label for option in screen.options)]
    named = {name for text in texts for name in placeholders(text)}
    faults = [
        f"{screen.name} has no sample of {value}" for value in sorted(named - screen.sample.keys())
    ]
    return faults + [
        f"{screen.name} complains with a value: {complaint}"
        for complaint in screen.complaints
        if placeholders(complaint)
    ]


def _reached(by_name: Tree) -> set[str]:
    reached: set[str] = set()
    ahead = [HOME_SCREEN]
    while ahead:
        name = ahead.pop()
        if name in reached or name not in by_name:
            continue
        reached.add(name)
        ahead.extend(by_name[name].targets)
    return reached
