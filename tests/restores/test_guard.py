"""A restored database: nothing moves, spent tokens stop, and it ends only once it is reconciled."""

import ast
from functools import partial

import pytest
from sqlalchemy import Connection, delete, update

from gateway.audit import store as trail
from gateway.errors import BadInput
from gateway.partners.events import store as events
from gateway.reconciliation.run import Plan
from gateway.restores import guard
from gateway.restores.reading import Reading
from gateway.switches import board, operate
from gateway.switches import store as switches
from gateway.switches.restores import store as restores
from gateway.tokens import suspend
from gateway.tokens.redeem import Caller
from gateway.tokens.sweep import expire_overdue
from tests.support.clock import SteppedClock
from tests.support.house import ROOT
from tests.support.log import captured_log
from tests.support.partner import partner
from tests.support.wired import BELLO, Wired

# Every place that takes a token out of circulation, and says so in the log before it does.
# Expiry is no business of a restore: the clock decides over it, not the row.
LEAVING = {
    "gateway/tokens/redeem.py": "into",
    "gateway/tokens/tills/pay.py": "_claim",
    "gateway/tokens/retire.py": "_end",
    "gateway/tokens/suspend.py": "suspend",
}
SILENT = {"gateway/tokens/retire.py": "expire", "gateway/tokens/suspend.py": "resume"}
CHANGES = ("claims.claim", "store.change_status")


def begun(wired: Wired) -> restores.Restore:
    """A restore that has begun."""
    now = wired.clock.now()
    return wired.run(lambda c: guard.begin(c, "cli:ops", "the disk died", now))


def replayed(wired: Wired, text: str) -> guard.Replayed:
    """What a replay of a log came to."""
    reading = Reading()
    reading.take(text.splitlines())
    return guard.replay(wired.gateway.database, wired.clock, reading, "cli:ops")


def ended(wired: Wired) -> None:
    """The end, or `BadInput`."""
    invariants, now = wired.gateway.money.invariants, wired.clock.now()
    wired.run(lambda c: guard.end(c, invariants, "cli:ops", "reconciled", now))


def reconcile(wired: Wired) -> None:
    """A run over everything."""
    plan = Plan(wired.gateway.reconciler.yesterday(), "", "cli:ops")
    wired.gateway.reconciler.run(plan, lambda _: None)


def test_beginning_pauses_all_that_moves_value_and_nobody_resumes_it(wired: Wired) -> None:
    begun(wired)
    assert wired.run(switches.paused) == set(board.PARTS)
    now = wired.clock.now()
    for part in board.PARTS:
        resume = partial(operate.resume, what=part, actor="cli:ops", reason="x", now=now)
        with pytest.raises(BadInput, match="not reconciled yet"):
            wired.run(partial(resume, record=trail_record))
    assert wired.run(switches.paused) == set(board.PARTS)
    with pytest.raises(BadInput, match="under way already"):
        begun(wired)


def trail_record(*_: object) -> None:
    """A trail that keeps nothing."""


def test_a_provider_may_be_resumed_meanwhile(wired: Wired) -> None:
    now = wired.clock.now()
    wired.run(lambda c: operate.pause(c, "provider:mpesa", "cli:ops", "x", now, trail_record))
    begun(wired)
    wired.run(lambda c: operate.resume(c, "provider:mpesa", "cli:ops", "x", now, trail_record))
    assert "provider:mpesa" not in wired.run(switches.paused)


def test_what_the_log_names_is_suspended_and_the_rest_is_not(wired: Wired) -> None:
    spent, cancelled, kept = wired.issue(), wired.issue(), wired.issue()
    text = log_of(spent.serial, "redeemed", 1) + log_of(cancelled.serial, "cancelled", 2)
    begun(wired)
    done = replayed(wired, text)
    assert {one.serial for one in done.suspended} == {spent.serial, cancelled.serial}
    assert wired.token(kept.serial).status == "issued"
    again = replayed(wired, text)
    assert (len(again.suspended), again.suspended_before) == (0, 2)
    said = wired.run(lambda c: trail.about(c, spent.serial))
    assert [line.reason for line in said if line.action == "token.suspend"] == [guard.SPENT] * 2


