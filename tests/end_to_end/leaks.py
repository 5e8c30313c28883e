"""Looks for token digits, phone numbers and secrets in everything the gateway keeps or writes."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote_plus

from sqlalchemy import Connection, inspect

from gateway.database.engine import Database

# What may stand between the digits of one token, as typed, as printed, or percent-encoded.
_BETWEEN = re.compile(r"(?<=\d)[\W_]{1,4}(?=\d)")


class Leak(NamedTuple):
    """Where something secret was found: a table's column or a log's name, and what it was."""

    place: str
    secret: str


def rows_of(url: str) -> Iterator[tuple[str, str]]:
    """Every value of every table as text, with the name of its column."""
    database = Database(url)

    def dump(connection: Connection) -> list[tuple[str, str]]:
        found = []
        for table in inspect(connection).get_table_names():
            result = connection.exec_driver_sql(f"SELECT * FROM {table}")
            names = list(result.keys())
            for row in result:
                found += [(f"{table}.{name}", _text(v)) for name, v in zip(names, row, strict=True)]
        return found

    try:
        yield from database.run(dump)
    finally:
        database.dispose()


def lines_of(folder: Path) -> Iterator[tuple[str, str]]:
    """Every line of every log below a folder, with the log's name."""
    for log in sorted(folder.glob("*.log")):
        for line in log.read_text(errors="replace").splitlines():
            yield log.name, line


def files_of(url: str) -> Iterator[tuple[str, str]]:
    """The bytes of a SQLite database and its journal, where deleted rows linger."""
    if url.startswith("sqlite:///"):
        file = Path(url.removeprefix("sqlite:///"))
        for kept in file.parent.glob(f"{file.name}*"):
            yield kept.name, kept.read_bytes().decode("latin-1")


def leaks(texts: Iterable[tuple[str, str]], secrets: Iterable[str]) -> list[Leak]:
    """Each secret that stands in one of the texts, plain, grouped or percent-encoded."""
    wanted = list(secrets)
    found = []
    for place, text in texts:
        forms = _forms(text)
        found += [Leak(place, secret) for secret in wanted if any(secret in f for f in forms)]
    return found


def _forms(text: str) -> tuple[str, ...]:
    """The text, and without percent-encoding and without what stands between digits."""
    decoded = unquote_plus(unquote_plus(text))
    return text, decoded, _BETWEEN.sub("", text), _BETWEEN.sub("", decoded)


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
