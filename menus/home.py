"""The root menu. Its numbers are a public contract: people dial them directly."""

from functools import partial

from gateway.ussd.screens import CONTINUE, HOME_SCREEN, RESUME, Option, Screen, Visit
from menus.desk import Desk


def screens(desk: Desk) -> tuple[Screen, ...]:
    """The root and the goodbye."""
    return (
        Screen(
            HOME_SCREEN,
            text="Welcome.",
            options=(
                Option("1", "Redeem token", "redeem"),
                Option("2", "Send token", "send"),
                Option("3", "My tokens", "tokens"),
                Option("4", "My wallet", "wallet"),
                Option("5", "Settings", "settings"),
                Option("6", "Cashier", "cashier", shown=partial(_pays, desk)),
                Option(CONTINUE, "Continue", RESUME, shown=_dropped),
                Option("0", "Exit", "goodbye"),
            ),
        ),
        Screen("goodbye", text="Goodbye.", ends=True),
    )


def _pays(desk: Desk, visit: Visit) -> bool:
    return desk.is_payer(visit.connection, visit.msisdn)


def _dropped(visit: Visit) -> bool:
    return visit.resumable
