"""What a text is taken for: a token in whatever surrounds it, several of them, or talk."""

import time
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn

from gateway.languages import Languages, catalogs
from gateway.sms import texts
from gateway.sms.inbound import TEXT_MAX
from menus.keywords import found
from menus.keywords.reading import Other, read
from menus.keywords.words import Word
from wiring.core import LOCALE

LONG, SHORT, OTHER = "490750293453273258", "08703809007", "902100000000000014"
LANGUAGES = catalogs(LOCALE)


def test_the_examples_are_tokens() -> None:
    assert all(map(luhn.is_valid, (LONG, SHORT, OTHER)))


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("490750\n293453\n273258", LONG),
        ("REDEEM 4907 5029 3453\r\n2732 58", LONG),
        ("REDEEM:490750-293453-273258. Thanks!", LONG),
        ("redeem my token 490750 293453 273258 please", LONG),
        ("Encaisser 490750293453273258", LONG),
        ("komboa " + SHORT, SHORT),
        ("Good morning, my token is 490750 293453 273258, God bless", LONG),
        ("NGN 500.00. 490750 293453 273258", LONG),
        ("500 490750 293453 273258", LONG),
        (f"{LONG}\n{LONG}", LONG),
        (f"{LONG} {LONG[:6]} {LONG[6:12]} {LONG[12:]}", LONG),
        (f"*384*1*1*{LONG}#", LONG),
        (f"*384*123*1*{SHORT}#", SHORT),  # eighteen digits in all
        (f"token {SHORT} from my shop", SHORT),
        (f"Fwd: Help Shop: token {LONG}", LONG),
        ("49\u200b0750\u2060293453\ufeff273258", LONG),
        ("RE\u200dDEEM " + LONG, LONG),
    ],
)
def test_a_token_is_found_in_what_surrounds_it(text: str, entry: str) -> None:
    wish = read(text, "NG")
    assert (wish.asked, wish.rest) == (Word.REDEEM, entry)


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG}\n{OTHER}",
        f"{LONG} and {OTHER}",
        f"REDEEM {LONG}, {OTHER}",
        f"{LONG} {SHORT}",
        f"0870 3809 007\n{OTHER}",
        f"Dial *384*1*1*{LONG}# or *384*1*1*{OTHER}#",
        f"Dial *384*1*1*{LONG}#. My own: {OTHER}",
    ],
)
def test_of_several_tokens_none_is_chosen(text: str) -> None:
    assert read(text, "NG").asked is Other.SEVERAL


@pytest.mark.parametrize(
    "text", [LONG + OTHER, "9" * 400, LONG[:11], LONG[11:], f"{LONG}²", f"{LONG}٣"]
)
def test_digits_that_are_no_token_are_handed_on_as_they_are(text: str) -> None:
    wish = read(text, "NG")
    assert (wish.asked, wish.rest) == (Word.REDEEM, text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sender", ["Token Gateway", "Help Shop", "START", "Stop & Go"])
@pytest.mark.parametrize(
    ("token", "shown"), [(LONG, "490750 293453 273258"), (SHORT, "0870 3809 007")]
)
@pytest.mark.parametrize("before", ["", "Fwd: ", "REDEEM ", "this is what I got:\n> "])
def test_our_own_sms_sent_on_to_us_offers_its_token_and_nothing_else(
    language: str, sender: str, token: str, shown: str, before: str
) -> None:
    say = partial(Languages(LOCALE, LANGUAGES).text, language)
    values = {**texts.SAMPLES[texts.DELIVERY], "sender": sender, "token": shown}
    values["dial"] = f"*384*1*1*{token}#"
    values["help"] = "00137033965"  # eleven digits that could be a token
    text = before + texts.fit(say, texts.DELIVERY, values)
    wish = read(text, "NG")
    assert (wish.asked, wish.rest) == (Word.REDEEM, token)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_cash_code_sent_on_to_us_is_found_too(language: str) -> None:
    say = partial(Languages(LOCALE, LANGUAGES).text, language)
    wish = read(texts.fit(say, texts.CASH, texts.SAMPLES[texts.CASH]), "NG")
    assert (wish.asked, wish.rest) == (Word.REDEEM, LONG)


@pytest.mark.parametrize(
    "text", ["call 08030000001", "call me on 0803 000 0001, thanks", "I am +234 803 000 0001"]
)
def test_a_number_to_call_is_no_token_unless_it_is_all_there_is(text: str) -> None:
    assert read(text, "NG").asked is Other.UNKNOWN
    assert read("08030000001", "NG").asked is Word.REDEEM


@given(st.text(max_size=200))
def test_any_text_is_taken_for_something(text: str) -> None:
    read(text, "NG")


@given(
    st.text(alphabet=st.characters(categories=["Lu", "Ll", "Po"]), max_size=40),
    st.text(alphabet=st.characters(categories=["Lu", "Ll"]), max_size=40),
)
def test_a_token_between_any_words_is_found(before: str, after: str) -> None:
    assert found.all_in(f"{before} 490750 293453 273258 {after}") == [LONG]


@pytest.mark.parametrize(
    "piece", ["*1", "1 ", "1\n", "*", "a", "a\u0301", "12345678901 ", f"*1*{LONG}#", "\u200b"]
)
def test_no_text_takes_long_to_read(piece: str) -> None:
    text = (f"*1*{LONG}# " + piece * TEXT_MAX)[:TEXT_MAX]
    began = time.perf_counter()
    read(text, "NG")
    read(text[::-1], "NG")
    assert time.perf_counter() - began < 1.0
