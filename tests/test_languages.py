"""Languages: which text a person gets, and which catalogs the process refuses to start with."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import Misconfigured
from gateway.formats import gsm7
from gateway.languages import Languages, catalogs, placeholders

LOCALE = Path(__file__).resolve().parents[1] / "menus" / "locale"

FRENCH = """
msgid ""
msgstr ""
"Language: fr\\n"
"Content-Type: text/plain; charset=UTF-8\\n"

msgid "Welcome"
msgstr "Bienvenue à vous, garçon"

msgid "You received {amount} from {name}."
msgstr "{name} vous a envoyé {amount}."

msgid "Not translated {amount}"
msgstr ""

#, fuzzy
msgid "Doubtful"
msgstr "Douteux"

#~ msgid "Gone"
#~ msgstr "Parti"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "fr.po").write_text(FRENCH, encoding="utf-8")
    return tmp_path


@pytest.fixture
def languages(folder: Path) -> Languages:
    return Languages(folder, ["en", "fr"])


def test_english_is_the_text_itself(languages: Languages) -> None:
    assert languages.text("en", "Welcome") == "Welcome"
    assert languages.text("en", "{amount} due", amount="NGN 5.00") == "NGN 5.00 due"


def test_a_translated_text_comes_in_the_language_and_is_not_transliterated(
    languages: Languages,
) -> None:
    assert languages.text("fr", "Welcome") == "Bienvenue à vous, garçon"


def test_values_are_put_in_after_translation_in_the_languages_own_order(
    languages: Languages,
) -> None:
    text = languages.text(
        "fr", "You received {amount} from {name}.", amount="NGN 500.00", name="Ada"
    )
    assert text == "Ada vous a envoyé NGN 500.00."


def test_a_value_that_looks_like_a_placeholder_stays_as_it_is(languages: Languages) -> None:
    text = languages.text("en", "{name} {amount}", name="{amount}{0}\\1", amount=5)
    assert text == "{amount}{0}\\1 5"


def test_a_placeholder_may_have_any_name(languages: Languages) -> None:
    assert languages.text("en", "{language} {msgid}", language="a", msgid="b") == "a b"


def test_braces_that_are_no_placeholder_stay(languages: Languages) -> None:
    assert languages.text("fr", "{} {0} {a.b} {{ } {A} {a!r}") == "{} {0} {a.b} {{ } {A} {a!r}"


def test_a_missing_value_is_an_error_and_a_surplus_one_is_not(languages: Languages) -> None:
    with pytest.raises(KeyError):
        languages.text("fr", "You received {amount} from {name}.", amount="NGN 5.00")
    assert languages.text("fr", "Welcome", amount="NGN 5.00").startswith("Bienvenue")


@pytest.mark.parametrize("msgid", ["Doubtful", "Gone", "Never heard of", ""])
def test_what_is_not_translated_comes_in_english(languages: Languages, msgid: str) -> None:
    assert languages.text("fr", msgid) == msgid


def test_an_untranslated_text_still_gets_its_values(languages: Languages) -> None:
    assert languages.text("fr", "Not translated {amount}", amount=7) == "Not translated 7"


@pytest.mark.parametrize("language", ["sw", "", "xx", "FR", "fr_FR"])
def test_an_unknown_language_is_english(languages: Languages, language: str) -> None:
    assert languages.text(language, "Welcome") == "Welcome"
    assert languages.name(language) == "English"


def test_english_comes_first_and_the_others_as_they_were_enabled(folder: Path) -> None:
    (folder / "sw.po").write_text('msgid ""\nmsgstr ""\n', encoding="utf-8")
    assert Languages(folder, ["sw", "fr", "en", "sw"]).codes == ("en", "sw", "fr")
    assert Languages(folder, ["fr"]).codes == ("en", "fr")
    assert Languages(folder, []).codes == ("en",)


def test_a_language_is_named_as_its_speakers_name_it(folder: Path) -> None:
    for code in ("sw", "ha", "yo"):
        (folder / f"{code}.po").write_text('msgid ""\nmsgstr ""\n', encoding="utf-8")
    languages = Languages(folder, ["fr", "sw", "ha", "yo"])
    names = [languages.name(code) for code in languages.codes]
    assert names == ["English", "Français", "Kiswahili", "Hausa", "Èdè Yorùbá"]


