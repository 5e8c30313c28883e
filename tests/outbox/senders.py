"""Real senders: the SDK speaks over HTTP to emulated aggregators."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from gateway.channels.africastalking import AfricasTalkingChannel
from gateway.channels.base import SmsChannel
from gateway.outbox.calls import CALL_SECONDS_MAX
from gateway.outbox.sending import BillGuard, Renderer, Sender
from gateway.settings import AfricasTalking
from tests.emulators.africastalking import SmsApi
from tests.outbox.rows import Rows
from tests.support.wired import Wired

API_KEY = "atsk_1"
READ_SECONDS = 1.5  # a loaded machine may take long to answer
ANYWHERE = BillGuard((), 100_000)


class Second(AfricasTalkingChannel):
    """The same protocol, as if by another aggregator."""

    name = "second"


def channel(
    url: str, *, key: str = API_KEY, second: bool = False, read_seconds: float = READ_SECONDS
) -> AfricasTalkingChannel:
    """A channel that waits only a little for an answer."""
    kind = Second if second else AfricasTalkingChannel
    return kind(AfricasTalking("wallet", key, base_url=url), (1.0, read_seconds))


def sender(
    wired: Wired,
    channels: Sequence[SmsChannel],
    *,
    guard: BillGuard = ANYWHERE,
    worker: str = "w1",
    renderers: Mapping[str, Renderer] | None = None,
    call_seconds_max: float = CALL_SECONDS_MAX,
) -> Sender:
    """A sender over the channels."""
    gateway = wired.gateway
    return Sender(
        gateway.database,
        wired.clock,
        channels,
        gateway.renderers() if renderers is None else renderers,
        guard,
        worker,
        call_seconds_max=call_seconds_max,
    )


def rows_of(wired: Wired) -> Rows:
    """The outbox of a wired gateway."""
    return Rows(wired.gateway.database, wired.clock)


def drain(of: Sender) -> int:
    """Send all that can be sent; how many messages were handled."""
    handled = 0
    while of.send_next():
        handled += 1
    return handled


def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Return once it holds; raises `TimeoutError`."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("it never came true")
        time.sleep(0.02)


@contextmanager
def sending_threads(senders: Sequence[Sender]) -> Iterator[None]:
    """Each sender sends on a thread of its own while the block runs."""
    stop = threading.Event()

    def run(of: Sender) -> None:
        while not stop.is_set():
            if not of.send_next():
                stop.wait(0.02)

    threads = [threading.Thread(target=run, args=(of,)) for of in senders]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def emulated() -> SmsApi:
    """Africa's Talking's SMS API, which knows our key; to be entered with `with`."""
    return SmsApi(api_key=API_KEY)
