"""Links: every file and heading that a page names is there."""

import re

import pytest

from tests.support import pages
from tests.support.house import ROOT, Source

PAGES = pages.pages()
BY_PATH = {page.path: page for page in PAGES}
NAMED = re.compile(
    r"(?<![\w/.])((?:docs|deploy|tests|tools|gateway|menus|wiring|bench)/[\w./-]*\w)"
)
OUTSIDE = ("http://", "https://", "mailto:")
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)


def target_of(page: Source, link: str) -> Source | None:
    """The page that a link leads to, if it is one."""
    name = link.partition("#")[0]
    path = (ROOT / page.path).parent / name if name else ROOT / page.path
    return BY_PATH.get(path.resolve().relative_to(ROOT).as_posix())


@each_page
def test_what_a_page_links_to_is_there(page: Source) -> None:
    inside = [link for link in pages.links(page.text) if not link.startswith(OUTSIDE)]
    files = [link.partition("#")[0] for link in inside]
    assert [name for name in files if name and not pages.exists(page.path, name)] == []


@each_page
def test_a_heading_that_a_page_links_to_is_there(page: Source) -> None:
    missing = []
    for link in pages.links(page.text):
        target = None if link.startswith(OUTSIDE) else target_of(page, link)
        _, _, anchor = link.partition("#")
        if target and anchor and anchor not in pages.anchors(target.text):
            missing.append(link)
    assert missing == []


@each_page
def test_a_file_that_a_page_names_by_its_path_is_there(page: Source) -> None:
    spans = [span for _, span in pages.INLINE.findall(pages.prose(page.text))]
    text = " ".join((*spans, *re.findall(r"docs/[\w/-]+\.md", page.text)))
    named = [name for name in NAMED.findall(text) if "NAME" not in name and "CODE" not in name]
    beside = ("README.md", page.path)  # from the root, or from where the page lies
    missing = [name for name in named if not any(pages.exists(one, name) for one in beside)]
    assert missing == []


def test_every_page_of_docs_can_be_found_from_its_index() -> None:
    index = BY_PATH["docs/README.md"]
    found, wanted = {index.path}, [index]
    while wanted:
        page = wanted.pop()
        for link in pages.links(page.text):
            target = None if link.startswith(OUTSIDE) else target_of(page, link)
            if target and target.path not in found:
                found.add(target.path)
                wanted.append(target)
    assert [page.path for page in PAGES if page.path.startswith("docs/")] == sorted(
        path for path in found if path.startswith("docs/")
    )
