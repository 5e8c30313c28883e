"""Six languages to choose from, at once and everywhere; what is switched off is English."""

import re
from pathlib import Path

import pytest

from gateway.formats import gsm7
from gateway.languages import Languages, catalogs
from gateway.settings import DEFAULT_LANGUAGES
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.web.sms_callbacks import text_in
from wiring.core import LOCALE

README = Path(__file__).resolve().parents[2] / "README.md"
# As they are dialled, `5*1*N`: a new one goes to the end.
LANGUAGES = tuple(DEFAULT_LANGUAGES.split(","))
SPOKEN = Languages(LOCALE, LANGUAGES)
GOODBYE = {code: SPOKEN.text(code, "From now on we speak English to you.") for code in LANGUAGES}
DELIVERY = "{sender}: {amount}. Token {token}. To redeem dial {dial} by {expiry}. Ref {serial}"
REDEEMED = "You redeemed {amount} on {at}. Ref {serial}. Balance {balance}."
MISTYPED = "The token is incomplete or mistyped. A token has 18 or 11 digits."
others = pytest.mark.parametrize("language", LANGUAGES[1:])


@pytest.fixture
def wired(database_url: str, clock: SteppedClock) -> Wired:
    return Wired(database_url, clock, languages=LANGUAGES)


def choose(wired: Wired, phone: str, language: str) -> str:
    return wired.dial(phone, text=f"5*1*{LANGUAGES.index(language) + 1}").body


def test_everything_that_has_a_catalog_can_be_chosen_unless_it_is_switched_off() -> None:
    assert sorted(LANGUAGES) == sorted(catalogs(LOCALE))
    assert LANGUAGES[:2] == ("en", "fr")


def test_each_language_is_named_by_its_own_name_on_one_display(wired: Wired) -> None:
    body = wired.dial(ADA, text="5*1").body
    names = re.findall(r"^\d (.+)$", body.partition("\n0 ")[0], re.MULTILINE)
    assert len(names) == len(set(names)) == len(LANGUAGES)
    assert names[:4] == ["English", "Francais", "Kiswahili", "Hausa"]
    assert "98 More" not in body


def test_the_languages_can_be_paged_through_on_the_smallest_display(
    database_url: str, clock: SteppedClock
) -> None:
    small = Wired(database_url, clock, languages=LANGUAGES, ussd_budgets={"62130": 60})
    call = small.dial(ADA, text="5*1")
    assert "98 More" in call.body
    seen = [call.body]
    while "98 More" in seen[-1]:
        seen.append(call.send("98"))
    lines = "\n".join(body.removeprefix("CON ") for body in seen).splitlines()
    listed = [line for line in lines if re.match(r"[1-9] ", line)]
    assert [int(line[0]) for line in listed] == list(range(1, len(LANGUAGES) + 1))
    assert all(gsm7.septets(body.removeprefix("CON ")) <= 60 for body in seen)
    small.close()


@others
def test_a_choice_is_answered_in_the_language_and_holds_in_the_next_call(
    wired: Wired, language: str
) -> None:
    assert wired.dial(ADA).body.startswith("CON Welcome.")
    said = choose(wired, ADA, language).removeprefix("END ")
    assert said == gsm7.transliterate(GOODBYE[language])
    welcome = gsm7.transliterate(SPOKEN.text(language, "Welcome."))
    assert wired.dial(ADA).body.startswith(f"CON {welcome}\n1 ")


@others
def test_a_choice_holds_for_the_messages_that_wait_to_be_sent(wired: Wired, language: str) -> None:
    issued = wired.issue("500.00", to=ADA, deliver=True)
    wired.issue("500.00", to=BELLO, deliver=True)
    wired.redeem(wired.issue("500.00", to=ADA).reveal())
    choose(wired, ADA, language)
    wired.send_all()
    inbox = {m.text for m in wired.gateway.inbox(ADA)}
    spoken = {first_words(language, text) for text in (DELIVERY, REDEEMED)}
    assert all(any(words in text for text in inbox) for words in spoken), inbox
    assert any(issued.serial in text and "NGN 500.00" in text for text in inbox)
    assert "To redeem dial" in wired.gateway.inbox(BELLO)[0].text


def first_words(language: str, msgid: str) -> str:
    """The longest run of words that a text says itself."""
    written = gsm7.transliterate(SPOKEN.translations(language)[msgid])
    return max(re.split(r"\{\w+\}", written), key=len)


@others
def test_a_choice_holds_for_a_reply_to_an_sms_that_waits_to_be_sent(
    wired: Wired, language: str
) -> None:
    text_in(wired, "123456", "m1")
    choose(wired, ADA, language)
    wired.send_all()
    assert first_words(language, MISTYPED) in wired.gateway.inbox(ADA)[0].text


def test_who_never_chose_gets_the_receipt_in_the_language_they_wrote_in(wired: Wired) -> None:
    text_in(wired, f"KOMBOA {wired.issue('500.00', to=ADA).reveal()}", "m1")
    wired.send_all()
    assert wired.gateway.inbox(ADA)[0].text.startswith("Umekomboa NGN 500.00 tarehe 02/03/2026")


@others
def test_money_and_days_are_written_alike_in_every_language(wired: Wired, language: str) -> None:
    choose(wired, ADA, language)
    wired.issue("1234567.50", to=ADA, deliver=True)
    wired.redeem(wired.issue("500.00", to=ADA).reveal())
    wired.send_all()
    said = " ".join(message.text for message in wired.gateway.inbox(ADA))
    assert "NGN 1234567.50" in said
    assert "NGN 500.00" in said
    assert "01/04/2026" in said
    assert "02/03/2026 10:00" in said


@others
def test_who_chose_a_language_that_was_switched_off_is_spoken_to_in_english(
    wired: Wired, database_url: str, clock: SteppedClock, language: str
) -> None:
    choose(wired, ADA, language)
    wired.issue("500.00", to=BELLO, deliver=True, language=language)
    wired.redeem(wired.issue("500.00", to=ADA).reveal())
    without = Wired(database_url, clock, languages=tuple(set(LANGUAGES) - {language}))
    assert without.dial(ADA).body.startswith("CON Welcome.\n1 Redeem token")
    without.send_all()
    assert without.gateway.inbox(ADA)[0].text.startswith("You redeemed NGN 500.00")
    assert "To redeem dial" in without.gateway.inbox(BELLO)[0].text
    without.close()


def test_the_readme_says_of_each_language_whether_a_native_speaker_has_read_it() -> None:
    rows = re.findall(r"^\| (\S+) \| `(\w+)` \| (.+) \|$", README.read_text(), re.MULTILINE)
    told = {code: state for _, code, state in rows if len(code) == 2}
    assert list(told) == list(LANGUAGES)
    for code in LANGUAGES[1:]:
        reviewer = SPOKEN.reviewer(code)
        assert told[code] == (f"reviewed by {reviewer}" if reviewer else "not reviewed")
