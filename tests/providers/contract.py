"""What every provider's dialect must do; its test inherits from here and says how it is written.

`DialectContract` is for any dialect. `ProvenContract` adds the credential tests for one whose
callback proves its sender; a guarded dialect without a proof of its own needs only the first.
"""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from gateway.errors import GatewayError
from gateway.providers.base.messages import (
    Callback,
    Decision,
    Dialect,
    Kind,
    Malformed,
    Notice,
    Outcome,
    Unauthorized,
)
from tests.support.clock import START

SAMPLES = Path(__file__).parent / "samples"
SECONDS_MAX = 2.0  # for a hostile body; a generous bound, as it takes milliseconds
NEW, OLD, FOREIGN = "synthetic-new-secret", "synthetic-old-secret", "synthetic-foreign-secret"
UNKNOWN_WORDS = ("Borked", "", " ", "\xe9", "completed ", "TRUE", "0x0", "\u0660", "x" * 60)
NO_JSON_OBJECTS: Mapping[str, bytes] = {
    "empty": b"",
    "null": b"null",
    "list": b"[]",
    "text": b'"x"',
    "number": b"5",
    "cut off": b'{"data":',
    "not UTF-8": b'{"data":"\xe9"}',
    "nested deeply": b"[" * 200_000,
    "an object nested deeply": b'{"data":' * 200_000,
    "no number": b'{"data":{"amount":NaN}}',
    "a name twice": b'{"data":1,"data":999}',
    "an endless integer": b'{"data":' + b"9" * 5_000 + b"}",
    "a form": b"data=1&amount=5",
}


def sample(name: str) -> bytes:
    """A file under samples/, such as "snippe/payment.json", without its last line feed."""
    return (SAMPLES / name).read_bytes().removesuffix(b"\n")


class DialectContract(ABC):
    """Any dialect. `body` is always the provider's body before a credential is put into it."""

    sample_name: str
    expected: Notice  # what the sample says
    words: Mapping[str, Outcome]  # every status word that its documentation lists
    never_by_an_unknown_word: Sequence[Outcome] = (
        Outcome.SUCCEEDED,
        Outcome.FAILED,
        Outcome.REVERSED,
    )
    unknown_words: Sequence[str] = UNKNOWN_WORDS
    unreadable: Mapping[str, bytes] = NO_JSON_OBJECTS
    unreadable_is: type[GatewayError] = Malformed  # Unauthorized where the proof is in the body
    part = ""
    questions: Mapping[str, str] = {}  # the parts that ask, each with its sample

    @abstractmethod
    def dialect(self, secrets: Sequence[str] = (NEW,)) -> Dialect:
        """The dialect that accepts these secrets; one without any ignores them."""

    @abstractmethod
    def body_saying(self, word: str) -> bytes:
        """The sample's body with another status word."""

    def callback(
        self, body: bytes, headers: Sequence[tuple[str, str]] = (), at: datetime = START
    ) -> Callback:
        """A request as the edge hands it on."""
        return Callback(
            part=self.part, headers=headers, body=body, address="127.0.0.1", received_at=at
        )

    def good(self, body: bytes) -> Callback:
        """The provider's request with all that it needs to be believed."""
        return self.callback(body)

    def with_more(self, body: bytes) -> bytes:
        """The same body with a member that nobody has told us of."""
        return b'{"zz_new":{"a":[1,null,{"b":true}]},' + body.lstrip()[1:]

    def read(self, callback: Callback) -> Notice:
        """What the web edge does."""
        dialect = self.dialect()
        dialect.authenticate(callback)
        return dialect.parse(callback)

    def test_the_sample_is_believed_and_read(self) -> None:
        assert self.read(self.good(sample(self.sample_name))) == self.expected

    def test_a_callback_is_acknowledged_with_the_same_bytes_each_time(self) -> None:
        callback = self.good(sample(self.sample_name))
        answers = {
            self.dialect().acknowledge(callback, self.read(callback), Decision.TAKEN)
            for _ in range(3)
        }
        (answer,) = answers
        assert 200 <= answer.status < 300

    def test_every_decision_is_answered_and_a_no_never_reads_as_a_yes(self) -> None:
        asked = [(part, name, Kind.QUESTION) for part, name in self.questions.items()]
        for part, name, kind in (*asked, (self.part, self.sample_name, self.expected.kind)):
            callback = replace(self.good(sample(name)), part=part)
            notice = self.read(callback)
            assert notice.kind is kind
            said = {one: self.dialect().acknowledge(callback, notice, one) for one in Decision}
            assert all(answer.status == 200 and answer.body for answer in said.values())
            taken = said.pop(Decision.TAKEN)
            assert kind is not Kind.QUESTION or taken not in said.values()

    def test_a_member_that_nobody_has_told_us_of_is_passed_over(self) -> None:
        assert self.read(self.good(self.with_more(sample(self.sample_name)))) == self.expected

    def test_every_documented_word_has_its_meaning(self) -> None:
        read = {word: self.read(self.good(self.body_saying(word))).outcome for word in self.words}
        assert read == dict(self.words)

    def test_an_unknown_word_is_read_and_decides_nothing(self) -> None:
        succeeding = [word for word, outcome in self.words.items() if outcome == Outcome.SUCCEEDED]
        odd = {word.lower() for word in succeeding} | {word.upper() for word in succeeding}
        for word in (odd | set(self.unknown_words)) - set(self.words):
            outcome = self.read(self.good(self.body_saying(word))).outcome
            assert outcome not in self.never_by_an_unknown_word, word

    def test_an_unreadable_body_is_told_from_a_readable_one_and_quickly(self) -> None:
        for name, body in self.unreadable.items():
            callback = self.good(body)
            began = time.monotonic()
            with pytest.raises(self.unreadable_is) as raised:
                self.read(callback)
            assert time.monotonic() - began < SECONDS_MAX, name
            assert len(str(raised.value)) < 200, name

    def test_the_dialect_shows_no_secret_of_its_own(self) -> None:
        dialect = self.dialect((NEW, OLD))
        assert NEW not in repr(dialect)
        assert OLD not in repr(dialect)
        assert dialect.path
        assert "" not in dialect.path.split("/")
        assert self.part in dialect.parts
        assert dialect.books_as


