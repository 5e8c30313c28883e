"""What runs in a process of its own: the redeeming desk over the test's database, little else."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from gateway.database.engine import Database
from gateway.ledger.books import Books
from gateway.tokens.keys.rings import GENERATE, LOOKUP, KeyRings, Ring
from gateway.tokens.redeem import Answer, Caller, Outcome, Redeemer
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.tokens.vectors import GENERATE_KEY, GENERATE_KID, LOOKUP_KEY, LOOKUP_KID

Entry = tuple[str, str]  # a token and the phone that enters it


def redeem_all(url: str, entries: Sequence[Entry]) -> list[Answer]:
    """Redeem all entries at once, each on a thread; the answers."""
    rings = KeyRings(
        Ring(GENERATE, {GENERATE_KID: GENERATE_KEY}), Ring(LOOKUP, {LOOKUP_KID: LOOKUP_KEY})
    )
    redeemer, database, now = Redeemer(rings, Books()), Database(url), SteppedClock().now()

    def redeem(number: int) -> Outcome:
        token, phone = entries[number]
        caller = Caller(phone, "africastalking", "en")
        return database.run(partial(redeemer.redeem, entry=token, caller=caller, now=now))

    try:
        results = race(len(entries), redeem)
    finally:
        database.dispose()
    failed = [result for result in results if isinstance(result, Exception)]
    if failed:
        raise RuntimeError(f"{len(failed)} failed, the first with {failed[0]!r}")
    return [result.answer for result in results if isinstance(result, Outcome)]


def over_processes(url: str, shares: Sequence[Sequence[Entry]]) -> list[list[Answer]]:
    """Let one process for each share redeem at the same time."""
    with ProcessPoolExecutor(len(shares), mp_context=get_context("spawn")) as pool:
        return list(pool.map(redeem_all, [url] * len(shares), shares))
