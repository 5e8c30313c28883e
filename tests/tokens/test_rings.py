"""Key rings as settings write them: what is accepted and refused, and that keys stay inside."""

import pytest

from gateway.errors import KeyMissing, Misconfigured
from gateway.tokens import code
from gateway.tokens.keys.rings import GENERATE, KeyRings, Ring
from tests.tokens.vectors import VECTORS

A, B, C = ("ab" * 32, "cd" * 32, "ef" * 32)


def test_a_ring_keeps_the_order_of_its_settings() -> None:
    ring = Ring.parse(GENERATE, f"k1:{A}, k2:{B}")
    assert (ring.kids, ring.newest) == (("k1", "k2"), "k2")
    assert ring.key("k1") == bytes.fromhex(A)
    assert "k2" in ring
    assert "k3" not in ring


@pytest.mark.parametrize(
    "text",
    [
        "",
        ",",
        A,
        f"k1:{A},",
        f"k1:{A[:-1]}",
        f"k1:{A}0",
        f"K1:{A}",
        f"1k:{A}",
        f"k12345678:{A}",
        f"k1={A}",
        f"k1:{'zz' * 32}",
        f"k1:{A};k2:{B}",
        f"k1:{A},k1:{B}",
        f"k1:{A},k2:{A}",
        f"k1:{A},k2:{A.upper()}",
        f"k1:{'٣' * 64}",
    ],
)
def test_a_ring_that_is_not_written_right_is_refused_without_its_keys(text: str) -> None:
    with pytest.raises(Misconfigured) as error:
        Ring.parse(GENERATE, text)
    assert "generate" in str(error.value)
    assert not any(key[:8] in str(error.value).lower() for key in (A, B, "zz" * 32))


@pytest.mark.parametrize("lookup", [f"p1:{A}", f"p1:{B},p2:{A.upper()}"])
def test_one_secret_for_both_jobs_is_refused(lookup: str) -> None:
    with pytest.raises(Misconfigured, match="share"):
        KeyRings.parse(f"k1:{A}", lookup)


def test_no_key_is_in_the_text_of_a_ring() -> None:
    rings = KeyRings.parse(f"k1:{A}", f"p1:{B}")
    for text in (repr(rings), str(rings), repr(rings.generate), repr(list(rings.generate.kids))):
        assert A[:8] not in text
        assert repr(bytes.fromhex(A))[2:10] not in text


def test_a_lookup_is_made_under_every_key_of_the_ring() -> None:
    rings = KeyRings.parse(f"k1:{A}", f"p1:{B},p2:{C}")
    token = VECTORS[0].token
    assert rings.lookups(token) == [
        code.lookup(bytes.fromhex(B), "p1", token),
        code.lookup(bytes.fromhex(C), "p2", token),
    ]
    assert rings.lookup_digest("p2", token) == rings.lookups(token)[1]


def test_a_key_that_is_not_held_is_named_by_its_id() -> None:
    rings = KeyRings.parse(f"k1:{A}", f"p1:{B}")
    with pytest.raises(KeyMissing, match="generate key 'k9'"):
        rings.generate.key("k9")
    with pytest.raises(KeyMissing, match="lookup key 'p9'"):
        rings.lookup_digest("p9", VECTORS[0].token)
