"""The worker process: threads that send and run tasks, and others that keep house."""

import signal
import threading
from collections.abc import Callable, Sequence
from types import FrameType

import structlog

from gateway.errors import CommitUnknown, TryAgain
from gateway.outbox.running import TaskRunner
from gateway.outbox.sending import Sender

log = structlog.get_logger()

IDLE_SECONDS = 0.5
HOUSE_SECONDS = 5
BROKEN_SECONDS = 3.0  # after an error that is not about one message (the database is away)


class Worker:
    """Sends and runs tasks, each with some threads; keeps house at each chore's own pace."""

    def __init__(
        self,
        senders: list[Sender],
        housekeeping: list[tuple[int, Callable[[], object]]],
        runners: Sequence[TaskRunner] = (),
    ) -> None:
        self._senders = senders
        self._runners = runners
        self._housekeeping = housekeeping
        self._stop = threading.Event()

    def stop(self) -> None:
        """Finish the calls under way and return from `run`."""
        self._stop.set()

    def stop_on_signals(self) -> None:
        """SIGTERM and SIGINT stop the worker cleanly: nothing half sent, nothing leased."""

        def handle(number: int, _: FrameType | None) -> None:
            log.info("worker_stopping", signal=signal.Signals(number).name)
            self.stop()

        signal.signal(signal.SIGTERM, handle)
        signal.signal(signal.SIGINT, handle)

    def drain(self) -> int:
        """Send and run everything that is due now, in this thread; how many rows."""
        steps = [sender.send_next for sender in self._senders[:1]]
        steps += [runner.run_next for runner in self._runners]
        handled = 0
        while not self._stop.is_set():
            busy = sum(step() for step in steps)
            if not busy:
                break
            handled += busy
        return handled

    def run(self) -> None:
        """Work until stopped."""
        acting = [
            threading.Thread(target=self._act, args=(sender.send_next,), name=f"sender-{n}")
            for n, sender in enumerate(self._senders)
        ]
        acting += [
            threading.Thread(target=self._act, args=(runner.run_next,), name=f"runner-{n}")
            for n, runner in enumerate(self._runners)
        ]
        keeping = [
            threading.Thread(target=self._keep_house, args=task, daemon=True)
            for task in self._housekeeping
        ]
        for thread in (*acting, *keeping):
            thread.start()
        log.info("worker_started", senders=len(self._senders), runners=len(self._runners))
        # A plain wait would keep signals from being handled while no time-out is given.
        while not self._stop.wait(IDLE_SECONDS):
            pass
        for thread in acting:
            thread.join()
        log.info("worker_stopped")

    def _act(self, step: Callable[[], bool]) -> None:
        while not self._stop.is_set():
            try:
                busy = step()
            except (TryAgain, CommitUnknown) as error:
                log.warning("worker_waits_for_database", error=str(error))
                self._stop.wait(BROKEN_SECONDS)
                continue
            except Exception:  # one failure must not end the thread
                log.exception("worker_step_failed")
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
