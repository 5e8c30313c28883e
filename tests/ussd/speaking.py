"""Dialogues over channels that send the last input only, as their aggregators' requests."""

from dataclasses import dataclass, replace

from werkzeug.test import TestResponse

from tests.channels.sheets import SEQUENCE, SHEETS, Raw, Sheet
from tests.support.wired import ADA, SECRET, Wired

LAST_INPUT = tuple(name for name in SHEETS if name != "africastalking")
NUMBERED = tuple(name for name in LAST_INPUT if SEQUENCE in SHEETS[name].names)
COUNTED = tuple(name for name in LAST_INPUT if name not in NUMBERED)
CODE = "*384*1#"

Shown = tuple[str, bool]  # what the phone shows, and whether the dialogue is over


@dataclass
class Speaker:
    """One phone in one dialogue; `turn` is what the aggregator counts."""

    wired: Wired
    name: str
    session: str = "S1"
    phone: str = ADA
    turn: int = 0

    @property
    def sheet(self) -> Sheet:
        """How the aggregator writes."""
        return SHEETS[self.name]

    def dial(self, behind: str = "") -> Shown:
        """Dial the code, with something behind it."""
        self.turn = 1
        return self.show(self.started(behind))

    def say(self, text: str) -> Shown:
        """Enter something."""
        self.turn += 1
        return self.show(self.said(text))

    def again(self, text: str) -> Shown:
        """Send the turn before once more, as an aggregator that got no answer does."""
        return self.show(self.said(text))

    def started(self, behind: str = "") -> Raw:
        """The request that starts a dialogue."""
        dialled = f"{CODE[:-1]}*{behind}#" if behind else CODE
        return self.sheet.written("start", self._fields(dialled, 1))

    def said(self, text: str) -> Raw:
        """The request of an input."""
        return self.sheet.written("turn", self._fields(text, self.turn))

    def ended(self, sample: str = "end") -> Raw:
        """The notice that the dialogue is over."""
        return self.sheet.written(sample, self._fields("", self.turn + 1))

    def show(self, raw: Raw) -> Shown:
        """What the phone shows for the answer, which always is a 200 in the channel's form."""
        given = self.post(raw)
        assert given.status_code == 200
        assert given.content_type == self.sheet.channel.content_type
        return self.sheet.shown(given.get_data())

    def post(self, raw: Raw, secret: str = SECRET) -> TestResponse:
        """The whole response; every call has a client of its own, for threads."""
        return self.wired.app.test_client().open(
            f"/ussd/{self.name}/{secret}{raw.target}",
            method=raw.method,
            data=raw.body,
            content_type=raw.content_type or None,
        )

    def other(self, session: str = "S1", phone: str = ADA) -> "Speaker":
        """Another session or phone."""
        return replace(self, turn=0, session=session, phone=phone)

    def _fields(self, text: str, turn: int) -> dict[str, str]:
        return {
            "session": self.session,
            "phone": self.phone.removeprefix("+"),
            "service_code": CODE,
            "network": "MTN",
            "text": text,
            SEQUENCE: str(turn),
        }
