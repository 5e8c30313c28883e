"""A cashier's window: the counter's pages in a real browser, and what it asks of the server."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request

from gateway.people.staff.store import Role
from tests.support.browser import served
from tests.web.counter.desk import Desk
from tests.web.staffed import log_in


@dataclass
class Window:
    """One tab; `asked` lists every request that it has made."""

    page: Page
    address: str
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", self._heard)

    def _heard(self, request: Request) -> None:
        self.asked.append(f"{request.method} {request.url.removeprefix(self.address)}")

    @property
    def posts(self) -> list[str]:
        """The forms that were sent."""
        return [line for line in self.asked if line.startswith("POST")]

    @property
    def entry(self) -> Locator:
        """The one big field."""
        return self.page.locator("#entry")

    @property
    def verdict(self) -> Locator:
        """What is said beside it."""
        return self.page.locator(".verdict")

    @property
    def main(self) -> Locator:
        """The page without its bar."""
        return self.page.locator("main")

    def open(self, path: str = "/counter") -> None:
        """Go to a page."""
        self.page.goto(self.address + path)

    def press(self, label: str) -> None:
        """Press a button and wait for what comes."""
        self.page.get_by_role("button", name=label).click()

    def scan(self, digits: str) -> None:
        """As a scanner does: every digit as a key, then Enter."""
        self.page.keyboard.type(digits)
        self.page.keyboard.press("Enter")


@dataclass
class Front:
    """The counter served to browsers."""

    desk: Desk
    browser: Browser
    address: str
    contexts: list[BrowserContext] = field(default_factory=list)

    def context(self, *, script: bool = True) -> BrowserContext:
        """Another device."""
        made = self.browser.new_context(java_script_enabled=script)
        self.contexts.append(made)
        return made

    def window(
        self, role: Role = Role.CASHIER, *, script: bool = True, tab_of: Window | None = None
    ) -> Window:
        """Somebody who has logged in, on a device of their own or in another tab."""
        context = tab_of.page.context if tab_of else self.context(script=script)
        page = context.new_page()
        if tab_of is None:
            log_in(page, self.address, role)
        return Window(page, self.address)


@contextmanager
def front(desk: Desk, browser: Browser) -> Iterator[Front]:
    """Serve a counter; its browsers are closed at the end, faults in a page's script are raised."""
    with served(desk.wired.app) as address:
        opened = Front(desk, browser, address)
        yield opened
        for context in opened.contexts:
            context.close()
