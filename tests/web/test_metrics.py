"""Who may read `/metrics`: by token from anywhere; without one, this machine for itself."""

from collections.abc import Iterator

import pytest

from gateway.errors import Misconfigured
from gateway.settings import PRODUCTION, read
from tests.support.clock import SteppedClock
from tests.support.serving import production_env
from tests.support.wired import Wired

TOKENS = ("scrape-token-of-today-1", "scrape-token-of-before-2")
HERE, THERE = "127.0.0.1", "203.0.113.9"


@pytest.fixture
def open_here(sqlite_url: str, clock: SteppedClock) -> Iterator[Wired]:
    """Production without a token."""
    whole = Wired(sqlite_url, clock, mode=PRODUCTION, sms_channels=("africastalking",))
    yield whole
    whole.close()


@pytest.fixture
def guarded(sqlite_url: str, clock: SteppedClock) -> Iterator[Wired]:
    """Production with tokens, the older one while it is being replaced."""
    whole = Wired(sqlite_url, clock, metrics_tokens=TOKENS)
    yield whole
    whole.close()


def status(wired: Wired, address: str, **headers: str) -> int:
    answer = wired.client.get(
        "/metrics",
        headers={name.replace("_", "-"): value for name, value in headers.items()},
        environ_base={"REMOTE_ADDR": address},
    )
    if answer.status_code != 200:
        assert answer.text == "not found"
    return answer.status_code


@pytest.mark.parametrize("address", [HERE, "127.8.8.8", "::1"])
def test_without_a_token_this_machine_may_read(open_here: Wired, address: str) -> None:
    assert status(open_here, address) == 200


@pytest.mark.parametrize("address", [THERE, "10.0.0.5", "192.168.1.4", "2001:db8::1", "", "unix:"])
def test_without_a_token_nobody_else_may(open_here: Wired, address: str) -> None:
    assert status(open_here, address) == 404


@pytest.mark.parametrize("name", ["X_Forwarded_For", "Forwarded", "X_Real_Ip", "Via"])
def test_a_proxy_on_this_machine_is_not_this_machine(open_here: Wired, name: str) -> None:
    assert status(open_here, HERE, **{name: HERE}) == 404


def test_behind_proxies_a_forged_loopback_address_opens_nothing(
    sqlite_url: str, clock: SteppedClock
) -> None:
    behind = Wired(sqlite_url, clock, trusted_proxies=1)
    assert status(behind, THERE, X_Forwarded_For=HERE) == 404
    assert status(behind, HERE, X_Forwarded_For=HERE) == 404
    assert status(behind, HERE) == 200
    behind.close()


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("address", [HERE, THERE])
def test_each_token_opens_from_anywhere(guarded: Wired, address: str, token: str) -> None:
    assert status(guarded, address, Authorization=f"Bearer {token}") == 200
    assert status(guarded, address, Authorization=f"bearer {token}") == 200


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKENS[0]}", TOKENS[0]]
)
def test_once_there_is_a_token_nothing_else_opens(guarded: Wired, given: str) -> None:
    for address in (HERE, THERE):
        headers = {"Authorization": given} if given else {}
        assert status(guarded, address, **headers) == 404
    assert guarded.client.get(f"/metrics?token={TOKENS[0]}").status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_metrics_are_only_read(open_here: Wired, method: str) -> None:
    answer = open_here.client.open("/metrics", method=method)
    assert answer.status_code == 405


def test_a_token_that_could_be_guessed_is_refused_at_the_start() -> None:
    env = production_env("sqlite:///x.db")
    assert read({**env, "GATEWAY_METRICS_TOKEN": ", ".join(TOKENS)}).metrics_tokens == TOKENS
    assert read(env).metrics_tokens == ()
    with pytest.raises(Misconfigured, match="GATEWAY_METRICS_TOKEN needs at least 16"):
        read({**env, "GATEWAY_METRICS_TOKEN": "short"})
