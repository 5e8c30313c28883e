"""Table and SQL of delivery reports."""

from datetime import datetime

from sqlalchemy import Column, Connection, Index, String, bindparam, insert, select

from gateway.channels.base import DeliveryReport
from gateway.database.types import Instant, row_id, table

STATUS_MAX, REASON_MAX = 40, 100

delivery_reports = table(
    "delivery_reports",
    row_id(),
    Column("channel", String(20), nullable=False),
    Column("message_id", String(128), nullable=False),
    Column("status", String(40), nullable=False),  # the aggregator's word, verbatim
    Column("delivery", String(16), nullable=False),
    Column("reason", String(100), nullable=False),
    Column("received_at", Instant, nullable=False),
    Index(
        "uq_delivery_reports_channel_message_id_status",
        "channel",
        "message_id",
        "status",
        unique=True,
    ),
)

_REPORTS = select(
    delivery_reports.c.delivery, delivery_reports.c.status, delivery_reports.c.reason
).where(
    delivery_reports.c.channel == bindparam("channel"),
    delivery_reports.c.message_id == bindparam("message_id"),
)


def about(connection: Connection, channel: str, message_id: str) -> list[tuple[str, str, str]]:
    """(delivery, status, reason) of every report about a message, in order of arrival."""
    rows = connection.execute(
        _REPORTS.order_by(delivery_reports.c.id), {"channel": channel, "message_id": message_id}
    )
    return [(row[0], row[1], row[2]) for row in rows]


def add(connection: Connection, report: DeliveryReport, now: datetime) -> None:
    """Keep a report; a racing repeat of it ends in `DuplicateKey` and a repeat."""
    connection.execute(
        insert(delivery_reports).values(
            channel=report.channel,
            message_id=report.message_id,
            status=report.status[:STATUS_MAX],
            delivery=report.delivery.value,
            reason=report.reason[:REASON_MAX],
            received_at=now,
        )
    )
