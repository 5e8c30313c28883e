"""What every aggregator's channel must do; its test inherits from here and says how it writes.

`UssdContract` and `SmsContract` speak of fields by our names. A channel's test gives `channel`
and writes the aggregator's request from those names; a field that is left out is left out.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from gateway.channels.base import (
    FIELD_CHARACTERS_MAX,
    Delivery,
    Inbound,
    Malformed,
    SmsChannel,
    UssdChannel,
    UssdReply,
)

TOKEN = "490750293453273258"
PHONE = "+254700000001"
TURN = {
    "session": "ATUid_7c898d72eb11f723ed8ea05ef232f279",
    "phone": PHONE,
    "service_code": "*384*1#",
    "network": "63902",
    "text": "1",
}
MESSAGE = {"id": "0f1c7a52-6d4e-4b7f-9a55", "sender": PHONE, "recipient": "21512", "text": "BAL"}
REPORT = {"id": "ATXid_00Abc", "status": "Success", "reason": ""}
ODD_TEXTS = (
    " 1 ",
    "1#",
    "01",
    "1*",
    "1**",
    "1*\x00",
    "1*12\n34",
    "1*\ufffd\ufffd",
    "\u0661\u0662",  # Arabic-Indic digits
    "\uff14\uff19",  # full-width digits
    "\U0001f600",
    "\u202e1",
    "1*" + "9" * 300,
    "1*" * 5000,
)
SCREENS = (
    "Enter token",
    "Token wallet\n1 Redeem token\n2 Send token\n0 Exit",
    "1 & 2 < 3 > \"x\" 'y' 100% {[~^|\\]}",
    "Montant: 500,00 \xe0 payer \xc7\xd1\xfc",
)


def without(fields: Mapping[str, str], name: str) -> dict[str, str]:
    """The fields but one."""
    return {key: value for key, value in fields.items() if key != name}


class UssdContract(ABC):
    """Any aggregator's USSD."""

    channel: UssdChannel
    essential: tuple[str, ...] = ("session", "phone")
    told_again = ("session", "phone", "service_code", "network", "text")  # what its request says

    @abstractmethod
    def turn(self, fields: Mapping[str, str]) -> Inbound:
        """The aggregator's request for a turn."""

    @abstractmethod
    def end(self, fields: Mapping[str, str]) -> Inbound:
        """The aggregator's notice that a dialogue is over; `status` is its word."""

    @abstractmethod
    def shown(self, body: bytes) -> tuple[str, bool]:
        """The text the phone shows for a response body, and whether the dialogue ends."""

    def test_a_turn_says_who_dialled_what_and_entered_what(self) -> None:
        read = self.channel.parse_turn(self.turn(TURN))
        told = {
            "session": read.session_id,
            "phone": read.phone,
            "service_code": read.service_code,
            "network": read.network,
            "text": read.text,
        }
        assert {name: told[name] for name in self.told_again} == {
            name: TURN[name] for name in self.told_again
        }
        assert read.channel == self.channel.name

    def test_a_turn_without_what_is_essential_is_malformed(self) -> None:
        for name in self.essential:
            for request in (without(TURN, name), {**TURN, name: ""}, {**TURN, name: "  "}):
                with pytest.raises(Malformed):
                    self.channel.parse_turn(self.turn(request))

    def test_a_turn_without_the_rest_is_still_a_turn(self) -> None:
        for name in set(TURN) - set(self.essential):
            self.channel.parse_turn(self.turn(without(TURN, name)))

    def test_fields_have_a_limit_and_the_text_is_left_to_the_dialogue(self) -> None:
        for name in set(self.told_again) - {"text", "phone"}:
            self.channel.parse_turn(self.turn({**TURN, name: "7" * FIELD_CHARACTERS_MAX}))
            with pytest.raises(Malformed):
                self.channel.parse_turn(self.turn({**TURN, name: "7" * (FIELD_CHARACTERS_MAX + 1)}))

    @pytest.mark.parametrize("text", ODD_TEXTS)
    def test_whatever_was_entered_is_handed_on_unchanged(self, text: str) -> None:
        assert self.channel.parse_turn(self.turn({**TURN, "text": text})).text == text

    def test_a_plus_that_arrived_as_a_space_is_mended(self) -> None:
        read = self.channel.parse_turn(self.turn({**TURN, "phone": " 254700000001"}))
        assert read.phone == PHONE

    def test_a_malformed_request_is_not_repeated_in_the_error(self) -> None:
        with pytest.raises(Malformed) as raised:
            self.channel.parse_turn(self.turn({**TURN, "session": TOKEN * 10, "text": TOKEN}))
        assert TOKEN not in str(raised.value)

    def test_an_end_says_which_dialogue(self) -> None:
        read = self.channel.parse_end(self.end({**TURN, "status": "Incomplete"}))
        assert read.session_id == TURN["session"]

    def test_an_end_without_a_session_is_malformed(self) -> None:
        with pytest.raises(Malformed):
            self.channel.parse_end(self.end({**without(TURN, "session"), "status": "Incomplete"}))

    @pytest.mark.parametrize("ends", [False, True])
    @pytest.mark.parametrize("screen", SCREENS)
    def test_the_phone_shows_the_screen_as_it_was_written(self, screen: str, ends: bool) -> None:
        assert self.shown(self.channel.render(UssdReply(screen, ends))) == (screen, ends)

    def test_the_same_reply_is_the_same_bytes(self) -> None:
        bodies = {self.channel.render(UssdReply(SCREENS[1], ends=False)) for _ in range(3)}
        assert len(bodies) == 1

    def test_lines_are_parted_by_a_single_line_feed(self) -> None:
        body = self.channel.render(UssdReply("a\r\nb\rc", ends=False))
        assert self.shown(body) == ("a\nb\nc", False)

    def test_the_content_type_names_the_encoding_and_the_budget_fits_a_phone(self) -> None:
        assert "charset=utf-8" in self.channel.content_type
        assert 1 <= self.channel.septets_max <= 182


