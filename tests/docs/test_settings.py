"""Settings: docs/settings.md names each that the code reads, and no other."""

import ast
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import chain

import pytest

from gateway.settings.providers import PREFIX, Providers
from tests.support import pages
from tests.support.house import Source, sources

OURS = re.compile(r"(?:GATEWAY|AFRICASTALKING|KANNEL)_[A-Z][A-Z0-9_]*[A-Z0-9]")
OTHERS = {"WEB_CONCURRENCY", "PROMETHEUS_MULTIPROC_DIR"}  # gunicorn's and prometheus-client's
PAGES = [page for page in pages.pages() if not page.path.startswith("tests/")]
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)


def named_in_code() -> Iterator[str]:
    """Each setting whose name stands in a string of the code."""
    for source in sources():
        if not (source.is_product or source.path == "gunicorn.conf.py"):
            continue
        for node in ast.walk(source.tree):
            match node:
                case ast.Constant(value=str(text)) if OURS.fullmatch(text) or text in OTHERS:
                    yield text


def of_providers() -> Iterator[str]:
    """Those of the money providers, whose names are put together."""
    for member in fields(Providers):
        kind = type(member.default)
        if is_dataclass(kind):
            yield from (f"{PREFIX}{kind.__name__}_{one.name}".upper() for one in fields(kind))


KNOWN = set(chain(named_in_code(), of_providers()))


def test_the_settings_page_names_every_setting_that_is_read_and_no_other() -> None:
    (page,) = (page for page in PAGES if page.path == "docs/settings.md")
    rows = [line.split("|")[1] for line in page.text.splitlines() if line.startswith("| `")]
    listed = re.findall(r"`([A-Z0-9_]+)`", " ".join(rows))
    assert sorted(listed) == sorted(KNOWN)


@each_page
def test_a_page_names_no_setting_that_nobody_reads(page: Source) -> None:
    begun = {name for name in OURS.findall(page.text) if name not in KNOWN}
    # A table may name the beginning of several, as in `GATEWAY_SNIPPE_…`.
    assert {name for name in begun if not re.search(rf"{name}_?(?:…|\.\.\.)", page.text)} == set()
