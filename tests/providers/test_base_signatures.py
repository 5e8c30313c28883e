"""Proofs of a sender: doubtful ones are refused and never an error of another kind."""

import base64
import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.providers.base.messages import Callback, Unauthorized
from gateway.providers.base.signatures import (
    insist_on_address,
    is_hmac_base64,
    is_hmac_hex,
    is_secret,
)
from tests.support.clock import START

KEYS = ["synthetic-new", "synthetic-old"]
MESSAGE = b'{"amount":"15000"}'
DIGESTS = [hmac.new(key.encode(), MESSAGE, hashlib.sha256).digest() for key in KEYS]
ODD = (
    *("", " ", "zz", "0x", "\xe9", "\u0660" * 64, "\uff11" * 64, "\x00", "\ud800", "None", "="),
    *("=" * 44, "a" * 63, "a" * 65, "00" * 10_000, "-" * 64, "_" * 64, ".." * 32),
)


@pytest.mark.parametrize("digest", DIGESTS)
def test_each_key_of_a_rotation_is_good(digest: bytes) -> None:
    assert is_hmac_hex(digest.hex(), KEYS, MESSAGE)
    assert is_hmac_hex(digest.hex().upper(), KEYS, MESSAGE)
    assert is_hmac_base64(base64.b64encode(digest).decode(), KEYS, MESSAGE)


def test_a_key_that_was_taken_out_is_good_no_more() -> None:
    assert not is_hmac_hex(DIGESTS[1].hex(), KEYS[:1], MESSAGE)
    assert not is_hmac_base64(base64.b64encode(DIGESTS[1]).decode(), KEYS[:1], MESSAGE)


@pytest.mark.parametrize("keys", [[], [""], ["", ""]])
def test_no_key_is_no_proof(keys: list[str]) -> None:
    digest = hmac.new(b"", MESSAGE, hashlib.sha256).digest()
    assert not is_hmac_hex(digest.hex(), keys, MESSAGE)
    assert not is_hmac_base64(base64.b64encode(digest).decode(), keys, MESSAGE)
    assert not is_secret("", keys)


@pytest.mark.parametrize("offered", ODD)
def test_what_is_no_digest_is_no_proof(offered: str) -> None:
    assert not is_hmac_hex(offered, KEYS, MESSAGE)
    assert not is_hmac_base64(offered, KEYS, MESSAGE)
    assert not is_secret(offered, KEYS)


@pytest.mark.parametrize("around", ["{} ", " {}", "{}\n", "0x{}", "sha256={}", "{0},{0}", "{}00"])
def test_nothing_may_stand_around_a_digest(around: str) -> None:
    for digest in DIGESTS:
        assert not is_hmac_hex(around.format(digest.hex()), KEYS, MESSAGE)
        written = base64.b64encode(digest).decode()
        assert not is_hmac_base64(around.format(written), KEYS, MESSAGE)
    assert not is_secret(around.format(KEYS[0]), KEYS)


def test_a_beginning_of_the_digest_is_no_proof() -> None:
    for length in range(1, 64):
        assert not is_hmac_hex(DIGESTS[0].hex()[:length], KEYS, MESSAGE)


@given(st.text(max_size=100))
def test_any_text_is_compared_without_an_error(offered: str) -> None:
    assert not is_hmac_hex(offered, KEYS, MESSAGE)
    assert not is_hmac_base64(offered, KEYS, MESSAGE)
    assert is_secret(offered, KEYS) == (offered in KEYS)


def test_a_secret_is_compared_whole_and_by_its_case() -> None:
    assert is_secret(KEYS[1], KEYS)
    assert not is_secret(KEYS[1].upper(), KEYS)
    assert not is_secret(KEYS[1][:-1], KEYS)


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("196.201.214.200", ["196.201.214.200"]),
        ("196.201.214.200", ["10.0.0.0/8", "196.201.214.0/24"]),
        ("::ffff:196.201.214.200", ["196.201.214.0/24"]),
        ("2001:db8::1", ["2001:db8::/32"]),
        ("not an address", []),
    ],
)
def test_an_address_on_the_list_passes(address: str, allowed: list[str]) -> None:
    insist_on_address(address, allowed)


@pytest.mark.parametrize(
    "address",
    ["196.201.215.1", "::1", "2001:db9::1", "", "x", "196.201.214.200 ", "196.201.214.0/24",
     "0196.201.214.200", "\uff11.1.1.1", "::ffff:10.0.0.1"],
)  # fmt: skip
def test_any_other_address_is_unauthorized(address: str) -> None:
    with pytest.raises(Unauthorized):
        insist_on_address(address, ["196.201.214.0/24", "2001:db8::/32"])


def test_a_header_is_found_whatever_its_case_and_counts_only_once() -> None:
    headers = [("X-Signature", "a"), ("x-twice", "a"), ("X-TWICE", "a"), ("X-Empty", "")]
    callback = Callback("", headers, b"", "::1", START)
    assert callback.header("x-SIGNATURE") == "a"
    assert callback.header("X-Absent") == callback.header("X-Empty") == ""
    with pytest.raises(Unauthorized):
        callback.header("X-Twice")


def test_a_callback_shows_nothing_of_what_it_holds() -> None:
    shown = repr(Callback("", [("X-Signature", "secret")], b"secret", "::1", START))
    assert "secret" not in shown
