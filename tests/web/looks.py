"""Looking at pages in a real browser as everybody may have to: at each width, every fold open."""

from collections.abc import Sequence

from playwright.sync_api import Page

from tests.support.axe import violations

SIZES = ((1280, 860), (820, 1100), (390, 800))
PAGE_BYTES_MAX = 100_000


def faults(page: Page, address: str, paths: Sequence[str]) -> list[str]:
    """What is wrong with the console's pages at these paths, in a line each."""
    found = []
    for path in paths:
        answer = page.goto(f"{address}/console/{path}")
        assert answer is not None
        if len(answer.body()) > PAGE_BYTES_MAX:
            found.append(f"{path}: {len(answer.body())} bytes")
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            found += [f"{path} at {width}: {line}" for line in violations(page)]
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                found.append(f"{path} at {width}: wider than the screen")
    return found
