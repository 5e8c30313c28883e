"""The words of SMS: no two meanings for one, any spelling of each, and texts that name them."""

import re
from collections import Counter
from pathlib import Path

import pytest

from gateway.languages import Languages, catalogs
from menus.keywords.notes import NOTES
from menus.keywords.words import WORDS, Word, first_word, folded
from wiring.core import LOCALE

LANGUAGES = catalogs(LOCALE)
EVERY = [
    (language, word, spelling)
    for language, words in WORDS.items()
    for word, spellings in words.items()
    for spelling in spellings
]
CAPITALS = re.compile(r"(?<![\w{])[A-Z]{3,}(?![\w}])")
NO_WORDS = {"SMS", "PIN", "K7M29QXD"}


def test_no_word_means_two_things() -> None:
    assert [word for word, n in Counter(word for _, _, word in EVERY).items() if n > 1] == []


def test_every_language_has_a_word_for_everything() -> None:
    assert set(LANGUAGES) <= set(WORDS)
    assert all(set(words) == set(Word) for words in WORDS.values())


def test_the_page_for_those_who_run_it_lists_every_word() -> None:
    page = (Path(__file__).parents[2] / "docs" / "sms.md").read_text()
    assert [word for _, _, word in EVERY if f"`{word}`" not in page] == []


@pytest.mark.parametrize(("language", "word", "spelling"), EVERY)
def test_a_word_is_known_in_any_case_and_with_junk_around_it(
    language: str, word: Word, spelling: str
) -> None:
    assert folded(spelling) == spelling
    wide = "".join(chr(ord(char) + 0xFEE0) for char in spelling)
    for text in (
        spelling,
        spelling.lower(),
        spelling.capitalize(),
        f" {spelling}. ",
        f"\u201c{spelling}\u201d!!!",
        f"*{spelling}#",
        f"\n\n- {spelling}\n--\nSent from my phone",
        wide,
    ):
        named = first_word(text)
        assert (named.word, named.language) == (word, language)


@pytest.mark.parametrize(
    ("spelling", "word"),
    [
        ("Arrêt", Word.STOP),
        ("ìrànlọ́wọ́", Word.HELP),
        ("Bẹ̀rẹ̀", Word.START),
        ("karɓa", Word.REDEEM),
        ("Kwụsị", Word.STOP),
        ("fọdụrụ", Word.BALANCE),
    ],
)
def test_a_word_may_be_written_with_its_marks(spelling: str, word: Word) -> None:
    assert first_word(spelling).word is word


@pytest.mark.parametrize("text", ["", "...", "4907", "redeemed 1", "helpful", "1 BAL", "BA L"])
def test_what_only_looks_like_a_word_is_none(text: str) -> None:
    assert first_word(text).word is None


def words_named(text: str) -> list[Word | None]:
    """What the words in capitals ask for, in a settled order; None for what we do not know."""
    named = [first_word(word).word for word in CAPITALS.findall(text) if word not in NO_WORDS]
    return sorted(named, key=str)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", NOTES.values(), ids=NOTES.keys())
def test_a_reply_in_each_language_names_words_that_work(language: str, text: str) -> None:
    languages = Languages(LOCALE, LANGUAGES)
    translated = languages.translations(language).get(text, text)
    assert words_named(translated) == words_named(text)
    assert None not in words_named(text)
