"""What a screen needs made outside of its turn: made once, then the turn runs again (E6)."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from sqlalchemy import event

from gateway.channels.base import UssdReply
from gateway.database import outside
from gateway.database.engine import Database, Deadline
from gateway.database.outside import ROUNDS_MAX, NeededFirst
from gateway.errors import CommitUnknown, DeadlineExceeded, TryAgain
from gateway.people import store as people
from gateway.ussd.engine import Engine, Turn
from gateway.ussd.screens import Go, Next, Option, Screen, Visit
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.ussd.staging import PIN, engine

PHONE = "+2348030000001"


@dataclass
class Kitchen:
    """Screens of which one needs something made; `failures` are raised by the making, in turn."""

    made: list[tuple[str, bytes]] = field(default_factory=list)
    served: list[str] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    fickle: bool = False  # what was made is never what is asked for

    def screens(self) -> tuple[Screen, ...]:
        """Home, the private screen, and the end."""
        return (
            Screen("home", text="Home", options=(Option("1", "Order", "order"),)),
            Screen("order", text="Order?", answer=self._order, leads_to=("served",), private=True),
            Screen("served", text="Served {dish}", ends=True, sample={"dish": "x"}),
        )

    def _order(self, visit: Visit, entry: str) -> Next:
        people.set_language(visit.connection, visit.msisdn, "fr", visit.now)
        name = f"{entry} {len(self.made)}".encode() if self.fickle else entry.encode()
        dish = visit.proofs.get(name)
        if not isinstance(dish, str):

            def make(cause: bytes, _: Deadline | None) -> str:
                if self.failures:
                    raise self.failures.pop()
                self.made.append((entry, cause))
                return entry[::-1]

            raise NeededFirst("a dish must be cooked first", name, make)
        self.served.append(dish)
        return Go("served", {"dish": dish})


@pytest.fixture
def kitchen() -> Kitchen:
    return Kitchen()


@pytest.fixture
def cooking(kitchen: Kitchen) -> Engine:
    return engine(*kitchen.screens())


def post(
    database: Database, cooking: Engine, clock: SteppedClock, text: str, seconds: float = 5
) -> UssdReply:
    """One text, as the route runs it."""
    turn = Turn("test", "S1", PHONE, "", text, 160, clock.now())
    return outside.run(
        database,
        lambda c, made: cooking.turn(c, turn, made),
        lambda: cooking.cause(turn),
        deadline=Deadline(seconds),
        keyed=True,
    )


def language(database: Database) -> str | None:
    """What the screen has written beside its answer."""
    return database.run(lambda c: people.language(c, PHONE))


def test_a_turn_runs_again_with_what_it_needed(
    database: Database, cooking: Engine, kitchen: Kitchen, clock: SteppedClock
) -> None:
    post(database, cooking, clock, "1")
    assert post(database, cooking, clock, "1*abc") == UssdReply("Served cba", True)
    assert [entry for entry, _ in kitchen.made] == ["abc"]
    assert kitchen.served == ["cba"]
    assert language(database) == "fr"


def test_a_repeated_text_gets_the_stored_reply_and_makes_nothing(
    database: Database, cooking: Engine, kitchen: Kitchen, clock: SteppedClock
) -> None:
    post(database, cooking, clock, "1")
    replies = [post(database, cooking, clock, "1*abc") for _ in range(3)]
    assert len(kitchen.made) == len(kitchen.served) == 1
    assert len({reply.text for reply in replies}) == 1


def test_equal_texts_at_once_are_answered_once_for_one_cause(
    database: Database, cooking: Engine, kitchen: Kitchen, clock: SteppedClock
) -> None:
    post(database, cooking, clock, "1")
    replies = race(6, lambda _: post(database, cooking, clock, "1*abc", 20))
    assert replies == [UssdReply("Served cba", True)] * 6
    assert len({cause for _, cause in kitchen.made}) == 1


def test_different_texts_and_dialogues_are_different_causes(
    cooking: Engine, clock: SteppedClock
) -> None:
    turns = [
        Turn("test", session, phone, "", text, 160, clock.now())
        for session in ("S1", "S2")
        for phone in (PHONE, "+2348030000002")
        for text in ("1*abc", "1*abd")
    ]
    assert len({cooking.cause(turn) for turn in turns}) == len(turns)


@pytest.mark.parametrize("failure", [TryAgain("busy"), CommitUnknown("no answer")])
def test_what_cannot_be_made_now_leaves_nothing_behind(
    database: Database, cooking: Engine, kitchen: Kitchen, clock: SteppedClock, failure: Exception
) -> None:
    post(database, cooking, clock, "1")
    kitchen.failures.append(failure)
    with pytest.raises(TryAgain):
        post(database, cooking, clock, "1*abc")
    assert language(database) is None
    assert post(database, cooking, clock, "1*abc").text == "Served cba"


def test_the_making_and_both_runs_have_one_deadline(
    database: Database, cooking: Engine, kitchen: Kitchen, clock: SteppedClock
) -> None:
    post(database, cooking, clock, "1")
    with pytest.raises(DeadlineExceeded):
        post(database, cooking, clock, "1*abc", 0)
    assert kitchen.made == []


def test_what_is_out_of_date_each_time_is_given_up(
    database: Database, cooking: Engine, kitchen: Kitchen, clock: SteppedClock
) -> None:
    kitchen.fickle = True
    post(database, cooking, clock, "1")
    with pytest.raises(TryAgain):
        post(database, cooking, clock, "1*abc")
    assert len(kitchen.made) == ROUNDS_MAX + 1
    assert language(database) is None


@pytest.mark.parametrize("text", [f"1*{PIN}", f"1*{PIN}*{PIN}", f"1*{PIN}*1"])
def test_a_direct_dial_makes_nothing_for_what_it_drops(
    database: Database, cooking: Engine, kitchen: Kitchen, clock: SteppedClock, text: str
) -> None:
    assert post(database, cooking, clock, text).text.startswith("Order?")
    assert kitchen.made == []


@pytest.fixture
def statements(database: Database) -> Iterator[list[str]]:
    """Everything that is sent to the database from now on."""
    sent: list[str] = []

    def listen(_: object, __: object, statement: str, *___: object) -> None:
        sent.append(statement)

    event.listen(database.engine, "before_cursor_execute", listen)
    yield sent
    event.remove(database.engine, "before_cursor_execute", listen)


def test_a_turn_that_needs_nothing_sends_what_it_sent_without_all_this(
    database: Database, cooking: Engine, clock: SteppedClock, statements: list[str]
) -> None:
    def straight(session: str) -> None:
        turn = Turn("test", session, PHONE, "", "1", 160, clock.now())
        database.run(lambda c: cooking.turn(c, turn))

    def made_outside(session: str) -> None:
        turn = Turn("test", session, PHONE, "", "1", 160, clock.now())
        outside.run(database, lambda c, made: cooking.turn(c, turn, made), lambda: b"")

    straight("A")
    before = len(statements)
    made_outside("B")
    assert len(statements) - before == before > 0
