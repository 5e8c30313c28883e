"""Two copies of one last input at once: one effect, one reply; with the guard off and on (U2)."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from threading import Barrier

import pytest
from sqlalchemy import Connection, event

from gateway.ussd import journal
from gateway.ussd.engine import Turn
from gateway.ussd.turns import Turns
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import Wired
from tests.ussd.posting import play
from tests.ussd.speaking import COUNTED, LAST_INPUT, Speaker

COPIES = 3
ONE_COUNTED = "hollatags"
WAIT_SECONDS_MAX = 2.0


@pytest.fixture(params=LAST_INPUT)
def ada(wired: Wired, request: pytest.FixtureRequest) -> Speaker:
    """A caller on each channel."""
    return Speaker(wired, request.param)


@pytest.fixture
def together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every copy is counted before the first may take the dialogue's lock."""
    all_counted, counted = Barrier(COPIES), Turns.counted

    def hold(turns: Turns, connection: Connection, turn: Turn) -> Turn:
        found = counted(turns, connection, turn)
        all_counted.wait(WAIT_SECONDS_MAX)
        return found

    monkeypatch.setattr(Turns, "counted", hold)


def at_once(speaker: Speaker, text: str) -> list[object]:
    """Copies of the next input, all at once."""
    speaker.turn += 1
    raw = speaker.said(text)
    return [repr(shown) for shown in race(COPIES, lambda _: speaker.show(raw))]


def test_copies_of_a_token_at_once_redeem_once_and_get_the_same_reply(ada: Speaker) -> None:
    token = ada.wired.issue().reveal()
    ada.dial()
    ada.say("1")
    replies = at_once(ada, token)
    assert len(set(replies)) == 1
    assert "You have received NGN 100.00." in str(replies[0])
    assert ada.wired.balance() == Decimal("100.00")
    assert ada.wired.send_all() == 1
    assert ada.wired.breaches() == []


def test_copies_of_a_dialled_token_at_once_redeem_once(ada: Speaker) -> None:
    token = ada.wired.issue().reveal()
    raw = ada.started(f"1*{token}")
    replies = race(COPIES, lambda _: ada.show(raw))
    assert len(set(map(repr, replies))) == 1
    dialled = "You have received" in repr(replies[0])
    assert ada.wired.balance() == (Decimal("100.00") if dialled else Decimal("0.00"))
    assert ada.wired.breaches() == []


@pytest.mark.parametrize("name", COUNTED)
def test_copies_that_were_counted_together_are_one_answer(
    wired: Wired, together: None, name: str
) -> None:
    ada = Speaker(wired, name)
    start = ada.started()
    starts = race(COPIES, lambda _: ada.post(start).get_data())
    assert len(set(map(repr, starts))) == 1
    screens = at_once(ada, "5")
    assert len(set(screens)) == 1
    assert "Settings" in str(screens[0])


def test_without_the_look_before_the_lock_a_copy_answers_the_screen_it_never_saw(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = Speaker(wired, ONE_COUNTED)
    ada.dial()
    late = iter(range(10, 10 + COPIES))  # as if each copy had looked after the one before
    monkeypatch.setattr(Turns, "counted", lambda _, c, turn: replace(turn, done=next(late)))
    screens = at_once(ada, "5")
    assert len(set(screens)) > 1


@pytest.mark.parametrize("guarded", [False, True])
def test_without_the_journals_lock_copies_differ(
    wired: Wired, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    token = wired.issue().reveal()
    ada = Speaker(wired, ONE_COUNTED)
    ada.dial()
    ada.say("1")
    if not guarded:
        monkeypatch.setattr(journal, "add_step", lambda *_: None)
    replies = at_once(ada, token)
    assert (len(set(replies)) == 1) is guarded
    assert wired.balance() == Decimal("100.00")


def test_different_inputs_at_once_answer_one_screen_once(wired: Wired, together: None) -> None:
    tokens = [wired.issue(f"{n}.00").reveal() for n in range(1, COPIES + 1)]
    ada = Speaker(wired, ONE_COUNTED)
    started = ada.started("")
    race(COPIES, lambda _: ada.post(started))
    ada.turn = 1
    at_once(ada, "1")
    ada.turn += 1
    raws = [ada.said(token) for token in tokens]
    texts = [repr(shown) for shown in race(COPIES, lambda n: ada.show(raws[n]))]
    assert sum("You have received" in text for text in texts) == 1
    assert wired.breaches() == []


# --- without a session id -----------------------------------------------------------------------


@pytest.fixture
def older(wired: Wired) -> Speaker:
    """A caller on the one aggregator whose older requests name no session."""
    return Speaker(wired, "nalo", session="")


def test_a_dialogue_goes_by_phone_and_start(older: Speaker) -> None:
    token = older.wired.issue().reveal()
    assert older.dial()[0].startswith("Welcome.")
    older.say("1")
    assert older.dial()[0].startswith("Welcome.")
    assert older.say("4")[0].startswith("My wallet")
    older.dial()
    older.say("1")
    first = older.say(token)
    assert first[0].startswith("You have received")
    assert older.again(token) == first
    # A redial is a dialogue of its own, and not the last one's reply.
    assert older.dial()[0].startswith("Welcome.")
    older.say("1")
    assert older.say(token)[0].startswith("You redeemed this token already")


def test_three_minutes_without_an_input_end_it(older: Speaker, clock: SteppedClock) -> None:
    token = older.wired.issue().reveal()
    older.dial()
    clock.advance(minutes=2, seconds=59)
    assert older.say("1")[0].startswith("Enter the token")
    clock.advance(minutes=3, seconds=1)
    assert older.say(token)[1]
    assert older.wired.balance() == Decimal("0.00")
    assert "9 Continue" in older.dial()[0]


def test_redials_keep_the_rows_few_and_are_forgotten_a_day_after_the_last(
    older: Speaker, clock: SteppedClock
) -> None:
    for _ in range(5):
        older.dial()
        older.say("4")
        clock.advance(hours=20)
    with older.wired.gateway.database.snapshot() as connection:
        steps = connection.execute(journal.ussd_steps.select()).all()
        sessions = connection.execute(journal.ussd_sessions.select()).all()
    assert (len(steps), len(sessions)) == (2, 1)
    assert older.wired.gateway.chores()["ussd_sessions_purged"]() == 0
    clock.advance(hours=5)
    assert older.wired.gateway.chores()["ussd_sessions_purged"]() == 1


def test_redials_at_once_open_one_dialogue(older: Speaker, together: None) -> None:
    started = older.started()
    replies = race(COPIES, lambda _: older.post(started).get_data())
    assert len(set(map(repr, replies))) == 1


# --- what it costs ------------------------------------------------------------------------------


def statements(wired: Wired, step: Callable[[], object]) -> int:
    """How many statements a step sends."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, text: str, *_rest: object) -> None:
        sent.append(text)

    event.listen(wired.gateway.database.engine, "before_cursor_execute", note)
    step()
    event.remove(wired.gateway.database.engine, "before_cursor_execute", note)
    return len([text for text in sent if text.lstrip().startswith("SELECT")])


def test_only_a_counted_turn_looks_before_its_lock(wired: Wired) -> None:
    play(wired, "")
    cumulative = statements(wired, lambda: play(wired, "4"))
    numbered, counted = Speaker(wired, "hubtel"), Speaker(wired, ONE_COUNTED)
    for speaker in (numbered, counted):
        speaker.dial()
    assert statements(wired, lambda: numbered.say("4")) == cumulative
    assert statements(wired, lambda: counted.say("4")) == cumulative + 1
