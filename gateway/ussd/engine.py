"""One USSD turn: the journal first, then the menus, then state and reply in one transaction."""

from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection

from gateway.channels.base import LastInput, UssdReply
from gateway.clock import iso
from gateway.database.outside import Made
from gateway.errors import RaceLost
from gateway.formats import gsm7
from gateway.ussd import journal
from gateway.ussd.dialogue import MENU_CHANGED, CallerFacts, Dialogue, Speaks
from gateway.ussd.journal import Beginning, LanguageQuery, Session, Step, Stored
from gateway.ussd.place import Place
from gateway.ussd.screens import HOME_SCREEN, Tree
from gateway.ussd.turns import Adds, Turns, opening
from gateway.ussd.turns import Turn as Turn

TEXT_MAX = 1024  # characters of a dialogue's whole text
SEGMENTS_MAX = 64
RESUME_WITHIN = timedelta(minutes=5)
SESSION_OVER = "This session is over. Please dial again."
DIAL_AGAIN = "Something went wrong with this session. Please dial again."
TOO_LONG = "That was too long. Please dial again."
TRY_AGAIN = "Sorry, we are busy. Nothing was changed. Please try again."
NOT_CONFIRMED = "Not confirmed. If it worked, you will get an SMS."
NOTHING_MADE: Made = MappingProxyType({})
# Each is one page on the smallest display there is: an ending cannot be paged.
TEXTS = (SESSION_OVER, DIAL_AGAIN, TOO_LONG, TRY_AGAIN, NOT_CONFIRMED)


