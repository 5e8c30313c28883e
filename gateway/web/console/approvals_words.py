"""What each kind of approval would do, in words for whoever decides about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gateway.api.batches.batch import APPROVAL as BATCH
from gateway.audit.decisions.store import Approval
from gateway.deposits.book import BOOK
from gateway.deposits.confirm import CONFIRM
from gateway.deposits.undo import RELEASE, REVERSE
from gateway.disputes.refund import OWNER
from gateway.disputes.resolve import APPROVAL as REFUND
from gateway.formats import money, msisdn
from gateway.ledger.store import HOUSE
from gateway.ledger.wallets import MOVE
from gateway.ledger.wallets import RESET_PIN as FORGET_PIN
from gateway.partners.funding import APPROVAL as FUND
from gateway.people.staff.roster import ENABLE, HIRE
from gateway.people.staff.way_back import RESET_PIN
from gateway.reconciliation.settling import APPROVAL as SETTLE
from gateway.withdrawals.operate import PAY_BY_HAND, PAYOUT, REJECT


@dataclass(frozen=True, slots=True)
class Words:
    """How people call a kind, what it would do, and the page of what it is about."""

    title: str
    does: str  # `{subject}` and the details by their names
    page: str = ""  # what the subject's page begins with


WORDS: Final[Mapping[str, Words]] = {
    FUND: Words(
        "Fund a float",
        "Puts {currency} {amount} on the float of {owner}, as the bank received it under"
        " reference {subject}.",
    ),
    BATCH: Words(
        "Issue a batch",
        "Issues the {rows} tokens of batch {subject} from the float of {owner}, {currency}"
        " {amount} together.",
    ),
    SETTLE: Words(
        "Book a provider’s payment",
        "Books {currency} {net} that {provider} paid to our bank under reference {subject}:"
        " {gross} less a fee of {fee}.",
    ),
    PAYOUT: Words(
        "Let a payout go",
        "Sends {currency} {amount} of withdrawal {subject} to its provider.",
        "/console/withdrawals/",
    ),
    PAY_BY_HAND: Words(
        "Record a payout",
        "Records withdrawal {subject} over {currency} {amount} as paid through {through} under"
        " transaction {txn_id}. No money leaves by this.",
        "/console/withdrawals/",
    ),
    REJECT: Words(
        "Reject a payout",
        "Gives {currency} {amount} of withdrawal {subject} back to its owner.",
        "/console/withdrawals/",
    ),
    REFUND: Words(
        "Refund a dispute",
        "Refunds {currency} {amount} for dispute {subject} about {about}, paid by {from}.",
        "/console/disputes/",
    ),
    CONFIRM: Words(
        "Confirm a deposit",
        "Credits {amount} of order {subject} to its customer, as paid under transaction {txn_id}.",
        "/console/deposits/",
    ),
    BOOK: Words(
        "Book from a statement",
        "Books {amount} that came through {provider} under transaction {subject} into suspense.",
    ),
    RELEASE: Words(
        "Release from suspense",
        "Gives {amount} of deposit {subject}, which waits in suspense, to the wallet of {to}.",
        "/console/deposits/",
    ),
    REVERSE: Words(
        "Reverse a deposit",
        "Takes {amount} of deposit {subject} back from whom it was credited to.",
        "/console/deposits/",
    ),
    MOVE: Words("Move a wallet", "Gives the wallet of {subject} to {to}, with all its money."),
    FORGET_PIN: Words("Forget a PIN", "Has the PIN of {subject} forgotten: a new one can be set."),
    HIRE: Words("Take on staff", "Lets {name} work as {role}, with the phone {subject}."),
    ENABLE: Words("Let staff back in", "Lets {name} work as {role} again, with phone {subject}."),
    RESET_PIN: Words(
        "Set a PIN anew",
        "Gives {name}, {role}, a PIN that is good for choosing one of their own. Phone {subject}.",
    ),
}
# A funding of a house that owed something when it was asked for.
COVERING: Final = (
    "Puts {currency} {amount} to the house, as the bank received it under reference {subject}:"
    " {covers} covers what it owes, {rest} goes on its float. If it owes another sum by then, that"
    " is covered first."
)
# Who pays a refund.
PAYERS: Final[Mapping[str, str]] = {OWNER: "whoever has the money", HOUSE: "the house"}
# Details that say something besides, by how people call them.
LABELS: Final[Mapping[str, str]] = {
    "state": "State when asked",
    "statement": "On a statement",
    "suspense": "Its payment lies in suspense",
    "forced": "Although it may have been paid",
    "reference": "Reference of the payer",
    "concerns": "Concerns",
}


class _Known(dict[str, str]):
    """The details of an approval; one that is not there reads as a gap, never as an error."""

    def __missing__(self, name: str) -> str:
        return "…"


def title_of(approval: Approval) -> str:
    """How people call what is asked for."""
    words = WORDS.get(approval.kind)
    return words.title if words else approval.kind


def sentence_of(approval: Approval) -> str:
    """What exactly would be done; for a kind that has no words, its details as they are.

    >>> from datetime import UTC, datetime
    >>> facts = {"owner": "house", "amount": "5.00", "currency": "NGN"}
    >>> at = datetime(2026, 3, 2, tzinfo=UTC)
    >>> rest = ("waiting", "cli:ops", at, "paid in", None, None, None)
    >>> sentence_of(Approval(1, "float.fund", "FT1", facts, *rest))
    'Puts NGN 5.00 on the float of house, as the bank received it under reference FT1.'
    >>> sentence_of(Approval(2, "moon.sell", "M1", {"to": "Ada"}, *rest))
    'moon.sell of M1: to Ada'
    >>> parts = {"covers": "4.00", "rest": "1.00"}
    >>> sentence_of(Approval(3, "float.fund", "FT2", facts | parts, *rest)).partition(": ")[2]
    '4.00 covers what it owes, 1.00 goes on its float. If it owes another sum by then, that is \
covered first.'
    """
    words = WORDS.get(approval.kind)
    if words is None:
        pairs = ", ".join(f"{name} {value}" for name, value in approval.details.items())
        return f"{approval.kind} of {approval.subject}: {pairs}"
    facts = {name: money.regrouped(value) for name, value in approval.details.items()}
    facts["subject"] = approval.subject
    if "from" in facts:
        facts["from"] = PAYERS.get(facts["from"], facts["from"])
    does = COVERING if "covers" in facts else words.does
    return does.format_map(_Known(facts))


def page_of(approval: Approval) -> str:
    """The page of what it is about; empty where there is none."""
    words = WORDS.get(approval.kind)
    return f"{words.page}{approval.subject}" if words and words.page else ""


def more_of(approval: Approval) -> list[tuple[str, str]]:
    """What the request says besides its sentence: label and value."""
    found = [(label, approval.details.get(name, "")) for name, label in LABELS.items()]
    return [(label, value) for label, value in found if value]


def amount_of(approval: Approval) -> str:
    """The money it is about, for a list; empty for none.

    An amount is written with its currency by some kinds and without by others.
    """
    amount = money.regrouped(approval.details.get("amount") or approval.details.get("net", ""))
    return (
        amount
        if " " in amount or not amount
        else f"{approval.details.get('currency', '')} {amount}".strip()
    )


def subject_of(approval: Approval) -> str:
    """What it is about, for a list: phones are not shown in full there."""
    subject = approval.subject
    return msisdn.masked(subject) if subject.startswith("+") else subject