@pytest.mark.parametrize("code", ["xx", "../fr", "", "e", "français"])
def test_a_code_that_is_no_language_is_refused(folder: Path, code: str) -> None:
    with pytest.raises(Misconfigured, match="is not a language"):
        Languages(folder, ["en", code])


def test_a_language_without_a_catalog_is_refused(folder: Path) -> None:
    with pytest.raises(Misconfigured, match=r"sw\.po"):
        Languages(folder, ["en", "sw"])


@pytest.mark.parametrize(
    ("catalog", "complaint"),
    [
        (b"hello", "cannot be read"),
        (b'msgid "a"\nmsgstr "\xff"\n', "cannot be read"),
        (b'msgid "pay {amount}"\nmsgstr "payez {montant}"\n', "placeholders"),
        (b'msgid "pay {amount}"\nmsgstr "payez"\n', "placeholders"),
        (b'msgid "pay"\nmsgstr "payez {amount}"\n', "placeholders"),
        (b'msgid "a"\nmsgid_plural "b"\nmsgstr[0] "c"\nmsgstr[1] "d"\n', "plurals"),
        (b'msgctxt "x"\nmsgid "a"\nmsgstr "b"\n', "contexts"),
    ],
)
def test_a_catalog_that_would_fail_its_readers_is_refused(
    tmp_path: Path, catalog: bytes, complaint: str
) -> None:
    (tmp_path / "fr.po").write_bytes(catalog)
    with pytest.raises(Misconfigured, match=complaint):
        Languages(tmp_path, ["en", "fr"])


def test_a_doubtful_translation_with_other_placeholders_does_no_harm(tmp_path: Path) -> None:
    doubtful = '#, fuzzy\nmsgid "pay {amount}"\nmsgstr "payez {montant}"\n'
    (tmp_path / "fr.po").write_text(doubtful, encoding="utf-8")
    assert Languages(tmp_path, ["fr"]).text("fr", "pay {amount}", amount=1) == "pay 1"


def test_the_head_of_a_catalog_names_who_has_read_it(tmp_path: Path) -> None:
    head = 'msgid ""\nmsgstr ""\n"Language: fr\\n"\n'
    for name, line in {"fr": "X-Reviewed-By: Awa Diop, 2026-12-01\\n", "sw": "", "ha": ""}.items():
        (tmp_path / f"{name}.po").write_text(f'{head}"{line}"\n', encoding="utf-8")
    (tmp_path / "ha.po").write_text(f'{head}"X-Reviewed-By: \\n"\n', encoding="utf-8")
    languages = Languages(tmp_path, ["fr", "sw", "ha"])
    assert languages.reviewer("fr") == "Awa Diop, 2026-12-01"
    assert (languages.reviewer("sw"), languages.reviewer("ha")) == (None, None)
    assert languages.reviewer("en") == "its authors"


def test_every_catalog_in_the_folder_can_be_enabled(folder: Path) -> None:
    assert catalogs(folder) == ("en", "fr")
    (folder / "notes.txt").write_text("not a catalog", encoding="utf-8")
    assert catalogs(folder) == ("en", "fr")
    assert catalogs(folder / "nowhere") == ("en",)


PIECES = st.sampled_from(["{a}", "{b_0}", "{", "}", "{}", "{0}", "{A}", "{a.b}", "é", " "])


@given(st.lists(PIECES, max_size=12))
def test_exactly_the_placeholders_are_replaced(pieces: list[str]) -> None:
    values = {"{a}": "1", "{b_0}": "2"}
    expected = "".join(values.get(piece, piece) for piece in pieces)
    assert Languages(LOCALE, []).text("en", "".join(pieces), a="1", b_0="2") == expected


def test_the_translations_of_a_language_can_be_listed(languages: Languages) -> None:
    assert set(languages.translations("fr")) == {"Welcome", "You received {amount} from {name}."}
    assert not languages.translations("en")
    assert not languages.translations("xx")


def test_our_catalogs_can_be_used_and_their_texts_written_in_gsm7() -> None:
    codes = sorted(path.stem for path in LOCALE.glob("*.po"))
    assert "fr" in codes
    languages = Languages(LOCALE, codes)
    for code in codes:
        for msgid, translation in languages.translations(code).items():
            written = gsm7.transliterate(translation)
            assert written.count("?") == translation.count("?"), (code, msgid)
            assert placeholders(written) == placeholders(msgid), (code, msgid)
