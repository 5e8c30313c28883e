"""The webhooks' edge: who is let in, what is kept, and an answer in every case but never a 500."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import select

from gateway.deposits.callbacks.store import callbacks
from gateway.deposits.store import deposits
from gateway.providers.base.messages import Notice
from gateway.settings.providers import Snippe
from tests.deposits.staging import (
    PROVIDERS,
    SNIPPE_SECRET,
    Till,
    snippe_body,
    snippe_headers,
    till,
)
from tests.providers.contract import sample
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import SECRET

PLAIN = "text/plain; charset=utf-8"
JSON_ROUTES = (
    "snippe",
    "airtelmoney",
    "selcom/c2b/notification",
    f"daraja/{SECRET}/stk",
    f"daraja/{SECRET}/c2b/confirmation",
    f"daraja/{SECRET}/b2c/result",
    f"tigopesa/{SECRET}/push",
    f"tigopesa/{SECRET}/billpay",
)
BEARER = [("Authorization", "Bearer c2b-token")]
HOSTILE = {
    "null": b"null",
    "list": b"[]",
    "text": b'"x"',
    "number": b"5",
    "a list inside": b'{"Body":[]}',
    "a null inside": b'{"Body":{"stkCallback":null}}',
    "a boolean amount": b'{"amount":true}',
    "nothing": b"",
    "no JSON": b"<xml/>",
    "no UTF-8": b'{"a":"\xe9"}',
    "nested deeply": b"[" * 200_000,
    "an endless integer": b'{"amount":' + b"9" * 5_000 + b"}",
    "a name twice": b'{"amount":"1","amount":"999"}',
    "no number": b'{"amount":NaN}',
}


@pytest.fixture
def tz(database_url: str, clock: SteppedClock) -> Iterator[Till]:
    """A gateway in Tanzania that takes money."""
    with till(database_url, clock) as made:
        yield made


@pytest.fixture
def lite(sqlite_url: str, clock: SteppedClock) -> Iterator[Till]:
    """The same on SQLite alone, for what no database decides."""
    with till(sqlite_url, clock) as made:
        yield made


def test_a_callback_is_kept_as_it_came_but_for_its_secrets(tz: Till) -> None:
    body = b'{"operator":"X",  "transid":"1","reference":"R1","utilityref":"a","amount":"5"}'
    headers = [*BEARER, ("X-Other", "kept")]
    assert tz.post("selcom/c2b/notification", body, headers).status_code == 200
    (kept,) = tz.run(lambda c: list(c.execute(select(callbacks)).mappings()))
    assert (kept["body"], kept["provider"], kept["became"]) == (body, "selcom", "suspense")
    assert (kept["address"], kept["received_at"]) == ("127.0.0.1", tz.clock.now())
    assert '["X-Other", "kept"]' in kept["headers"]
    assert "c2b-token" not in kept["headers"]
    (row,) = tz.run(lambda c: c.execute(select(deposits.c.id)).all())
    assert kept["deposit_id"] == row.id


def test_the_paths_secret_that_a_provider_repeats_is_not_kept(tz: Till) -> None:
    url = f"https://pay.example.com/webhooks/daraja/{SECRET}/b2c/timeout"
    body = sample("daraja/b2c-result.json").replace(
        b"daraja/x/b2c", f"daraja/{SECRET}/b2c".encode()
    )
    assert url.encode() in body
    for sent, status in ((body, 200), (body[:-1], 400)):
        answer = tz.post(f"daraja/{SECRET}/b2c/result", sent, [("X-Original-URL", url)])
        assert answer.status_code == status
    for kept in tz.run(lambda c: list(c.execute(select(callbacks)).mappings())):
        assert SECRET.encode() not in kept["body"]
        assert SECRET not in kept["headers"]
        assert len(kept["body"]) in (len(body), len(body) - 1)


@pytest.mark.parametrize("path", JSON_ROUTES)
def test_whatever_is_posted_is_answered_shortly_and_never_with_500(lite: Till, path: str) -> None:
    for name, body in HOSTILE.items():
        headers = BEARER if path.startswith("selcom") else []
        if path == "snippe":
            headers = snippe_headers(body, str(int(lite.clock.now().timestamp())))
        answer = lite.post(path, body, headers)
        expected = 401 if path == "airtelmoney" else 400
        assert answer.status_code == expected, name
        assert len(answer.data) < 100
    assert set(lite.became()) <= {"malformed"}
    assert lite.movements() == 0


CREDENTIALS = {
    "missing": None,
    "empty": "",
    "a bare prefix": "sha256=",
    "no hex": "zz",
    "with a prefix": "0x{good}",
    "odd in length": "{good}0",
    "truncated": "{start}",
    "joined by a comma": "{good},{good}",
    "byte E9": "\xe9",
}


@pytest.mark.parametrize("kind", CREDENTIALS)
def test_a_wrong_signature_is_401_and_nothing_of_it_is_kept(lite: Till, kind: str) -> None:
    body = snippe_body(lite.order().reference)
    stamp = str(int(lite.clock.now().timestamp()))
    (named, (name, good)) = snippe_headers(body, stamp)
    form = CREDENTIALS[kind]
    given = [] if form is None else [(name, form.format(good=good, start=good[:10]))]
    answer = lite.post("snippe", body, [named, *given])
    assert (answer.status_code, answer.data) == (401, b"unauthorized")
    assert (lite.became(), lite.movements()) == ([], 0)


@pytest.mark.parametrize("headers", [[("Authorization", "Bearer \xe9")], [], [*BEARER, *BEARER]])
def test_a_wrong_bearer_token_is_401(lite: Till, headers: list[tuple[str, str]]) -> None:
    assert lite.post("selcom/c2b/notification", b"{}", headers).status_code == 401


def test_hex_in_capitals_is_the_same_signature(lite: Till) -> None:
    body = snippe_body(lite.order().reference)
    stamp = str(int(lite.clock.now().timestamp()))
    (named, (name, good)) = snippe_headers(body, stamp)
    assert lite.post("snippe", body, [named, (name, good.upper())]).status_code == 200
    assert lite.became() == ["credited"]


def test_two_signatures_prove_nothing(lite: Till) -> None:
    body = snippe_body(lite.order().reference)
    stamp = str(int(lite.clock.now().timestamp()))
    (named, signature) = snippe_headers(body, stamp)
    assert lite.post("snippe", body, [named, signature, signature]).status_code == 401


def test_a_secret_is_rotated_while_both_are_taken(sqlite_url: str, clock: SteppedClock) -> None:
    both = replace(PROVIDERS, snippe=Snippe(webhook_secret=("new", SNIPPE_SECRET)))
    with till(sqlite_url, clock, providers=both) as made:
        body = snippe_body("x")
        assert made.snippe(body, "new").status_code == 200
        assert made.snippe(body, SNIPPE_SECRET).status_code == 200
    after = replace(PROVIDERS, snippe=Snippe(webhook_secret=("new",)))
    with till(sqlite_url, clock, providers=after) as made:
        assert made.snippe(body, SNIPPE_SECRET).status_code == 401


def test_a_forms_content_type_hides_no_byte_from_the_signature(lite: Till) -> None:
    body = snippe_body(lite.order().reference)
    form = "application/x-www-form-urlencoded"
    assert lite.snippe(body, content_type=form).status_code == 200
    assert lite.became() == ["credited"]
    stamp = str(int(lite.clock.now().timestamp()))
    of_nothing = snippe_headers(b"", stamp)
    assert lite.post("snippe", body, of_nothing, content_type=form).status_code == 401


@pytest.mark.parametrize("path", ["daraja/wrong/stk", "tigopesa/wrong/push", "daraja/stk"])
def test_without_the_paths_secret_nothing_is_there(lite: Till, path: str) -> None:
    answer = lite.post(path, b"{}")
    assert (answer.status_code, answer.content_type) == (404, PLAIN)
    assert lite.became() == []


def test_another_address_than_the_providers_is_401(lite: Till) -> None:
    path = f"daraja/{SECRET}/c2b/confirmation"
    answer = lite.post(path, b"{}", environ_base={"REMOTE_ADDR": "10.9.8.7"})
    assert (answer.status_code, lite.became()) == (401, [])
    forged = [("X-Forwarded-For", "127.0.0.1")]
    answer = lite.post(path, b"{}", forged, environ_base={"REMOTE_ADDR": "10.9.8.7"})
    assert answer.status_code == 401


def test_behind_a_trusted_proxy_the_clients_address_counts(
    sqlite_url: str, clock: SteppedClock
) -> None:
    with till(sqlite_url, clock, trusted_proxies=1) as made:
        path = f"daraja/{SECRET}/c2b/confirmation"
        assert made.post(path, b"{}", [("X-Forwarded-For", "10.9.8.7")]).status_code == 401
        assert made.post(path, b"{}", [("X-Forwarded-For", "127.0.0.1")]).status_code == 400


def test_a_provider_that_is_not_set_up_is_not_there(sqlite_url: str, clock: SteppedClock) -> None:
    bare = replace(PROVIDERS, snippe=Snippe())
    with till(sqlite_url, clock, providers=bare) as made:
        assert made.snippe(snippe_body("x")).status_code == 404
    assert Snippe().webhook_secret == ()


def test_only_post_is_taken(lite: Till) -> None:
    assert lite.client.get("/webhooks/snippe").status_code == 405


def test_a_body_beyond_the_limit_is_refused_unread(lite: Till) -> None:
    assert lite.snippe(b"x" * 300_000).status_code == 413
    assert lite.became() == []


def test_no_secret_of_a_path_or_header_reaches_the_log(lite: Till) -> None:
    with captured_log() as log:
        lite.post(f"daraja/{SECRET}/stk", b"{}")
        lite.post("selcom/c2b/notification", b"{}", BEARER)
        said = log.text()
    assert SECRET not in said
    assert "c2b-token" not in said


def test_a_database_that_is_away_asks_for_a_repeat(clock: SteppedClock) -> None:
    with till("mysql+pymysql://root@127.0.0.1:9/gateway", clock) as away:
        assert away.snippe(snippe_body("x")).status_code == 503
        assert away.post(f"daraja/{SECRET}/stk", b"{}").status_code == 503
        question = away.c2b("TK1", "5", part="c2b/validation")
        assert question.json is not None
        assert question.json["ResultCode"] == "C2B00016"


def test_what_cannot_be_settled_is_kept_and_settled_by_the_sweep(
    tz: Till, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = tz.order()
    settler = tz.gateway.deposits.settler

    def broken(*_: object) -> Notice:
        raise ZeroDivisionError("it holds 377116677499346086")

    monkeypatch.setattr(settler, "_judge", broken)
    with captured_log() as log:
        assert tz.snippe(snippe_body(order.reference)).status_code == 200
        assert "377116677499346086" not in log.text()
    assert (tz.became(), str(tz.has())) == (["kept"], "0.00")
    monkeypatch.undo()
    assert tz.gateway.chores()["callbacks_settled"]() == 1
    assert (tz.became(), str(tz.has())) == (["credited"], "15000.00")
    assert tz.gateway.chores()["callbacks_settled"]() == 0
    assert tz.breaches() == []
