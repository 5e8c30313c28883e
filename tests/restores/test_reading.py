"""What the log tells of tokens that left circulation, and of lines that it lacks."""

import io
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from gateway.restores.reading import Reading, spent
from gateway.tokens import witness
from tests.support.log import captured_log

SERIALS = ("K7M29QXD", "QXD2K7M9", "BCDF2345")


@pytest.fixture
def lines() -> list[str]:
    """The log of a process that redeemed two tokens and cancelled a third."""
    with captured_log() as log:
        witness.redeemed(SERIALS[0], Decimal("500.00"), "africastalking", "+2348030000001")
        witness.redeemed(SERIALS[1], Decimal("20.00"), "counter", "LAG-1-1")
        witness.leaves(SERIALS[2], "cancelled")
        return log.text().splitlines()


def read(*lines: str) -> Reading:
    """A reading of these lines."""
    reading = Reading()
    reading.take(lines)
    return reading


def test_the_log_names_the_token_what_became_of_it_and_over_what(lines: list[str]) -> None:
    found = {one.serial: one for one in spent(read(*lines))}
    assert set(found) == set(SERIALS)
    first = found[SERIALS[0]]
    assert (first.to, first.over, first.amount) == ("redeemed", "africastalking", "500.00")
    assert (first.by, found[SERIALS[1]].by) == ("+23480*****01", "LAG-1-1")
    assert found[SERIALS[2]].to == "cancelled"


def test_a_whole_phone_number_is_not_in_the_line(lines: list[str]) -> None:
    assert "2348030000001" not in "".join(lines)


def test_what_a_log_daemon_writes_in_front_is_passed_over(lines: list[str]) -> None:
    prefixed = [f"Mar  2 10:00:01 gw1 gateway[71]: {line}" for line in lines]
    reading = read("-- Boot 0000 --", *prefixed, "")
    assert (len(reading.leavings), reading.lines, reading.missed()) == (3, 3, 0)


def test_lines_that_are_read_twice_count_once(lines: list[str]) -> None:
    reading = read(*lines, *reversed(lines))
    assert (len(reading.leavings), reading.missed()) == (3, 0)


def test_a_line_that_was_lost_on_the_way_is_missed(lines: list[str]) -> None:
    assert read(lines[0], lines[2]).missed() == 1
    assert read(lines[2], lines[0]).missed() == 1


def test_a_log_that_begins_or_ends_in_the_middle_of_a_process_misses_nothing(
    lines: list[str],
) -> None:
    assert read(*lines[1:]).missed() == 0
    assert read(*lines[:2]).missed() == 0


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line[:-4],
        lambda line: line.replace("K7M29QXD", "K7M29"),
        lambda line: line.replace('"count":', '"count":-'),
        lambda line: line.replace('"count":', '"counted":'),
        lambda line: line.replace('"count":', '"count":999999999'),
    ],
    ids=["cut", "half a serial", "negative", "no number", "no number of ours"],
)
def test_a_damaged_line_about_a_token_is_missed(lines: list[str], damage: object) -> None:
    assert callable(damage)
    assert read(damage(lines[0])).missed() == 1


def test_a_redemption_is_not_forgotten_for_a_later_word(lines: list[str]) -> None:
    later = lines[0].replace("redeemed", "suspended").replace('"count":', '"count":1')
    (found,) = spent(read(lines[0], later))
    assert found.to == "redeemed"


def test_a_log_reaches_back_when_it_begins_before_the_backup() -> None:
    reading = Reading()
    assert not reading.reaches(None)
    reading.take(io.StringIO('{"at":"2026-03-02T09:00:00Z","event":"worker_started"}\n'))
    assert reading.reaches(datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
    assert not reading.reaches(datetime(2026, 3, 2, 8, 59, tzinfo=UTC))
    assert reading.reaches(None)
