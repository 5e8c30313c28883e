"""Every screen as it would be shown with its longest values, and the tree as a drawing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from gateway.formats import gsm7
from gateway.ussd import view
from gateway.ussd.dialogue import INVALID_CHOICE, MENU_CHANGED, Speaks
from gateway.ussd.screens import HOME_SCREEN, RESUME, Screen, Tree


@dataclass(frozen=True, slots=True)
class Page:
    """One page of one screen; `screen` says which complaint or page it is, where it matters."""

    screen: str
    text: str
    septets: int


def listed(tree: Tree, speaks: Speaks, language: str, budget: int) -> list[Page]:
    """Every page of every screen in a language, also with each complaint above it."""
    return [
        page
        for screen in tree.values()
        for page in _pages(screen, complaints(screen, tree), speaks, language, budget)
    ]


def complaints(screen: Screen, tree: Tree) -> list[str]:
    """Every complaint that can stand above a screen, each once.

    A screen that turns its callers away complains above the one they come from; when that was
    the way back, above the root. One that takes a typed answer complains of that, above itself.
    """
    ahead = tree.values() if screen.name == HOME_SCREEN else map(tree.get, screen.targets)
    turned_away = [
        complaint
        for target in ahead
        if target is not None and target.arrive is not None and target.answer is None
        for complaint in target.complaints
    ]
    numbered = bool(screen.options or screen.choices or (screen.ends and screen.long))
    changed = [MENU_CHANGED] if screen.name == HOME_SCREEN else []
    invalid = [INVALID_CHOICE] if numbered else []
    return list(dict.fromkeys([*screen.complaints, *turned_away, *invalid, *changed]))


def _pages(
    screen: Screen, complaining: Sequence[str], speaks: Speaks, language: str, budget: int
) -> Iterator[Page]:
    say = partial(speaks.text, language)
    sheet = view.sheet(
        screen,
        say,
        screen.sample,
        screen.options,
        screen.sample_choices,
        deep=True,
        budget=budget,
    )
    for complaint in ["", *complaining]:
        texts = sheet.pages(gsm7.transliterate(say(complaint)) if complaint else "")
        name = f"{screen.name} [{complaint}]" if complaint else screen.name
        for number, text in enumerate(texts, start=1):
            shown = f"{name} page {number}" if len(texts) > 1 else name
            yield Page(shown, text, gsm7.septets(text))


def mermaid(tree: Tree) -> str:
    """The tree as a Mermaid flowchart: options by their number, other ways without."""
    lines = ["flowchart LR"]
    for screen in tree.values():
        shape = f'(["{screen.name}"])' if screen.ends else f'["{screen.name}"]'
        lines.append(f"    {_id(screen.name)}{shape}")
    for screen in tree.values():
        lines += [
            f"    {_id(screen.name)} -- {option.key} --> {_id(option.to)}"
            for option in screen.options
            if option.to != RESUME
        ]
        lines += [f"    {_id(screen.name)} --> {_id(to)}" for to in screen.leads_to]
    return "\n".join(lines)


def _id(name: str) -> str:
    # With something in front, because Mermaid cannot draw a node that is called "end".
    return f"s_{name.replace('.', '_')}"
