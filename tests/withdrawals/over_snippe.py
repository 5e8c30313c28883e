"""A gateway in Tanzania that pays through Snippe's API, emulated over real HTTP."""

import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, update

from gateway.clock import Clock
from gateway.ledger import store as ledger_store
from gateway.ledger import wallets
from gateway.ledger.books import Leg
from gateway.ledger.store import HOUSE
from gateway.outbox.store import outbox
from gateway.settings.providers import Providers, Snippe
from gateway.withdrawals import store
from gateway.withdrawals.request import Wish
from gateway.withdrawals.store import Withdrawal
from tests.emulators.provider import Request
from tests.emulators.snippe import API_KEY, SnippeApi
from tests.support.wired import Wired

PAYEE = "+255700000001"
SECRET = "synthetic-snippe-signing-key"
PUBLIC_URL = "https://pay.example.com"


def environment(api: SnippeApi) -> dict[str, str]:
    """The settings of the same for a process of its own."""
    return {
        "GATEWAY_COUNTRY": "TZ",
        "GATEWAY_CURRENCY": "TZS",
        "GATEWAY_TIMEZONE": "Africa/Dar_es_Salaam",
        "GATEWAY_PUBLIC_URL": PUBLIC_URL,
        "GATEWAY_SNIPPE_API_KEY": API_KEY,
        "GATEWAY_SNIPPE_WEBHOOK_SECRET": SECRET,
        "GATEWAY_SNIPPE_BASE_URL": api.url,
    }


class Tanzania:
    """The wired gateway, one wallet with 100,000 shillings, and short ways to look."""

    def __init__(self, url: str, clock: Clock, api: SnippeApi) -> None:
        self.api = api
        snippe = Snippe(webhook_secret=(SECRET,), api_key=API_KEY, base_url=api.url)
        self.wired = Wired(
            url,
            clock,
            country="TZ",
            currency="TZS",
            zone=ZoneInfo("Africa/Dar_es_Salaam"),
            providers=Providers(public_url=PUBLIC_URL, snippe=snippe),
        )
        self.clock = clock

    def request(self, amount: str = "60000.00") -> Withdrawal:
        """Fund the wallet and ask for a withdrawal."""
        gateway, now = self.wired.gateway, self.clock.now()
        books, hundred = gateway.books, Decimal("100000.00")

        def work(connection: Connection) -> Withdrawal:
            wallet = wallets.ensure(connection, PAYEE, "TZS", now)
            house = books.system(connection, HOUSE, "TZS", now)
            legs = (Leg(house, -hundred), Leg(wallet, hundred))
            books.post(connection, "test:fund", "test", "", legs, now)
            wish = Wish(wallet, Decimal(amount), Decimal("0.00"), "one", PAYEE, PAYEE)
            return gateway.withdrawals.requester.request(connection, wish, now)

        return self.wired.run(work)

    def work(self) -> int:
        """Run every task that is due; how many."""
        runner, done = self.wired.gateway.runner("test"), 0
        while runner.run_next():
            done += 1
        return done

    def stands(self, made: Withdrawal) -> tuple[str, str, Decimal | None, Decimal]:
        """State, step of paying, and what its owner can spend and holds."""

        def look(connection: Connection) -> tuple[str, str, Decimal | None, Decimal]:
            found = store.by_reference(connection, made.reference)
            assert found is not None
            owner = ledger_store.by_id(connection, found.account_id)
            return found.state, found.payout, owner.balance, owner.held

        return self.wired.run(look)

    def calls(self) -> list[Request]:
        """The requests that asked for a payout."""
        return [r for r in self.api.requests if (r.method, r.path) == ("POST", "/payouts/send")]

    def age(self, seconds: float) -> None:
        """Let so much time have passed for every task that waits or runs."""

        def work(connection: Connection) -> None:
            for row in connection.execute(outbox.select().where(outbox.c.line != "sms")).all():
                earlier = row.run_at - timedelta(seconds=seconds)
                connection.execute(
                    update(outbox).where(outbox.c.id == row.id).values(run_at=earlier)
                )

        self.wired.run(work)

    def hear(self, made: Withdrawal, event: str, **data: Any) -> int:
        """Deliver a signed webhook over the real route; the HTTP status."""
        return self.deliver(self.webhook(made, event, **data))()

    def webhook(self, made: Withdrawal, event: str, **data: Any) -> bytes:
        """The body of an event about a payout."""
        (payout,) = self.api.by_order(made.reference)
        document = {
            "id": f"evt_{made.reference}_{event}",
            "type": event,
            "created_at": self.clock.now().isoformat(),
            "data": {
                "reference": payout["reference"],
                "status": event.partition(".")[2],
                "amount": payout["amount"],
                "metadata": payout["metadata"],
                "recipient": {"phone": PAYEE},
                **data,
            },
        }
        return json.dumps(document).encode()

    def deliver(self, body: bytes) -> Callable[[], int]:
        """Something that delivers these bytes, signed now."""
        stamp = str(int(self.clock.now().timestamp()))
        signed = hmac.new(SECRET.encode(), stamp.encode() + b"." + body, hashlib.sha256)
        headers = {"X-Webhook-Timestamp": stamp, "X-Webhook-Signature": signed.hexdigest()}

        def post() -> int:
            client = self.wired.app.test_client()
            sent = client.post(
                "/webhooks/snippe",
                data=body,
                headers=headers | {"Content-Type": "application/json"},
            )
            return sent.status_code

        return post
