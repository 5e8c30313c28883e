"""The form of a log line, whoever writes it, and what it costs."""

import io
import logging
import re
import threading
import time
import warnings
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
import structlog

from gateway import logs
from gateway.errors import Misconfigured
from tests.support.log import Log, captured_log

TOKEN = "902100000000000014"
PHONE = "+2348030000001"


@pytest.fixture
def log() -> Iterator[Log]:
    with captured_log() as log:
        yield log


def test_a_line_is_one_json_object_with_time_level_and_event_first(log: Log) -> None:
    log.log.info("ussd", screen="redeem.enter", turn=2)
    assert log.text().endswith("}\n")
    line = log.line()
    assert list(line) == ["at", "level", "event", "screen", "turn"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", line["at"])
    assert line["level"] == "info"
    assert line["event"] == "ussd"
    assert line["turn"] == 2


def test_a_newline_in_a_value_does_not_start_another_line(log: Log) -> None:
    log.log.info("sms", text='x\n{"event":"forged"}\r\v\x85\u2028\u2029y')
    assert log.line()["text"] == 'x\n{"event":"forged"}\r\v\x85\u2028\u2029y'


def test_context_bound_to_the_request_is_in_its_lines(log: Log) -> None:
    structlog.contextvars.bind_contextvars(request="r-a", msisdn=PHONE)
    log.log.info("ussd")
    line = log.line()
    assert line["request"] == "r-a"
    assert line["msisdn"] == "+23480*****01"


def test_values_that_json_lacks_are_written_as_text(log: Log) -> None:
    log.log.info("x", amount_due=Decimal("1.50"), body=b"ab", nothing=None, yes=True, ratio=0.5)
    line = log.line()
    assert line["amount_due"] == "1.50"
    assert line["body"] == "b'ab'"
    assert line["nothing"] is None
    assert line["yes"] is True
    assert line["ratio"] == 0.5


def test_a_line_below_the_level_is_not_written() -> None:
    with captured_log("warning") as log:
        log.log.info("x")
        logging.getLogger("anything").info("x")
        assert log.lines() == []
        log.log.warning("y")
        logging.getLogger("anything").warning("z")
        assert [line["event"] for line in log.lines()] == ["y", "z"]


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(Misconfigured, match="loud"):
        logs.configure("loud")


def test_configuring_again_moves_all_loggers_and_writes_each_line_once(log: Log) -> None:
    early = structlog.get_logger()
    early.info("one")
    with captured_log() as second:
        early.info("two")
        logging.getLogger("gunicorn.error").info("three")
        assert [line["event"] for line in second.lines()] == ["two", "three"]
    assert [line["event"] for line in log.lines()] == ["one"]


class Broken:
    """An object that cannot even describe itself."""

    def __str__(self) -> str:
        raise RuntimeError("no")


def test_what_cannot_be_written_as_json_never_ends_a_request(log: Log) -> None:
    circle: list[Any] = []
    circle.append(circle)
    deep: Any = "x"
    for _ in range(5_000):
        deep = [deep]
    log.log.info(
        "x",
        circle=circle,
        deep=deep,
        broken=Broken(),
        keys={("a", 1): 1, None: 2},
        nan=float("nan"),
        huge=10**5_000,
        surrogate="a\ud800b",
    )
    line = log.line()
    assert line["broken"] == "<Broken>"
    assert line["nan"] == "nan"
    assert line["huge"] == "<int>"
    assert line["surrogate"] == "a\ud800b"


class BrokenPipe(io.StringIO):
    """A log collector that went away."""

    def write(self, text: str, /) -> int:
        raise BrokenPipeError


def test_a_log_that_cannot_be_written_never_ends_a_request(log: Log) -> None:
    logs.configure(stream=BrokenPipe())
    structlog.get_logger().info("x")
    logging.getLogger("gunicorn.error").error("x")
    closed = io.StringIO()
    closed.close()
    logs.configure(stream=closed)
    structlog.get_logger().info("x")
    assert log.lines() == []


def test_lines_of_many_threads_stay_whole(log: Log) -> None:
    def write(name: str) -> None:
        for _ in range(50):
            log.log.info("x", name=name * 200)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = log.lines()
    assert len(lines) == 400
    assert all(len(set(line["name"])) == 1 for line in lines)


@pytest.mark.parametrize("name", ["gunicorn.error", "some.library"])
def test_a_librarys_line_goes_the_same_way(log: Log, name: str) -> None:
    logging.getLogger(name).info("took %s for %s", 5, TOKEN)
    line = log.line()
    assert line["logger"] == name
    assert line["level"] == "info"
    assert line["event"] == "took 5 for ******"


@pytest.mark.parametrize("name", ["werkzeug", "gunicorn.access", "urllib3.connectionpool"])
def test_access_lines_with_paths_and_queries_are_not_written(name: str) -> None:
    with captured_log("debug") as log:
        logging.getLogger(name).info("POST /ussd/africastalking/secret?text=%s", TOKEN)
        logging.getLogger(name).debug("GET /?token=%s", TOKEN)
        assert log.lines() == []
        logging.getLogger(name).warning("down")
        assert log.line()["event"] == "down"


def test_a_librarys_own_handler_is_removed(log: Log) -> None:
    own = io.StringIO()
    library = logging.getLogger("gunicorn.error")
    library.addHandler(logging.StreamHandler(own))
    library.propagate = False
    logging.getLogger().addHandler(logging.StreamHandler(own))
    with captured_log() as again:
        library.error("token %s", TOKEN)
        assert again.line()["event"] == "token ******"
    assert own.getvalue() == ""
    assert log.lines() == []


def test_a_librarys_wrong_placeholders_are_logged_as_they_stand() -> None:
    with captured_log() as log:
        logging.getLogger("some.library").warning("%d of %s", TOKEN)
        assert log.line()["event"] == "%d of %s"


def test_warnings_become_lines(log: Log) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(False)
        logging.captureWarnings(True)
        warnings.warn(f"odd value {TOKEN}", UserWarning, stacklevel=1)
    line = log.line()
    assert line["logger"] == "py.warnings"
    assert "odd value ******" in line["event"]


def test_a_request_line_costs_under_sixty_microseconds(log: Log) -> None:
    def seconds(lines: int) -> float:
        started = time.perf_counter()
        for _ in range(lines):
            log.log.info(
                "ussd", channel="africastalking", msisdn=PHONE, screen="redeem.enter", turn=2,
                status=200, septets=87, duration_ms=12, text="1*" + TOKEN,
            )  # fmt: skip
        return time.perf_counter() - started

    seconds(100)
    assert min(seconds(200) for _ in range(5)) / 200 < 60e-6


def test_a_hostile_text_is_searched_in_linear_time(log: Log) -> None:
    started = time.perf_counter()
    for unit in ("1\\\\\\\\", "1    ", "1" + "\x1f" * 4, "12345x", "1234" + " " * 5, "\\", '1"'):
        log.log.info("x", text=unit * (100_000 // len(unit)))
    assert time.perf_counter() - started < 2
