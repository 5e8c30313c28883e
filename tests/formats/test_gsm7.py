"""The GSM 7-bit alphabet: counting septets and SMS, and writing what it lacks."""

import unicodedata

import pytest
from gsm0338 import Codec
from hypothesis import example, given
from hypothesis import strategies as st

from gateway.formats import gsm7
from gateway.formats.gsm7 import NotGsm7

# 3GPP TS 23.038, section 6.2.1, typed from the standard and not taken from the codec.
BASIC = (
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
EXTENSION = "^{}\\[~]|€\f"
OUTSIDE = "₦₵ẹọṣńǹɓɗƙịụŋɛɔáíóúêç`\t\u00a0’“–…😀\x1b\x00"

GSM_TEXT = st.text(alphabet=BASIC + EXTENSION)
ANY_TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from(BASIC + EXTENSION + OUTSIDE + "\u0301\u0323\u200d\ufe0f０³"),
        st.characters(),
        st.characters(categories=["Cs"]),
    )
)


def test_the_alphabet_is_the_standards() -> None:
    assert len(BASIC) == 127
    alphabet = {chr(code) for code in range(0x110000) if gsm7.is_gsm7(chr(code))}
    assert alphabet == set(BASIC + EXTENSION)


@pytest.mark.parametrize("char", BASIC)
def test_a_basic_character_is_one_septet(char: str) -> None:
    assert gsm7.septets(char) == 1


@pytest.mark.parametrize("char", EXTENSION)
def test_an_extension_character_is_two_septets(char: str) -> None:
    assert gsm7.septets(char) == 2


@pytest.mark.parametrize("char", OUTSIDE)
def test_any_other_character_and_a_bare_escape_are_refused(char: str) -> None:
    assert not gsm7.is_gsm7(f"a{char}")
    with pytest.raises(NotGsm7):
        gsm7.septets(f"a{char}")


def test_the_refusal_names_the_character_and_where_it_stands_but_not_the_text() -> None:
    with pytest.raises(NotGsm7) as refusal:
        gsm7.septets("pay ₦902100")
    assert str(refusal.value) == "U+20A6 at 4 is not in the GSM 7-bit alphabet"


@given(GSM_TEXT)
def test_septets_are_the_octets_of_the_unpacked_encoding(text: str) -> None:
    assert gsm7.septets(text) == len(Codec().encode(text)[0])


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Café “Lagos” – ₦ Shop 😀", 'Café "Lagos" - N Shop '),
        ("₦500 ₵20", "N500 GHS20"),
        ("é è à ù ì ò Ç ñ ü", "é è à ù ì ò Ç ñ ü"),
        ("ç á í ó ú ê â î ô û ë ï", "c a i o u e a i o u e i"),
        ("Cafe\u0301", "Café"),
        ("ẹ ọ ṣ Ẹ Ọ Ṣ ń ǹ ị ụ ṅ", "e o s E O S n n i u n"),
        ("ọ̀rọ̀ ọ́", "oro o"),
        ("ɓ ɗ ƙ ƴ Ɓ Ɗ Ƙ Ƴ", "b d k y B D K Y"),
        ("Ƙarin ɗaki", "Karin daki"),
        ("ŋ ɛ ɔ ɖ ƒ ɣ ʋ", "n e o d f g v"),
        ("ɔ́ ɛ̃", "o e"),
        ("œuvre Œuvre ł ı ẞ", "oeuvre OEuvre l i SS"),
        ("‘a’ ‚b‛ “c” „d‟ «e»", '\'a\' \'b\' "c" "d" "e"'),
        ("don’t", "don't"),
        ("a‐b‑c‒d–e—f―g−h", "a-b-c-d-e-f-g-h"),
        ("wait…", "wait..."),
        ("a\u00a0b\u2009c\u3000d", "a b c d"),
        ("a\tb\vc\fd", "a b c d"),
        ("a\r\nb\rc\u2028d\u0085e", "a\nb\nc\nd\ne"),
        ("• one", "- one"),
        ("`x` ´", "'x' '"),
        ("10×2 ÷ 4", "10x2 / 4"),
        ("© ® ™ №", "(c) (R) TM No"),
        ("\ufeffa\u200bb\u00adc", "abc"),
        ("a\x1bb\x00c", "abc"),
        ("👍🏽 👨‍👩‍👧 🇳🇬 1️⃣", "   1"),
        ("Яндекс", "??????"),
        ("電話", "??"),
        ("٣ ３ ³ ½", "? ? ? ?"),
        ("\ud800x", "x"),
        ("Å \u212b Ω \u2126", "Å Å Ω Ω"),
        ("", ""),
    ],
)
def test_text_is_written_in_the_alphabet(text: str, written: str) -> None:
    assert gsm7.transliterate(text) == written


