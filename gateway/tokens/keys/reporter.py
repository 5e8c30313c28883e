"""A thread that says, as long as its process lives, which keys the process holds."""

import threading
from collections.abc import Callable

import structlog

from gateway.tokens.keys.rotation import REPORT_SECONDS

log = structlog.get_logger()


def start_reporting(report: Callable[[], None]) -> threading.Event:
    """Report now and every `REPORT_SECONDS`; set the returned event to stop.

    A database that is away for a while costs a log line, not the thread.
    """
    stop = threading.Event()

    def loop() -> None:
        while True:
            try:
                report()
            except Exception:  # the thread must outlive whatever the database does
                log.exception("key_report_failed")
            if stop.wait(REPORT_SECONDS):
                return

    threading.Thread(target=loop, name="key-reporter", daemon=True).start()
    return stop
