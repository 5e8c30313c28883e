"""Every column with room for a phone number: where the export looks, and why not elsewhere.

A column of the schema that is not decided about here fails the tests.
"""

from collections.abc import Mapping
from typing import Final

from gateway.retention.holdings.sections import SECTIONS

ROOM_MIN: Final = 12  # characters: a plus and eleven digits
SEARCHED: Final = tuple(f"{s.table}.{column}" for s in SECTIONS for column, _ in s.by)

# The row is found by another column, or with the row that it belongs to.
WITH_THE_ROW: Final = (
    *("approvals.reason", "approvals.outcome", "audit_trail.reason"),  # masked by what writes them
    *("callbacks.headers", "callbacks.txn_id", "callbacks.provider_ref", "callbacks.reference"),
    *("callbacks.reason", "deposits.parked", "deposits.reason", "deposits.provider_ref"),
    *("deposits.txn_id", "deposits.hinted_txn_id", "inbound_sms.masked_text"),
    *("outbox.cause", "outbox.reason", "outbox.message_id", "movements.subject"),
    *("movements.operation_key", "tokens.issue_ref", "tokens.sender_name"),
    *("withdrawals.reason", "withdrawals.intent", "batch_rows.issue_ref"),
    *("batch_rows.sender_name", "batch_rows.detail"),
    *("ussd_steps.place", "ussd_steps.reply"),  # the screens of a day, which name others too
)
# They name whoever of the staff acted, by number and name, or a partner's key.
OF_THE_STAFF: Final = (
    *("approvals.asked_by", "approvals.decided_by", "batches.asked_by", "disputes.opened_by"),
    *("disputes.resolved_by", "payments.voided_by", "reconciliation_runs.actor"),
    *("restores.began_by", "restores.ended_by", "shifts.accepted_by", "shifts.accepted_reason"),
    *("shifts.counted_by", "staff.pin_set_by", "statements.imported_by", "switches.changed_by"),
    "switches.reason",
)
# They hold something else by what writes them.
NEVER: Final[Mapping[str, str]] = {
    "accounts": "kind tier",
    "api_requests": "owner request_key fingerprint operation reveals",
    "approvals": "kind state",
    "audit_trail": "action",
    "batches": "reference owner",
    "batch_rows": "serial code",
    "callbacks": "dialect part provider address became",
    "delivery_reports": "channel message_id status delivery reason",
    "deposits": "reference provider",
    "disputes": "reference kind subject open_subject step",
    "inbound_sms": "channel message_id recipient text_digest outcome",
    "key_holders": "process role generate_kids lookup_kids",
    "movements": "kind",
    "outbox": "template state lease_by channel line",
    "outlets": "code name settle_to",
    "partner_endpoints": "owner url reason",
    "partner_events": "owner kind serial cause details",  # never who was paid
    "partner_feeds": "owner",
    "partner_keys": "key_id secret scopes",
    "partner_outlets": "outlet",
    "partner_profiles": "",
    "partner_secrets": "sealed",
    "partner_texts": "text",
    "partners": "code name",
    "payments": "reference serial answer fresh_serial",
    "payout_events": "reference source said verdict txn_id reason",
    "pins": "hash counted pending_hash",
    "reconciliation_findings": "kind provider txn_id reference note",
    "reconciliation_runs": "provider",
    "staff": "name role pin_hash status outlet next_pin_hash",
    "staff_sessions": "digest",
    "staff_tries": "place",  # an address, or a keyed digest
    "statement_lines": "provider txn_id reference",
    "statements": "provider digest",
    "switches": "what",
    "tokens": "serial txn_id lookup status binding redeemed_channel",
    "ussd_sessions": "state_key channel network end_status",
    "ussd_steps": "state_key text_digest",
    "withdrawals": "reference method provider provider_ref paid_through provider_txn_id",
    "write_keys": "purpose",
    "written_keys": "purpose fingerprint",
}


def never() -> list[str]:
    """The same, each by its table and column."""
    return [f"{table}.{column}" for table, columns in NEVER.items() for column in columns.split()]
