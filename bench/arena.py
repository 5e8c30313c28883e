"""Prepares a database for each side of the bench and starts its server."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import (
    debits,
    floor_debits,
    floor_schema,
    floor_topups,
    floors,
    product,
    product_debits,
    product_topups,
)
from bench.debits import Arm
from bench.product import Product
from bench.rounds import Contestant, dialogues
from bench.servers import Server, serving
from bench.topups import Topup
from bench.webhooks import Payee
from tests.support.mariadb import PrivateMariaDB

AMOUNT = "1.00"
CURRENCY = "NGN"
PHONES = 2_000


class Arena:
    """Prepares a database for each side and starts its server; both end with `servers`."""

    def __init__(self, database: PrivateMariaDB, servers: ExitStack) -> None:
        self._database = database
        self._servers = servers
        self._logs = Path(servers.enter_context(TemporaryDirectory()))

    def floor(self, total: int, played: int) -> Contestant:
        """The hand-written handlers on tables of their own."""
        url = self.new_database("floor")
        tokens = [f"{secrets.randbelow(10**18):018d}" for _ in range(total)]
        with floor_schema.connect(url) as connection:
            floor_schema.fill(connection, tokens, phones(), AMOUNT, CURRENCY)
        server = self._floor("floor", url)
        return self._contestant("floor", server, floors.PATH, tokens[:played])

    def product(self, name: str, total: int, played: int) -> Contestant:
        """The gateway on a migrated database with `total` tokens."""
        filling = Product(self.new_database(name), AMOUNT, CURRENCY)
        tokens = filling.prepare(phones(), played, total)
        server = self._serve(name, product.APPLICATION, filling.env)
        return self._contestant(name, server, product.PATH, tokens)

    def floor_payee(self, orders: Sequence[Topup]) -> Payee:
        """The hand-written webhook, with these orders to be paid."""
        url = self.new_database("webhook_floor")
        with floor_schema.connect(url) as connection:
            floor_schema.fill(connection, (), (), AMOUNT, CURRENCY)
            floor_topups.fill(connection, orders)
        return Payee("floor", self._floor("webhook_floor", url), orders)

    def payee(self, orders: Sequence[Topup]) -> Payee:
        """The gateway, with these orders to be paid."""
        filling = Product(self.new_database("webhook_ours"), AMOUNT, CURRENCY)
        product_topups.prepare(filling.url, orders)
        server = self._serve("webhook_ours", product.APPLICATION, filling.env)
        return Payee("ours", server, orders)

    def arms(self) -> tuple[Arm, Arm]:
        """The accounts to debit: ours, and the floor's."""
        sides = ((debits.OURS, product_debits.prepare), (debits.FLOOR, floor_debits.prepare))
        ours, floor = (
            Arm(name, url, dict(zip(debits.ROWS, prepare(url, debits.ACCOUNTS), strict=True)))
            for name, prepare in sides
            for url in (self.new_database(f"debit_{name}"),)
        )
        return ours, floor

    def miscounted(self, sides: Sequence[Contestant]) -> list[str]:
        """What the databases hold against what the callers were told."""
        return [
            f"{side.name}: {side.redeemed} told of a redemption, {held} in the database"
            for side in sides
            if (held := self._redeemed(side.name)) != side.redeemed
        ]

    def _redeemed(self, name: str) -> int:
        held = "token WHERE state" if name == "floor" else "tokens WHERE status"
        with self._database.connect(name) as connection, connection.cursor() as cursor:
            cursor.execute(f"SELECT COUNT(*) FROM {held} = 'redeemed'")
            return int((cursor.fetchone() or (0,))[0])

    def new_database(self, name: str) -> str:
        """The URL of a new, empty database."""
        self._database.create_database(name)
        return self._database.url(name)

    def _floor(self, name: str, url: str) -> Server:
        return self._serve(name, floors.APPLICATION, {floors.URL_VARIABLE: url})

    def _serve(self, name: str, application: str, env: Mapping[str, str]) -> Server:
        return self._servers.enter_context(serving(application, env, self._logs / name))

    def _contestant(
        self, name: str, server: Server, path: str, tokens: Sequence[str]
    ) -> Contestant:
        success = f"{CURRENCY} {AMOUNT}".encode()
        return Contestant(name, server, path, success, dialogues(tokens, phones()))


def phones() -> list[str]:
    """The callers, in E.164."""
    return [f"+234803{number:07d}" for number in range(PHONES)]
