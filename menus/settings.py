"""5 Settings: the caller's language."""

from collections.abc import Sequence
from functools import partial

from gateway.ussd.screens import Choice, Go, Next, Option, Screen, Visit
from menus.desk import Desk


def screens(desk: Desk) -> tuple[Screen, ...]:
    """The settings menu. 2 and 3 are kept for the PIN and for blocking the wallet."""
    return (
        Screen(
            "settings",
            text="Settings",
            options=(Option("1", "Language", "settings.language"),),
        ),
        Screen(
            "settings.language",
            text="Language",
            choices=partial(_choices, desk),
            choose=partial(_chosen, desk),
            leads_to=("settings.language.done",),
            sample_choices=[desk.languages.name(code) for code in desk.languages.codes],
        ),
        Screen(
            "settings.language.done",
            text="From now on we speak English to you.",
            ends=True,
        ),
    )


def _choices(desk: Desk, _: Visit) -> Sequence[Choice]:
    return [Choice(desk.languages.name(code), code) for code in desk.languages.codes]


def _chosen(desk: Desk, visit: Visit, language: str) -> Next:
    desk.subscribers.choose_language(visit.connection, visit.msisdn, language, visit.now)
    return Go("settings.language.done", language=language, forget=True)
