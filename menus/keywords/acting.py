"""Acts on inbound SMS: reads what is asked for, does it, and queues the one reply."""

from collections.abc import Mapping
from datetime import timedelta

import structlog
from sqlalchemy import Connection

from gateway.outbox import queue, store
from gateway.outbox.sending import NotWanted, Renderer, Text
from gateway.outbox.store import Message
from gateway.sms.inbound import Incoming
from gateway.sms.wishes import store as wishes
from gateway.sms.wishes.kinds import heeds_stop
from menus.desk import Desk
from menus.keywords import balance, notes, redeeming, resending
from menus.keywords.asking import Asking, Reply
from menus.keywords.notes import HELP, HELP_WITHOUT_BALANCE, NOTE
from menus.keywords.reading import Other, Wish, read
from menus.keywords.words import Word

log = structlog.get_logger()

HOUR = timedelta(hours=1)
# To one phone: a machine at the other end must not run up a bill.
REPLIES_AN_HOUR = 10
REPLIES_TO_TALK_AN_HOUR = 3


class Keywords:
    """The conversations by SMS, over the parts of the gateway."""

    def __init__(self, desk: Desk, service_code: str, *, tells_balance: bool = True) -> None:
        self._desk = desk
        self._service_code = service_code
        self._tells_balance = tells_balance

    def act(self, connection: Connection, incoming: Incoming) -> str:
        """What one message does; the outcome's name. Raises `NeededFirst` for a PIN."""
        wish = read(incoming.text, self._desk.country)
        asking = Asking(connection, incoming, self._language(connection, incoming, wish))
        reply = self._done(asking, wish)
        if reply.note:
            talk = wish.asked is Other.UNKNOWN
            self._queue(asking, reply, REPLIES_TO_TALK_AN_HOUR if talk else REPLIES_AN_HOUR)
        return reply.outcome

    def note(self, connection: Connection, message: Message) -> Text:
        """The text of a reply, for sending now."""
        return notes.written(self._desk, self._service_code, connection, message)

    def _done(self, asking: Asking, wish: Wish) -> Reply:
        match wish.asked:
            case Word.REDEEM:
                return redeeming.redeem(self._desk, asking, wish.rest)
            case Word.RESEND:
                return resending.resend(self._desk, asking, wish.rest)
            case Word.BALANCE if self._tells_balance:
                return balance.tell(self._desk, asking, wish.rest)
            case Word.BALANCE:
                return Reply("balance_off", "balance_off")
            case Word.STOP:
                return _stopped(asking)
            case Word.START:
                wishes.start(asking.connection, asking.msisdn, asking.now)
                return Reply("started", "started")
            case Word.HELP:
                return Reply("help", self._help())
            case Other.SEVERAL:
                return Reply("several", "several")
            case Other.UNKNOWN:
                # Who wants no notices is told what they ask for and nothing else.
                stopped = wishes.is_stopped(asking.connection, asking.msisdn)
                return Reply("unknown", "" if stopped else self._help())
            case Other.EMPTY:
                return Reply("ignored")

    def _help(self) -> str:
        return HELP if self._tells_balance else HELP_WITHOUT_BALANCE

    def _language(self, connection: Connection, incoming: Incoming, wish: Wish) -> str:
        """The one they chose, else the one they write in."""
        written = wish.language if wish.language in self._desk.languages.codes else ""
        return self._desk.subscribers.chosen_language(connection, incoming.msisdn, written)

    def _queue(self, asking: Asking, reply: Reply, replies_max: int) -> None:
        connection, to, now = asking.connection, asking.msisdn, asking.now
        if store.count_to_since(connection, to, NOTE, now - HOUR) >= replies_max:
            log.warning("sms_not_answered", msisdn=to)
            return
        cause = reply.once or f"inbound:{asking.incoming.row}"
        details = {**reply.details, "note": reply.note}
        queue.add_once(connection, cause, NOTE, reply.serial, to, asking.language, now, details)


def _stopped(asking: Asking) -> Reply:
    """Said once: a second STOP has its wish already."""
    anew = wishes.stop(asking.connection, asking.msisdn, asking.now)
    return Reply("stopped", "stopped") if anew else Reply("stopped_before")


def heeding(renderers: Mapping[str, Renderer]) -> Mapping[str, Renderer]:
    """The renderers, of which the courtesies find out first whether their reader has said STOP."""
    return {
        template: _asked_first(render) if heeds_stop(template) else render
        for template, render in renderers.items()
    }


def _asked_first(render: Renderer) -> Renderer:
    def rendered(connection: Connection, message: Message) -> Text:
        if wishes.is_stopped(connection, message.recipient):
            raise NotWanted("its reader has said STOP")
        return render(connection, message)

    return rendered
