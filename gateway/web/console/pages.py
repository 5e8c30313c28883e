"""The console's blueprint: everything under /console."""

from collections.abc import Callable

from flask import Blueprint

from gateway.web.console import (
    approvals,
    audit,
    deposits,
    disputes,
    front,
    limits,
    outbox,
    outlets,
    partners,
    people,
    reconciliation,
    staff,
    switches,
    tills,
    tokens,
    withdrawals,
    withdrawals_settle,
)
from gateway.web.console.parts import ConsoleParts
from gateway.web.pages import door, login

# The pages of each noun.
ROUTES: tuple[Callable[[Blueprint, ConsoleParts], None], ...] = (
    front.routes,
    tokens.routes,
    people.routes,
    approvals.routes,
    withdrawals.routes,
    withdrawals_settle.routes,
    deposits.routes,
    disputes.routes,
    reconciliation.routes,
    audit.routes,
    switches.routes,
    limits.routes,
    outbox.routes,
    partners.routes,
    staff.routes,
    outlets.routes,
    tills.routes,
)


def blueprint(parts: ConsoleParts) -> Blueprint:
    """The routes of operators and admins."""
    pages = Blueprint("console", __name__, url_prefix="/console", template_folder="../templates")
    door.guard(pages, parts.door)
    login.routes(pages, parts.door)
    for routes in ROUTES:
        routes(pages, parts)
    return pages
