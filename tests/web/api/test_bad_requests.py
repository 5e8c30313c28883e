"""Requests that no program should send: each is refused in the API's own form, nothing happens."""

import json
from typing import Any

import pytest
from werkzeug.test import TestResponse

from gateway.web.api.codes import STATUSES
from tests.support.partner import Partner, partner
from tests.support.wired import ADA, Wired

TOKEN = {"amount": "5.00", "recipient": ADA}
DIGITS = "490750293453273258"
TEXT = json.dumps(TOKEN)


@pytest.fixture
def acme(wired: Wired) -> Partner:
    return partner(wired)


def sent(acme: Partner, raw: bytes, path: str = "/tokens", **headers: str) -> TestResponse:
    """Post these bytes as JSON, with the headers changed so."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    given = {**acme.headers(), "Content-Type": "application/json", **named}
    return acme.client.post(f"/api/v1{path}", data=raw, headers=given)


def refusal(answer: TestResponse) -> tuple[int, str]:
    """The status and the code of an answer of trouble, whose form is held."""
    assert answer.content_type == "application/problem+json", answer.get_data(as_text=True)
    said = answer.get_json()
    assert set(said) >= {"title", "status", "code", "detail"}
    assert said["detail"]
    assert said["status"] == answer.status_code == STATUSES[said["code"]]
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.status_code, said["code"]


def untouched(acme: Partner) -> bool:
    """Whether nothing was issued and nothing was remembered."""
    return bool(
        acme.get("/float").json["balance"] == "10000.00"
        and acme.get("/tokens").json["tokens"] == []
        and acme.wired.breaches() == []
    )


NO_DOCUMENTS = {
    "a name twice": b'{"amount":"5.00","amount":"500.00","recipient":"+2348030000001"}',
    "not a number": b'{"amount":NaN}',
    "infinity": b'{"amount":Infinity}',
    "less than that": b'{"amount":-Infinity}',
    "a list": b"[]",
    "a text": b'"tokens"',
    "nothing": b"null",
    "two documents": TEXT.encode() * 2,
    "a comment": b'{"amount":"5.00" /* naira */}',
    "single quotes": b"{'amount':'5.00'}",
    "cut off": TEXT.encode()[:-1],
    "UTF-16": TEXT.encode("utf-16"),
    "UTF-16 without a mark": TEXT.encode("utf-16-le"),
    "a mark before UTF-8": b"\xef\xbb\xbf" + TEXT.encode(),
    "no UTF-8": TEXT.replace("5.00", "5.00\xe9").encode("latin-1"),
    "a NUL": TEXT.replace("5.00", "5.00\0").encode(),
    "a NUL behind it": TEXT.encode() + b"\0",
    "depth": b'{"amount":' + b"[" * 500 + b"]" * 500 + b"}",
    "great depth": b'{"amount":' + b"[" * 30_000,
    "deep objects": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "a long number": b'{"digits":' + b"1" * 5_000 + b"}",
    "a number out of bounds": b'{"digits":1e99999999999999999999}',
    "a name that is no text": b'{"\\ud800":1}',
    "a member nobody knows": b'{"amount":"5.00","amounts":"5.00","deliver":false}',
}


def test_a_body_that_is_no_plain_object_is_refused(acme: Partner) -> None:
    for what, raw in NO_DOCUMENTS.items():
        assert refusal(sent(acme, raw)) == (422, "invalid_request"), what
    assert untouched(acme)


WRONG: tuple[tuple[str, Any], ...] = (
    *(("amount", wrong) for wrong in ("0", "-5", "0.001", "1e3", "1_000", "NaN", "Infinity")),
    *(("amount", wrong) for wrong in ("-0", "５.００", "1000000000000000000", " 5", "5\n", "")),
    *(("amount", wrong) for wrong in (0.1, 5, None, ["5.00"], {"value": "5.00"}, True)),
    *(("digits", wrong) for wrong in ("18", 18.5, True, 0, -11, None)),
    *(("bound", wrong) for wrong in ("true", 1, 0, None, "")),
    *(("deliver", wrong) for wrong in ("false", 0, None)),
    *(("expires_at", wrong) for wrong in (1900000000, "1900000000", "tomorrow", "")),
    *(("expires_at", wrong) for wrong in ("2030-02-30T00:00:00Z", "2030-01-01", "２０３０-01-01")),
    ("expires_at", "9999-12-31T23:59:59-14:00"),
    ("expires_at", "0001-01-01T00:00:00+14:00"),
    *(("issue_ref", wrong) for wrong in ("x" * 65, "a\0b", "a\nb", "naïve", "\ud800", 17)),
    *(("sender_name", wrong) for wrong in ("x" * 41, "a\nb", "a\0b", "\ud800", 17)),
    *(("language", wrong) for wrong in ("xx", "en\0", "../en", 1)),
    *(("recipient", wrong) for wrong in ("", "+", "12", 2348030000001, "a\0b")),
)


def test_a_member_of_the_wrong_kind_is_refused_by_name(acme: Partner) -> None:
    for name, value in WRONG:
        answer = sent(acme, json.dumps(TOKEN | {name: value}).encode())
        assert refusal(answer) == (422, "invalid_request"), (name, value)
    assert untouched(acme)


def test_a_refusal_never_repeats_what_may_be_a_token(acme: Partner) -> None:
    for raw in (
        json.dumps({DIGITS: 1}).encode(),
        json.dumps({"token": DIGITS, "amount": DIGITS}).encode(),
        json.dumps(TOKEN | {"recipient": DIGITS}).encode(),
        json.dumps(TOKEN | {"expires_at": DIGITS}).encode(),
        b'{"amount":"5.00","x' + b"y" * 50_000 + b'":1}',
    ):
        said = sent(acme, raw).get_data(as_text=True)
        assert DIGITS not in said
        assert len(said) < 2_000
    for path in (f"/tokens/{DIGITS}", f"/tokens?after={DIGITS}", f"/float?{DIGITS}=1"):
        assert DIGITS not in acme.get(path).text


def test_a_body_is_json_in_utf_8_and_not_compressed(acme: Partner) -> None:
    raw = TEXT.encode()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert refusal(sent(acme, raw, Content_Type=kind)) == (415, "unsupported_media_type"), kind
    wide = {"Content_Type": "application/json; charset=utf-16"}
    assert refusal(sent(acme, TEXT.encode("utf-16"), **wide))[0] == 415
    assert refusal(sent(acme, raw, Content_Encoding="gzip"))[0] == 415
    assert untouched(acme)
    said = sent(acme, raw, Content_Type='Application/JSON; charset="UTF-8"')
    assert said.status_code == 201, said.get_data(as_text=True)


def test_a_body_is_not_longer_than_it_may_be(acme: Partner) -> None:
    assert refusal(sent(acme, b'{"amount":"' + b"5" * 70_000 + b'"}')) == (413, "too_large")
    assert refusal(sent(acme, b" " * 65_537)) == (413, "too_large")
    assert untouched(acme)


def test_an_address_or_a_method_that_there_is_not_is_told_in_the_same_form(acme: Partner) -> None:
    def answered(method: str, path: str) -> TestResponse:
        return acme.client.open(f"/api/v1{path}", method=method, headers=acme.headers())

    for path in ("/nothing", "", "/tokens/", "/tokens/K7M29QXD/", "//tokens", "/tokens/a/b/c"):
        assert refusal(answered("GET", path)) == (404, "not_found"), path
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"):
        answer = answered(method, "/tokens")
        assert refusal(answer) == (405, "method_not_allowed"), method
        assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "POST"}
    assert answered("GET", "/redemptions").headers["Allow"] == "POST"
    head = answered("HEAD", "/float")
    assert (head.status_code, head.get_data()) == (200, b"")


def test_a_query_is_given_once_and_only_where_one_is_asked(acme: Partner) -> None:
    for path in (
        *(
            f"/tokens?{query}"
            for query in ("limit=1&limit=2", "limit=１", "limit=%2B5", "limit=1_0")
        ),
        *(
            f"/tokens?{query}"
            for query in ("limit=5.0", "limit=-1", "limit=501", "limit=", "%00=1")
        ),
        *(f"/tokens?since={since}" for since in ("1900000000", "2026-01-01", "0001-01-01T00:00Z")),
        *(f"/tokens?after={after}" for after in ("%00", "K7M29QXD", "' OR 1=1 --", "x" * 13)),
        *(f"/float/statement?after={after}" for after in ("0x1", "-1", "١", "9" * 19, "1 ")),
        *("/float?currency=NGN", "/tokens/K7M29QXD?full=1", "/float/statement?format=xml"),
    ):
        answer = acme.client.get(f"/api/v1{path}", headers=acme.headers())
        assert refusal(answer) == (422, "invalid_request"), path
    assert refusal(sent(acme, TEXT.encode(), "/tokens?token=1")) == (422, "invalid_request")
    assert untouched(acme)


GOOD_NAMES = ("k", "8e03978e-40d5-43dd-bc93-6894a57f9324", '"quoted"', '"a, b"', r'"a \"b\" \\"')
BAD_NAMES = (
    '"',
    '""',
    '"half',
    'half"',
    "a b",
    "a,b",
    '"a","b"',
    r'"\n"',
    "x" * 256,
    "é",
    '"a";b=1',
)


def test_an_idempotency_key_is_one_text_quoted_or_bare(acme: Partner) -> None:
    for name in GOOD_NAMES:
        raw = json.dumps(TOKEN).encode()
        first = sent(acme, raw, Idempotency_Key=name)
        again = sent(acme, raw, Idempotency_Key=f" {name}\t")
        assert (first.status_code, again.status_code) == (201, 201), name
        assert again.headers["Idempotent-Replayed"] == "true"
    bare = sent(acme, TEXT.encode(), Idempotency_Key="quoted")
    assert bare.headers["Idempotent-Replayed"] == "true", "the same with its quotes and without"
    for name in (*BAD_NAMES, ""):
        answer = sent(acme, TEXT.encode(), Idempotency_Key=name)
        assert refusal(answer) == (422, "invalid_request"), name
        assert "Idempotency-Key" in answer.get_json()["detail"]
    assert len(acme.get("/tokens").json["tokens"]) == len(GOOD_NAMES)


def test_a_key_is_given_as_one_bearer_and_nothing_else(acme: Partner) -> None:
    key, secret = acme.key.key_id, acme.key.secret
    good = f"Bearer {key}.{secret}"
    for form in (good, f"bearer {key}.{secret}", f"BEARER   {key}.{secret} "):
        assert sent(acme, TEXT.encode(), Authorization=form).status_code == 201, form
    for form in (
        *(
            "",
            "Bearer",
            "Bearer ",
            "Bearer .",
            f"Bearer {key}",
            f"Bearer .{secret}",
            f"{key}.{secret}",
        ),
        *(f"Basic {key}.{secret}", f"Bearer {key.upper()}.{secret}", f"Bearer {key}.{secret}x"),
        *(f"Bearer {key} .{secret}", f"Bearer {key}. {secret}", f"Bearer {key}.{secret}, {good}"),
        *(f"Bearer {key}.\xe9", f"Bearer \xe9.{secret}", f"Bearer\t{key}.{secret}"),
        *(f"Bearer {'k' * 5_000}.{'s' * 5_000}", f"Bearer {key}%00.{secret}", f"{good}\x0b"),
    ):
        answer = sent(acme, TEXT.encode(), Authorization=form)
        assert refusal(answer) == (401, "unauthorized"), form
        assert answer.headers["WWW-Authenticate"] == "Bearer"
