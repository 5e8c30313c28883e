"""Compares the product's token derivation with a bare loop of the same HMAC, in one process."""

import hashlib
import hmac
import time
from collections.abc import Callable

from bench.report import Row, Target, middle

SLICE_SECONDS = 0.15
SLICES = 9
BATCH = 500
BARE_KEY = bytes(range(32))


def derive_row(derive: Callable[[int], object], message: bytes, target: Target) -> Row:
    """Take turns between `derive(n)` and HMAC-SHA256 over `message`; medians of the slices."""
    ours, bare = [], []
    for _ in range(SLICES):
        ours.append(calls_per_second(derive))
        bare.append(calls_per_second(lambda _: hmac.digest(BARE_KEY, message, hashlib.sha256)))
    return Row("derive", "a second", middle(ours), middle(bare), target)


def calls_per_second(call: Callable[[int], object], seconds: float = SLICE_SECONDS) -> float:
    """How often `call` runs in a second, measured for about `seconds`."""
    done = 0
    started = time.perf_counter()
    while (elapsed := time.perf_counter() - started) < seconds:
        for number in range(done, done + BATCH):
            call(number)
        done += BATCH
    return done / elapsed
