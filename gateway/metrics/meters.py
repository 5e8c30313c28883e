"""What this process counts: steps, redemptions, callbacks, messages and requests."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Final, ParamSpec

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from gateway.metrics.children import OTHER, Children

P = ParamSpec("P")
log = structlog.get_logger()

# A turn has 2.5 s (U3): the last bound tells what was late.
STEP_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5)
REQUEST_SECONDS: Final = (0.01, 0.05, 0.25, 1.0, 2.5, 5.0, 8.0)
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# What an answer says of the entry; the words of redeeming and of the counter together.
GUESSES: Final[Mapping[str, str]] = {
    "not_valid": "wrong",
    "unknown": "wrong",
    "shop_only": "wrong",
    "already_redeemed": "wrong",
    "suspended": "wrong",
    "expired": "wrong",
    "cancelled": "wrong",
    "of_a_partner": "wrong",
    "bound": "wrong",
    "another_phone": "wrong",
    "other_currency": "wrong",
    "mistyped": "mistyped",
    "limited": "limited",
    "unavailable": "withheld",
}


def _never_in_the_way(count: Callable[P, None]) -> Callable[P, None]:
    """What cannot be counted (the folder of counts is gone) must not fail what it counts."""

    @wraps(count)
    def counted(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            count(*args, **kwargs)
        except Exception:  # whatever it is, a person waits for the answer
            log.exception("not_counted", what=count.__name__)

    return counted


class Meters:
    """The counters of one process; those of gunicorn's workers add up in the files they share.

    No label holds a phone number, a serial, a token or any other word from outside (T3).
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._steps = Children(
            Histogram(
                "gateway_ussd_step_seconds",
                "USSD steps: how long each took to answer, by channel and outcome.",
                ("channel", "outcome"),
                registry=self.registry,
                buckets=STEP_SECONDS,
            )
        )
        self._redemptions = self._counter(
            "gateway_redemptions", "Entries of tokens that were answered.", "channel", "outcome"
        )
        self._guesses = self._counter(
            "gateway_guesses", "Entries that were no redemption, by kind.", "channel", "kind"
        )
        self._webhooks = self._counter(
            "gateway_webhooks", "Callbacks of money providers.", "dialect", "became"
        )
        self._received = self._counter(
            "gateway_sms_received", "Inbound SMS and delivery reports.", "channel", "what"
        )
        self._requests = self._counter(
            "gateway_http_requests", "Requests by their route.", "rule", "method", "status"
        )
        self._request_seconds = Children(
            Histogram(
                "gateway_http_request_seconds",
                "Requests: how long each took, by its route.",
                ("rule",),
                registry=self.registry,
                buckets=REQUEST_SECONDS,
            )
        )
        self._connections = Children(
            Gauge(
                "gateway_database_connections",
                "Connections of the web processes' pools to the database.",
                ("state",),
                registry=self.registry,
                multiprocess_mode="livesum",
            )
        )

        self._most = 0

    def _counter(self, name: str, says: str, *labels: str) -> Children[Counter]:
        return Children(Counter(name, says, labels, registry=self.registry))

    @_never_in_the_way
    def step(self, channel: str, outcome: str, seconds: float) -> None:
        """One USSD step was answered."""
        self._steps.of(channel, outcome).observe(seconds)

    @_never_in_the_way
    def redemption(self, channel: str, outcome: str) -> None:
        """One entry of a token was answered, and the answer is committed."""
        self._redemptions.of(channel, outcome).inc()
        kind = GUESSES.get(outcome)
        if kind is not None:
            self._guesses.of(channel, kind).inc()

    @_never_in_the_way
    def webhook(self, dialect: str, became: str) -> None:
        """One callback was taken or refused."""
        self._webhooks.of(dialect, became).inc()

    @_never_in_the_way
    def received(self, channel: str, what: str) -> None:
        """One inbound SMS or delivery report was stored or refused."""
        self._received.of(channel, what).inc()

    @_never_in_the_way
    def request(self, rule: str, method: str, status: str, seconds: float) -> None:
        """One request was answered."""
        # A method is a word of the client's: made-up ones must not use the series up.
        self._requests.of(rule, method if method in METHODS else OTHER, status).inc()
        self._request_seconds.of(rule).observe(seconds)

    @_never_in_the_way
    def connections(self, in_use: int, most: int) -> None:
        """How this process's pool stands."""
        self._connections.of("in_use").set(in_use)
        if most != self._most:
            self._connections.of("most").set(most)
            self._most = most
