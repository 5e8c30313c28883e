"""Outgoing texts: one GSM-7 segment in every language, and the digits are never cut."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.formats import gsm7
from gateway.languages import Languages, catalogs
from gateway.sms import texts
from gateway.tokens.redeem import Answer
from gateway.tokens.reprint import SmsFacts, sms_text
from gateway.tokens.store import Token
from menus import keywords
from tests.support.wired import ADA, BELLO, Wired
from wiring.core import LOCALE

LANGUAGES = Languages(LOCALE, catalogs(LOCALE))
LAGOS = ZoneInfo("Africa/Lagos")
LONG_TOKEN = "490750293453273258"
# The longest sensible values of an installation.
FACTS = SmsFacts("Token Gateway", "*384*12345#", "+2348001234567", LAGOS)
NAMES = (
    "Token Gateway",
    "😀😀😀 Ada 😀",
    "“Ada’s” – Shop…",
    "Ọṣun Ẹ̀kọ́ Café ₦ Bọ̀sún",
    "Ada\u00a0Bello\u200b",
    "A" * 40,
    "[]{}" * 10,
    "Ж" * 40,
    "x" * 20 + "\n" + "y" * 19,
)
in_each_language = pytest.mark.parametrize("language", LANGUAGES.codes)


def a_token(**changes: object) -> Token:
    """A token of the highest amount."""
    values: dict[str, object] = {
        "id": 1,
        "serial": "K7M29QXD",
        "amount": Decimal("999999999999999.00"),
        "currency": "NGN",
        "expires_at": datetime(2026, 12, 31, 23, tzinfo=UTC),
        "sender_name": None,
    }
    empty = dict.fromkeys(Token.__dataclass_fields__)
    return Token(**{**empty, **values, **changes})  # type: ignore[arg-type]


@in_each_language
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("token", [LONG_TOKEN, "08703809007"])
def test_a_token_sms_is_one_segment_with_whole_digits(language: str, name: str, token: str) -> None:
    text = sms_text(a_token(sender_name=name), token, FACTS, partial(LANGUAGES.text, language))
    assert gsm7.is_gsm7(text)
    assert gsm7.segments(text) == 1
    assert f"*384*12345*1*{token}#" in text
    assert ("490750 293453 273258" if token == LONG_TOKEN else "0870 3809 007") in text
    for wanted in ("NGN 999999999999999.00", "31/12/2026", "K7M29QXD", "+2348001234567"):
        assert wanted in text


@in_each_language
@given(name=st.text(max_size=40))
def test_no_name_breaks_a_token_sms(language: str, name: str) -> None:
    say = partial(LANGUAGES.text, language)
    text = sms_text(a_token(sender_name=name or None), LONG_TOKEN, FACTS, say)
    assert gsm7.segments(text) == 1
    assert "490750 293453 273258" in text
    assert "\n" not in text


@in_each_language
@pytest.mark.parametrize("template", texts.SAMPLES)
def test_each_template_fits_one_segment_in_each_language(language: str, template: str) -> None:
    said = gsm7.transliterate(LANGUAGES.text(language, template, **texts.SAMPLES[template]))
    assert gsm7.segments(said) == 1


@in_each_language
@pytest.mark.parametrize("answer", keywords.NOTES)
def test_each_reply_fits_one_segment_in_each_language(language: str, answer: Answer) -> None:
    said = LANGUAGES.text(language, keywords.NOTES[answer], **keywords.SAMPLE)
    assert gsm7.segments(gsm7.transliterate(said)) == 1


def test_a_text_without_room_gives_up_its_sender_and_comes_to_an_end() -> None:
    said = texts.fit(
        lambda template, **values: template.format(**values),
        "{sender}: {token} " + "x" * 300,
        {"sender": "A long name", "token": "490750 293453 273258"},
    )
    assert said.startswith("A l: 490750 293453 273258 x")


def test_a_token_is_announced_with_the_last_day_that_counts() -> None:
    say = partial(LANGUAGES.text, "en")
    token = a_token(expires_at=datetime(2026, 3, 31, 23, 0, tzinfo=UTC))  # midnight in Lagos
    assert "by 31/03/2026." in sms_text(token, LONG_TOKEN, FACTS, say)


def test_the_help_number_is_told_when_there_is_one() -> None:
    say = partial(LANGUAGES.text, "en")
    assert sms_text(a_token(), LONG_TOKEN, FACTS, say).endswith("Help +2348001234567")
    without = sms_text(a_token(), LONG_TOKEN, replace(FACTS, help_number=""), say)
    assert without.endswith("Ref K7M29QXD")


def test_each_recipient_reads_their_own_language(wired: Wired) -> None:
    now = wired.clock.now()
    wired.run(lambda c: wired.gateway.subscribers.choose_language(c, BELLO, "fr", now))
    wired.issue(to=ADA, deliver=True)
    wired.issue(to=BELLO, deliver=True)
    wired.issue(to=BELLO, deliver=True, language="en")
    wired.send_all()
    assert "Token " in wired.gateway.inbox(ADA)[0].text
    english, french = (sms.text for sms in wired.gateway.inbox(BELLO))
    assert ("To redeem dial" in english, "Composez" in french) == (True, True)


def test_a_receipt_shows_local_time(wired: Wired) -> None:
    issued = wired.issue("500.00")
    wired.redeem(issued.reveal())
    wired.send_all()
    (receipt,) = wired.gateway.inbox(ADA)
    assert receipt.text == (
        f"You redeemed NGN 500.00 on 02/03/2026 10:00. Ref {issued.serial}. Balance NGN 500.00."
    )
