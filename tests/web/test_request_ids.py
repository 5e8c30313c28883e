"""The name of a request: taken where it is safe, else made, and in every line about it."""

import pytest

from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import ADA, SECRET, Wired

NGINX = "9f1c2b3a4d5e6f708192a3b4c5d6e7f8"
USSD = f"/ussd/africastalking/{SECRET}"
UNSAFE = (
    "",
    "short",
    "902100000000000014",
    "9021-0000-0000-000014",
    ADA,
    f"req-{ADA[1:]}",
    "a" * 65,
    'quoted"id-aaaa',
    "spaced id aaaa",
    "näme-aaaaaaaa",
)


@pytest.mark.parametrize("given", [NGINX, "req-4711-abcdef", "Root_1.a-b"])
def test_a_safe_name_is_taken_over(sqlite_url: str, clock: SteppedClock, given: str) -> None:
    wired = Wired(sqlite_url, clock)
    with captured_log() as log:
        answer = wired.client.post(USSD, data={"text": ""}, headers={"X-Request-Id": given})
    assert answer.headers["X-Request-Id"] == given
    lines = log.lines()
    assert [line["event"] for line in lines] == ["ussd_malformed", "request"]
    assert [line["request_id"] for line in lines] == [given] * 2
    wired.close()


@pytest.mark.parametrize("given", UNSAFE)
def test_an_unsafe_name_is_replaced_and_never_logged(
    sqlite_url: str, clock: SteppedClock, given: str
) -> None:
    wired = Wired(sqlite_url, clock)
    with captured_log() as log:
        answer = wired.client.post(
            USSD, data={"text": ""}, headers={"X-Request-Id": given.encode().decode("latin-1")}
        )
    made = answer.headers["X-Request-Id"]
    assert made != given
    assert made.isalpha()
    assert {line["request_id"] for line in log.lines()} == {made}
    wired.close()


def test_each_request_has_a_name_of_its_own(sqlite_url: str, clock: SteppedClock) -> None:
    wired = Wired(sqlite_url, clock)
    with captured_log() as log:
        paths = ("/nowhere", "/healthz", "/counter/login", "/api/v1/nowhere")
        names = [wired.client.get(path).headers["X-Request-Id"] for path in paths]
        log.log.info("afterwards")
    assert len(set(names)) == len(paths)
    lines = log.lines()
    assert [line["request_id"] for line in lines[:-1]] == [names[0], *names[2:]]
    assert "request_id" not in lines[-1]
    wired.close()
