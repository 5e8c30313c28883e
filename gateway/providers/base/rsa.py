"""RSA as the operators want a PIN or an API key hidden: PKCS#1 v1.5, written in base64."""

import base64
import binascii

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import load_der_public_key, load_pem_public_key

from gateway.errors import Misconfigured

BITS_MIN = 1024  # what the portals still hand out


def encrypt(public_key_text: str, text: str) -> str:
    """`text` under a public key, in base64; the padding is random, so no two are the same.

    The key is written as PEM, also on one line with `\\n` for its breaks, or as the bare base64 of
    its DER, which is how the portals show it. Raises `Misconfigured` for a key that cannot be used
    and for a text that is longer than the key can take; neither is repeated.

    >>> encrypt("bm8ga2V5", "1234")
    Traceback (most recent call last):
    gateway.errors.Misconfigured: the RSA public key cannot be read
    """
    key = public_key(public_key_text)
    plain = text.encode()
    if len(plain) > key.key_size // 8 - 11:
        raise Misconfigured("the text is too long for the RSA public key")
    return base64.b64encode(key.encrypt(plain, padding.PKCS1v15())).decode("ascii")


def public_key(text: str) -> rsa.RSAPublicKey:
    """The key in a setting, read at start so that a wrong one is named there; as in `encrypt`.

    >>> public_key("")
    Traceback (most recent call last):
    gateway.errors.Misconfigured: the RSA public key cannot be read
    """
    written = text.replace("\\n", "\n").strip()
    try:
        if written.startswith("-----BEGIN"):
            key = load_pem_public_key(written.encode("ascii"))
        else:
            bare = "".join(written.split())
            key = load_der_public_key(base64.b64decode(bare.encode("ascii"), validate=True))
    except (ValueError, binascii.Error, UnsupportedAlgorithm):
        raise Misconfigured("the RSA public key cannot be read") from None
    if not isinstance(key, rsa.RSAPublicKey) or key.key_size < BITS_MIN:
        raise Misconfigured(f"the public key is no RSA key of {BITS_MIN} bits or more")
    return key
