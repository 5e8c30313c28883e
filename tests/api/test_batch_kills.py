"""A worker killed between any two statements of a batch: the next one goes on, nothing doubles."""

from tests.api.batching import advance, counts, issued, running, serials, sheet, shown
from tests.support.crashes import killed_before
from tests.support.partner import partner
from tests.support.wired import Wired

ROWS = 3
STATEMENTS_MAX = 200


def test_a_killed_worker_leaves_whole_rows_and_another_ends_the_batch(wired: Wired) -> None:
    acme = partner(wired)
    number, made = 1, 0
    while True:
        name = running(wired, sheet(ROWS, first=ROWS * made + 1))
        made += 1
        killed = killed_before(number, wired, advance)
        waiting, done, failed, _ = counts(wired, name)
        assert (waiting + done, failed) == (ROWS, 0), f"killed before statement {number}"
        assert len(serials(wired, name)) == done == issued(wired) - ROWS * (made - 1)
        assert advance(wired) == waiting
        assert counts(wired, name) == (0, ROWS, 0, 0)
        assert shown(wired, name)["status"] == "done"
        if not killed:
            break
        number += 1
        assert number < STATEMENTS_MAX
    assert number > ROWS * 3, "nothing was cut off"
    spent = ROWS * made * 10
    assert acme.get("/float").json["balance"] == f"{10_000 - spent}.00"
    assert wired.breaches() == []


def test_a_worker_killed_as_often_as_it_begins_comes_to_the_end(wired: Wired) -> None:
    partner(wired)
    name = running(wired, sheet(10))
    deaths = 0
    while killed_before(70, wired, advance):
        deaths += 1
        assert deaths < 30
    assert deaths > 1
    assert (counts(wired, name), issued(wired)) == ((0, 10, 0, 0), 10)
    assert wired.breaches() == []
