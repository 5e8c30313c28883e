"""Looks for faults of accessibility on a page in the browser, with axe-core."""

from collections.abc import Iterator
from typing import Any, Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# WCAG 2.0 and 2.1 at the levels A and AA; what it calls best practice is taste.
RULES: Final = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "resultTypes": ["violations"],
}


def violations(page: Page) -> list[str]:
    """What people could not see, read or reach on the page as it is now: a line each; or none.

    A line says the rule, the element, and what is wrong with it.
    """
    found: dict[str, Any] = Axe().run(page, options=RULES).response
    return [line for rule in found["violations"] for line in _lines(rule)]


def _lines(rule: dict[str, Any]) -> Iterator[str]:
    for node in rule["nodes"]:
        where = " ".join(str(part) for part in node["target"])
        why = "; ".join(check["message"] for kind in ("all", "any", "none") for check in node[kind])
        yield f"{rule['id']}: {where}: {why}"