class ProvenContract(DialectContract):
    """A dialect whose callback carries a credential, in a header or in its body."""

    covers_the_body = True  # whether one changed byte of the body makes the credential wrong

    @abstractmethod
    def credential(self, body: bytes, secret: str) -> str:
        """The credential that belongs to this body, as its header or member holds it."""

    @abstractmethod
    def carrying(self, body: bytes, credentials: Sequence[str]) -> Callback:
        """The request with this credential; none: it is missing, two: it is repeated."""

    def good(self, body: bytes) -> Callback:
        return self.carrying(body, [self.credential(body, NEW)])

    def refused(self, callback: Callback, secrets: Sequence[str] = (NEW,)) -> None:
        """Assert that it is `Unauthorized`, and that the error does not repeat it."""
        with pytest.raises(Unauthorized) as raised:
            self.dialect(secrets).authenticate(callback)
        assert not any(secret in str(raised.value) for secret in (NEW, OLD, FOREIGN))

    def test_a_wrong_credential_is_unauthorized(self) -> None:
        body = sample(self.sample_name)
        good = self.credential(body, NEW)
        wrong = {
            "of another key": self.credential(body, FOREIGN),
            "empty": "",
            "blank": " ",
            "of another alphabet": "zz",
            "odd in length": good[:-1],
            "truncated": good[:10],
            "with a prefix": f"0x{good}",
            "a bare prefix": "sha256=",
            "with an algorithm": f"sha256={good}",
            "joined by a comma": f"{good},{good}",
            "joined by a comma and a blank": f"{good}, {good}",
            "byte E9": "\xe9",
            "ending in byte E9": f"{good[:-1]}\xe9",
            "a word": "None",
            "null": "null",
            "endless": good * 1_000,
        }
        for credential in wrong.values():
            self.refused(self.carrying(body, [credential]))

    def test_a_missing_credential_is_unauthorized(self) -> None:
        self.refused(self.carrying(sample(self.sample_name), []))

    def test_a_repeated_credential_is_unauthorized(self) -> None:
        body = sample(self.sample_name)
        good, foreign = self.credential(body, NEW), self.credential(body, FOREIGN)
        for pair in ([good, good], [good, foreign], [foreign, good]):
            self.refused(self.carrying(body, pair))

    def test_a_secret_is_rotated_while_both_are_accepted(self) -> None:
        body = sample(self.sample_name)
        by_new = self.carrying(body, [self.credential(body, NEW)])
        by_old = self.carrying(body, [self.credential(body, OLD)])
        for callback in (by_new, by_old):
            self.dialect((NEW, OLD)).authenticate(callback)
        self.dialect((NEW,)).authenticate(by_new)
        self.refused(by_old)

    def test_without_a_secret_nothing_is_believed(self) -> None:
        body = sample(self.sample_name)
        for secrets in ((), ("",)):
            for given in (NEW, ""):
                self.refused(self.carrying(body, [self.credential(body, given)]), secrets)

    def test_another_body_under_the_same_credential_is_unauthorized(self) -> None:
        body = sample(self.sample_name)
        if self.covers_the_body:
            credential = self.credential(body, NEW)
            self.refused(self.carrying(body.replace(b"0", b"1", 1), [credential]))
            self.refused(self.carrying(self.with_more(body), [credential]))

    def test_the_proof_of_nothing_proves_no_body(self) -> None:
        if self.covers_the_body:
            empty = self.credential(b"", NEW)
            self.refused(self.carrying(sample(self.sample_name), [empty]))


def changed(body: bytes, *path: str, value: object) -> bytes:
    """A JSON body with one member replaced, written compactly; the path names objects only."""
    document = json.loads(body)
    inner = document
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return json.dumps(document, separators=(",", ":")).encode()
