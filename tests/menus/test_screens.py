"""Every screen of ours in every language: within a display, in GSM-7, kind and complete."""

import re

import pytest

from gateway.formats import gsm7
from gateway.languages import Languages, placeholders
from gateway.sms import texts as sms_texts
from gateway.sms.texts import CALL_US
from gateway.ussd import dialogue, engine, listing, view
from gateway.ussd.screens import Screen, Tree
from menus import cashier, keywords, redeem, takings, till, topup, wallet
from menus import settings as settings_menu
from tests.support.clock import SteppedClock
from tests.support.wired import Wired
from wiring.core import LOCALE
from wiring.gateway import MENUS

LANGUAGES = ("en", "fr")
SMALLEST_DISPLAY, USUAL_DISPLAY = 60, 160
CHOICE_TEXTS = ("until {expiry}", "to {recipient}")


@pytest.fixture
def wired(sqlite_url: str, clock: SteppedClock) -> Wired:
    return Wired(sqlite_url, clock)


@pytest.fixture
def tree(wired: Wired) -> Tree:
    return wired.gateway.tree


@pytest.fixture
def languages() -> Languages:
    return Languages(LOCALE, LANGUAGES)


def texts_of(screen: Screen) -> set[str]:
    unconfirmed = {screen.unconfirmed} - {""}
    labels = (option.label for option in screen.options)
    return {screen.text, *labels, *screen.complaints, *unconfirmed}


def every_text(tree: Tree) -> set[str]:
    """Every text of ours that a caller or a recipient can be shown."""
    found = {text for screen in tree.values() for text in texts_of(screen)}
    found |= {*engine.TEXTS, *dialogue.TEXTS, *view.TEXTS, *CHOICE_TEXTS}
    found |= {
        *redeem.COMPLAINTS.values(),
        *wallet.KINDS.values(),
        topup.SPOKEN,
        *keywords.NOTES.values(),
        CALL_US,
        wallet.PENDING,
        wallet.OTHER,
        settings_menu.BLOCKED,
        cashier.NO_TILL,
        cashier.FOR,
        takings.TAKEN_BACK,
    }
    return found | set(sms_texts.SAMPLES)


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_text_is_translated_with_its_values(
    tree: Tree, languages: Languages, language: str
) -> None:
    translations = languages.translations(language)
    wanted = {text for text in every_text(tree) if re.sub(r"\{\w+\}", "", text).strip()}
    assert wanted - translations.keys() == set()
    assert {t for t in wanted if placeholders(translations[t]) != placeholders(t)} == set()


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_no_translation_is_left_over(tree: Tree, languages: Languages, language: str) -> None:
    assert languages.translations(language).keys() - every_text(tree) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_screen_fits_the_usual_display_with_every_complaint(
    tree: Tree, languages: Languages, language: str
) -> None:
    for page in listing.listed(tree, languages, language, USUAL_DISPLAY):
        assert page.septets <= USUAL_DISPLAY
        name = re.sub(r" (\[.*\]|page \d+)", "", page.screen)
        assert tree[name].long or " page " not in page.screen, page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("budget", [60, 80, 100, 140, 182])
def test_every_page_fits_a_smaller_or_larger_display(
    tree: Tree, languages: Languages, language: str, budget: int
) -> None:
    for page in listing.listed(tree, languages, language, budget):
        assert page.septets == gsm7.septets(page.text) <= budget


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", [*engine.TEXTS, cashier.UNCONFIRMED, till.UNCONFIRMED])
def test_a_last_screen_outside_the_menus_fits_the_smallest_display(
    wired: Wired, language: str, text: str
) -> None:
    ending = wired.gateway.engine.ending(text, language)
    assert ending.ends
    assert gsm7.septets(ending.text) <= SMALLEST_DISPLAY


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_loses_no_letter_on_the_way_to_gsm7(
    tree: Tree, languages: Languages, language: str
) -> None:
    for text in every_text(tree):
        named = dict.fromkeys(placeholders(text), "x")
        said = languages.text(language, text, **named)
        assert gsm7.transliterate(said).count("?") == said.count("?")


def test_the_roots_options_are_those_of_the_contract(tree: Tree) -> None:
    offered = {option.key: (option.label, option.to) for option in tree["home"].options}
    assert offered == {
        "1": ("Redeem token", "redeem"),
        "2": ("Send token", "send"),
        "3": ("My tokens", "tokens"),
        "4": ("My wallet", "wallet"),
        "5": ("Settings", "settings"),
        "6": ("Cashier", "cashier"),
        "9": ("Continue", "@resume"),
        "0": ("Exit", "goodbye"),
    }
    wallet_options = {option.key: option.label for option in tree["wallet"].options}
    assert wallet_options == {"1": "Balance", "2": "Statement", "3": "Top up", "4": "Withdraw"}
    assert [(o.key, o.label) for o in tree["settings"].options] == [
        ("1", "Language"),
        ("2", "PIN"),
        ("3", "Block my wallet"),
    ]
    assert [(o.key, o.label) for o in tree["cashier"].options] == [
        ("1", "Pay token"),
        ("2", "Look up"),
        ("3", "Last five"),
        ("4", "Till total"),
        ("5", "Close till"),
        ("6", "Open a till"),
    ]


def test_only_tokens_are_typed_as_codes(tree: Tree) -> None:
    typed = {name: screen.code_lengths for name, screen in tree.items() if screen.code_lengths}
    assert typed == dict.fromkeys(("redeem", "cashier.pay", "cashier.look"), (18, 11))


def test_every_screen_stands_in_the_drawing(tree: Tree) -> None:
    drawn = listing.mermaid(tree)
    assert drawn.startswith("flowchart LR\n")
    nodes = re.findall(r'^    (\w+)(?:\["|\(\[")([\w.]+)"', drawn, re.MULTILINE)
    assert [name for _, name in nodes] == list(tree)
    assert len({node for node, _ in nodes}) == len(nodes)
    edges = re.findall(r"^    (\w+) (?:-- \d+ )?--> (\w+)$", drawn, re.MULTILINE)
    assert {end for edge in edges for end in edge} == {node for node, _ in nodes}
    assert len(nodes) + len(edges) + 1 == len(drawn.splitlines())


def test_a_menu_is_one_file_in_the_list(tree: Tree) -> None:
    names = {menu.__name__.rpartition(".")[2] for menu in MENUS}
    assert names == {
        *("home", "redeem", "send", "tokens", "sent", "wallet", "topup", "withdraw"),
        *("settings", "pin", "cashier", "till", "takings", "unpaid"),
    }
    assert {name.partition(".")[0] for name in tree} == names | {"goodbye"}
