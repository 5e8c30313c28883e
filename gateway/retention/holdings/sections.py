"""The parts of an export: in which table, by which columns a person is found, and what is shown.

What is shown is a literal list: digests, hashes, digits and bytes are in none of it.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final


class How(Enum):
    """How a column holds a phone."""

    IS = "the number alone"
    ENDS = "the number after a word"
    HOLDS = "the number somewhere in a text"
    BYTES = "the number without its plus, somewhere in raw bytes"


@dataclass(frozen=True, slots=True)
class Through:
    """Rows that belong to those of another section: our column equals its column."""

    column: str
    section: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the export."""

    name: str
    table: str
    shown: tuple[str, ...]
    by: tuple[tuple[str, How], ...] = ()
    through: Through | None = None
    only: tuple[str, str] | None = None  # a column and the value that makes a row this section's


def _is(*columns: str) -> tuple[tuple[str, How], ...]:
    return tuple((column, How.IS) for column in columns)


SECTIONS: Final = (
    Section("subscriber", "subscribers", ("language", "created_at"), _is("msisdn")),
    Section("sms_wish", "sms_wishes", ("stopped_at", "changed_at"), _is("msisdn")),
    Section("pin", "pins", ("changed_at", "tries", "locked_until"), _is("msisdn")),
    Section("staff", "staff", ("name", "role", "status", "outlet", "created_at"), _is("msisdn")),
    Section(
        "wallets",
        "accounts",
        ("id", "currency", "balance", "held", "status", "tier", "created_at", "active_on"),
        _is("owner"),
        only=("kind", "wallet"),
    ),
    Section(
        "wallet_entries",
        "entries",
        ("id", "movement_id", "account_id", "amount"),
        through=Through("account_id", "wallets", "id"),
    ),
    Section(
        "wallet_movements",
        "movements",
        ("id", "kind", "subject", "at"),
        through=Through("id", "wallet_entries", "movement_id"),
    ),
    Section(
        "tokens",
        "tokens",
        (
            *("serial", "issuer", "recipient", "sender_name", "amount", "currency", "status"),
            *("binding", "language", "issued_at", "expires_at", "changed_at"),
            *("redeemed_at", "redeemed_by", "redeemed_channel", "reprints"),
        ),
        _is("recipient", "issuer", "redeemed_by"),
    ),
    Section(
        "batch_rows",
        "batch_rows",
        ("batch_id", "number", "amount", "recipient", "sender_name", "status", "serial", "done_at"),
        _is("recipient"),
    ),
    Section(
        "deposits",
        "deposits",
        (
            *("reference", "provider", "txn_id", "amount", "fee", "currency", "state"),
            *("known_as", "created_at", "changed_at", "completed_at", "occurred_at"),
        ),
        (("msisdn", How.IS), ("known_as", How.HOLDS)),
    ),
    Section(
        "callbacks",
        "callbacks",
        ("id", "dialect", "part", "received_at", "became", "txn_id", "reference"),
        (("body", How.BYTES),),
        through=Through("deposit_id", "deposits", "id"),
    ),
    Section(
        "withdrawals",
        "withdrawals",
        (
            *("reference", "method", "provider", "destination", "amount", "fee", "currency"),
            *("state", "payout", "provider_txn_id", "reason", "requested_at", "changed_at"),
        ),
        _is("msisdn", "destination", "requested_by"),
    ),
    Section(
        "payout_events",
        "payout_events",
        ("reference", "at", "source", "said", "verdict", "amount"),
        through=Through("reference", "withdrawals", "reference"),
    ),
    Section(
        "disputes",
        "disputes",
        (
            *("reference", "kind", "subject", "state", "amount", "currency", "refunded"),
            *("opened_at", "deadline", "resolved_at"),
        ),
        _is("on_behalf"),
    ),
    Section(
        "payments",
        "payments",
        ("reference", "serial", "amount", "currency", "state", "channel", "created_at"),
        _is("customer"),
    ),
    Section("paid_at_tills", "agent_customers", ("till_id", "day", "amount"), _is("customer")),
    Section(
        "ussd_sessions",
        "ussd_sessions",
        ("channel", "network", "started_at", "end_status"),
        _is("msisdn"),
    ),
    Section(
        "sms_out",
        "outbox",
        (
            *("template", "subject", "recipient", "language", "state", "channel", "attempts"),
            *("created_at", "handed_over_at", "changed_at", "reason"),
        ),
        (("recipient", How.IS), ("subject", How.IS), ("details", How.HOLDS)),
    ),
    Section(
        "delivery_reports",
        "delivery_reports",
        ("channel", "message_id", "status", "delivery", "received_at"),
        _is("recipient"),
    ),
    Section(
        "sms_in",
        "inbound_sms",
        ("channel", "message_id", "masked_text", "sent_at", "received_at", "outcome"),
        _is("sender"),
    ),
    Section(
        "wrong_entries",
        "guess_counters",
        ("hour_from", "hour_count", "day_from", "day_count"),
        (("source", How.ENDS),),
    ),
    Section(
        "partner_requests",
        "api_requests",
        ("id", "owner", "operation", "created_at"),
        (("body", How.HOLDS),),
    ),
    Section(
        "approvals",
        "approvals",
        ("id", "kind", "subject", "state", "asked_at", "decided_at", "reason"),
        (("subject", How.IS), ("details", How.HOLDS), ("asker", How.IS)),
    ),
    Section(
        "trail",
        "audit_trail",
        ("at", "actor", "action", "subject", "reason"),
        _is("subject", "actor"),
    ),
)
