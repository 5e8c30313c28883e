"""A real Kannel with its fake SMSC: tokens out, texts and reports in, restarts, and failover."""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.channels.kannel import KannelChannel
from gateway.errors import Refused, SendFailed, Throttled
from gateway.outbox.store import Message
from gateway.settings import AfricasTalking
from tests.channels.sending import PHONE
from tests.emulators.africastalking import SmsApi
from tests.outbox.senders import channel, drain, rows_of, sender
from tests.support.clock import SteppedClock
from tests.support.kannel import Callbacks, Kannel, until
from tests.support.wired import ADA, SECRET, Wired
from tests.web.sms_callbacks import outcomes

# Each test begins at a time of its own, so that no late report of another fits its messages.
MINUTES = itertools.count(1)


@pytest.fixture(scope="module")
def served() -> Iterator[Callbacks]:
    """Where Kannel calls us."""
    with Callbacks() as callbacks:
        yield callbacks


@pytest.fixture(scope="module")
def only_kannel(served: Callbacks) -> Iterator[Kannel]:
    """One Kannel for all tests."""
    with Kannel(served.url) as running:
        yield running


@pytest.fixture
def kannel(only_kannel: Kannel) -> Kannel:
    """It, up and with its SMSC, whatever the test before has done to it."""
    only_kannel.ready()
    return only_kannel


class Line:
    """A gateway that sends over Kannel first, and what reached phones since it was made."""

    def __init__(self, wired: Wired, kannel: Kannel) -> None:
        self.wired, self.kannel = wired, kannel
        self._before = len(kannel.arrived())
        self.rows = rows_of(wired)

    def arrived(self) -> list[str]:
        """What reached phones."""
        return self.kannel.arrived()[self._before :]

    def sms(self, words: str) -> list[str]:
        """What reached phones with these words in it, spaces between digits taken out."""
        return [sms for sms in self.arrived() if words in re.sub(r"(?<=\d) (?=\d)", "", sms)]

    def until(self, condition: Callable[[], object]) -> None:
        """Wait for it."""
        until(condition, f"{self.rows.all()}\n{self.arrived()}\n{self.kannel.logs()[-2_000:]}")

    def until_states(self, *states: str) -> list[Message]:
        """Wait until the messages stand so, oldest first."""
        self.until(lambda: self.rows.states() == list(states))
        return self.rows.all()


@pytest.fixture
def api() -> Iterator[SmsApi]:
    """The second channel, Africa's Talking."""
    with SmsApi(api_key="test-api-key") as running:
        yield running


def line_over(
    url: str, clock: SteppedClock, kannel: Kannel, served: Callbacks, api: SmsApi
) -> Iterator[Line]:
    """The gateway, with Kannel calling it."""
    clock.advance(minutes=next(MINUTES))
    wired = Wired(
        url,
        clock,
        sms_channels=("kannel", "africastalking"),
        kannel=kannel.settings,
        africastalking=AfricasTalking("sandbox", "test-api-key", base_url=api.url),
    )
    served.application = wired.app
    yield Line(wired, kannel)
    served.application = None
    wired.close()


@pytest.fixture
def line(
    database_url: str, clock: SteppedClock, kannel: Kannel, served: Callbacks, api: SmsApi
) -> Iterator[Line]:
    """Such a gateway on each engine."""
    yield from line_over(database_url, clock, kannel, served, api)


@pytest.fixture
def line_on_sqlite(
    sqlite_url: str, clock: SteppedClock, kannel: Kannel, served: Callbacks, api: SmsApi
) -> Iterator[Line]:
    """One on SQLite, for what is about Kannel alone."""
    yield from line_over(sqlite_url, clock, kannel, served, api)


def test_a_token_goes_out_and_comes_back_bare_and_is_redeemed(line: Line) -> None:
    issued = line.wired.issue("500.00", deliver=True)
    assert line.wired.send_all() == 1
    (sent,) = line.until_states("delivered")
    assert (sent.channel, sent.attempts) == ("kannel", 1)
    line.until(lambda: line.sms(issued.reveal()))
    (sms,) = line.arrived()
    assert sms.startswith(f"POWER {ADA} text ")

    line.kannel.say(ADA, issued.reveal())
    line.until(lambda: outcomes(line.wired) == ["redeemed"])
    assert line.wired.balance() == 500
    line.wired.send_all()
    line.until_states("delivered", "delivered")
    line.until(lambda: line.sms("You redeemed NGN 500.00"))
    assert len(line.arrived()) == 2  # and no answer of the web server went out as an SMS
    assert line.wired.breaches() == []

    kept = [line.kannel.logs(), *(path.read_text() for path in spooled(line.kannel))]
    assert not [text for text in kept if issued.reveal() in text.replace(" ", "")]
    assert issued.reveal()[:6] not in "".join(kept)


def spooled(kannel: Kannel) -> list[Path]:
    """What Kannel keeps on disk."""
    return [path for path in (kannel.folder / "spool").rglob("*") if path.is_file()]


def test_what_we_could_not_take_is_repeated_and_acts_once(line: Line, served: Callbacks) -> None:
    issued = line.wired.issue("500.00")
    working, served.application = served.application, None
    before = served.turned_away
    line.kannel.say(ADA, issued.reveal())
    line.kannel.say(ADA, f"Redeem {issued.reveal()[:9]}  {issued.reveal()[9:]}")
    line.until(lambda: served.turned_away >= before + 2)
    served.application = working
    line.until(lambda: len(outcomes(line.wired)) == 2)
    assert Counter(outcomes(line.wired)) == {"redeemed": 1, "already_yours": 1}
    assert line.wired.balance() == 500
    assert line.wired.breaches() == []