class SmsContract(ABC):
    """Any aggregator's SMS that comes in."""

    channel: SmsChannel
    words: Mapping[str, Delivery]  # all that its documentation lists

    @abstractmethod
    def message(self, fields: Mapping[str, str]) -> Inbound:
        """The aggregator's request for an SMS from a phone; `date` is as it writes dates."""

    @abstractmethod
    def report(self, fields: Mapping[str, str]) -> Inbound:
        """The aggregator's delivery report."""

    @abstractmethod
    def date(self, instant: datetime) -> str:
        """An instant as the aggregator writes it."""

    def test_a_message_says_who_wrote_what_to_which_number(self) -> None:
        read = self.channel.parse_message(self.message(MESSAGE))
        told = (read.message_id, read.sender, read.recipient, read.text)
        assert told == (MESSAGE["id"], PHONE, "21512", "BAL")
        assert read.channel == self.channel.name

    @pytest.mark.parametrize("name", ["id", "sender"])
    def test_a_message_without_id_or_sender_is_malformed(self, name: str) -> None:
        for request in (without(MESSAGE, name), {**MESSAGE, name: ""}, {**MESSAGE, name: " "}):
            with pytest.raises(Malformed):
                self.channel.parse_message(self.message(request))

    @pytest.mark.parametrize("text", ["", " Redeem \n 4907 5029 ", *ODD_TEXTS])
    def test_the_text_of_a_message_is_unchanged(self, text: str) -> None:
        assert self.channel.parse_message(self.message({**MESSAGE, "text": text})).text == text

    def test_the_date_of_a_message_is_an_instant_in_utc(self) -> None:
        sent_at = datetime(2026, 5, 3, 6, 4, 45, tzinfo=UTC)
        fields = {**MESSAGE, "date": self.date(sent_at)}
        read = self.channel.parse_message(self.message(fields)).sent_at
        assert read == sent_at
        assert read is not None
        assert read.utcoffset() == sent_at.utcoffset()

    @pytest.mark.parametrize("date", ["", "yesterday", "2026-13-03 06:04:45", "0", "9" * 200])
    def test_an_odd_date_does_not_lose_the_message(self, date: str) -> None:
        read = self.channel.parse_message(self.message({**MESSAGE, "date": date}))
        assert (read.text, read.sent_at) == ("BAL", None)

    def test_every_documented_word_has_its_meaning(self) -> None:
        read = {word: self._delivery(word) for word in self.words}
        assert read == dict(self.words)

    @pytest.mark.parametrize("word", ["Borked", "success", "SUCCESS", " Success", "", "\x00"])
    def test_an_unknown_word_is_kept_and_decides_nothing(self, word: str) -> None:
        read = self.channel.parse_report(self.report({**REPORT, "status": word}))
        assert (read.delivery, read.status) == (Delivery.UNKNOWN_WORD, word)

    @pytest.mark.parametrize("message_id", ["ATXid_00Abc", "atxid_00abc", "ATXid_0Abc", "1002"])
    def test_the_id_of_a_report_is_kept_exactly(self, message_id: str) -> None:
        read = self.channel.parse_report(self.report({**REPORT, "id": message_id}))
        assert read.message_id == message_id

    def test_a_report_without_an_id_is_malformed(self) -> None:
        for request in (without(REPORT, "id"), {**REPORT, "id": ""}):
            with pytest.raises(Malformed):
                self.channel.parse_report(self.report(request))

    def _delivery(self, word: str) -> Delivery:
        return self.channel.parse_report(self.report({**REPORT, "status": word})).delivery
