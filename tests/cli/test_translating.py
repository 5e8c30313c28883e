"""`gateway menus check|missing|languages`: what a translator is told, before a test tells it."""

import shutil
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from gateway.cli.parts import Parts
from gateway.languages import Languages, catalogs
from tests.cli.conftest import CommandLine
from tests.support.clock import SteppedClock
from tests.support.wired import Wired
from wiring.core import LOCALE

HEAD = 'msgid ""\nmsgstr ""\n"Language: lg\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
BACK = 'msgid "0 Back"\nmsgstr "{}"\n'
AGAIN = 'msgid "Your wallet works again since {{at}}."\nmsgstr "{}{{at}}"\n'
LAST = 'msgid "That was too long. Please dial again."\nmsgstr "{}"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of our catalogs, with one of Luganda that was just begun."""
    copy = tmp_path / "locale"
    shutil.copytree(LOCALE, copy)
    (copy / "lg.po").write_text(HEAD, encoding="utf-8")
    return copy


@pytest.fixture
def translator(folder: Path, sqlite_url: str, clock: SteppedClock, quiet: None) -> CommandLine:
    def parts() -> Parts:
        whole = Wired(sqlite_url, clock).gateway
        whole.languages = Languages(folder, ("en", "fr"))
        return whole.parts()

    return CommandLine(parts)


def test_a_language_that_was_just_begun_lacks_every_text(translator: CommandLine) -> None:
    faults = translator.run("menus", "check", "--lang", "lg")
    assert faults.exit_code == 1
    assert "'0 Back'\n    not translated: every screen" in faults.stdout
    rows = {row["language"]: row for row in translator.json("menus", "languages")}
    assert set(rows) == {*catalogs(LOCALE), "lg"}
    assert rows["lg"]["faults"] > 200
    assert rows["lg"]["name"] == "Luganda"
    assert (rows["lg"]["enabled"], rows["fr"]["enabled"]) == (False, True)


def test_what_is_missing_is_printed_as_entries_to_be_filled(
    translator: CommandLine, folder: Path
) -> None:
    printed = translator.said("menus", "missing", "--lang", "lg")
    assert '#. every screen\nmsgid "0 Back"\nmsgstr ""\n' in printed
    catalog = folder / "lg.po"
    filled = printed.replace('"0 Back"\nmsgstr ""', '"0 Back"\nmsgstr "0 Ddayo"')
    catalog.write_text(f"{HEAD}\n{filled}", encoding="utf-8")
    with catalog.open("rb") as file:
        assert len([message for message in read_po(file) if message.id]) > 200
    assert '"0 Back"' not in translator.said("menus", "missing", "--lang", "lg")
    assert "0 Ddayo" in translator.said("menus", "list", "--lang", "lg")


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ('msgid "Never said"\nmsgstr "Tekyogerwa"\n', "nobody is told this any more"),
        (BACK.format("0 Ддайо"), "has a letter that cannot be written in GSM-7: 0 Ддайо"),
        (BACK.format("0 " + "o" * 100), "needs more than 160 septets: "),
        (AGAIN.format("o" * 145), "needs 161 of 160 septets: "),
        (LAST.format("[" * 31), "needs 62 of 60 septets: [[["),
    ],
)
def test_each_fault_is_told_with_the_text_it_is_in(
    translator: CommandLine, folder: Path, entry: str, fault: str
) -> None:
    (folder / "lg.po").write_text(f"{HEAD}\n{entry}", encoding="utf-8")
    found = translator.json("menus", "check", "--lang", "lg", code=1)
    others = [one for one in found if not one["fault"].startswith("not translated")]
    assert others
    assert all(fault in one["fault"] for one in others)


def test_a_reviewer_is_named_by_the_head_of_the_catalog(
    translator: CommandLine, folder: Path
) -> None:
    reviewed = HEAD + '"X-Reviewed-By: Nakato Aisha, 2026-12-01\\n"\n'
    (folder / "lg.po").write_text(reviewed, encoding="utf-8")
    rows = translator.json("menus", "languages")
    told = {row["language"]: row["reviewed_by"] for row in rows}
    assert (told["lg"], told["fr"]) == ("Nakato Aisha, 2026-12-01", None)


def test_a_language_without_a_catalog_is_refused(translator: CommandLine) -> None:
    for words in (("check",), ("missing",), ("list",)):
        assert "the languages are en, fr" in translator.error("menus", *words, "--lang", "xx")
