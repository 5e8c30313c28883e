"""Small trees of screens for tests of the engine, and callers who walk them below the route."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import null, select

from gateway.channels.base import UssdReply
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.ussd import screens
from gateway.ussd.engine import Engine, Turn
from gateway.ussd.screens import Go, Next, Option, Screen, Values, Visit

PIN = "4711"


NEVER_CHOSEN = select(null()).scalar_subquery()


class English:
    """Speaks the texts as they stand."""

    def text(self, language: str, msgid: str, /, **values: str | int) -> str:
        """The message with its values."""
        for name, value in values.items():
            msgid = msgid.replace(f"{{{name}}}", str(value))
        return msgid


def engine(*made: Screen, key: bytes = b"k" * 32) -> Engine:
    """An engine over a tree of these screens."""
    return Engine(screens.tree(made), English(), key, NEVER_CHOSEN, "en")


@dataclass
class Staged:
    """Dialogues of one phone with an engine, in the database of a test."""

    database: Database
    clock: Clock
    engine: Engine
    budget: int = 160
    channel: str = "test"
    phone: str = "+2348030000001"

    def turn(self, text: str, session: str = "S1") -> UssdReply:
        """One text."""
        turn = Turn(
            channel=self.channel,
            session_id=session,
            msisdn=self.phone,
            network="",
            text=text,
            budget=self.budget,
            now=self.clock.now(),
        )
        return self.database.run(lambda connection: self.engine.turn(connection, turn))

    def shows(self, text: str, session: str = "S1") -> str:
        """What the caller sees after one text."""
        return self.turn(text, session).text


@dataclass
class Paying:
    """A payment with a PIN and a confirmation: screens that must never be dialled or resumed."""

    paid: list[str] = field(default_factory=list)

    def screens(self) -> tuple[Screen, ...]:
        """Home, the amount, the PIN, the confirmation and the end."""
        return (
            Screen("home", text="Home", options=(Option("1", "Pay", "amount"),)),
            Screen("amount", text="Amount?", answer=self._amount, leads_to=("pin",)),
            Screen("pin", text="PIN?", answer=self._pin, leads_to=("confirm",), private=True),
            Screen(
                "confirm",
                text="Pay {amount}?",
                options=(Option("1", "Yes, {amount}", "done"),),
                private=True,
                sample={"amount": "1000"},
            ),
            Screen(
                "done",
                text="Paid {amount}",
                arrive=self._done,
                ends=True,
                sample={"amount": "1000"},
            ),
        )

    def _amount(self, _: Visit, entry: str) -> Next:
        return Go("pin", {"amount": entry})

    def _pin(self, visit: Visit, entry: str) -> Next:
        return Go("confirm", visit.values) if entry == PIN else screens.Again("Wrong PIN.")

    def _done(self, visit: Visit) -> Next | Values:
        self.paid.append(visit.values["amount"])
        return {}


def listing(items: Callable[[], Sequence[str]], text: str = "List") -> tuple[Screen, ...]:
    """Home and a list of items; the one chosen is shown at the end."""
    return (
        Screen("home", text="Home", options=(Option("1", "List", "list"),)),
        Screen(
            "list",
            text=text,
            choices=lambda _: [screens.Choice(item, item) for item in items()],
            choose=lambda _, value: Go("chosen", {"item": value}),
            leads_to=("chosen",),
            long=True,
        ),
        Screen("chosen", text="Chosen {item}", ends=True, sample={"item": "x"}),
    )
