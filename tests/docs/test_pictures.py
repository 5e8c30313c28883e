"""Pictures in the pages: there, small, and of few colours."""

import base64
import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.browser import chromium
from tests.support.house import ROOT
from tests.support.small_png import SIGNATURE, chunks, smaller

BYTES_MAX = 120_000
PICTURES = sorted((ROOT / "docs" / "pictures").glob("*"))


def test_the_readme_shows_phone_counter_and_console() -> None:
    shown = re.findall(r"docs/pictures/(\w+\.png)", (ROOT / "README.md").read_text())
    assert sorted(shown) == sorted(path.name for path in PICTURES)
    assert {path.stem for path in PICTURES} == {"phone", "counter", "console"}


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_a_picture_is_small_enough_for_a_page_that_everybody_loads(path: Path) -> None:
    assert path.read_bytes().startswith(SIGNATURE)
    assert path.stat().st_size < BYTES_MAX


@pytest.fixture(name="browser", scope="module")
def a_browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def test_a_picture_of_two_colours_keeps_them_in_a_palette(browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 40, "height": 20})
    page.set_content("<style>body{margin:0;background:#102030}b{position:fixed;left:0;top:0;"
                     "width:20px;height:20px;background:#c0d0e0}</style><b></b>")  # fmt: skip
    small = smaller(page.screenshot(), browser.new_page())
    found = dict(chunks(small))
    assert struct.unpack(">II", found[b"IHDR"][:8]) == (40, 20)
    colours = found[b"PLTE"]
    assert {colours[at : at + 3].hex() for at in range(0, len(colours), 3)} == {"102030", "c0d0e0"}
    shown = base64.b64encode(small).decode()
    page.set_content(f'<img src="data:image/png;base64,{shown}">')
    assert page.evaluate("document.images[0].decode().then(() => document.images[0].width)") == 40
