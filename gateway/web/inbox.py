"""What a demo phone has been sent: the outbox rendered when it is viewed, kept nowhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gateway.database.engine import Database
from gateway.outbox import queue
from gateway.outbox.sending import Renderer
from gateway.web.phone import Sms


@dataclass(frozen=True, slots=True)
class Inbox:
    """The inboxes of all phones; for demo mode alone, since it shows token digits."""

    database: Database
    renderers: Mapping[str, Renderer]
    sender_name: str

    def of(self, msisdn: str) -> Sequence[Sms]:
        """A phone's messages, newest first."""
        with self.database.snapshot() as connection:
            return [
                Sms(
                    message.id,
                    self.sender_name,
                    self.renderers[message.template](connection, message).body,
                    message.handed_over_at or message.created_at,
                )
                for message in queue.inbox(connection, msisdn)
            ]
