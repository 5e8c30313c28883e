"""The table of all that is stored: what of persons it holds, for how long, and what forgets it.

docs/retention.md shows it; a table of the schema that is not here fails the tests.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of data: where it is stored, and until when."""

    tables: tuple[str, ...]
    holds: str  # of persons
    kept: str
    chore: str = ""  # of `gateway sweep`, that forgets it; empty: nothing does
    setting: str = ""
    days: int | None = None  # unless the setting says otherwise
    elsewhere: str = ""  # what forgets it, where no chore of the sweep does


FOREVER = "kept"
BOOKS = "kept: the books must be provable years later, and refuse changes"

KINDS: Final = (
    Kind(
        ("ussd_sessions", "ussd_steps"),
        "a phone, the screens shown",
        "24 hours after the dialogue began",
        chore="ussd_sessions_purged",
    ),
    Kind(
        ("outbox",),
        "a phone, amounts, serials; no digits",
        "so long after it ended: sent, delivered, failed or dropped; payouts are kept, they prove"
        " that one was handed over once",
        chore="messages_purged",
        setting="GATEWAY_MESSAGE_DAYS",
        days=400,
    ),
    Kind(
        ("inbound_sms",),
        "a phone, the text with its digit runs masked",
        "so long after it came; until then a message that comes again is recognised by it",
        chore="inbound_sms_purged",
        setting="GATEWAY_MESSAGE_DAYS",
        days=400,
    ),
    Kind(
        ("delivery_reports",),
        "a phone",
        "so long after it came",
        chore="reports_purged",
        setting="GATEWAY_MESSAGE_DAYS",
        days=400,
    ),
    Kind(
        ("callbacks",),
        "raw bytes: payers' names and phones, addresses",
        "so long after it came, whole rows",
        chore="callbacks_purged",
        setting="GATEWAY_CALLBACK_DAYS",
        days=400,
    ),
    Kind(
        ("api_requests",),
        "a phone in the answer; keyed digests of key and body",
        "so long after it came; a repeat after that is a new request",
        chore="requests_purged",
        setting="GATEWAY_REQUEST_DAYS",
        days=7,
    ),
    Kind(
        ("partner_events",),
        "no phone; serials and amounts",
        "so long after it happened; its webhook is tried for four days",
        chore="events_purged",
        setting="GATEWAY_EVENT_DAYS",
        days=90,
    ),
    Kind(
        ("guess_counters",),
        "a phone or cashier",
        "2 days after the last wrong entry",
        chore="counters_purged",
    ),
    Kind(
        ("agent_customers",),
        "a phone, what a till paid it that day",
        "3 days after its day",
        chore="till_days_purged",
    ),
    Kind(
        ("staff_sessions",),
        "who was logged in, a keyed digest",
        "until they are over",
        chore="staff_sessions_purged",
    ),
    Kind(
        ("staff_tries",),
        "an address, who is known there; of a stranger's phone a keyed digest",
        "until they say nothing any more, 30 days at most",
        chore="staff_tries_purged",
    ),
    Kind(
        ("key_holders",),
        "nobody",
        "until the process signs off, or is not seen for days",
        elsewhere="the reports of other processes",
    ),
    Kind(
        ("tokens",),
        "the recipient's and redeemer's phone, a sender's name",
        "kept: digits that were issued once are never issued again",
    ),
    Kind(
        ("accounts", "movements", "entries"),
        "a wallet's phone",
        BOOKS,
    ),
    Kind(
        ("audit_trail", "approvals"),
        "a phone as the subject, who acted",
        "kept; the trail refuses changes",
    ),
    Kind(("deposits", "withdrawals", "payout_events", "disputes"), "a phone", FOREVER),
    Kind(
        ("payments",),
        "a customer's phone where it was asked for, who looked a token up",
        "kept: the report of tokens redeemed later reads it",
    ),
    Kind(("outlets", "tills", "shifts"), "cashiers, what they counted", FOREVER),
    Kind(
        ("statements", "statement_lines"),
        "no phone; the carrier's ids",
        "kept; lines of an import that failed go when the same file comes again",
    ),
    Kind(("reconciliation_runs", "reconciliation_findings"), "references", FOREVER),
    Kind(
        ("subscribers", "pins", "sms_wishes"),
        "a phone, its language, a hash, whether it said STOP",
        "kept while the number is known: a wish must hold",
    ),
    Kind(("staff",), "a phone, a name, a hash", "kept: the trail names them by it"),
    Kind(
        (
            *("partners", "partner_profiles", "partner_texts", "partner_keys"),
            *("partner_endpoints", "partner_secrets", "partner_outlets", "partner_feeds"),
        ),
        "a company's name and address; digests, and secrets that are sealed",
        FOREVER,
    ),
    Kind(("batches", "batch_rows"), "a phone of each row", FOREVER),
    Kind(("switches", "restores"), "who threw them", FOREVER),
    Kind(("write_keys", "written_keys"), "nobody", FOREVER),
)


def shown() -> list[str]:
    """The lines of the table in docs/retention.md."""
    lines = ["| table | of persons it holds | kept | by |", "|---|---|---|---|"]
    for kind in KINDS:
        by = f"`{kind.chore}`" if kind.chore else kind.elsewhere
        until = f"{kind.kept}: `{kind.setting}`, {kind.days} days" if kind.setting else kind.kept
        tables = ", ".join(f"`{name}`" for name in kind.tables)
        lines.append(f"| {tables} | {kind.holds} | {until} | {by} |")
    return lines
