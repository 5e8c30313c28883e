"""The SMS about disputes: queued with their cause, made when they are sent."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from functools import partial
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from gateway.clock import iso
from gateway.disputes.states import State
from gateway.disputes.store import Dispute
from gateway.formats import money
from gateway.languages import Languages
from gateway.ledger.store import WALLET, Account
from gateway.outbox import queue
from gateway.outbox.sending import Renderer, Text
from gateway.outbox.store import Message
from gateway.people.subscribers import Subscribers
from gateway.sms import texts

# To whoever complained.
OPENED, REFUNDED = "dispute_opened", "dispute_refunded"
RELEASED, REJECTED = "dispute_released", "dispute_rejected"
# To whose wallet a refund went, and whose it came from.
CREDITED, DEBITED = "dispute_credited", "dispute_debited"
TEXTS = {
    OPENED: texts.DISPUTE_OPENED,
    REFUNDED: texts.DISPUTE_REFUNDED,
    RELEASED: texts.DISPUTE_RELEASED,
    REJECTED: texts.DISPUTE_REJECTED,
    CREDITED: texts.DISPUTE_CREDITED,
    DEBITED: texts.DISPUTE_DEBITED,
}
ENDS = {State.REFUNDED: REFUNDED, State.RELEASED: RELEASED, State.REJECTED: REJECTED}


def tell_opened(connection: Connection, dispute: Dispute, now: datetime) -> None:
    """Confirm a complaint to whoever made it, and to nobody else.

    Who is complained about would only learn that it is time to empty the wallet.
    """
    _tell(connection, OPENED, dispute, dispute.on_behalf, now, until=iso(dispute.deadline))


def tell_resolved(
    connection: Connection,
    dispute: Dispute,
    end: State,
    now: datetime,
    refunded: Decimal | None = None,
) -> None:
    """Say how it ended to whoever complained."""
    amount = money.display(refunded or dispute.amount, dispute.currency)
    _tell(connection, ENDS[end], dispute, dispute.on_behalf, now, amount=amount)


def tell_moved(
    connection: Connection,
    dispute: Dispute,
    payer: Account,
    payee: Account,
    amount: Decimal,
    now: datetime,
) -> None:
    """Tell the owners of the two wallets, as far as they are wallets."""
    shown = money.display(amount, dispute.currency)
    for template, account in ((CREDITED, payee), (DEBITED, payer)):
        if account.kind == WALLET:
            _tell(connection, template, dispute, account.owner, now, amount=shown)


def _tell(
    connection: Connection,
    template: str,
    dispute: Dispute,
    to: str,
    now: datetime,
    **details: str,
) -> None:
    cause, details = f"{template}:{dispute.reference}", {"about": dispute.subject, **details}
    queue.add(connection, cause, template, dispute.reference, to, "", now, details)


class DisputeMessages:
    """Renders the dispute templates of the outbox."""

    def __init__(self, subscribers: Subscribers, languages: Languages, zone: ZoneInfo) -> None:
        self._subscribers = subscribers
        self._languages = languages
        self._zone = zone

    def renderers(self) -> Mapping[str, Renderer]:
        """Who makes the text of each template."""
        return dict.fromkeys(TEXTS, self.render)

    def render(self, connection: Connection, message: Message) -> Text:
        """The text in the recipient's language."""
        language = self._subscribers.language(connection, message.recipient, message.language)
        say = partial(self._languages.text, language)
        values = {**message.details, "reference": message.subject}
        if "until" in values:
            values["until"] = texts.until(datetime.fromisoformat(values["until"]), self._zone)
        return Text(texts.fit(say, TEXTS[message.template], values))