class Engine:
    """Answers turns; the same text of the same dialogue always gets the same reply."""

    def __init__(
        self,
        tree: Tree,
        speaks: Speaks,
        digest_key: bytes,
        language: LanguageQuery,
        default_language: str,
    ) -> None:
        self._tree = tree
        self._speaks = speaks
        self._turns = Turns(digest_key)
        self._language = language
        self._default_language = default_language

    def turn(self, connection: Connection, turn: Turn, made: Made = NOTHING_MADE) -> UssdReply:
        """The reply to one text, with all it does, inside the caller's transaction.

        A screen that needs something made outside of it raises `NeededFirst`; the same turn runs
        again with what was `made`.
        """
        entry = turn.entry
        if len(entry) > TEXT_MAX or entry.count("*") >= SEGMENTS_MAX:
            return self.ending(TOO_LONG)
        state_key = self.state_key(turn.channel, turn.session_id, turn.msisdn)
        digest = self._turns.digest(turn.text)
        session = self._found(connection, state_key, turn)
        if isinstance(session, Session):
            heard = self._turns.heard(connection, session, turn, digest)
            if isinstance(heard, Stored):
                return UssdReply(heard.reply, heard.ends)
            if heard is None:
                over = DIAL_AGAIN if session.open else SESSION_OVER
                return self.ending(over, session.language)
        else:
            heard = opening(turn.text)
            if heard is None or session is None:
                return self.ending(DIAL_AGAIN)
        dialogue = self._dialogue_of(connection, session, heard, turn, made)
        if heard.anew or dialogue.stands():
            dialogue.follow(heard.segments, dialled=heard.anew)
        else:
            dialogue.start(MENU_CHANGED)
        reply = dialogue.reply()
        step = Step(
            text_length=turn.number,
            text_digest=digest,
            language=dialogue.language,
            place=dialogue.place.stored(),
            reply=reply.text,
            ends=reply.ends,
        )
        if isinstance(session, Beginning):
            journal.add(connection, state_key, turn.channel, turn.msisdn, turn.network, turn.now)
        elif heard.anew:
            journal.start_again(connection, state_key, turn.network, turn.now)
        journal.add_step(connection, state_key, step, turn.now)
        return reply

    def counted(self, connection: Connection, turn: Turn) -> Turn:
        """The turn, named by those done before it: for inputs that come without a number."""
        return self._turns.counted(connection, turn)

    def ending(self, message: str, language: str = "en") -> UssdReply:
        """A last screen outside the menus; it is not journaled."""
        return UssdReply(gsm7.transliterate(self._speaks.text(language, message)), True)

    def ended(self, connection: Connection, turn_key: bytes, status: str) -> bool:
        """Note the aggregator's end notice, once; False for an unknown or noted dialogue."""
        return journal.close(connection, turn_key, status)

    def state_key(self, channel: str, session_id: str, msisdn: str) -> bytes:
        """The key of a dialogue (U1): never the session id alone, never the phone alone."""
        return self._turns.state_key(channel, session_id, msisdn)

    def cause(self, turn: Turn) -> bytes:
        """The name of a request: what is counted for it outside is counted once (U1)."""
        return self._turns.cause(turn)

    def _found(
        self, connection: Connection, state_key: bytes, turn: Turn
    ) -> Session | Beginning | None:
        """The dialogue as it stands, or what a new one begins with; None where nobody began it.

        Whether it is new decides the journal, never the text; but a first dial has an empty one,
        and is then answered by one read instead of two.
        """
        text = turn.text
        dials = text.is_start if isinstance(text, LastInput) else not text
        session = None if dials else journal.read(connection, state_key)
        if session is not None or (isinstance(text, LastInput) and not dials):
            return session
        begun = self._beginning(connection, state_key, turn)
        if begun is not None:
            return begun
        session = journal.read(connection, state_key)
        if session is None:
            raise RaceLost("a dialogue was seen without a step of its own")
        return session

    def _beginning(
        self, connection: Connection, state_key: bytes, turn: Turn, *, again: bool = False
    ) -> Beginning | None:
        since = turn.now - RESUME_WITHIN
        return journal.begin(
            connection, state_key, self._language, turn.channel, turn.msisdn, since, again=again
        )

    def _dialogue_of(
        self,
        connection: Connection,
        session: Session | Beginning,
        heard: Adds,
        turn: Turn,
        made: Made,
    ) -> Dialogue:
        """Where the segments are followed from: the place it stands at, or the root."""
        begun: Beginning | None
        if isinstance(session, Beginning):
            begun = session
        elif heard.anew:
            begun = self._beginning(connection, session.key, turn, again=True)
        else:
            place = Place.restored(session.place)
            return self._dialogue(connection, turn, made, place, session.language)
        return self._begun(connection, begun or Beginning(None, None), turn, made)

    def _begun(self, connection: Connection, begun: Beginning, turn: Turn, made: Made) -> Dialogue:
        since = turn.now - RESUME_WITHIN
        place = Place(resume=self._interrupted(begun.dropped, since))
        language = begun.language or self._default_language
        dialogue = self._dialogue(connection, turn, made, place, language)
        dialogue.start()
        return dialogue

    def _interrupted(
        self, found: tuple[dict[str, Any], datetime] | None, since: datetime
    ) -> dict[str, Any] | None:
        """The place of a dialogue this phone dropped within the last minutes.

        The latest dialogue decides: one that came to its end has settled any before it.
        """
        if found is None:
            return None
        place, changed_at = Place.restored(found[0]), found[1]
        carried, place.resume = place.resume, None
        if place.screen == HOME_SCREEN:
            # Dropped again before choosing: the older interruption still counts while it is fresh.
            fresh = carried and datetime.fromisoformat(carried["dropped_at"]) > since
            return carried if fresh else None
        stop = self._resumable(place)
        return None if stop is None else {"place": stop.stored(), "dropped_at": iso(changed_at)}

    def _resumable(self, place: Place) -> Place | None:
        """Where to go on from: never a PIN or a confirmation, but the screen before it (U5)."""
        screen = self._tree.get(place.screen)
        if screen is None or screen.ends:
            return None
        place.trail = [stop for stop in place.trail if self._is_open(stop[0])]
        if not screen.private:
            return place
        if not place.trail or place.trail[-1][0] == HOME_SCREEN:
            return None
        name, given = place.trail[-1]
        return Place(name, given, trail=place.trail[:-1])

    def _is_open(self, name: str) -> bool:
        return name in self._tree and not self._tree[name].private

    def _dialogue(
        self, connection: Connection, turn: Turn, made: Made, place: Place, language: str
    ) -> Dialogue:
        caller = CallerFacts(turn.msisdn, turn.channel, turn.now, turn.budget, made)
        return Dialogue(self._tree, self._speaks, connection, caller, place, language)
