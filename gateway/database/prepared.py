"""Running a Core statement that was compiled once: what a busy path pays for is only the driver.

`Connection.execute` spends about 50 µs a statement on caching, contexts and results (measured on
SQLAlchemy 2.1), as much as the driver itself. A caller waits through a dozen statements, so the
statements of a USSD turn are compiled once for each dialect and sent through the raw cursor. Types,
events, deadlines, transactions and errors stay SQLAlchemy's.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.engine import Dialect
from sqlalchemy.sql import Executable

Values = Mapping[str, Any]
Processor = Callable[[Any], Any]

# The writes that wait to be sent, of the attempt this thread is in; None outside of one.
_waiting: ContextVar[list[str] | None] = ContextVar("waiting", default=None)


@dataclass(frozen=True, slots=True)
class Plan:
    """A compiled statement: its text, and what turns Python's values into the driver's and back."""

    text: str
    constants: Mapping[str, Any]
    binds: Sequence[tuple[str, Processor | None]]
    positions: Sequence[str] | None  # the order of binds, where the driver takes them so
    results: Sequence[tuple[int, Processor]]

    def parameters(self, values: Values) -> Any:
        """The values as the driver takes them."""
        bound = dict(self.constants)
        for name, processor in self.binds:
            value = values[name]
            bound[name] = value if processor is None else processor(value)
        return bound if self.positions is None else tuple(bound[name] for name in self.positions)

    def row(self, raw: Sequence[Any]) -> tuple[Any, ...]:
        """A fetched row as Python's values."""
        if not self.results:
            return tuple(raw)
        row = list(raw)
        for index, processor in self.results:
            row[index] = processor(row[index])
        return tuple(row)


def rows(connection: Connection, statement: Executable, values: Values) -> list[tuple[Any, ...]]:
    """Every row that a SELECT finds."""
    plan = _plan(statement, connection.dialect, tuple(values))
    cursor = _sent(connection, plan.text, plan.parameters(values))
    found = [plan.row(raw) for raw in cursor.fetchall()]
    cursor.close()
    return found


def row(connection: Connection, statement: Executable, values: Values) -> tuple[Any, ...] | None:
    """The first row that a SELECT finds."""
    found = rows(connection, statement, values)
    return found[0] if found else None


def change(connection: Connection, statement: Executable, values: Values) -> int:
    """How many rows an UPDATE or DELETE matched."""
    plan = _plan(statement, connection.dialect, tuple(values))
    cursor = _sent(connection, plan.text, plan.parameters(values))
    matched: int = cursor.rowcount
    cursor.close()
    return matched


def add(connection: Connection, statement: Executable, values: Values) -> int:
    """The id that an INSERT has given its row, where its key is numbered by the database."""
    plan = _plan(statement, connection.dialect, tuple(values))
    cursor = _sent(connection, plan.text, plan.parameters(values))
    made: int = cursor.lastrowid
    cursor.close()
    return made


def later(connection: Connection, statement: Executable, values: Values) -> None:
    """A write whose outcome nobody reads: it goes out together with what is sent next.

    On MariaDB several of them travel as one compound statement, at the latest just before COMMIT;
    what the database says against one rolls the unit of work back as ever. Each still takes effect
    in its turn: whatever is sent later, by this module or by SQLAlchemy itself, finds it done.
    """
    plan = _plan(statement, connection.dialect, tuple(values))
    parameters = plan.parameters(values)
    waiting = _waiting.get()
    if waiting is None or connection.dialect.name == "sqlite":
        _sent(connection, plan.text, parameters).close()
        return
    if not connection.in_transaction():
        connection.begin()
    cursor: Any = connection.connection.cursor()
    waiting.append(cursor.mogrify(plan.text, parameters))
    cursor.close()


@contextmanager
def gathering() -> Iterator[None]:
    """One attempt of a unit of work: what waits to be sent belongs to it and dies with it."""
    token = _waiting.set([])
    try:
        yield
    finally:
        _waiting.reset(token)


def send_waiting(connection: Connection, *_: object) -> None:
    """Send what waits; also the listener that keeps its place before any other statement."""
    waiting = _waiting.get()
    if not waiting:
        return
    text = waiting[0]
    if len(waiting) > 1:
        # One statement to the server, so no licence for several in one text is needed.
        text = f"BEGIN NOT ATOMIC {'; '.join(waiting)}; END"
    waiting.clear()
    _sent(connection, text, None).close()


def _sent(connection: Connection, text: str, parameters: Any) -> Any:
    if not connection.in_transaction():
        connection.begin()
    cursor: Any = connection.connection.cursor()
    try:
        for listener in connection.engine.dispatch.before_cursor_execute:
            listener(connection, cursor, text, parameters, None, False)
        cursor.execute(text, parameters)
    except connection.dialect.loaded_dbapi.Error as error:
        # SQLAlchemy's own way from a driver's error to its exception: tells the listeners, gives
        # a lost connection (and a stale pool) up. It has no public name; a test holds it.
        connection._handle_dbapi_exception(error, text, None, cursor, None)
    return cursor


@lru_cache(maxsize=256)
def _plan(statement: Executable, dialect: Dialect, names: tuple[str, ...]) -> Plan:
    compiled: Any = statement.compile(  # type: ignore[attr-defined]
        dialect=dialect, column_keys=list(names) if statement.is_insert else None
    )
    if compiled.post_compile_params:
        raise TypeError("the text of an expanding statement depends on its values")
    binds, constants = [], {}
    for name, bind in compiled.binds.items():
        processor = bind.type.dialect_impl(dialect).bind_processor(dialect)
        if name in names:
            binds.append((name, processor))
        elif bind.required:
            raise TypeError(f"no value is given for {name}")
        else:
            constants[name] = bind.value if processor is None else processor(bind.value)
    found = [column[3] for column in compiled._result_columns or ()]
    processors = [kind.dialect_impl(dialect).result_processor(dialect, None) for kind in found]
    return Plan(
        compiled.string,
        constants,
        binds,
        compiled.positiontup if compiled.positional else None,
        [(index, processor) for index, processor in enumerate(processors) if processor],
    )
