"""What operators do to a wallet: give it to another number, forget its PIN; and who hears of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.audit.approvals import Executor
from gateway.audit.decisions.store import Approval
from gateway.errors import BadInput
from gateway.formats.facts import Fact, Phone, fact
from gateway.formats.msisdn import masked
from gateway.ledger import wallets
from gateway.ledger.operate import Tell, WalletOperators, Word
from gateway.ledger.wallets import MOVE, RESET_PIN
from gateway.notices import owners as notices
from gateway.notices.owners import OwnerNotices
from gateway.outbox.sending import Renderer
from gateway.people.pins.prove import Pins
from gateway.tokens.senders.store import funds_live_tokens
from gateway.withdrawals.store import held_from
from wiring.core import Core


@dataclass(frozen=True, slots=True)
class Mover:
    """Gives a wallet to another number; the subject is the number it had."""

    currency: str

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """The new owner must be verified before they spend."""
        before, after = approval.subject, approval.details["to"]
        wallet = wallets.find(connection, before, self.currency)
        if wallet is None or str(wallet.id) != approval.details["wallet"]:
            raise BadInput("the number has another wallet than when this was asked for")
        replaced = wallets.move(connection, wallet, after, funds_live_tokens, held_from)
        actor = approval.decided_by or ""
        moved = fact("moved to {phone}", phone=Phone(after))
        came = fact("came from {phone}", phone=Phone(before))
        why = _by(approval, moved), _by(approval, came)
        trail.record(connection, actor, wallets.MOVED, before, now, fact=why[0])
        trail.record(connection, actor, wallets.RECEIVED, after, now, fact=why[1])
        act = str(approval.id)
        notices.tell(connection, notices.GIVEN_AWAY, before, act, now, masked(after))
        notices.tell(connection, notices.TAKEN_OVER, after, act, now, masked(before))
        if replaced is not None:
            gone = _by(approval, fact("its empty wallet gave way"))
            trail.record(connection, actor, wallets.REPLACED, after, now, fact=gone)
        return moved


def _by(approval: Approval, done: Fact) -> Fact:
    return fact("approval {number}: {done}", number=approval.id, done=done)


@dataclass(frozen=True, slots=True)
class PinForgetter:
    """Resets the PIN of a phone, the subject."""

    pins: Pins
    currency: str

    def execute(self, connection: Connection, approval: Approval, now: datetime) -> str:
        """Whoever sets the next PIN must be verified first."""
        phone, actor = approval.subject, approval.decided_by or ""
        if not self.pins.reset(connection, phone, actor, approval.reason, now):
            raise BadInput("this phone never had a PIN")
        wallet = wallets.find(connection, phone, self.currency)
        if wallet is not None:
            wallets.require_verification(connection, wallet)
        notices.tell(connection, notices.PIN_RESET, phone, str(approval.id), now)
        return "the PIN was reset"


def wallet_executors(pins: Pins, currency: str) -> Mapping[str, Executor]:
    """Who does what a second operator has approved."""
    return {MOVE: Mover(currency), RESET_PIN: PinForgetter(pins, currency)}


def wallet_operators(core: Core) -> WalletOperators:
    """What operators do at once, and what they ask a second one for."""
    word = Word(
        record=trail.record,
        tell_frozen=_tells(notices.FROZEN),
        tell_unfrozen=_tells(notices.UNFROZEN),
        ask=core.requests.ask,
    )
    return WalletOperators(core.settings.currency, core.books.limits, word, held_from)


def _tells(template: str) -> Tell:
    def tell(connection: Connection, phone: str, act: str, now: datetime) -> None:
        notices.tell(connection, template, phone, act, now)

    return tell


def wallet_renderers(core: Core) -> Mapping[str, Renderer]:
    """Who makes the texts that owners hear about their wallets."""
    zone, help_number = core.settings.zone, core.settings.help_number
    return OwnerNotices(core.subscribers, core.languages, zone, help_number).renderers()
