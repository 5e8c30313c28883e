"""`gateway wallets`: a phone's wallet."""

from typing import Any

import click
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show
from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.ledger import wallets
from gateway.ledger.store import Account

reason_option = click.option("--reason", required=True, help="Why, for the audit trail.")


@click.group("wallets", help="Wallets, by their phone.")
def group() -> None:
    """Commands on wallets."""


@group.command("show", help="Balance, held money and state of a phone's wallet.")
@click.argument("phone")
@as_json
@pass_parts
def show_wallet(lazy: Lazy, phone: str, json_wanted: bool) -> None:
    """The wallet as it is now."""
    parts = lazy.parts()
    number = msisdn.parse(phone, parts.settings.country)
    with parts.database.snapshot() as connection:
        show(_facts(_wallet(parts, connection, number)), json_wanted)


@group.command("freeze", help="Stop a wallet: no credit, no debit.")
@click.argument("phone")
@reason_option
@operator_option
@as_json
@pass_parts
def freeze(lazy: Lazy, phone: str, reason: str, json_wanted: bool) -> None:
    """Active to frozen."""
    _switch(lazy, phone, reason, json_wanted, frozen=True)


@group.command("unfreeze", help="Let a frozen wallet work again.")
@click.argument("phone")
@reason_option
@operator_option
@as_json
@pass_parts
def unfreeze(lazy: Lazy, phone: str, reason: str, json_wanted: bool) -> None:
    """Frozen to active."""
    _switch(lazy, phone, reason, json_wanted, frozen=False)


def _switch(lazy: Lazy, phone: str, reason: str, json_wanted: bool, *, frozen: bool) -> None:
    parts = lazy.parts()
    number = msisdn.parse(phone, parts.settings.country)
    actor = acting(lazy)
    action = "wallet.freeze" if frozen else "wallet.unfreeze"

    def work(connection: Connection) -> Account:
        wallet = _wallet(parts, connection, number)
        change = wallets.freeze if frozen else wallets.unfreeze
        if not change(connection, wallet):
            raise BadInput(f"the wallet is {wallet.status}")
        trail.record(connection, actor, action, number, parts.clock.now(), reason)
        return _wallet(parts, connection, number)

    show(_facts(parts.database.run(work)), json_wanted)


def _wallet(parts: Parts, connection: Connection, number: str) -> Account:
    wallet = wallets.find(connection, number, parts.settings.currency)
    if wallet is None:
        raise BadInput("this phone has no wallet yet")
    return wallet


def _facts(wallet: Account) -> dict[str, Any]:
    return {
        "msisdn": wallet.owner,
        "balance": wallet.balance,
        "held": wallet.held,
        "currency": wallet.currency,
        "status": wallet.status,
    }