@given(ANY_TEXT)
@example("\u1fc1\u0344\u037e")
def test_written_text_is_always_gsm7_and_stays_as_it_is(text: str) -> None:
    written = gsm7.transliterate(text)
    assert gsm7.is_gsm7(written)
    assert gsm7.transliterate(written) == written


def test_every_single_character_can_be_written() -> None:
    written = [gsm7.transliterate(chr(code)) for code in range(0x110000)]
    assert all(gsm7.is_gsm7(text) and len(text) <= 3 for text in written)


@given(st.text(alphabet=BASIC.replace("\r", "") + EXTENSION.replace("\f", "")))
def test_text_in_the_alphabet_is_left_alone(text: str) -> None:
    assert gsm7.transliterate(text) == text


@given(ANY_TEXT)
def test_no_digit_is_lost_or_made_up(text: str) -> None:
    digits = [char for char in text if char in "0123456789"]
    assert [char for char in gsm7.transliterate(text) if char in "0123456789"] == digits


@given(st.text(alphabet=st.characters(categories=["L"], min_codepoint=0x80)))
def test_a_letter_never_vanishes_without_a_trace(text: str) -> None:
    letters = sum(
        unicodedata.category(char)[0] == "L" for char in unicodedata.normalize("NFC", text)
    )
    assert len(gsm7.transliterate(text)) >= letters


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", 1),
        ("a" * 160, 1),
        ("a" * 161, 2),
        ("a" * 158 + "{", 1),
        ("a" * 159 + "{", 2),
        ("a" * 159 + "€", 2),
        ("a" * 306, 2),
        ("a" * 307, 3),
        ("a" * 459, 3),
        ("€" * 80, 1),
        ("€" * 81, 2),
        ("€" * 152, 2),
        ("€" * 153, 3),  # 76 of them fill 152 of the 153 septets
        ("a" * 152 + "€" + "a" * 151, 2),
        ("a" * 152 + "€" + "a" * 152, 3),
        ("Я" * 70, 1),
        ("Я" * 71, 2),
        ("Я" * 134, 2),
        ("Я" * 135, 3),
        ("😀" * 35, 1),
        ("😀" * 36, 2),
        ("😀" * 66, 2),
        ("😀" * 67, 3),  # 33 of them fill 66 of the 67 units
        ("a" * 159 + "₦", 3),
    ],
)
def test_segments_are_counted_as_they_are_billed(text: str, parts: int) -> None:
    assert gsm7.segments(text) == parts


def brute_force_parts(units: list[str], single: int, part: int) -> int:
    """Fill parts with whole characters, each given as its code units, and count them."""
    if len("".join(units)) <= single:
        return 1
    parts = [""]
    for unit in units:
        if len(parts[-1] + unit) > part:
            parts.append("")
        parts[-1] += unit
    return len(parts)


@given(st.text(alphabet="a€{\n", min_size=60, max_size=520))
def test_segments_of_gsm7_text_agree_with_filling_parts_by_hand(text: str) -> None:
    units = [Codec().encode(char)[0].decode("latin-1") for char in text]
    assert gsm7.segments(text) == brute_force_parts(units, single=160, part=153)


@given(st.text(alphabet="aЯ😀{", min_size=20, max_size=240).map(lambda text: text + "Я"))
def test_segments_of_other_text_agree_with_filling_parts_by_hand(text: str) -> None:
    units = ["u" * (len(char.encode("utf-16-be")) // 2) for char in text]
    assert gsm7.segments(text) == brute_force_parts(units, single=70, part=67)


def test_a_name_with_typographic_characters_costs_one_segment_and_keeps_the_digits() -> None:
    name, digits = "“Mama Ngọzi’s” – Shop…", "9021 0000 0000 0000 14"
    text = f"{name} sent you NGN 500.00. Your code: {digits}. Dial *384*123#"
    assert gsm7.segments(text) == 2
    sent = gsm7.transliterate(text)
    assert gsm7.segments(sent) == 1
    assert digits in sent
