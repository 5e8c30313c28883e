"""CONTRIBUTING.md: the house as it draws it is the house as it stands."""

import re

from tests.support.floors import FLOORS
from tests.support.house import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text()


def test_the_floors_are_listed_as_they_are_tested() -> None:
    (drawn,) = re.findall(r"^errors · .+?(?=\n\n)", PAGE, re.MULTILINE | re.DOTALL)
    floors = [tuple(floor.split(", ")) for floor in " ".join(drawn.split()).split(" · ")]
    assert floors == list(FLOORS)


def test_a_list_that_something_new_is_added_to_is_where_the_page_says() -> None:
    named = re.findall(r"`([A-Z_]+)` (?:and\s+`[A-Z_]+` )?of\s+`([\w/.]+\.py)`", PAGE)
    assert {name for name, _ in named} >= {"USSD_CHANNELS", "SMS_CHANNELS", "MENUS"}
    missing = [pair for pair in named if f"\n{pair[0]}" not in (ROOT / pair[1]).read_text()]
    assert missing == []
