"""Runs the whole bench once: `python -m bench` prints one table and writes var/bench.json."""

import secrets
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from bench import floor_schema, floors, product
from bench.derive import derive_row
from bench.product import Product
from bench.report import Row, Target, machine, table, write_json
from bench.rounds import (
    Contestant,
    dialogues,
    first_errors,
    gets_per_second,
    growth_row,
    play_rounds,
    step_row,
)
from bench.servers import Server, serving
from tests.support.mariadb import PrivateMariaDB

AMOUNT = "1.00"
CURRENCY = "NGN"
PHONES = 2_000
TOKENS_FEW = 10_000
TOKENS_MANY = 1_000_000
SERVER_OPTIONS = (
    "--innodb-flush-log-at-trx-commit=1",
    "--innodb-buffer-pool-size=512M",
    "--innodb-log-file-size=96M",  # the server's default; the tests' server has less
)

STEP_TARGET = Target(0.60)
GROWTH_TARGET = Target(1.2, at_least=False)
DERIVE_TARGET = Target(0.5)
MEMORY_TARGET = Target(150.0, at_least=False, of_ours=True)


class Progress:
    """Tells on the terminal how far the bench is, with the seconds since its start."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def __call__(self, text: str) -> None:
        click.echo(f"{time.monotonic() - self._started:6.1f} s  {text}", err=True)


@click.command()
@click.option("--rounds", default=20, help="Rounds each side plays.")
@click.option("--count", default=400, help="Dialogues a round and side.")
@click.option("--many", default=TOKENS_MANY, help="Tokens in the large table.")
@click.option("--output", default="var/bench.json", type=click.Path(path_type=Path))
def main(rounds: int, count: int, many: int, output: Path) -> None:
    """Measure the gateway against hand-written floors on a private, durable MariaDB."""
    tell = Progress()
    played = PHONES + rounds * count
    tell("starting a private MariaDB with durable commits")
    with PrivateMariaDB(SERVER_OPTIONS) as database, ExitStack() as servers:
        arena = Arena(database, servers, Path(servers.enter_context(TemporaryDirectory())))
        floor = arena.floor(max(played, TOKENS_FEW), played)
        tell(f"filling two databases with {TOKENS_FEW:,} and {many:,} tokens")
        ours = arena.product("few", max(played, TOKENS_FEW), played)
        grown = arena.product("many", max(played, many), played)
        sides = (floor, ours, grown)
        tell("warming up: every phone redeems once on each side")
        for side in sides:
            side.warm_up(PHONES)
        tell(f"playing {rounds} rounds of {count} dialogues a side")
        play_rounds(sides, rounds, count, tell)
        rows = [
            step_row("menu_step", ours.menus, floor.menus, STEP_TARGET),
            step_row("redeem_step", ours.redeems, floor.redeems, STEP_TARGET),
            growth_row(grown.redeems, ours.redeems, GROWTH_TARGET),
            derive_row(product.derivation(), product.derivation_message(), DERIVE_TARGET),
            memory_row(ours.server, floor.server),
            hello_row(ours.server, floor.server),
        ]
        for wrong in (*first_errors(sides), *arena.miscounted(sides)):
            tell(wrong)
        named_machine = machine(mariadb_version(database))
    write_json(output, rows, named_machine)
    tell(f"wrote {output}")
    click.echo(table(rows, named_machine))


class Arena:
    """Prepares a database for each side and starts its server; both end with `servers`."""

    def __init__(self, database: PrivateMariaDB, servers: ExitStack, logs: Path) -> None:
        self._database = database
        self._servers = servers
        self._logs = logs

    def floor(self, total: int, played: int) -> Contestant:
        """The hand-written handlers on tables of their own."""
        url = self._new_database("floor")
        tokens = [f"{secrets.randbelow(10**18):018d}" for _ in range(total)]
        connection = floors.connect(url)
        floor_schema.fill(connection, tokens, phones(), AMOUNT, CURRENCY)
        connection.close()
        env = {floors.URL_VARIABLE: url}
        return self._contestant("floor", floors.APPLICATION, env, floors.PATH, tokens[:played])

    def product(self, name: str, total: int, played: int) -> Contestant:
        """The gateway on a migrated database with `total` tokens."""
        filling = Product(self._new_database(name), AMOUNT, CURRENCY)
        tokens = filling.prepare(phones(), played, total)
        return self._contestant(name, product.APPLICATION, filling.env, product.PATH, tokens)

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

    def _new_database(self, name: str) -> str:
        self._database.create_database(name)
        return self._database.url(name)

    def _contestant(
        self, name: str, application: str, env: dict[str, str], path: str, tokens: Sequence[str]
    ) -> Contestant:
        server = self._servers.enter_context(serving(application, env, self._logs / name))
        success = f"{CURRENCY} {AMOUNT}".encode()
        return Contestant(name, server, path, success, dialogues(tokens, phones()))


def phones() -> list[str]:
    """The callers, in E.164."""
    return [f"+234803{number:07d}" for number in range(PHONES)]


def memory_row(ours: Server, floor: Server) -> Row:
    """Compare the largest web worker after all rounds."""
    return Row(
        "worker_memory_mb",
        "MB",
        max(ours.worker_memory_mb()),
        max(floor.worker_memory_mb()),
        MEMORY_TARGET,
    )


def hello_row(ours: Server, floor: Server) -> Row:
    """Compare a request that touches no database with a bare Flask handler, for context."""
    return Row(
        "hello",
        "a second",
        gets_per_second(ours.port, "/healthz"),
        gets_per_second(floor.port, "/hello"),
    )


def mariadb_version(database: PrivateMariaDB) -> str:
    """The server's own version text."""
    with database.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT VERSION()")
        return str((cursor.fetchone() or ("unknown",))[0])


if __name__ == "__main__":
    main()
