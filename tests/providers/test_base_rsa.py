"""RSA of the operators: what the holder of the private key reads, and keys that cannot be used."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from gateway.errors import Misconfigured
from gateway.providers.base.rsa import encrypt, public_key

PRIVATE = rsa.generate_private_key(public_exponent=65537, key_size=2048)
DER = PRIVATE.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
PEM = PRIVATE.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
BARE = base64.b64encode(DER).decode()
CURVE = ec.generate_private_key(ec.SECP256R1()).public_key()
SPELLINGS = {
    "pem": PEM,
    "pem on one line": PEM.strip().replace("\n", "\\n"),
    "bare base64": BARE,
    "bare base64 in lines": "\n".join(BARE[at : at + 64] for at in range(0, len(BARE), 64)) + "\n",
}


def read(encrypted: str) -> str:
    return PRIVATE.decrypt(base64.b64decode(encrypted), padding.PKCS1v15()).decode()


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_holder_of_the_private_key_reads_the_text(spelling: str) -> None:
    assert read(encrypt(SPELLINGS[spelling], "4907")) == "4907"


def test_the_same_text_is_never_encrypted_to_the_same_bytes() -> None:
    assert encrypt(BARE, "4907") != encrypt(BARE, "4907")


UNUSABLE = {
    "empty": "",
    "words": "no key",
    "another alphabet": "\xe9",
    "cut off": BARE[:100],
    "not base64": BARE + "!",
    "not DER": base64.b64encode(b"not DER").decode(),
    "half a pem": PEM[:60],
    "a pem of nothing": "-----BEGIN PUBLIC KEY-----\nbm8=\n-----END PUBLIC KEY-----",
    "a curve": CURVE.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode(),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_key_that_cannot_be_used_is_a_fault_of_the_settings(name: str) -> None:
    text = UNUSABLE[name]
    with pytest.raises(Misconfigured) as raised:
        public_key(text)
    assert not text or text not in str(raised.value)


def test_a_text_longer_than_the_key_can_take_is_refused_without_being_repeated() -> None:
    assert read(encrypt(BARE, "9" * 245)) == "9" * 245
    with pytest.raises(Misconfigured) as raised:
        encrypt(BARE, "9" * 246)
    assert "999" not in str(raised.value)
