"""SQL of an export: the rows of a section that name a phone, streamed."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, func, or_, select

from gateway.database.types import metadata
from gateway.retention.holdings.sections import SECTIONS, How, Section

ROWS_AT_ONCE: Final = 500
BY_NAME: Final = {section.name: section for section in SECTIONS}


def rows(connection: Connection, section: Section, phone: str) -> Iterator[Mapping[str, Any]]:
    """What the section shows of the phone's rows, in the order in which they were written."""
    table = metadata.tables[section.table]
    shown = select(*(table.c[name] for name in section.shown)).where(_of(section, phone))
    ordered = shown.order_by(*table.primary_key.columns)
    streaming = connection.execution_options(stream_results=True, yield_per=ROWS_AT_ONCE)
    return (row._asdict() for row in streaming.execute(ordered))


def _of(section: Section, phone: str) -> ColumnElement[bool]:
    table = metadata.tables[section.table]
    named = [_matches(table.c[column], how, phone) for column, how in section.by]
    if section.through is not None:
        named.append(table.c[section.through.column].in_(_parents(section, phone)))
    whose: ColumnElement[bool] = or_(*named)
    if section.only is not None:
        column, value = section.only
        whose &= table.c[column] == value
    return whose


def _parents(section: Section, phone: str) -> Select[Any]:
    if section.through is None:
        raise ValueError("the section stands by itself")
    parent = BY_NAME[section.through.section]
    theirs = metadata.tables[parent.table].c[section.through.theirs]
    return select(theirs).where(_of(parent, phone))


def _matches(column: ColumnElement[Any], how: How, phone: str) -> ColumnElement[bool]:
    if how is How.IS:
        return column == phone
    if how is How.ENDS:
        return column.endswith(phone, autoescape=True)
    if how is How.HOLDS:
        return func.instr(column, phone) > 0
    return func.instr(column, phone.removeprefix("+").encode()) > 0
