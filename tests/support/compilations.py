"""Statements that are compiled once for all databases of a test process, not once for each."""

from typing import Any

from sqlalchemy import Engine

Key = tuple[Any, ...]


class Compilations(dict[Key, Any]):
    """What SQLAlchemy has compiled, by the dialect's name: it asks by the dialect's own object.

    All engines of one name are set up alike here, and each test has new ones.
    """

    def get(self, key: Key, default: Any = None) -> Any:
        """What was compiled for any engine of that dialect."""
        return super().get((key[0].name, *key[1:]), default)

    def __setitem__(self, key: Key, compiled: Any) -> None:
        super().__setitem__((key[0].name, *key[1:]), compiled)


_COMPILATIONS = Compilations()


def share(engine: Engine) -> None:
    """Let an engine compile no statement that another one has compiled."""
    engine.update_execution_options(compiled_cache=_COMPILATIONS)
