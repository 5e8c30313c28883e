"""The phone page as a person handles it: keys, screen, messages, log."""

from dataclasses import dataclass

from playwright.sync_api import Locator, Page


@dataclass(slots=True)
class PhonePage:
    """One open phone page."""

    page: Page
    address: str

    def open(self) -> None:
        """Load the page and wait until its phone is switched on."""
        self.page.goto(self.address)
        self.page.wait_for_function("document.querySelector('#lcd-owner').textContent !== ''")

    @property
    def screen(self) -> Locator:
        return self.page.locator("#lcd-text")

    @property
    def entry(self) -> Locator:
        return self.page.locator("#entry")

    @property
    def newest(self) -> Locator:
        """The log's entry of the last request."""
        return self.page.locator(".exchange").first

    def press(self, keys: str) -> None:
        """Click keys of the keypad, one after the other."""
        for key in keys:
            self.page.click(f'.keypad [data-key="{key}"]')

    def call(self) -> None:
        self.page.click("#key-call")

    def answer(self, keys: str) -> None:
        self.press(keys)
        self.call()

    def hang_up(self) -> None:
        self.page.click("#key-end")

    def switch_to(self, name: str) -> None:
        self.page.click(f".chip:has-text('{name}')")

    def come_back(self) -> None:
        """Look at the page again, as from another tab: it fetches the inboxes at once."""
        self.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    def open_newest_message(self) -> None:
        self.come_back()
        self.page.locator(".message").first.click()

    def unread(self, name: str) -> Locator:
        """The badge with the number of unread messages of one phone."""
        return self.page.locator(f".chip:has-text('{name}') .count")

    def resize(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})
