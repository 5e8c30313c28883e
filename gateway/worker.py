"""The worker process: threads that send, and a loop that keeps house, until a signal stops them."""

import signal
import threading
from collections.abc import Callable
from types import FrameType

import structlog

from gateway.errors import CommitUnknown, TryAgain
from gateway.outbox.sending import Sender

log = structlog.get_logger()

IDLE_SECONDS = 0.5
HOUSE_SECONDS = 5
BROKEN_SECONDS = 3.0  # after an error that is not about one message (the database is away)


class Worker:
    """Sends with some threads; `housekeeping` runs between, each task at its own pace."""

    def __init__(
        self,
        senders: list[Sender],
        housekeeping: list[tuple[int, Callable[[], object]]],
    ) -> None:
        self._senders = senders
        self._housekeeping = housekeeping
        self._stop = threading.Event()

    def stop(self) -> None:
        """Finish the sends under way and return from `run`."""
        self._stop.set()

    def stop_on_signals(self) -> None:
        """SIGTERM and SIGINT stop the worker cleanly: nothing half sent, nothing leased."""

        def handle(number: int, _: FrameType | None) -> None:
            log.info("worker_stopping", signal=signal.Signals(number).name)
            self.stop()

        signal.signal(signal.SIGTERM, handle)
        signal.signal(signal.SIGINT, handle)

    def drain(self) -> int:
        """Send everything that is due now, in this thread; how many messages."""
        sent = 0
        while not self._stop.is_set() and self._senders[0].send_next():
            sent += 1
        return sent

    def run(self) -> None:
        """Work until stopped."""
        threads = [
            threading.Thread(target=self._send, args=(sender,), name=f"sender-{n}")
            for n, sender in enumerate(self._senders)
        ]
        threads += [
            threading.Thread(target=self._keep_house, args=task, daemon=True)
            for task in self._housekeeping
        ]
        for thread in threads:
            thread.start()
        log.info("worker_started", senders=len(self._senders))
        # A plain wait would keep signals from being handled while no time-out is given.
        while not self._stop.wait(IDLE_SECONDS):
            pass
        for thread in threads[: len(self._senders)]:
            thread.join()
        log.info("worker_stopped")

    def _send(self, sender: Sender) -> None:
        while not self._stop.is_set():
            try:
                busy = sender.send_next()
            except (TryAgain, CommitUnknown) as error:
                log.warning("worker_waits_for_database", error=str(error))
                self._stop.wait(BROKEN_SECONDS)
                continue
            except Exception:  # one failure must not end the thread
                log.exception("send_failed_unexpectedly")
                self._stop.wait(BROKEN_SECONDS)
                continue
            if not busy:
                self._stop.wait(IDLE_SECONDS)

    def _keep_house(self, every_seconds: int, task: Callable[[], object]) -> None:
        while True:
            try:
                task()
            except (TryAgain, CommitUnknown) as error:
                log.warning("housekeeping_waits_for_database", error=str(error))
            except Exception:  # housekeeping is tried again at its next turn
                log.exception("housekeeping_failed")
            if self._stop.wait(every_seconds):
                return
