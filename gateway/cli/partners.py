"""`gateway partners` and `gateway house`: who issues, and the floats that pay for it."""

from typing import Any

import click
from sqlalchemy import Connection

from gateway.cli import partner_keys, partner_outlets, partner_profile, partner_webhooks
from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show, show_rows
from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.cli.reasons import optional_reason, reason_option
from gateway.formats import money
from gateway.ledger import floats
from gateway.ledger.store import HOUSE
from gateway.partners import profiles, store
from gateway.partners.store import Partner
from gateway.partners.terms.change import FIELDS

amount_option = click.option("--amount", required=True, help="Such as 500000.00.")
reference_option = click.option(
    "--reference", required=True, help="The bank's, of the payment that came in."
)


@click.group("partners", help="Those who issue tokens from a float of their own.")
def group() -> None:
    """Commands on partners."""


@click.group("house", help="Our own float.")
def house() -> None:
    """Commands on the house's float."""


@group.command("create", help="A new partner.")
@click.option("--name", required=True, help="As people read it.")
@click.option("--code", default="", help="What commands and books call it; made of the name.")
@operator_option
@as_json
@pass_parts
def create(lazy: Lazy, name: str, code: str, json_wanted: bool) -> None:
    """Without money: it is funded next."""
    parts, actor = lazy.parts(), acting(lazy)

    def work(connection: Connection) -> dict[str, Any]:
        made = profiles.create(connection, name, code, actor, parts.clock.now())
        return _facts(parts, connection, made)

    show(parts.database.run(work), json_wanted)


@group.command("list", help="Every partner.")
@as_json
@pass_parts
def list_partners(lazy: Lazy, json_wanted: bool) -> None:
    """By code."""
    parts = lazy.parts()
    with parts.database.snapshot() as connection:
        rows = [_facts(parts, connection, partner) for partner in store.everyone(connection)]
    show_rows(rows, json_wanted)


@group.command("show", help="A partner and its float.")
@click.argument("code", metavar="P")
@as_json
@pass_parts
def show_partner(lazy: Lazy, code: str, json_wanted: bool) -> None:
    """As it is now."""
    parts = lazy.parts()
    with parts.database.snapshot() as connection:
        found = _facts(parts, connection, profiles.find(connection, code))
        agreed = parts.profiles.show(connection, code)
        low = {"float_low": parts.profiles.is_low(connection, code)}
        show({**found, **{name: agreed[name] for name in FIELDS}, **low}, json_wanted)


@group.command("fund", help="Ask for money that reached the bank to be put on a float.")
@click.argument("code", metavar="P")
@amount_option
@reference_option
@optional_reason
@operator_option
@as_json
@pass_parts
def fund(
    lazy: Lazy, code: str, amount: str, reference: str, reason: str | None, json_wanted: bool
) -> None:
    """A second operator approves it."""
    _fund(lazy, code, amount, reference, reason, json_wanted)


@group.command("suspend", help="Let nothing be issued for a partner; its tokens stay good.")
@click.argument("code", metavar="P")
@reason_option
@operator_option
@as_json
@pass_parts
def suspend(lazy: Lazy, code: str, reason: str, json_wanted: bool) -> None:
    """Active to suspended."""
    _switch(lazy, code, reason, json_wanted, suspended=True)


@group.command("resume", help="Let a suspended partner issue again.")
@click.argument("code", metavar="P")
@reason_option
@operator_option
@as_json
@pass_parts
def resume(lazy: Lazy, code: str, reason: str, json_wanted: bool) -> None:
    """Suspended to active."""
    _switch(lazy, code, reason, json_wanted, suspended=False)


@house.command("fund", help="Ask for money that reached the bank to be put on our own float.")
@amount_option
@reference_option
@optional_reason
@operator_option
@as_json
@pass_parts
def fund_house(
    lazy: Lazy, amount: str, reference: str, reason: str | None, json_wanted: bool
) -> None:
    """A second operator approves it; it covers first what the house gave away before its funding.

    From then on the house issues from its float alone.
    """
    _fund(lazy, HOUSE, amount, reference, reason, json_wanted)


@house.command("show", help="Our own float.")
@as_json
@pass_parts
def show_house(lazy: Lazy, json_wanted: bool) -> None:
    """No balance before its first funding."""
    parts = lazy.parts()
    with parts.database.snapshot() as connection:
        show(_float(parts, connection, HOUSE), json_wanted)


def _fund(
    lazy: Lazy, owner: str, amount: str, reference: str, reason: str | None, json_wanted: bool
) -> None:
    parts, actor, wanted = lazy.parts(), acting(lazy), money.parse(amount)
    currency, why = parts.settings.currency, reason or f"money that came in: {reference}"

    def work(connection: Connection) -> int:
        now, requests = parts.clock.now(), parts.approvals
        return parts.funding.ask(
            connection, requests, owner, wanted, currency, reference, actor, why, now
        )

    show({"approval": parts.database.run(work)}, json_wanted)


def _switch(lazy: Lazy, code: str, reason: str, json_wanted: bool, *, suspended: bool) -> None:
    parts, actor = lazy.parts(), acting(lazy)
    change = profiles.suspend if suspended else profiles.resume

    def work(connection: Connection) -> dict[str, Any]:
        change(connection, code, actor, reason, parts.clock.now())
        return _facts(parts, connection, profiles.find(connection, code))

    show(parts.database.run(work), json_wanted)


def _facts(parts: Parts, connection: Connection, partner: Partner) -> dict[str, Any]:
    named = {"code": partner.code, "name": partner.name, "status": partner.status}
    return named | _float(parts, connection, partner.code)


def _float(parts: Parts, connection: Connection, owner: str) -> dict[str, Any]:
    currency = parts.settings.currency
    account = floats.find(connection, owner, currency)
    return {
        "balance": None if account is None else account.balance,
        "held": None if account is None else account.held,
        "currency": currency,
    }


partner_keys.add_to(group)
partner_outlets.add_to(group)
partner_profile.add_to(group)
partner_webhooks.add_to(group)
