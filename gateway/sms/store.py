"""Table and SQL of inbound SMS: digit runs masked, the whole text only as a keyed digest."""

from dataclasses import dataclass

from sqlalchemy import Column, Connection, Index, String, Text, insert, select, update

from gateway.database.types import Digest, Instant, new_id, row_id, table

inbound_sms = table(
    "inbound_sms",
    row_id(),
    Column("channel", String(20), nullable=False),
    Column("message_id", String(128), nullable=False),
    Column("sender", String(32), nullable=False),
    Column("recipient", String(32), nullable=False),
    Column("masked_text", Text, nullable=False),
    Column("text_digest", Digest, nullable=False),
    Column("sent_at", Instant, nullable=True),
    Column("received_at", Instant, nullable=False),
    Column("outcome", String(40), nullable=False),
    Index("uq_inbound_sms_channel_message_id", "channel", "message_id", unique=True),
    Index("ix_inbound_sms_sender_id", "sender", "id"),
)


@dataclass(frozen=True, slots=True)
class Received:
    """An inbound message as it was stored."""

    id: int
    text_digest: bytes
    outcome: str


def find(connection: Connection, channel: str, message_id: str) -> Received | None:
    """The message with the aggregator's id, compared exactly."""
    c = inbound_sms.c
    row = connection.execute(
        select(c.id, c.text_digest, c.outcome).where(
            c.channel == channel, c.message_id == message_id
        )
    ).one_or_none()
    return None if row is None else Received(*row)


def add(connection: Connection, **values: object) -> int:
    """Store a message before it acts; a racing repeat ends in `DuplicateKey`."""
    made = connection.execute(insert(inbound_sms).values(**values))
    return new_id(made)


def set_outcome(connection: Connection, row: int, outcome: str) -> None:
    """What came of the message."""
    connection.execute(update(inbound_sms).where(inbound_sms.c.id == row).values(outcome=outcome))
