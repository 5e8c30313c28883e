"""The parts about tokens, what is said of them by SMS, and their housekeeping."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from gateway.chores import Chore
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.languages import Languages
from gateway.ledger.books import Books
from gateway.ledger.floats import House
from gateway.metrics.redeeming import Count, CountedRedeemer
from gateway.outbox.sending import Renderer
from gateway.people.subscribers import Subscribers
from gateway.settings import Settings
from gateway.tokens import sweep, undelivered
from gateway.tokens.changes import Hear
from gateway.tokens.issue import DELIVERY, Issuer
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.messages import TokenMessages, VoiceOf
from gateway.tokens.notices import Notices
from gateway.tokens.redeem import RECEIPT, Redeemer
from gateway.tokens.reprint import Reprinter, SmsFacts
from gateway.tokens.retire import Retirer
from gateway.tokens.send import Sends
from gateway.tokens.tills import purge


@dataclass(frozen=True, slots=True)
class Tokens:
    """What is done with tokens, all over the same keys and books."""

    issuer: Issuer
    redeemer: Redeemer
    reprinter: Reprinter
    retirer: Retirer
    sends: Sends
    messages: TokenMessages
    notices: Notices

    def renderers(self) -> Mapping[str, Renderer]:
        """Who makes the text of each outbox template about tokens."""
        return {
            DELIVERY: self.messages.delivery,
            RECEIPT: self.messages.receipt,
            **self.notices.renderers(),
        }

    def chores(self, database: Database, clock: Clock) -> dict[str, Chore]:
        """Their part of `gateway sweep`."""
        return {
            "tokens_expired": partial(sweep.expire_overdue, database, self.retirer, clock),
            "live_unbound_11_digit": partial(sweep.recount_breaker, database, clock),
            "counters_purged": partial(sweep.purge_counters, database, clock),
            "till_days_purged": partial(purge.forget_days, database, clock),
            "senders_told": partial(undelivered.tell_senders, database, clock),
        }


def token_parts(
    settings: Settings,
    rings: KeyRings,
    books: Books,
    subscribers: Subscribers,
    languages: Languages,
    clock: Clock,
    house: House,
    count: Count,
    voice: VoiceOf,
    hear: Hear,
) -> Tokens:
    """The parts."""
    issuer = Issuer(rings, books, house=house)
    reprinter, retirer = Reprinter(rings), Retirer(books, hear)
    facts = sms_facts(settings)
    return Tokens(
        issuer=issuer,
        redeemer=CountedRedeemer(rings, books, count, hear),
        reprinter=reprinter,
        retirer=retirer,
        sends=Sends(issuer, retirer, books, settings.zone),
        messages=TokenMessages(reprinter, subscribers, languages, facts, clock, voice),
        notices=Notices(subscribers, languages, settings.zone),
    )


def sms_facts(settings: Settings) -> SmsFacts:
    """What a token's SMS says besides the token."""
    return SmsFacts(
        sender=settings.sender_name,
        service_code=settings.service_code,
        help_number=settings.help_number,
        zone=settings.zone,
    )
