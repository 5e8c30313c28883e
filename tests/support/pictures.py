"""Takes the README's pictures anew from a real demo: `python -m tests.support.pictures`."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Page, ViewportSize
from stdnum import luhn

from gateway.cli.demo.people import CALLERS, STAFF, kept_pins
from gateway.people.staff.store import Role
from tests.support.browser import chromium
from tests.support.house import ROOT
from tests.support.serving import BIN, Installed, Process, free_port
from tests.support.small_png import smaller

FOLDER: Final = ROOT / "docs" / "pictures"
SMS_MS_MAX: Final = 15_000
BELLO, CHIDI = CALLERS[1][0], CALLERS[2][0]
WRONG: Final = ("12345678901234567", "33333333333333333")  # Luhn-valid with one digit more
MODE: Final = {"GATEWAY_MODE": "demo"}
FUND: Final = ("partners", "fund", "acme-stores", "--amount", "250000.00")
REFERENCE: Final = ("--reference", "FT26030200017")


class Stage:
    """A demo in a folder of its own, a browser before it, and where pictures go."""

    def __init__(self, folder: Path, address: str, browser: Browser, pictures: Path) -> None:
        self.address = address
        self.pictures = pictures
        self.commands = Installed(folder, MODE, cwd=folder)
        self.pins = kept_pins(folder / "var")
        self._browser = browser

    def page(self, path: str, width: int = 1280, height: int = 800) -> Page:
        """A new browser's window at a path."""
        size: ViewportSize = {"width": width, "height": height}
        page = self._browser.new_context(viewport=size).new_page()
        page.goto(self.address + path)
        return page

    def logged_in(self, area: str, role: Role, width: int, height: int) -> Page:
        """The page on which somebody of that role begins."""
        phone = next(one.msisdn for one in STAFF if one.role == role)
        page = self.page(f"{area}/login", width, height)
        page.fill("#phone", phone)
        page.fill("#pin", self.pins[phone])
        page.click("main button")
        return page

    def token(self, amount: str, to: str) -> str:
        """The digits of a new token of the house."""
        made = ("tokens", "issue", "--amount", amount, "--to", to, "--show")
        return str(self.commands.json(*made)["token"])

    def keep(self, page: Page, name: str) -> None:
        """The window as it is now, in a file that is small enough for a page that all read."""
        picture = page.screenshot(animations="disabled")
        blank = self._browser.new_context().new_page()
        (self.pictures / f"{name}.png").write_bytes(smaller(picture, blank))


def phone(stage: Stage) -> None:
    """Ada has dialled, and reads the SMS with her token."""
    page = stage.page("/phone")
    page.locator(".message").first.wait_for(timeout=SMS_MS_MAX)
    page.locator(".message").first.click()
    page.click("#key-call")
    page.get_by_text("1 Redeem token").first.wait_for()
    page.locator("#repeat:enabled").wait_for()
    stage.keep(page, "phone")


def counter(stage: Stage) -> None:
    """Ife has opened her till and looked a token up."""
    page = stage.logged_in("/counter", Role.CASHIER, 900, 560)
    page.fill("[name=cash]", "20000.00")
    page.get_by_role("button", name="Open the till").click()
    page.fill("#entry", stage.token("2000.00", CHIDI))
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Pay this token?").wait_for()
    stage.keep(page, "counter")


def console(stage: Stage) -> None:
    """Sade looks at what needs somebody, after some redemptions and wrong entries."""
    wrong = [f"{number}{luhn.calc_check_digit(str(number))}" for number in WRONG]
    texting = stage.page("/phone")
    for text in (*(stage.token("100.00", BELLO) for _ in range(5)), *wrong):
        _send(texting, text)
    stage.commands.command("partners", "create", "--name", "Acme Stores")
    stage.commands.command(*FUND, *REFERENCE)
    stage.commands.command("pause", "payouts", "--reason", "the provider is being asked")
    page = stage.logged_in("/console", Role.ADMIN, 1280, 800)
    page.get_by_role("heading", name="Now").wait_for()
    stage.keep(page, "console")


def _send(page: Page, text: str) -> None:
    """An SMS of Bello's, as his phone's page sends it."""
    page.reload()
    page.click(".chip:has-text('Bello')")
    page.click("#compose-open")
    page.fill("#compose-text", text)
    with page.expect_response(re.compile("/sms/")):
        page.click("#compose-send")


@contextmanager
def staged(pictures: Path) -> Iterator[Stage]:
    """A demo that nobody has used yet, while the block runs."""
    with tempfile.TemporaryDirectory() as made, chromium() as browser:
        folder, bind = Path(made), f"127.0.0.1:{free_port()}"
        env = {**MODE, "GATEWAY_BIND": bind}
        demo = Process([str(BIN / "gateway"), "demo"], env, folder / "says", folder)
        try:
            demo.wait_for("Stop:         Ctrl-C")
            yield Stage(folder, f"http://{bind}", browser, pictures)
        finally:
            demo.stop()


def take(pictures: Path = FOLDER) -> None:
    """All three, into a folder."""
    with staged(pictures) as stage:
        for picture in (phone, counter, console):
            picture(stage)


if __name__ == "__main__":
    take()
