"""Deposits over the wired gateway: orders, callbacks signed or not, and what became of them."""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, select
from werkzeug.test import TestResponse

from gateway.clock import Clock
from gateway.deposits import references, store
from gateway.deposits.callbacks.store import callbacks
from gateway.deposits.store import Deposit, deposits
from gateway.ledger import store as ledger
from gateway.ledger import wallets
from gateway.reconciliation.statements import store as statements
from gateway.reconciliation.statements.store import Line
from gateway.settings.providers import AirtelMoney, Daraja, Providers, Selcom, Snippe, TigoPesa
from tests.support.wired import SECRET, Wired

SNIPPE_SECRET, AIRTEL_KEY, C2B_TOKEN = "snippe-secret", "airtel-private-key", "c2b-token"
JUMA, NEEMA = "+255680000001", "+255680000002"
PROVIDERS = Providers(
    public_url="https://pay.example.com",
    snippe=Snippe(webhook_secret=(SNIPPE_SECRET,), api_key="snp_synthetic_key"),
    selcom=Selcom(c2b_token=(C2B_TOKEN,)),
    airtelmoney=AirtelMoney(
        client_id="synthetic-client",
        client_secret="synthetic-client-secret",
        callback_key=(AIRTEL_KEY,),
    ),
    tigopesa=TigoPesa(allowed_addresses=("127.0.0.1",)),
    daraja=Daraja(
        consumer_key="synthetic-consumer-key",
        consumer_secret="synthetic-consumer-secret",
        shortcode="600000",
        passkey="synthetic-passkey",
        allowed_addresses=("127.0.0.1",),
    ),
)


def reaching(**urls: str) -> Providers:
    """The providers with the base URLs of emulators, by their names."""
    changed = {name: replace(getattr(PROVIDERS, name), base_url=url) for name, url in urls.items()}
    return replace(PROVIDERS, **changed)


@contextmanager
def till(url: str, clock: Clock, country: str = "TZ", **changes: Any) -> Iterator["Till"]:
    """A gateway in Tanzania (or Kenya) that takes money."""
    currency = {"TZ": "TZS", "KE": "KES"}[country]
    values = {"country": country, "currency": currency, "providers": PROVIDERS, **changes}
    made = Till(url, clock, **values)
    yield made
    made.close()


