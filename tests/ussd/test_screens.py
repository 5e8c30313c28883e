"""The tree of screens: each fault is found, and the tree can be listed and drawn."""

import re
from dataclasses import replace

import pytest

from gateway.ussd import listing
from gateway.ussd.screens import RESUME, Again, Choice, Option, Screen, tree
from tests.ussd.staging import English

END = Screen("end", text="End", ends=True)
TO_END = Option("1", "On", "end")
HOME = Screen("home", text="Home", options=(TO_END,))


def home(*options: Option) -> Screen:
    return replace(HOME, options=options)


def menu(**changes: object) -> Screen:
    values: dict[str, object] = {"name": "menu", "text": "Menu", "options": (TO_END,), **changes}
    return Screen(**values)  # type: ignore[arg-type]


TO_MENU = home(Option("1", "Menu", "menu"))
FAULTS: list[tuple[str, tuple[Screen, ...]]] = [
    ("there is no screen home", (END,)),
    ("two screens are named end", (HOME, END, replace(END, text="Other"))),
    ("home leads to nowhere, which is no screen", (home(Option("1", "On", "nowhere")),)),
    ("home leads to nowhere", (replace(HOME, leads_to=("nowhere",)), END)),
    ("menu leads to @resume", (TO_MENU, menu(options=(Option("9", "On", RESUME),)))),
    ("home offers 1 twice", (home(TO_END, TO_END), END)),
    ("home offers '1a', which is no number", (home(Option("1a", "On", "end")), END)),
    ("home offers '', which is no number", (home(Option("", "On", "end")), END)),
    ("home offers '100', which is no number", (home(Option("100", "On", "end")), END)),
    ("home uses 98, which navigates", (home(Option("98", "On", "end")), END)),
    ("home uses 00, which navigates", (home(Option("00", "On", "end")), END)),
    ("menu uses 0, which navigates", (TO_MENU, END, menu(options=(Option("0", "On", "end"),)))),
    ("home ends but asks", (replace(HOME, ends=True), END)),
    ("menu ends but asks", (TO_MENU, END, menu(ends=True))),
    ("menu is a dead end", (TO_MENU, menu(options=()))),
    ("home is a dead end", (home(),)),
    ("menu asks in several ways", (TO_MENU, END, menu(answer=lambda *_: Again("No")))),
    ("menu lists choices without taking", (TO_MENU, menu(options=(), choices=lambda _: ()))),
    ("menu lists choices without taking", (TO_MENU, END, menu(choose=lambda *_: Again("No")))),
    ("menu expects a code but takes no answer", (TO_MENU, END, menu(code_lengths=(11,)))),
    ("home cannot be private", (replace(HOME, private=True), END)),
    ("menu has no sample of name", (TO_MENU, END, menu(text="Dear {name}"))),
    ("menu has no sample of x", (TO_MENU, END, menu(options=(Option("1", "On {x}", "end"),)))),
    ("menu complains with a value", (TO_MENU, END, menu(complaints=("Only {n} left",)))),
    ("end cannot be reached", (TO_MENU, menu(options=(Option("1", "On", "menu"),)), END)),
]


@pytest.mark.parametrize(("fault", "made"), FAULTS, ids=[fault for fault, _ in FAULTS])
def test_a_fault_of_the_tree_is_named(fault: str, made: tuple[Screen, ...]) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)):
        tree(made)


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(ValueError, match=r"offers 1 twice; .*cannot be reached"):
        tree((home(TO_END, TO_END), END, menu()))


def test_a_tree_without_fault_is_taken() -> None:
    made = tree((home(TO_END, Option("0", "Exit", "end"), Option("9", "Go on", RESUME)), END))
    assert list(made) == ["home", "end"]


LISTED = Screen(
    "list",
    text="Pick {what}",
    choices=lambda _: [Choice("a", "a")],
    choose=lambda *_: Again("Gone."),
    leads_to=("shut",),
    complaints=("Gone.",),
    long=True,
    sample={"what": "one [of] these"},
    sample_choices=("first", "second"),
)
SHUT = Screen(
    "shut", text="Shut", ends=True, arrive=lambda _: Again("Shut."), complaints=("Shut.",)
)
LISTING = tree((home(Option("1", "List", "list")), LISTED, SHUT))


def test_every_screen_is_listed_with_every_complaint_that_can_stand_above_it() -> None:
    names = [page.screen for page in listing.listed(LISTING, English(), "en", 160)]
    assert names == [
        "home",
        "home [Shut.]",
        "home [Invalid choice.]",
        "home [The menu has changed. Please choose again.]",
        "list",
        "list [Gone.]",
        "list [Shut.]",
        "list [Invalid choice.]",
        "shut",
        "shut [Shut.]",
    ]


def test_what_a_typed_answer_complains_of_stands_above_its_own_screen_alone() -> None:
    typed = Screen(
        "typed",
        text="Type",
        arrive=lambda _: {},
        answer=lambda *_: Again("Wrong."),
        complaints=("Wrong.",),
    )
    made = tree((home(Option("1", "Type", "typed")), typed))
    names = {page.screen for page in listing.listed(made, English(), "en", 160)}
    assert "typed [Wrong.]" in names
    assert "home [Wrong.]" not in names


def test_a_listed_page_says_its_septets() -> None:
    pages = {page.screen: page for page in listing.listed(LISTING, English(), "en", 160)}
    page = pages["list [Gone.]"]
    assert page.text == "Gone.\nPick one [of] these\n1 first\n2 second\n0 Back 00 Home"
    assert page.septets == len(page.text) + 2


def test_a_long_screen_is_listed_page_by_page() -> None:
    pages = [p for p in listing.listed(LISTING, English(), "en", 45) if p.screen[:6] == "list p"]
    assert [page.screen for page in pages] == ["list page 1", "list page 2"]
    assert pages[0].text == "Pick one [of] these\n98 More\n0 Back 00 Home"
    assert max(page.septets for page in pages) <= 45


def test_the_drawing_has_every_screen_and_every_way() -> None:
    made = tree(
        (
            home(TO_END, Option("2", "Menu", "menu.one"), Option("9", "Go on", RESUME)),
            END,
            replace(menu(), name="menu.one", leads_to=("end",)),
        )
    )
    assert listing.mermaid(made).splitlines() == [
        "flowchart LR",
        '    s_home["home"]',
        '    s_end(["end"])',
        '    s_menu_one["menu.one"]',
        "    s_home -- 1 --> s_end",
        "    s_home -- 2 --> s_menu_one",
        "    s_menu_one -- 1 --> s_end",
        "    s_menu_one --> s_end",
    ]
