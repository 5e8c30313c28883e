"""`gateway wallets`: a phone's wallet."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

import click
from sqlalchemy import Connection

from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, limit_option, show, show_rows
from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.cli.reasons import reason_option
from gateway.formats import msisdn
from gateway.ledger import wallets
from gateway.ledger.limits import BASIC
from gateway.ledger.operate import Deed
from gateway.ledger.store import Account

T = TypeVar("T")


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
        show(_facts(parts, parts.wallets.wallet(connection, number)), json_wanted)


@group.command("statement", help="A wallet's latest entries, newest first.")
@click.argument("phone")
@limit_option
@as_json
@pass_parts
def show_statement(lazy: Lazy, phone: str, rows_max: int, json_wanted: bool) -> None:
    """What its owner reads, with what each entry is about."""
    parts = lazy.parts()
    number = msisdn.parse(phone, parts.settings.country)
    with parts.database.snapshot() as connection:
        wallet = parts.wallets.wallet(connection, number)
        found = wallets.statement(connection, wallet, rows_max)
    show_rows([asdict(line) for line in found], json_wanted)


@group.command("freeze", help="Stop a wallet: no credit, no debit.")
@click.argument("phone")
@reason_option
@operator_option
@as_json
@pass_parts
def freeze(lazy: Lazy, phone: str, reason: str, json_wanted: bool) -> None:
    """Active to frozen."""
    operators = lazy.parts().wallets
    _show(lazy, _done(lazy, phone, reason, operators.freeze), json_wanted)


@group.command("unfreeze", help="Let a frozen wallet work again.")
@click.argument("phone")
@reason_option
@operator_option
@as_json
@pass_parts
def unfreeze(lazy: Lazy, phone: str, reason: str, json_wanted: bool) -> None:
    """Frozen to active."""
    operators = lazy.parts().wallets
    _show(lazy, _done(lazy, phone, reason, operators.unfreeze), json_wanted)


@group.command("tier", help="Give a wallet the caps of a tier.")
@click.argument("phone")
@click.argument("tier")
@reason_option
@operator_option
@as_json
@pass_parts
def set_tier(lazy: Lazy, phone: str, tier: str, reason: str, json_wanted: bool) -> None:
    """One of the tiers that settings name for this country."""

    def act(connection: Connection, number: str, deed: Deed) -> Account:
        return lazy.parts().wallets.set_tier(connection, number, tier, deed)

    _show(lazy, _done(lazy, phone, reason, act), json_wanted)


@group.command("verify", help="The owner was seen: let them set a PIN and spend again.")
@click.argument("phone")
@reason_option
@operator_option
@as_json
@pass_parts
def verify(lazy: Lazy, phone: str, reason: str, json_wanted: bool) -> None:
    """After a reset of the PIN, a move, or a long rest."""
    operators = lazy.parts().wallets
    _show(lazy, _done(lazy, phone, reason, operators.verify), json_wanted)


@group.command("move", help="Ask for a wallet to be given to another number.")
@click.argument("old")
@click.argument("new")
@reason_option
@operator_option
@as_json
@pass_parts
def move(lazy: Lazy, old: str, new: str, reason: str, json_wanted: bool) -> None:
    """A second operator approves it; then the owner must be verified."""
    after = msisdn.parse(new, lazy.parts().settings.country)

    def act(connection: Connection, before: str, deed: Deed) -> int:
        return lazy.parts().wallets.ask_move(connection, before, after, deed)

    show({"approval": _done(lazy, old, reason, act)}, json_wanted)


@group.command("reset-pin", help="Ask for a phone's PIN to be forgotten.")
@click.argument("phone")
@reason_option
@operator_option
@as_json
@pass_parts
def reset_pin(lazy: Lazy, phone: str, reason: str, json_wanted: bool) -> None:
    """A second operator approves it; then the owner must be verified."""
    operators = lazy.parts().wallets
    show({"approval": _done(lazy, phone, reason, operators.ask_new_pin)}, json_wanted)


def _done(lazy: Lazy, phone: str, reason: str, act: Callable[[Connection, str, Deed], T]) -> T:
    parts, actor = lazy.parts(), acting(lazy)
    number = msisdn.parse(phone, parts.settings.country)
    return parts.database.run(lambda c: act(c, number, Deed(actor, reason, parts.clock.now())))


def _show(lazy: Lazy, wallet: Account, json_wanted: bool) -> None:
    show(_facts(lazy.parts(), wallet), json_wanted)


def _facts(parts: Parts, wallet: Account) -> dict[str, Any]:
    return {
        "msisdn": wallet.owner,
        "balance": wallet.balance,
        "held": wallet.held,
        "currency": wallet.currency,
        "status": wallet.status,
        "tier": wallet.tier or BASIC,
        "verified": parts.wallets.is_verified(wallet, parts.clock.now()),
    }
