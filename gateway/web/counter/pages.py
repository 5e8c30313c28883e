"""The counter's blueprint: everything under /counter."""

from collections.abc import Callable

from flask import Blueprint

from gateway.web.counter import away, close, outlet, pay, payment, shift, today, undo
from gateway.web.counter.parts import CounterParts
from gateway.web.pages import door, login

ROUTES: tuple[Callable[[Blueprint, CounterParts], None], ...] = (
    pay.routes,
    payment.routes,
    undo.routes,
    today.routes,
    close.routes,
    shift.routes,
    outlet.routes,
)


def blueprint(parts: CounterParts) -> Blueprint:
    """The routes of cashiers and managers."""
    pages = Blueprint("counter", __name__, url_prefix="/counter", template_folder="../templates")
    door.guard(pages, parts.door)
    away.handlers(pages)
    login.routes(pages, parts.door, outlet.landing(parts))
    for routes in ROUTES:
        routes(pages, parts)
    return pages
