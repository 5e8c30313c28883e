"""How exceptions are logged: type, masked text and place, caught by somebody or by nobody."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.log import Log, captured_log

TOKEN = "902100000000000014"


@pytest.fixture
def log() -> Iterator[Log]:
    with captured_log() as log:
        yield log


def fail_with(digits: str) -> None:
    secret_local = f"{digits} local"
    raise ValueError(f"cannot redeem {digits} for {len(secret_local)} days")


def test_an_exception_is_its_type_its_masked_text_and_where_it_happened(log: Log) -> None:
    try:
        fail_with(TOKEN)
    except ValueError:
        log.log.exception("failed")
    line = log.line()
    (error,) = line["exception"]
    assert line["level"] == "error"
    assert error["type"] == "builtins.ValueError"
    assert error["text"] == "cannot redeem ****** for 24 days"
    assert len(error["frames"]) == 2
    assert re.fullmatch(r".*tests/test_logs_exceptions\.py:\d+ fail_with", error["frames"][1])
    assert "local" not in json.dumps(line)
    assert "raise" not in json.dumps(line)


def test_the_causes_of_an_exception_are_told_in_order(log: Log) -> None:
    try:
        try:
            fail_with(TOKEN)
        except ValueError as error:
            raise RuntimeError("outer") from error
    except RuntimeError as error:
        log.log.error("failed", exc_info=error)
    assert [error["text"] for error in log.line()["exception"]] == [
        "outer",
        "cannot redeem ****** for 24 days",
    ]


def test_a_suppressed_context_is_not_told(log: Log) -> None:
    try:
        try:
            fail_with(TOKEN)
        except ValueError:
            raise RuntimeError("outer") from None
    except RuntimeError as error:
        log.log.error("failed", exc_info=error)
    assert len(log.line()["exception"]) == 1


def test_long_texts_chains_and_stacks_of_exceptions_are_cut(log: Log) -> None:
    def dig(depth: int) -> None:
        if depth:
            return dig(depth - 1)
        raise ValueError("x" * 490 + TOKEN + "y" * 500)

    error: BaseException | None = None
    for _ in range(10):
        try:
            dig(50)
        except ValueError as raised:
            raised.__cause__ = error
            error = raised
    log.log.error("failed", exc_info=error)
    chain = log.line()["exception"]
    assert len(chain) == 5
    assert len(chain[0]["frames"]) == 20
    assert chain[0]["text"] == "x" * 490 + "******" + "y" * 4


def test_a_line_about_no_exception_has_none(log: Log) -> None:
    log.log.info("x", exc_info=False)
    log.log.info("x", exc_info=True)
    log.log.info("x", exc_info=(None, None, None), stack_info="source lines")
    assert all(list(line) == ["at", "level", "event"] for line in log.lines())


UNCAUGHT = """
import sys, threading
from gateway import logs
logs.configure()
logs.hook_uncaught()
class Cleaner:
    def __del__(self):
        raise ValueError("clean " + sys.argv[1])
def fail():
    raise ValueError("thread " + sys.argv[1])
for target in (fail, sys.exit):
    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
Cleaner()
raise ValueError("main " + sys.argv[1])
"""


def test_what_nobody_caught_is_logged_without_its_digits() -> None:
    process = subprocess.run(
        [sys.executable, "-c", UNCAUGHT, TOKEN], capture_output=True, text=True, check=False
    )
    assert process.returncode == 1
    assert process.stdout == ""
    lines = [json.loads(line) for line in process.stderr.splitlines()]
    assert [line["exception"][0]["text"] for line in lines] == [
        "thread ******",
        "clean ******",
        "main ******",
    ]
