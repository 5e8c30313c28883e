"""Executing a request once, however often it comes (the IETF draft's Idempotency-Key)."""

import hmac
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.partners.repeats import store

KEY_MAX = 255
# A structured string (RFC 9651), or a bare word. No comma in a word: two headers arrive as "a,b".
_STRING = re.compile(r'"((?:[ !#-\[\]-~]|\\["\\]){1,255})"', re.ASCII)
_WORD = re.compile(r"[!#-+\--~]{1,255}", re.ASCII)
_ESCAPED = re.compile(r"\\(.)")
_LABEL = b"ptg/request/v1"


class KeyReused(BadInput):
    """The Idempotency-Key came before, with another request."""


class NoKey(BadInput):
    """The request needs an Idempotency-Key and has none that can be used."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request is answered: a status, a JSON object, and whose digits belong into it."""

    status: int
    body: Mapping[str, Any]
    reveals: str | None = None  # a serial
    repeated: bool = False
    kept: bool = True  # False: it changed nothing, and a repeat is executed anew


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as far as it tells it from others."""

    owner: str
    key: str
    operation: str  # method and path
    body: bytes


@dataclass(frozen=True, slots=True)
class Once:
    """Remembers answers under digests made with `keys`.

    `write_kid` names the one to write with and holds it until the transaction ends: a change of it
    waits for those who write with the one before, so that their rows are seen by all who come
    after. `insist` raises when a key is lacking that a row may have been written with.
    """

    keys: Mapping[str, bytes]
    write_kid: Callable[[Connection, datetime], str]
    insist: Callable[[Connection], None]

    def answer(
        self,
        connection: Connection,
        asked: Asked,
        work: Callable[[], Answer],
        now: datetime,
        waits: Callable[[bool], None] = lambda _: None,
    ) -> Answer:
        """The answer of `work`, executed at most once in the transaction that remembers it.

        What `work` raises is a refusal that changed nothing: it is not remembered. `waits` is told
        True while another transaction may be executing the same request. Raises `KeyReused`.
        """
        kid = self.write_kid(connection, now)  # before the look: see above
        known = store.find(connection, [self._named(kid, asked) for kid in self.keys])
        if known is not None:
            if not hmac.compare_digest(known.fingerprint, self._print(known.kid, asked)):
                raise KeyReused("this Idempotency-Key was used for another request")
            return Answer(known.status, json.loads(known.body), known.reveals, repeated=True)
        self.insist(connection)
        waits(True)
        row = store.add(
            connection,
            {
                "owner": asked.owner,
                "kid": kid,
                "request_key": self._named(kid, asked),
                "fingerprint": self._print(kid, asked),
                "operation": asked.operation[:40],
                "created_at": now,
            },
        )
        waits(False)
        done = work()
        if not done.kept:
            store.drop(connection, row)
            return done
        store.answer(connection, row, done.status, json.dumps(dict(done.body)), done.reveals)
        return done

    def _named(self, kid: str, asked: Asked) -> bytes:
        return self._digest(kid, b"key", asked.owner.encode(), asked.key.encode())

    def _print(self, kid: str, asked: Asked) -> bytes:
        return self._digest(kid, b"body", asked.operation.encode(), asked.body)

    def _digest(self, kid: str, *parts: bytes) -> bytes:
        message = b"".join(len(part).to_bytes(4, "big") + part for part in (_LABEL, *parts))
        return hmac.digest(self.keys[kid], message, "sha256")


def key_in(header: str) -> str:
    """The key of an `Idempotency-Key` header, quoted or bare. Raises `NoKey`.

    >>> key_in('"8e03978e-40d5"'), key_in("order-17"), key_in('"a, \\\\"b\\\\""')
    ('8e03978e-40d5', 'order-17', 'a, "b"')
    >>> key_in("order-17, order-18")
    Traceback (most recent call last):
    gateway.partners.repeats.once.NoKey: every POST needs an Idempotency-Key ...
    """
    given = header.strip(" \t")
    string = _STRING.fullmatch(given)
    if string is not None:
        return _ESCAPED.sub(r"\1", string[1])
    if _WORD.fullmatch(given) is None:
        raise NoKey(f"every POST needs one Idempotency-Key of 1 to {KEY_MAX} visible characters")
    return given
