"""What the bench makes of debits that several processes did."""

from bench.debits import HOT, SPREAD, Arm, Done, debit_row, together


def arm(name: str, *rates: int) -> Arm:
    made = Arm(name, "", {HOT: [1], SPREAD: [2]})
    made.phases[HOT] = [Done(moved=rate, warm=8, seconds=1.0) for rate in rates]
    return made


def test_processes_side_by_side_add_up_over_the_longest_time() -> None:
    done = together([Done(10, 4, 1.0), Done(30, 4, 2.0, errors=1, first_error="TryAgain: late")])
    assert (done.moved, done.warm, done.per_second) == (40, 8, 20.0)
    assert (done.errors, done.first_error) == (1, "TryAgain: late")


def test_a_debit_row_compares_round_by_round_and_has_no_target() -> None:
    row = debit_row(HOT, arm("ours", 50, 300, 60), arm("floor", 100, 400, 100), wrong=0)
    assert (row.ours, row.floor, row.ratio) == (60.0, 100.0, 0.6)
    assert (row.errors, row.verdict) == (0, "context")


def test_a_wrong_booking_is_an_error_of_the_row() -> None:
    assert debit_row(HOT, arm("ours", 1), arm("floor", 1), wrong=2).errors == 2


def test_what_was_moved_before_the_clock_started_was_moved_too() -> None:
    assert arm("ours", 50, 60).moved == 126
