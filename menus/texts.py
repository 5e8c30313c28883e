"""Every text that people are told, and what is wrong with a language's catalog of them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from gateway.formats import gsm7
from gateway.languages import ENGLISH, Languages, placeholders
from gateway.sms import texts as sms
from gateway.ussd import dialogue, engine, listing, view
from gateway.ussd.screens import Say, Screen, Tree, Values
from menus import cashier, keywords, redeem, settings, takings, till, topup, wallet

DISPLAY_SEPTETS = 160
# What the smallest display holds: these end a dialogue wherever it was.
LAST_SEPTETS = 60
LAST_WORDS = (*engine.TEXTS, cashier.UNCONFIRMED, till.UNCONFIRMED)
# Put together with others, in a list or behind a text.
PIECES = (
    "until {expiry}",
    "to {recipient}",
    sms.CALL_US,
    topup.MOBILE_MONEY,
    topup.SPOKEN,
    wallet.PENDING,
    wallet.OTHER,
    cashier.NO_TILL,
    cashier.FOR,
    takings.TAKEN_BACK,
    *wallet.KINDS.values(),
)
# Every SMS with its longest values; that of a token when its sender has given all the room it can.
SMS: Mapping[str, Mapping[str, str]] = {
    **sms.SAMPLES,
    **dict.fromkeys((sms.DELIVERY, sms.DELIVERY_WITHOUT_HELP), sms.TIGHTEST),
    **dict.fromkeys(keywords.NOTES.values(), keywords.SAMPLE),
    settings.BLOCKED: settings.SAMPLE,
}
_PAGE = re.compile(r" page \d+$", re.ASCII)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with the translation of a text."""

    text: str
    fault: str


def every_text(tree: Tree) -> dict[str, str]:
    """Each text that is translated, and where it is said."""
    places = dict.fromkeys(SMS, "an SMS")
    places |= dict.fromkeys(PIECES, "part of another text")
    places |= dict.fromkeys((*view.TEXTS, *dialogue.TEXTS), "every screen")
    places |= dict.fromkeys(redeem.COMPLAINTS.values(), "screen redeem")
    for screen in tree.values():
        places |= dict.fromkeys(_texts_of(screen), f"screen {screen.name}")
    places |= dict.fromkeys(LAST_WORDS, f"a last screen, up to {LAST_SEPTETS} septets")
    return {text: place for text, place in places.items() if _has_words(text)}


def _texts_of(screen: Screen) -> set[str]:
    labels = (option.label for option in screen.options)
    return {screen.text, *labels, *screen.complaints, screen.unconfirmed}


def _has_words(text: str) -> bool:
    """Whether there is something to translate.

    >>> _has_words("You have {amount}"), _has_words("{lines}"), _has_words("")
    (True, False, False)
    """
    return bool(re.sub(r"\{\w+\}", "", text).strip())


def listed(
    tree: Tree, languages: Languages, language: str, budget: int = DISPLAY_SEPTETS
) -> list[listing.Page]:
    """Every page of every screen in a language, also with each complaint above it."""
    spoken = in_language(tree, partial(languages.text, language))
    return listing.listed(spoken, languages, language, budget)


def in_language(tree: Tree, say: Say) -> Tree:
    """The tree with what its samples say in our own words said in a language."""
    return {
        name: replace(
            screen,
            sample=_translated(screen.sample, say),
            sample_choices=[_said(choice, say) for choice in screen.sample_choices],
        )
        for name, screen in tree.items()
    }


def _translated(values: Values, say: Say) -> dict[str, str]:
    return {name: _said(value, say) for name, value in values.items()}


def _said(sample: str, say: Say) -> str:
    """A sample value with the texts of ours in it as `say` says them.

    >>> _said("Ref K7 Please call 0800.", lambda msgid, **values: f"<{msgid} {values}>")
    "Ref K7 <Please call {help}. {'help': '0800'}>"
    """
    for piece in sorted(PIECES, key=len, reverse=True):  # "Withdrawal returned", "Withdrawal"
        form = r"(?<!\w)" + re.sub(r"\\{(\w+)\\}", r"(?P<\1>\\S.*?)", re.escape(piece))
        form += "$" if piece.endswith("}") else ""
        sample = re.sub(form, partial(_again, piece, say), sample, flags=re.MULTILINE)
    return sample


def _again(piece: str, say: Say, found: re.Match[str]) -> str:
    return say(piece, **found.groupdict())


def missing(tree: Tree, languages: Languages, language: str) -> dict[str, str]:
    """The texts that a language does not translate, and where they are said."""
    translated = languages.translations(language).keys()
    return {text: place for text, place in every_text(tree).items() if text not in translated}


def faults(tree: Tree, languages: Languages, language: str) -> Iterator[Fault]:
    """Everything that keeps a catalog from being complete and within its budgets.

    The tree should have been made with the same languages, so that their menu is measured too.
    """
    known = every_text(tree)
    translations = languages.translations(language)
    for text in () if language == ENGLISH else missing(tree, languages, language):
        yield Fault(text, f"not translated: {known[text]}")
    for text in translations.keys() - known.keys():
        yield Fault(text, "nobody is told this any more")
    for text in known:
        said = languages.text(language, text, **dict.fromkeys(placeholders(text), "x"))
        if gsm7.transliterate(said).count("?") != said.count("?"):
            yield Fault(text, f"has a letter that cannot be written in GSM-7: {said}")
    yield from _too_long(tree, languages, language)


def _too_long(tree: Tree, languages: Languages, language: str) -> Iterator[Fault]:
    say = partial(languages.text, language)
    for page in listed(tree, languages, language):
        name = page.screen.partition(" ")[0]
        if _PAGE.search(page.screen) and not tree[name].long:
            yield Fault(page.screen, f"needs more than {DISPLAY_SEPTETS} septets: {page.text}")
    for text in LAST_WORDS:
        yield from _beyond(text, say(text), LAST_SEPTETS)
    for text, values in SMS.items():
        yield from _beyond(text, say(text, **_translated(values, say)), gsm7.SMS_SEPTETS)


def _beyond(text: str, said: str, budget: int) -> Iterator[Fault]:
    written = gsm7.transliterate(said)
    septets = gsm7.septets(written)
    if septets > budget:
        yield Fault(text, f"needs {septets} of {budget} septets: {written}")
