"""Compares the product's token derivation with a bare loop of the same HMAC, in one process."""

import hashlib
import hmac
import time
from collections.abc import Callable

from bench.report import Row, Target, middle

SLICE_SECONDS = 0.15
SLICES = 11
BARE_KEY = bytes(range(32))
NUMBERS = tuple(map(str, range(1_000)))


def derive_row(derive: Callable[[str], object], message: bytes, target: Target) -> Row:
    """Take turns between `derive(txn_id)` and HMAC-SHA256 over `message`, in short slices."""

    def bare(_: str) -> bytes:
        return hmac.digest(BARE_KEY, message, hashlib.sha256)

    slices = [(calls_per_second(derive), calls_per_second(bare)) for _ in range(SLICES)]
    return Row(
        "derive",
        "a second",
        middle([ours for ours, _ in slices]),
        middle([floor for _, floor in slices]),
        target,
        round_ratios=tuple(ours / floor for ours, floor in slices),
    )


def calls_per_second(call: Callable[[str], object], seconds: float = SLICE_SECONDS) -> float:
    """How often `call` runs in a second, measured for about `seconds`."""
    done = 0
    started = time.perf_counter()
    while (elapsed := time.perf_counter() - started) < seconds:
        for number in NUMBERS:
            call(number)
        done += len(NUMBERS)
    return done / elapsed
