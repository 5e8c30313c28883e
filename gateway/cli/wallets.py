"""`gateway wallets`: a phone's wallet."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import click
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, limit_option, show, show_rows
from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.cli.reasons import reason_option
from gateway.clock import iso
from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.ledger import wallets
from gateway.ledger.limits import BASIC
from gateway.ledger.store import Account
from gateway.ledger.wallets import MOVE, RESET_PIN
from gateway.notices import owners as notices
from gateway.withdrawals.store import held_from


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
        show(_facts(parts, _wallet(parts, connection, number)), json_wanted)


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
        found = wallets.statement(connection, _wallet(parts, connection, number), rows_max)
    show_rows([asdict(line) for line in found], json_wanted)


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


@group.command("tier", help="Give a wallet the caps of a tier.")
@click.argument("phone")
@click.argument("tier")
@reason_option
@operator_option
@as_json
@pass_parts
def set_tier(lazy: Lazy, phone: str, tier: str, reason: str, json_wanted: bool) -> None:
    """One of the tiers that settings name for this country."""
    known = {BASIC, *lazy.parts().settings.money.tiers}
    if tier not in known:
        raise BadInput(f"the tiers are {', '.join(sorted(known))}")

    def change(connection: Connection, wallet: Account) -> None:
        if not wallets.set_tier(connection, wallet, tier):
            raise BadInput(f"the wallet's tier is {tier} already")

    _change(lazy, phone, "wallet.tier", f"{tier}: {reason}", json_wanted, change)


@group.command("verify", help="The owner was seen: let them set a PIN and spend again.")
@click.argument("phone")
@reason_option
@operator_option
@as_json
@pass_parts
def verify(lazy: Lazy, phone: str, reason: str, json_wanted: bool) -> None:
    """After a reset of the PIN, a move, or a long rest."""
    parts = lazy.parts()
    today = parts.books.limits.today(parts.clock.now())

    def change(connection: Connection, wallet: Account) -> None:
        if not wallets.verify(connection, wallet, today):
            raise BadInput(f"the wallet is {wallet.status}")

    _change(lazy, phone, "wallet.verify", reason, json_wanted, change)


@group.command("move", help="Ask for a wallet to be given to another number.")
@click.argument("old")
@click.argument("new")
@reason_option
@operator_option
@as_json
@pass_parts
def move(lazy: Lazy, old: str, new: str, reason: str, json_wanted: bool) -> None:
    """A second operator approves it; then the owner must be verified."""
    parts, actor = lazy.parts(), acting(lazy)
    before, after = (msisdn.parse(one, parts.settings.country) for one in (old, new))

    def work(connection: Connection) -> int:
        wallet = _wallet(parts, connection, before)
        wallets.insist_movable(connection, wallet, after, held_from)
        details = {"to": after, "wallet": str(wallet.id)}
        now = parts.clock.now()
        return parts.approvals.ask(connection, MOVE, before, details, actor, reason, now)

    show({"approval": parts.database.run(work)}, json_wanted)


@group.command("reset-pin", help="Ask for a phone's PIN to be forgotten.")
@click.argument("phone")
@reason_option
@operator_option
@as_json
@pass_parts
def reset_pin(lazy: Lazy, phone: str, reason: str, json_wanted: bool) -> None:
    """A second operator approves it; then the owner must be verified."""
    parts, actor = lazy.parts(), acting(lazy)
    number = msisdn.parse(phone, parts.settings.country)

    def work(connection: Connection) -> int:
        now = parts.clock.now()
        return parts.approvals.ask(connection, RESET_PIN, number, {}, actor, reason, now)

    show({"approval": parts.database.run(work)}, json_wanted)


def _change(
    lazy: Lazy,
    phone: str,
    action: str,
    reason: str,
    json_wanted: bool,
    change: Callable[[Connection, Account], None],
) -> None:
    parts, actor = lazy.parts(), acting(lazy)
    number = msisdn.parse(phone, parts.settings.country)

    def work(connection: Connection) -> Account:
        change(connection, _wallet(parts, connection, number))
        trail.record(connection, actor, action, number, parts.clock.now(), reason)
        return _wallet(parts, connection, number)

    show(_facts(parts, parts.database.run(work)), json_wanted)


def _switch(lazy: Lazy, phone: str, reason: str, json_wanted: bool, *, frozen: bool) -> None:
    def change(connection: Connection, wallet: Account) -> None:
        switch = wallets.freeze if frozen else wallets.unfreeze
        if not switch(connection, wallet):
            raise BadInput(f"the wallet is {wallet.status}")
        template = notices.FROZEN if frozen else notices.UNFROZEN
        now = lazy.parts().clock.now()
        notices.tell(connection, template, wallet.owner, f"{wallet.id}:{iso(now)}", now)

    action = "wallet.freeze" if frozen else "wallet.unfreeze"
    _change(lazy, phone, action, reason, json_wanted, change)


def _wallet(parts: Parts, connection: Connection, number: str) -> Account:
    wallet = wallets.find(connection, number, parts.settings.currency)
    if wallet is None:
        raise BadInput("this phone has no wallet yet")
    return wallet


def _facts(parts: Parts, wallet: Account) -> dict[str, Any]:
    waits = parts.books.limits.needs_verification(wallet, parts.clock.now())
    return {
        "msisdn": wallet.owner,
        "balance": wallet.balance,
        "held": wallet.held,
        "currency": wallet.currency,
        "status": wallet.status,
        "tier": wallet.tier or BASIC,
        "verified": not waits,
    }