def test_a_token_that_is_over_in_the_backup_stays_so_and_an_unknown_one_is_told(
    wired: Wired,
) -> None:
    over = wired.issue()
    wired.redeem(over.reveal())
    begun(wired)
    done = replayed(wired, log_of(over.serial, "redeemed", 1) + log_of("QXD2K7M9", "redeemed", 2))
    assert (done.over, done.suspended) == (1, [])
    assert [one.serial for one in done.unknown] == ["QXD2K7M9"]
    assert (wired.token(over.serial).status, wired.breaches()) == ("redeemed", [])


def test_one_that_was_suspended_in_the_backup_says_why_not_to_resume_it(wired: Wired) -> None:
    made = wired.issue()
    now = wired.clock.now()
    token = wired.token(made.serial)
    wired.run(lambda c: suspend.suspend(c, token, "cli:ops", "stolen", now))
    begun(wired)
    assert replayed(wired, log_of(made.serial, "redeemed", 1)).suspended_before == 1
    assert wired.run(lambda c: trail.about(c, made.serial))[-1].reason == guard.SPENT


def test_it_ends_only_when_the_log_was_read_and_the_books_were_reconciled(wired: Wired) -> None:
    begun(wired)
    with pytest.raises(BadInput, match=r"were not read.*nothing was reconciled"):
        ended(wired)
    replayed(wired, log_of("QXD2K7M9", "redeemed", 1))
    with pytest.raises(BadInput, match=r"^nothing was reconciled"):
        ended(wired)
    reconcile(wired)
    ended(wired)
    assert wired.run(switches.paused) == set()
    assert wired.run(restores.under_way) is None
    actions = [line.action for line in wired.run(lambda c: trail.about(c, guard.SUBJECT))]
    assert actions == [guard.BEGIN, guard.REPLAY, guard.END]


def test_a_reconciliation_of_before_the_restore_does_not_count(
    wired: Wired, clock: SteppedClock
) -> None:
    reconcile(wired)
    clock.advance(seconds=1)
    begun(wired)
    replayed(wired, log_of("QXD2K7M9", "redeemed", 1))
    with pytest.raises(BadInput, match="nothing was reconciled"):
        ended(wired)


@pytest.mark.parametrize("fault", ["a lost line", "begins too late"])
def test_a_log_that_lacks_something_needs_every_live_token_suspended(
    wired: Wired, fault: str
) -> None:
    wired.redeem(wired.issue().reveal())
    kept = wired.issue()
    begun(wired)
    at = "2026-03-02T09:00:01Z" if fault == "begins too late" else "2026-03-02T08:00:00Z"
    lines = log_of("QXD2K7M9", "redeemed", 1, at)
    if fault == "a lost line":
        lines += log_of("BCDF2345", "redeemed", 3, at)
    replayed(wired, lines)
    reconcile(wired)
    with pytest.raises(BadInput, match=r"^the logs are not complete"):
        ended(wired)
    database = wired.gateway.database
    assert guard.stop_all(database, wired.clock, "cli:ops", "the log lacks lines") == 1
    assert wired.token(kept.serial).status == "suspended"
    ended(wired)


def test_every_batch_of_live_tokens_is_suspended(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "BATCH", 2)
    made = [wired.issue() for _ in range(5)]
    begun(wired)
    assert guard.stop_all(wired.gateway.database, wired.clock, "cli:ops", "no log") == 5
    assert {wired.token(one.serial).status for one in made} == {"suspended"}
    assert not wired.breaches()


@pytest.mark.parametrize("how", ["by the log", "all"])
def test_a_spent_token_whose_time_is_over_is_not_paid_back(
    wired: Wired, clock: SteppedClock, how: str
) -> None:
    spent = wired.issue()
    # It is redeemed after the backup and in time; the backup comes back when its time is over.
    clock.advance(days=60)
    begun(wired)
    if how == "all":
        assert guard.stop_all(wired.gateway.database, clock, "cli:ops", "no log") == 1
    else:
        assert len(replayed(wired, log_of(spent.serial, "redeemed", 1)).suspended) == 1
    reconcile(wired)
    ended(wired)
    assert expire_overdue(wired.gateway.database, wired.gateway.desk.retirer, clock) == 0
    assert (wired.token(spent.serial).status, wired.breaches()) == ("suspended", [])


