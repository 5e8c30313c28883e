"""The page on which people read the API and try it: for everybody, and no key stays behind."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from playwright.sync_api import Browser, Locator, Page

from gateway.web.api import openapi
from gateway.web.api.codes import CODES
from gateway.web.api.operations import OPERATIONS
from tests.support.axe import violations
from tests.support.browser import served
from tests.support.clock import SteppedClock
from tests.support.house import ROOT
from tests.support.partner import Partner, partner
from tests.support.wired import ADA, Wired
from tests.web.looks import PAGE_BYTES_MAX, SIZES

DOCS = "/api/v1/docs"
FILES = ("look.css", "pages.css", "api_docs.css", "api_docs.js")
STATIC = Path(openapi.__file__).parents[1] / "static"


@pytest.fixture
def acme(sqlite_url: str, clock: SteppedClock) -> Iterator[Partner]:
    wired = Wired(sqlite_url, clock)
    yield partner(wired)
    wired.close()


def opened(page: Page, name: str) -> Locator:
    """The operation's card with its form open."""
    card = page.locator(f"section[aria-labelledby={name}]")
    card.locator("summary", has_text="Try it").click()
    return card


def sent(card: Locator) -> str:
    """What is shown of the answer, once there is one."""
    card.locator("button", has_text="Send").click()
    card.locator(".answer pre").last.wait_for()
    return card.locator(".answer").inner_text()


def test_the_description_is_valid_and_its_examples_fit(acme: Partner) -> None:
    described: Any = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", acme.wired.app)
    described.validate()
    for operation in OPERATIONS:
        given = openapi.given_example(operation.gives)
        operation.gives.model_validate(given)
        if operation.takes is not None:
            operation.takes.model_validate(openapi.sent_example(operation.takes))
    raw = described.raw_schema
    named = [one["operationId"] for path in raw["paths"].values() for one in path.values()]
    assert sorted(named) == sorted({operation.name for operation in OPERATIONS})
    assert all(one["tags"] for path in raw["paths"].values() for one in path.values())


def test_every_code_is_in_the_page_for_partners_with_its_status() -> None:
    text = (ROOT / "docs/partners.md").read_text()
    rows = re.findall(r"^\| (`[a-z_`, ]+`) \| (\d{3}) \|", text, re.MULTILINE)
    told = {code: int(status) for codes, status in rows for code in re.findall(r"\w+", codes)}
    assert told == {code: status for code, (status, _) in CODES.items()}


def test_the_page_is_small_and_runs_nothing_but_its_own_file(acme: Partner) -> None:
    answer = acme.client.get(DOCS)
    text = answer.get_data(as_text=True)
    assert answer.status_code == 200
    assert len(text.encode()) < PAGE_BYTES_MAX
    assert sum((STATIC / name).stat().st_size for name in FILES) < 25_000
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers
    assert not re.search(r"<script(?! type=\"module\" src=)|<style| style=| on[a-z]+=", text)
    for operation in OPERATIONS:
        assert f'id="{operation.name}"' in text


def test_without_a_script_everything_can_be_read_and_nothing_be_sent(
    browser: Browser, acme: Partner
) -> None:
    with (
        served(acme.wired.app) as address,
        browser.new_context(java_script_enabled=False) as context,
    ):
        page = context.new_page()
        page.goto(address + DOCS)
        assert page.locator("section.operation").count() == len(OPERATIONS)
        assert page.locator("pre", has_text='"amount": "500.00"').first.is_visible()
        assert not page.locator("#key").is_visible()
        assert not page.locator("button").first.is_visible()


def test_everybody_can_read_and_use_it_at_every_width(browser: Browser, acme: Partner) -> None:
    key = acme.with_key(test=True).key
    found: dict[object, list[str]] = {}
    with served(acme.wired.app) as address, browser.new_context() as context:
        page = context.new_page()
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.goto(address + DOCS)
            page.fill("#key", f"{key.key_id}.{key.secret}")
            assert "200 OK" in sent(opened(page, "showFloat"))
            page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            found[width] = violations(page)
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                found[width].append("wider than the screen")
    assert found == {width: [] for width, _ in SIZES}


def test_a_test_key_tries_an_issue_its_repeat_and_a_look_at_it(
    browser: Browser, acme: Partner
) -> None:
    key = acme.with_key(test=True).key
    with served(acme.wired.app) as address, browser.new_context() as context:
        page = context.new_page()
        page.goto(address + DOCS)
        page.fill("#key", f"{key.key_id}.{key.secret}")
        issue = opened(page, "issueToken")
        first = sent(issue)
        assert "201 CREATED" in first
        assert '"currency": "XTS"' in first
        curl = issue.locator(".curl").inner_text()
        assert f"curl -X POST '{address}/api/v1/tokens'" in curl
        assert "Bearer $KEY" in curl
        assert key.secret not in page.content()
        page.wait_for_timeout(50)
        issue.locator("button", has_text="Send").click()
        issue.locator(".answer pre", has_text="idempotent-replayed: true").wait_for()
        found = re.search(r'"serial": "(\w+)"', first)
        assert found
        look = opened(page, "showToken")
        look.locator("[data-place=serial]").fill(found[1])
        assert f'"recipient": "{ADA}"' in sent(look)
        listed = opened(page, "listTokens")
        listed.locator("[data-asks=limit]").fill("0")
        assert "422" in sent(listed)
    assert acme.get("/float").json["balance"] == "10000.00"


def test_a_key_is_kept_nowhere_and_a_live_one_is_not_taken(browser: Browser, acme: Partner) -> None:
    key = acme.with_key(test=True).key
    whole, live = f"{key.key_id}.{key.secret}", f"{acme.key.key_id}.{acme.key.secret}"
    with served(acme.wired.app) as address, browser.new_context() as context:
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address + DOCS)
        page.fill("#key", live)
        assert page.input_value("#key") == ""
        assert "live key" in page.locator("#key-problem").inner_text()
        card = opened(page, "showFloat")
        card.locator("button", has_text="Send").click()
        assert page.locator("#key-problem").inner_text() == "Paste a test key first."
        assert not [url for url in asked if url.endswith("/float")]
        page.fill("#key", whole)
        sent(card)
        kept = page.evaluate(
            "JSON.stringify([{...localStorage}, {...sessionStorage}, location.href])"
        )
        assert key.secret not in kept
        assert context.cookies() == []
        assert not [url for url in asked if key.secret in url or acme.key.secret in url]
        page.reload()
        assert page.input_value("#key") == ""
        page.fill("#key", whole)
        page.goto(f"{address}/api/v1/openapi.json")
        page.go_back()
        assert page.input_value("#key") == ""