class Till(Wired):
    """A wired gateway, with short ways to order, to call back and to look."""

    @property
    def currency(self) -> str:
        """What it takes."""
        return self.gateway.settings.currency

    def wallet(self, phone: str = JUMA) -> ledger.Account:
        """A phone's wallet, made if need be."""
        now = self.clock.now()
        return self.run(lambda c: wallets.ensure(c, phone, self.currency, now))

    def has(self, phone: str = JUMA) -> Decimal:
        """What a phone can spend."""
        wallet = self.run(lambda c: wallets.find(c, phone, self.currency))
        return (wallet.balance if wallet else None) or Decimal("0.00")

    def order(self, amount: str = "15000", provider: str = "snippe", phone: str = JUMA) -> Deposit:
        """An order, with its push queued."""
        now, orders = self.clock.now(), self.gateway.deposits.orders
        reference = references.new()
        worth = Decimal(amount).quantize(Decimal("0.01"))
        return self.run(
            lambda c: orders.place(c, reference, phone, provider, worth, self.currency, now)
        )

    def learn(self, order: Deposit, **names: str) -> Deposit:
        """What a push would have recorded."""
        self.run(lambda c: store.note(c, order.id, self.clock.now(), **names))
        return self.seen(order)

    def seen(self, order: Deposit) -> Deposit:
        """The order as it is now."""
        return self.run(lambda c: store.locked(c, order.id))

    def all(self) -> list[Deposit]:
        """Every deposit, oldest first."""
        query = select(*deposits.c).order_by(deposits.c.id)
        return self.run(lambda c: [Deposit(*row) for row in c.execute(query)])

    def became(self) -> list[str]:
        """What became of each callback."""
        query = select(callbacks.c.became).order_by(callbacks.c.id)
        return self.run(lambda c: list(c.execute(query).scalars()))

    def suspense(self, provider: str) -> Decimal:
        """What lies in a provider's suspense account."""
        query = (
            "SELECT COALESCE(SUM(e.amount), 0) FROM entries e JOIN accounts a"
            f" ON a.id = e.account_id WHERE a.kind = 'suspense' AND a.owner = '{provider}'"
        )
        found = self.run(lambda c: c.exec_driver_sql(query).scalar_one())
        places = -2 if self.gateway.database.is_sqlite else 0
        return Decimal(found).scaleb(places).quantize(Decimal("0.01"))

    def stated(
        self,
        provider: str,
        txn_id: str,
        amount: str,
        by: str = "cli:bookkeeper",
        **changes: Any,
    ) -> None:
        """A statement of a provider in which money came to us."""
        now = self.clock.now()
        facts = {"digest": f"{provider} {txn_id} {by}", "state": "importing", "line_count": 1}
        days = {"first_day": now.date(), "last_day": now.date(), "closing": None}
        made = {"imported_by": by, "imported_at": now, "currency": self.currency}
        values = {"provider": provider, **facts, **days, **made}
        line = Line(1, "in", txn_id, "", Decimal(amount), Decimal("0"), self.currency, now)

        def work(connection: Connection) -> None:
            number = statements.add(connection, values)
            statements.add_lines(connection, number, provider, [replace(line, **changes)])
            statements.finish(connection, number)

        self.run(work)

    def confirm(self, order: Deposit, txn_id: str, by: str = "cli:one") -> Deposit:
        """What one operator's word alone does."""
        confirming, now = self.gateway.deposits.confirming, self.clock.now()
        args = (order.reference, txn_id, by, "on the statement", now)
        return self.run(lambda c: confirming.alone(c, *args))

    def confirm_by_two(self, order: Deposit, txn_id: str) -> Deposit:
        """What the words of two operators do."""
        confirming, now = self.gateway.deposits.confirming, self.clock.now()
        approvals = self.gateway.approvals

        def ask(connection: Connection) -> int:
            details = confirming.request(connection, order.reference, txn_id, now)
            about = ("deposit.confirm", order.reference, details, "cli:one", "seen", now)
            return approvals.ask(connection, *about)

        number = self.run(ask)
        self.run(lambda c: approvals.approve(c, number, "cli:two", now))
        return self.seen(order)

    def movements(self, kind: str = "deposit") -> int:
        """How many movements of a kind were booked."""
        query = select(ledger.movements.c.id).where(ledger.movements.c.kind == kind)
        return self.run(lambda c: len(c.execute(query).all()))

    @contextmanager
    def unable_to_settle(self) -> Iterator[None]:
        """A time in which callbacks can be stored and not settled."""
        self.run(lambda c: c.exec_driver_sql("ALTER TABLE deposits RENAME TO away"))
        try:
            yield
        finally:
            self.run(lambda c: c.exec_driver_sql("ALTER TABLE away RENAME TO deposits"))

    def run_tasks(self, runner: str = "test") -> int:
        """Let a worker do every task that is due; how many."""
        made = self.gateway.runner(runner)
        done = 0
        while made.run_next():
            done += 1
        return done

    def post(
        self, path: str, body: bytes, headers: Sequence[tuple[str, str]] = (), **more: Any
    ) -> TestResponse:
        """A callback by a client of its own, as races need."""
        kind = more.pop("content_type", "application/json")
        client = self.app.test_client()
        return client.post(
            f"/webhooks/{path}", data=body, headers=list(headers), content_type=kind, **more
        )

    def snippe(self, body: bytes, secret: str = SNIPPE_SECRET, **more: Any) -> TestResponse:
        """A signed webhook of Snippe."""
        stamp = str(int(self.clock.now().timestamp()))
        return self.post("snippe", body, snippe_headers(body, stamp, secret), **more)

    def airtel(self, reference: str, word: str = "TS", txn_id: str = "MP1") -> TestResponse:
        """A hashed callback of Airtel."""
        inner = {"id": reference, "message": "x", "status_code": word, "airtel_money_id": txn_id}
        signed = json.dumps({"transaction": inner}, separators=(",", ":")).encode()
        digest = base64.b64encode(hmac.digest(AIRTEL_KEY.encode(), signed, hashlib.sha256))
        return self.post("airtelmoney", signed[:-1] + b',"hash":"' + digest + b'"}')

    def stk(self, checkout: str, code: object = 0, **items: object) -> TestResponse:
        """An STK callback of Daraja."""
        listed = [{"Name": "Balance"}, *({"Name": n, "Value": v} for n, v in items.items())]
        result: dict[str, Any] = {"CheckoutRequestID": checkout, "ResultCode": code}
        if items:
            result["CallbackMetadata"] = {"Item": listed}
        body = json.dumps({"Body": {"stkCallback": result}}).encode()
        return self.post(f"daraja/{SECRET}/stk", body)

    def c2b(self, txn_id: str, amount: object, **members: object) -> TestResponse:
        """A C2B confirmation of Daraja."""
        said = {
            "TransactionType": "Pay Bill",
            "TransID": txn_id,
            "TransTime": "20260302120000",
            "TransAmount": amount,
            "BusinessShortCode": "600000",
            "BillRefNumber": "",
            "MSISDN": "25470****001",
            **members,
        }
        part = str(said.pop("part", "c2b/confirmation"))
        return self.post(f"daraja/{SECRET}/{part}", json.dumps(said).encode())


def snippe_headers(body: bytes, stamp: str, secret: str = SNIPPE_SECRET) -> list[tuple[str, str]]:
    """The credential of a webhook of Snippe."""
    signature = hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
    return [("X-Webhook-Timestamp", stamp), ("X-Webhook-Signature", signature)]


def snippe_body(
    order_id: str,
    amount: object = 15000,
    txn_id: str = "SYNX000001",
    event: str = "payment.completed",
    **members: object,
) -> bytes:
    """A webhook of Snippe about an order."""
    data: dict[str, object] = {
        "reference": f"pi_{order_id}",
        "external_reference": txn_id,
        "status": event.partition(".")[2],
        "amount": {"value": amount, "currency": "TZS"},
        "customer": {"phone": JUMA},
        "metadata": {"order_id": order_id},
        "completed_at": "2026-03-02T08:59:59Z",
        **members,
    }
    document = {"id": f"evt_{txn_id}", "type": event, "data": data}
    return json.dumps(document, separators=(",", ":")).encode()