@pytest.mark.parametrize("kept", [1, 0], ids=["some events", "no event"])
def test_a_reader_of_events_misses_none_after_a_restore(wired: Wired, kept: int) -> None:
    acme = partner(wired)

    def cancelled() -> str:
        made = acme.post("/tokens", {"amount": "50.00", "deliver": False})
        acme.post(f"/tokens/{made.json['serial']}/cancel")
        return str(made.json["serial"])

    def restored(connection: Connection) -> None:
        """As the backup has it: most of the events are not there."""
        connection.execute(delete(events.partner_events).where(events.partner_events.c.seq > kept))
        connection.execute(
            update(events.partner_feeds).values(last_seq=kept)
            if kept
            else delete(events.partner_feeds)
        )

    for _ in range(3):
        cancelled()
    read = acme.get("/events?after=0").json["next"]
    assert read == 3
    wired.run(restored)
    begun(wired)
    wired.run(lambda c: restores.end(c, guard.current(c).id, "cli:ops", wired.clock.now()))
    assert acme.get(f"/events?after={read}").json["events"] == []
    fresh = [cancelled() for _ in range(3)]
    acme.get("/events?after=0")
    told = acme.get(f"/events?after={read}").json
    assert [one["data"]["serial"] for one in told["events"]] == fresh
    assert acme.get(f"/events?after={told['next']}").json["events"] == []


@pytest.mark.parametrize("how", ["by the log", "all"])
def test_what_a_partner_had_suspended_is_the_restores_from_then_on(wired: Wired, how: str) -> None:
    acme = partner(wired)
    serial = acme.post("/tokens", {"amount": "50.00", "deliver": False}).json["serial"]
    assert acme.post(f"/tokens/{serial}/suspend").status_code == 200
    # It is resumed after the backup, and spent.
    begun(wired)
    if how == "all":
        assert guard.stop_all(wired.gateway.database, wired.clock, "cli:ops", "no log") == 0
    else:
        assert replayed(wired, log_of(serial, "redeemed", 1)).suspended_before == 1
    assert wired.token(serial).held_by == "restore"
    assert acme.post(f"/tokens/{serial}/resume").json["code"] == "suspended"


def test_the_line_is_written_before_the_commit(wired: Wired) -> None:
    made, caller = wired.issue(), Caller(BELLO, "africastalking", "en")

    class Died(Exception):
        """The process ends before COMMIT."""

    def dies(connection: Connection) -> None:
        wired.gateway.desk.redeemer.redeem(connection, made.reveal(), caller, wired.clock.now())
        raise Died

    with captured_log() as log, pytest.raises(Died):
        wired.run(dies)
    said = [line["serial"] for line in log.lines() if line["event"] == "token_leaves"]
    assert (said, wired.token(made.serial).status) == ([made.serial], "issued")


def test_every_change_that_ends_a_token_says_so_first() -> None:
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "gateway").rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text())):
            changes = calls(function, *CHANGES) if isinstance(function, ast.FunctionDef) else []
            if not changes or not isinstance(function, ast.FunctionDef):
                continue
            file, name = str(path.relative_to(ROOT)), function.name
            found.setdefault(file, set()).add(name)
            witnessed = calls(function, "witness.redeemed", "witness.leaves")
            assert bool(witnessed) == (LEAVING.get(file) == name), name
            assert not witnessed or min(witnessed) < min(changes)
    expected = {name: {function} for name, function in LEAVING.items()}
    for name, silent in SILENT.items():
        expected[name].add(silent)
    assert found == expected


def calls(function: ast.AST, *names: str) -> list[int]:
    """The lines on which a function calls one of these."""
    return [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in names
    ]


def log_of(serial: str, to: str, number: int, at: str = "2026-03-02T08:00:00Z") -> str:
    """A line as `gateway/tokens/witness.py` writes it."""
    return (
        f'{{"at":"{at}","level":"info","event":"token_leaves","to":"{to}",'
        f'"run":"bcdfghjk","count":{number},"serial":"{serial}"}}\n'
    )
