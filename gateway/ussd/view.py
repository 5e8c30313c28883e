"""What a screen looks like: its text, its numbered lines and the way back, as a sheet of pages."""

from collections.abc import Callable, Sequence

from gateway.formats import gsm7
from gateway.ussd import paging
from gateway.ussd.paging import Sheet
from gateway.ussd.screens import HOME_SCREEN, Option, Screen, Values

BACK_LABEL, HOME_LABEL, MORE_LABEL = "0 Back", "00 Home", "98 More"
TEXTS = (BACK_LABEL, HOME_LABEL, MORE_LABEL)


def sheet(
    screen: Screen,
    say: Callable[..., str],
    values: Values,
    options: Sequence[Option],
    listed: Sequence[str],
    *,
    deep: bool,
    budget: int,
) -> Sheet:
    """A screen in GSM-7; `deep` screens also name the way home, higher ones are one step from it.

    Only our own texts are messages to be translated: what is listed is shown as it stands.
    """
    lines = [say(screen.text, **values)]
    lines += [f"{option.key} {say(option.label, **values)}" for option in options]
    lines += [f"{number} {label}" for number, label in enumerate(listed, start=1)]
    footer = ""
    if not screen.ends and screen.name != HOME_SCREEN:
        footer = f"{say(BACK_LABEL)} {say(HOME_LABEL)}" if deep else say(BACK_LABEL)
    return paging.sheet(
        gsm7.transliterate("\n".join(lines)),
        gsm7.transliterate(footer),
        gsm7.transliterate(say(MORE_LABEL)),
        budget,
    )
