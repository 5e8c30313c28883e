"""Writing what is held about one person as JSON, row by row, with everybody else masked."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import Connection

from gateway.clock import iso
from gateway.formats import money, msisdn
from gateway.retention.holdings import store
from gateway.retention.holdings.sections import SECTIONS

ACTION: Final = "people.export"  # in the trail; the phone is the subject
_NUMBER: Final = re.compile(r"\+[0-9]{7,15}")


def pieces(connection: Connection, phone: str, at: datetime) -> Iterator[str]:
    """The pieces of one JSON document, in the order in which they are written."""
    yield f'{{"phone":{_json(phone)},"at":{_json(iso(at))}'
    for section in SECTIONS:
        yield f",\n{_json(section.name)}:["
        for number, row in enumerate(store.rows(connection, section, phone)):
            yield ("," if number else "") + "\n" + _json(shown(row, phone))
        yield "]"
    yield "}\n"


def shown(row: Mapping[str, Any], phone: str) -> dict[str, Any]:
    """A row as the person may read it: nobody else's number is whole in it.

    >>> shown({"subject": "+2348030000002 to +2348030000001", "n": 2}, "+2348030000001")
    {'subject': '+23480*****02 to +2348030000001', 'n': 2}
    """
    return {name: _plain(value, phone) for name, value in row.items()}


def _plain(value: Any, phone: str) -> Any:
    if isinstance(value, str):
        return _NUMBER.sub(lambda m: m[0] if m[0] == phone else msisdn.masked(m[0]), value)
    if isinstance(value, Decimal):
        return money.plain(value)
    if isinstance(value, datetime):
        return iso(value)
    return value.isoformat() if isinstance(value, date) else value


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
