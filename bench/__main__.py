"""Runs the whole bench once: `python -m bench` prints one table and writes var/bench.json."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import click

from bench import debits, product, reconcile, topups, webhooks
from bench.arena import PHONES, Arena
from bench.derive import derive_row
from bench.report import Row, Target, machine, table, write_json
from bench.rounds import first_errors, gets_per_second, growth_row, play_rounds, step_row
from bench.servers import Server
from tests.support.mariadb import PrivateMariaDB

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
DEBIT_SECONDS = 1.0  # each turn of a side
DEBIT_ROUNDS_SHARE = 4  # a round of debits for so many of dialogues
MEMORY_TARGET = Target(150.0, at_least=False, of_ours=True)


class Progress:
    """Tells on the terminal how far the bench is, with the seconds since its start."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def __call__(self, text: str) -> None:
        click.echo(f"{time.monotonic() - self._started:6.1f} s  {text}", err=True)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much of everything is played."""

    rounds: int
    count: int
    many: int
    lines: int


@dataclass(slots=True)
class Score:
    """The rows so far, and what was wrong in words."""

    rows: list[Row] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


Part = Callable[[PrivateMariaDB, Sizes, Progress, Score], None]


def turns(database: PrivateMariaDB, sizes: Sizes, tell: Progress, score: Score) -> None:
    """USSD turns of the floor, ours, and ours among many tokens."""
    played = PHONES + sizes.rounds * sizes.count
    with ExitStack() as servers:
        arena = Arena(database, servers)
        floor = arena.floor(max(played, TOKENS_FEW), played)
        tell(f"filling two databases with {TOKENS_FEW:,} and {sizes.many:,} tokens")
        ours = arena.product("few", max(played, TOKENS_FEW), played)
        grown = arena.product("many", max(played, sizes.many), played)
        sides = (floor, ours, grown)
        tell("warming up: every phone redeems once on each side")
        for side in sides:
            side.warm_up(PHONES)
        tell(f"playing {sizes.rounds} rounds of {sizes.count} dialogues a side")
        play_rounds(sides, sizes.rounds, sizes.count, tell)
        score.rows += [
            step_row("menu_step", ours.menus, floor.menus, STEP_TARGET),
            step_row("redeem_step", ours.redeems, floor.redeems, STEP_TARGET),
            growth_row(grown.redeems, ours.redeems, GROWTH_TARGET),
            derive_row(product.derivation(), product.derivation_message(), DERIVE_TARGET),
            memory_row(ours.server, floor.server),
            hello_row(ours.server, floor.server),
        ]
        score.wrong += [*first_errors(sides), *arena.miscounted(sides)]


def deposits(database: PrivateMariaDB, sizes: Sizes, tell: Progress, score: Score) -> None:
    """Signed webhooks of deposits, then a storm of them."""
    stormy = sizes.count
    wanted = (sizes.rounds + 1) * sizes.count + stormy
    orders = topups.topups(wanted, topups.phones(PHONES))
    with ExitStack() as servers:
        tell(f"preparing {wanted:,} orders on each side")
        arena = Arena(database, servers)
        ours, floor = arena.payee(orders), arena.floor_payee(orders)
        webhooks.play((floor, ours), sizes.rounds, sizes.count, stormy, tell)
        wrong = []
        for side in (floor, ours):
            with database.connect(f"webhook_{side.name}") as connection:
                wrong += webhooks.miscredited(side, connection)
        score.rows += webhooks.rows(ours, floor, len(wrong))
        score.wrong += [*webhooks.first_errors((floor, ours)), *wrong]


def hot_rows(database: PrivateMariaDB, sizes: Sizes, tell: Progress, score: Score) -> None:
    """Guarded debits of one float, and of many wallets."""
    rounds = max(1, sizes.rounds // DEBIT_ROUNDS_SHARE)
    with ExitStack() as servers:
        ours, floor = arms = Arena(database, servers).arms()
        debits.play(arms, rounds, DEBIT_SECONDS, tell)
    wrong = []
    for arm in arms:
        with database.connect(f"debit_{arm.name}") as connection:
            wrong += debits.misbooked(arm, connection)
    score.rows += [debits.debit_row(row, ours, floor, len(wrong)) for row in debits.ROWS]
    score.wrong += [*debits.first_errors(arms), *wrong]


def night(database: PrivateMariaDB, sizes: Sizes, tell: Progress, score: Score) -> None:
    """A day's statement imported and compared."""
    with ExitStack() as servers:
        url = Arena(database, servers).new_database("reconcile")
        done = reconcile.reconciled(url, sizes.lines, tell)
    score.rows.append(reconcile.memory_row(done, sizes.lines))
    score.wrong += reconcile.misfound(done)


PARTS: Mapping[str, Part] = {
    "turns": turns,
    "webhooks": deposits,
    "debits": hot_rows,
    "reconcile": night,
}


@click.command()
@click.option("--rounds", default=20, help="Rounds each side plays.")
@click.option("--count", default=400, help="Dialogues or deposits a round and side.")
@click.option("--many", default=TOKENS_MANY, help="Tokens in the large table.")
@click.option("--reconcile-lines", default=reconcile.LINES, help="Lines of the statement.")
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(tuple(PARTS)),
    help="A part of it; may be given again. turns: menu_step to hello; webhooks: webhook,"
    " webhook_storm; debits: hot_debit, spread_debit; reconcile: reconcile_memory_mb.",
)
@click.option("--output", default="var/bench.json", type=click.Path(path_type=Path))
def main(
    rounds: int, count: int, many: int, reconcile_lines: int, only: Sequence[str], output: Path
) -> None:
    """Measure the gateway against hand-written floors on a private, durable MariaDB."""
    tell, score = Progress(), Score()
    sizes = Sizes(rounds, count, many, reconcile_lines)
    tell("starting a private MariaDB with durable commits")
    with PrivateMariaDB(SERVER_OPTIONS) as database:
        for name, part in PARTS.items():
            if not only or name in only:
                part(database, sizes, tell, score)
        named_machine = machine(mariadb_version(database))
    for wrong in score.wrong:
        tell(wrong)
    write_json(output, score.rows, named_machine)
    tell(f"wrote {output}")
    click.echo(table(score.rows, named_machine))


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
