"""What a request adds to its dialogue: whole texts go by their length, last inputs by a number."""

import hashlib
import hmac
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from sqlalchemy import Connection

from gateway.channels.base import Entered, LastInput
from gateway.ussd import journal
from gateway.ussd.journal import Session, Stored

# A dialogue without a session id lives as long as any network leaves one open.
IDLE_MAX = timedelta(minutes=3)


@dataclass(frozen=True, slots=True)
class Turn:
    """One request: `msisdn` is E.164, `budget` in septets."""

    channel: str
    session_id: str
    msisdn: str
    network: str
    text: Entered = field(repr=False)  # may hold a token's digits or a PIN
    budget: int
    now: datetime
    done: int = 0  # turns done when it came; it names the input of a channel without numbers

    @property
    def entry(self) -> str:
        """What was entered, however much of the dialogue that is."""
        return self.text if isinstance(self.text, str) else self.text.text

    @property
    def number(self) -> int:
        """What orders the steps of a dialogue, and is equal for equal requests alone."""
        if isinstance(self.text, str):
            return len(self.text)
        return self.done + 1 if self.text.sequence is None else self.text.sequence

    @property
    def is_counted(self) -> bool:
        """Whether it is named by what was done before it came."""
        return isinstance(self.text, LastInput) and self.text.sequence is None


@dataclass(frozen=True, slots=True)
class Adds:
    """Segments that nobody has answered yet; `anew` they are dialled, not typed."""

    segments: list[str]
    anew: bool = False


class Turns:
    """Tells new turns from repeated and contradicting ones; texts are known by keyed digests."""

    def __init__(self, digest_key: bytes) -> None:
        self._digest_key = digest_key

    def state_key(self, channel: str, session_id: str, msisdn: str) -> bytes:
        """The key of a dialogue (U1): never the session id alone, never the phone alone."""
        return self._digest("state", channel, session_id, msisdn)

    def digest(self, entered: Entered) -> bytes:
        """What the journal knows an answered text by."""
        if isinstance(entered, str):
            return self._digest("text", entered)
        return self._digest("start" if entered.is_start else "input", entered.text)

    def cause(self, turn: Turn) -> bytes:
        """The name of a request: what is counted for it outside is counted once (U1)."""
        fields = (turn.channel, turn.session_id, turn.msisdn, turn.entry)
        if isinstance(turn.text, str):
            return self._digest("cause", *fields)
        return self._digest("cause of a last input", *fields, str(turn.number))

    def counted(self, connection: Connection, turn: Turn) -> Turn:
        """The turn with the number of those done, which must be read before its lock is waited for.

        Of two equal requests at once the second then knows that the first has answered it (U2).
        """
        key = self.state_key(turn.channel, turn.session_id, turn.msisdn)
        return replace(turn, done=journal.done(connection, key))

    def heard(
        self, connection: Connection, session: Session, turn: Turn, digest: bytes
    ) -> Adds | Stored | None:
        """What a request means to a dialogue that was begun; None where it contradicts it, or
        comes after its end.
        """
        if isinstance(turn.text, LastInput):
            return self._last_heard(connection, session, turn, turn.text, digest)
        added = self._added(session, turn.text) if session.open else None
        if added is not None:
            return Adds(added.split("*"))
        # Every answered text begins the accepted one, so a text that goes on was never answered.
        return _stored(connection, session, turn.number, digest)

    def _last_heard(
        self,
        connection: Connection,
        session: Session,
        turn: Turn,
        entered: LastInput,
        digest: bytes,
    ) -> Adds | Stored | None:
        if turn.number <= session.accepted_length:
            stored = _stored(connection, session, turn.number, digest)
            # A start that differs is no repeat: the aggregator has begun its numbers again.
            restarts = stored is None and entered.is_start and not turn.is_counted
            return _dialled(entered) if restarts else stored
        if not (turn.session_id or entered.is_start) and _is_idle(session, turn.now):
            return None
        # Without a number nothing tells a repeat from an answer, but here there is none to give:
        # a session id starts once, and after its end a dialogue asks nothing.
        asks = session.open if not entered.is_start else not turn.session_id
        if turn.is_counted and not asks:
            stored = _stored(connection, session, session.accepted_length, digest)
            if stored is not None:
                return stored
        if entered.is_start:
            return _dialled(entered)
        return Adds(entered.text.split("*")) if session.open else None

    def _added(self, session: Session, text: str) -> str | None:
        """What `text` adds to what was accepted (U2); None when it contradicts it."""
        length = session.accepted_length
        accepted = text[:length]
        if len(text) <= length or not hmac.compare_digest(
            self._digest("text", accepted), session.accepted_digest
        ):
            return None
        if not accepted:
            return text
        return text[length + 1 :] if text[length] == "*" else None

    def _digest(self, label: str, *fields: str) -> bytes:
        parts = [field.encode("utf-8", "surrogatepass") for field in (label, *fields)]
        message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        # Not hmac.digest(): that lets go of the interpreter's lock, and this thread would wait.
        return hmac.new(self._digest_key, message, hashlib.sha256).digest()


def opening(entered: Entered) -> Adds | None:
    """What a dialogue that was never begun is opened with; None for what needs one before it."""
    if isinstance(entered, LastInput):
        return _dialled(entered) if entered.is_start else None
    return Adds(entered.split("*") if entered else [], anew=True)


def _dialled(entered: LastInput) -> Adds:
    return Adds(entered.text.split("*") if entered.text else [], anew=True)


def _stored(connection: Connection, session: Session, number: int, digest: bytes) -> Stored | None:
    stored = journal.stored(connection, session.key, number)
    same = stored is not None and hmac.compare_digest(stored.text_digest, digest)
    return stored if same else None


def _is_idle(session: Session, now: datetime) -> bool:
    return now - datetime.fromisoformat(session.at) > IDLE_MAX
