"""The numbers in addresses: those that a row can have, and no others."""

from typing import Final

from flask import Flask
from werkzeug.routing import IntegerConverter, Map

ROW_MAX: Final = 10**18 - 1  # within a BIGINT; what is larger is no address at all


class RowNumber(IntegerConverter):
    """`<int:number>` of a row."""

    def __init__(self, rules: Map, max: int = ROW_MAX) -> None:
        super().__init__(rules, max=max)


def install(app: Flask) -> None:
    """Bound every `<int:>` of the application; to be called before its routes are added."""
    app.url_map.converters["int"] = RowNumber
