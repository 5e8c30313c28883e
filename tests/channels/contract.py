"""What every aggregator's SMS must do; its test inherits from here and says how it writes.

`SmsContract` speaks of fields by our names. A channel's test gives `channel` and writes the
aggregator's request from those names; a field that is left out is left out. What USSD must do
stands in `test_ussd_contract.py`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from gateway.channels.base import Delivery, Inbound, Malformed, SmsChannel

PHONE = "+254700000001"
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


def without(fields: Mapping[str, str], name: str) -> dict[str, str]:
    """The fields but one."""
    return {key: value for key, value in fields.items() if key != name}


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
