"""Nothing is paid back out of a restored backup before it is known what was spent since."""

from sqlalchemy import Connection

from gateway.errors import GatewayError
from gateway.switches.restores import store


class UnderRestore(GatewayError):
    """A restore is under way: what would be given back may have been spent after the backup."""


def insist_none(connection: Connection) -> None:
    """Every return of a token's or a dispute's value asks here first. Raises `UnderRestore`."""
    if store.under_way(connection) is not None:
        raise UnderRestore(
            "a restored backup is not reconciled yet: nothing is paid back until then"
        )
