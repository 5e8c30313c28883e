"""Every screen as it would be shown with its longest values, and the tree as a drawing."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from gateway.formats import gsm7
from gateway.ussd.dialogue import INVALID_CHOICE, Speaks, rendered
from gateway.ussd.screens import RESUME, Screen, Tree


@dataclass(frozen=True, slots=True)
class Page:
    """One page of one screen; `screen` says which complaint or page it is, where it matters."""

    screen: str
    text: str
    septets: int


def listed(tree: Tree, speaks: Speaks, language: str, budget: int) -> list[Page]:
    """Every page of every screen in a language, also with each complaint above it."""
    return [page for screen in tree.values() for page in _pages(screen, speaks, language, budget)]


def _pages(screen: Screen, speaks: Speaks, language: str, budget: int) -> Iterator[Page]:
    asks = bool(screen.options or screen.choices)
    complaints = ["", *screen.complaints, *([INVALID_CHOICE] if asks else [])]
    choices = "\n".join(
        f"{number} {label}" for number, label in enumerate(screen.sample_choices, start=1)
    )
    for complaint in complaints:
        texts = rendered(
            screen,
            partial(speaks.text, language),
            {**screen.sample, "@lines": choices},
            [f"{option.key} {option.label}" for option in screen.options],
            complaint=complaint,
            deep=True,
            budget=budget,
        )
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
    return name.replace(".", "_")
