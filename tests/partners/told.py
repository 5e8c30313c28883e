"""Partners that are told of their tokens, for tests: events, endpoints and a worker's turn."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection, select

from gateway.outbox.store import Message, message, outbox
from gateway.outbox.tasks import WEBHOOK
from gateway.partners.endpoints.manage import Made
from gateway.partners.events import store
from gateway.partners.events.store import Event, partner_events
from tests.emulators.receiver import Receiver
from tests.support.partner import Partner, partner
from tests.support.wired import Wired


@dataclass
class Told:
    """A partner, the gateway that tells it, and a worker."""

    wired: Wired
    acme: Partner

    def token(self, **changes: object) -> tuple[str, str]:
        """A token that the partner was shown: its serial and its digits."""
        made = self.acme.post("/tokens", {"amount": "50.00", "deliver": False} | changes)
        assert made.status_code == 201, made.text
        return made.json["serial"], made.json["token"]

    def ended(self, number: int = 1) -> list[str]:
        """Tokens that were cancelled, so that there are events; their serials."""
        serials = [self.token()[0] for _ in range(number)]
        for serial in serials:
            assert self.acme.post(f"/tokens/{serial}/cancel").status_code == 200
        return serials

    def events(self, owner: str = "acme") -> list[Event]:
        """Every event there is, numbered or not."""
        rows = select(partner_events.c.id).where(partner_events.c.owner == owner)

        def read(connection: Connection) -> list[Event]:
            ids = [row[0] for row in connection.execute(rows.order_by(partner_events.c.id))]
            return [event for one in ids if (event := store.by_id(connection, one)) is not None]

        return self.wired.run(read)

    def endpoint(self, receiver: Receiver, test: bool = False) -> Made:
        """Let the partner's webhooks go to a receiver, which learns the secret."""
        endpoints, now = self.wired.gateway.money.events.endpoints, self.wired.clock.now()
        made = self.wired.run(
            lambda c: endpoints.set_url(c, "acme", test, receiver.url, "test", now)
        )
        receiver.secret = made.secret or receiver.secret
        return made

    def turn(self) -> int:
        """What a worker does in one turn; how many webhooks were handled."""
        gateway = self.wired.gateway
        gateway.money.events.advance(gateway.database, gateway.clock)
        runner, handled = gateway.money.runner("test", (WEBHOOK,)), 0
        while runner.run_next():
            handled += 1
        return handled

    def rows(self) -> list[Message]:
        """Every webhook of the outbox, oldest first."""
        query = select(outbox).where(outbox.c.line == WEBHOOK).order_by(outbox.c.id)
        return self.wired.run(lambda c: [message(row) for row in c.execute(query)])

    def clocked(self) -> Callable[[], float]:
        """The gateway's clock, for a receiver that minds the time of a webhook."""
        return lambda: self.wired.clock.now().timestamp()


def told(wired: Wired) -> Told:
    """Acme, with a float."""
    return Told(wired, partner(wired))