def test_a_dead_smsbox_is_passed_over_until_it_is_back(
    line: Line, api: SmsApi, clock: SteppedClock
) -> None:
    tokens = [line.wired.issue(deliver=True).reveal() for _ in range(3)]
    line.kannel.stop("smsbox")
    assert line.wired.send_all() == 3
    assert {(row.state, row.channel, row.attempts) for row in line.rows.all()} == {
        ("sent", "africastalking", 1)
    }
    assert len(api.messages) == 3
    line.kannel.start()
    clock.advance(seconds=5)
    last = line.wired.issue(deliver=True).reveal()
    line.wired.send_all()
    line.until(lambda: line.rows.all()[-1].state == "delivered")
    assert line.rows.all()[-1].channel == "kannel"
    line.until(lambda: line.sms(last))
    assert not [token for token in tokens if line.sms(token)]
    assert len(api.messages) == 3


def test_a_prefix_without_a_route_goes_over_the_next_channel(line: Line, api: SmsApi) -> None:
    line.wired.issue(to="+254700000001", deliver=True)
    line.wired.send_all()
    line.until(line.rows.reports)
    assert [status for _, status in line.rows.reports()] == ["16"]  # bearerbox reports it, too
    (row,) = line.rows.all()
    assert (row.state, row.channel) == ("sent", "africastalking")
    assert api.messages[0].message_id == row.message_id


def test_nothing_is_lost_or_doubled_over_a_power_cut_and_a_restart(
    line_on_sqlite: Line,
) -> None:
    line, kannel = line_on_sqlite, line_on_sqlite.kannel
    mine = line.wired.issue("500.00").reveal()
    kannel.stop("smsbox")
    kannel.say(ADA, mine)
    line.until(lambda: spooled(kannel))
    kannel.cut_power()
    kannel.start()
    line.until(lambda: outcomes(line.wired) == ["redeemed"])

    tokens = [line.wired.issue(deliver=True).reveal() for _ in range(5)]
    assert line.wired.send_all() == 6  # the receipt waits with them for the SMSC
    assert line.rows.states() == ["sent"] * 6
    assert line.arrived() == []
    kannel.restart()
    kannel.connect()
    line.until_states(*["delivered"] * 6)
    line.until(lambda: len(line.arrived()) == 6)
    assert [len(line.sms(token)) for token in tokens] == [1] * 5
    assert outcomes(line.wired) == ["redeemed"]
    assert line.wired.balance() == 500
    line.until(lambda: not spooled(kannel))


def test_a_time_out_is_settled_by_its_report_and_goes_over_no_other_channel(
    line_on_sqlite: Line, api: SmsApi, clock: SteppedClock
) -> None:
    line, kannel = line_on_sqlite, line_on_sqlite.kannel
    receipts = f"{kannel.callback_url}/sms/kannel/{SECRET}/receipts"
    impatient = KannelChannel(kannel.settings, receipts, (1.0, 0.4))
    second = channel(api.url, key="test-api-key")
    token = line.wired.issue(deliver=True).reveal()
    kannel.freeze("bearerbox")  # smsbox has the request by then
    drain(sender(line.wired, [impatient, second]))
    assert line.rows.states() == ["unknown"]
    kannel.thaw("bearerbox")
    line.until_states("delivered")
    line.until(lambda: line.sms(token))
    clock.advance(minutes=11)
    line.rows.settle()
    assert drain(sender(line.wired, [impatient, second])) == 0
    assert (len(line.arrived()), api.requests) == (1, [])


def test_kannel_itself_says_what_it_refuses(kannel: Kannel, served: Callbacks) -> None:
    receipts = f"{served.url}/sms/kannel/{SECRET}/receipts"
    right = KannelChannel(kannel.settings, receipts)
    assert right.check() == "answers"
    wrong = KannelChannel(replace(kannel.settings, password="wrong"), receipts)
    nobody = KannelChannel(replace(kannel.settings, sender=""), receipts)
    for refused, said in (
        (wrong.check, "credentials refused"),
        (lambda: send(wrong), "credentials refused"),
        (lambda: send(nobody), "KANNEL_SENDER"),
        (lambda: send(right, "+254700000001"), "Not routable"),
    ):
        with pytest.raises(SendFailed, match=said) as raised:
            refused()
        assert isinstance(raised.value, Throttled | Refused)
        assert raised.value.alarm


def test_letters_outside_the_alphabet_reach_the_phone(kannel: Kannel) -> None:
    before = len(kannel.arrived())
    send(KannelChannel(kannel.settings, ""), text="\u20a65 [\u20ac]")
    send(KannelChannel(kannel.settings, ""), text="5 [\u20ac] \xe0")
    until(lambda: len(kannel.arrived()) == before + 2, "they never arrived")
    assert kannel.arrived()[before:] == [
        f"POWER {PHONE} ucs-2 +%A6%005%00+%00%5B+%AC%00%5D",
        f"POWER {PHONE} text 5 [\u20ac] \xe0",
    ]


def send(through: KannelChannel, to: str = PHONE, text: str = "Hello") -> None:
    """Hand one message over."""
    through.send(to, text, reference="sms1-260101000000-0", sender_id=None)
