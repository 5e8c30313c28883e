"""Paying a token: the one big field, what was found, and the receipt."""

from flask import Blueprint, Response

from gateway.web.counter.parts import CounterParts
from gateway.web.counter.show import shown
from gateway.web.pages.door import AT_COUNTER, allowed


def routes(pages: Blueprint, parts: CounterParts) -> None:
    """`/counter`."""

    @pages.get("")
    @allowed(*AT_COUNTER)
    def pay() -> Response:
        """The field."""
        return shown("counter/pay.html")
