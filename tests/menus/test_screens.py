"""Every screen of ours in every language: within a display, in GSM-7, kind and complete."""

import re

import pytest

from gateway.formats import gsm7
from gateway.languages import Languages, catalogs
from gateway.ussd import listing
from gateway.ussd.screens import Tree
from menus import texts
from tests.support.clock import SteppedClock
from tests.support.wired import Wired
from wiring.core import LOCALE
from wiring.gateway import MENUS

LANGUAGES = catalogs(LOCALE)


@pytest.fixture
def wired(sqlite_url: str, clock: SteppedClock) -> Wired:
    return Wired(sqlite_url, clock, languages=LANGUAGES)


@pytest.fixture
def tree(wired: Wired) -> Tree:
    return wired.gateway.tree


@pytest.fixture
def languages() -> Languages:
    return Languages(LOCALE, LANGUAGES)


def test_every_language_has_its_catalog(languages: Languages) -> None:
    assert set(LANGUAGES) >= {"en", "fr", "sw", "ha", "yo", "ig"}
    assert languages.codes == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_complete_and_within_every_budget(
    tree: Tree, languages: Languages, language: str
) -> None:
    found = [f"{fault.text!r}: {fault.fault}" for fault in texts.faults(tree, languages, language)]
    assert found == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("budget", [60, 80, 100, 140, 182])
def test_every_page_fits_a_smaller_or_larger_display(
    tree: Tree, languages: Languages, language: str, budget: int
) -> None:
    for page in texts.listed(tree, languages, language, budget):
        assert page.septets == gsm7.septets(page.text) <= budget


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", texts.LAST_WORDS)
def test_a_last_screen_outside_the_menus_fits_the_smallest_display(
    wired: Wired, language: str, text: str
) -> None:
    ending = wired.gateway.engine.ending(text, language)
    assert ending.ends
    assert gsm7.septets(ending.text) <= texts.LAST_SEPTETS


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
