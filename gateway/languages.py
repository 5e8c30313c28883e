"""What is said to people in their language: one catalog a language, English is the text itself."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from babel import Locale, UnknownLocaleError
from babel.messages.pofile import PoFileError, read_po

from gateway.errors import Misconfigured

ENGLISH: Final = "en"
OURSELVES: Final = "its authors"
_PLACEHOLDER: Final = re.compile(r"\{([a-z][a-z0-9_]*)\}", re.ASCII)
# Babel knows the common headers only. A line of the catalog's head: "X-Reviewed-By: name, day\n"
_REVIEWED: Final = re.compile(r'^"X-Reviewed-By:[ \t]*(.*?)[ \t]*\\n"$', re.MULTILINE)


def placeholders(text: str) -> frozenset[str]:
    """The names that stand for values in a text; any other brace is only a brace.

    >>> sorted(placeholders("You have {amount}, {name}. {0} { } {Amount}"))
    ['amount', 'name']
    """
    return frozenset(_PLACEHOLDER.findall(text))


def catalogs(folder: Path) -> tuple[str, ...]:
    """Every language that can be enabled: English, and those whose catalog lies in the folder."""
    return (ENGLISH, *sorted(path.stem for path in folder.glob("*.po")))


class Languages:
    """The enabled languages, read once from gettext sources: `<folder>/<code>.po`.

    A catalog gets its new texts by `gateway menus missing`; what is marked fuzzy is not used until
    a person has removed the mark. Nothing is compiled.
    """

    def __init__(self, folder: Path, enabled: Sequence[str]) -> None:
        """Raises Misconfigured for a language or catalog that cannot be used."""
        codes = dict.fromkeys((ENGLISH, *enabled))
        self._names = {code: _self_name(code) for code in codes}
        paths = {code: folder / f"{code}.po" for code in codes if code != ENGLISH}
        self.folder = folder
        self._catalogs = {code: dict(_translations(path)) for code, path in paths.items()}
        self._reviewers = {code: _reviewer(path) for code, path in paths.items()}

    @property
    def codes(self) -> tuple[str, ...]:
        """The enabled languages, English first, then as they were given."""
        return tuple(self._names)

    def name(self, code: str) -> str:
        """The language as its speakers call it; English for one that is not enabled."""
        return self._names.get(code, self._names[ENGLISH])

    def reviewer(self, code: str) -> str | None:
        """The native speaker who read a catalog, None when nobody did; English is our own."""
        return self._reviewers.get(code, OURSELVES)

    def translations(self, code: str) -> Mapping[str, str]:
        """Each text that the language's catalog translates, with its translation."""
        return MappingProxyType(self._catalogs.get(code, {}))

    def text(self, language: str, msgid: str, /, **values: str | int) -> str:
        """`msgid` in the language, or in English where that has no translation of it.

        `values` are put in for the `{name}`s after translation and are not searched again. Raises
        KeyError if a value is missing. The text may need gsm7.transliterate before it is sent.
        """
        catalog = self._catalogs.get(language)
        text = catalog.get(msgid, msgid) if catalog else msgid
        if "{" not in text:
            return text
        return _PLACEHOLDER.sub(lambda found: str(values[found[1]]), text)


def _self_name(code: str) -> str:
    try:
        name = Locale.parse(code).get_display_name()
    except (UnknownLocaleError, ValueError):
        name = None
    if not name:
        raise Misconfigured(f"{code!r} is not a language")
    return name[0].upper() + name[1:]


def _reviewer(path: Path) -> str | None:
    found = _REVIEWED.search(path.read_text(encoding="utf-8"))
    return found[1] or None if found else None


def _translations(path: Path) -> Iterator[tuple[str, str]]:
    """The usable entries of a catalog: translated, not fuzzy, with the text's own placeholders."""
    try:
        with path.open("rb") as file:
            catalog = read_po(file, abort_invalid=True)
    except (OSError, UnicodeError, PoFileError) as error:
        raise Misconfigured(f"the catalog {path.name} cannot be read: {error}") from error
    for message in catalog:
        if not message.id or message.fuzzy:
            continue
        if not isinstance(message.id, str) or message.context:
            raise Misconfigured(f"{path.name}: plurals and contexts are not used: {message.id!r}")
        if not message.string:
            continue
        translation = str(message.string)
        if placeholders(translation) != placeholders(message.id):
            raise Misconfigured(f"{path.name}: other placeholders in {message.id!r}")
        yield message.id, translation
