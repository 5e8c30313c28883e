"""The counter's blueprint: everything under /counter."""

from collections.abc import Callable

from flask import Blueprint

from gateway.web.counter import pay
from gateway.web.counter.parts import CounterParts
from gateway.web.pages import door, login

ROUTES: tuple[Callable[[Blueprint, CounterParts], None], ...] = (pay.routes,)


def blueprint(parts: CounterParts) -> Blueprint:
    """The routes of cashiers and managers."""
    pages = Blueprint("counter", __name__, url_prefix="/counter", template_folder="../templates")
    door.guard(pages, parts.door)
    login.routes(pages, parts.door)
    for routes in ROUTES:
        routes(pages, parts)
    return pages
