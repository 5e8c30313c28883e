"""`gateway deposits`: money in, what waits in suspense, and what operators decide about it."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click
from sqlalchemy import Connection

from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, show, show_rows
from gateway.cli.parts import Lazy, pass_parts
from gateway.cli.reasons import reason_option
from gateway.deposits import store
from gateway.deposits.asking import NoWallet, account_of, known
from gateway.deposits.book import BOOK
from gateway.deposits.callbacks import store as callbacks
from gateway.deposits.callbacks.open import store as open_callbacks
from gateway.deposits.callbacks.store import Became
from gateway.deposits.confirm import CONFIRM
from gateway.deposits.states import State
from gateway.deposits.store import Deposit
from gateway.deposits.undo import RELEASE, REVERSE
from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.ledger.store import WALLET, Account

LISTED_MAX = 1_000


@click.group("deposits", help="Money in: orders and payments.")
def group() -> None:
    """Commands on deposits."""


@group.command("list", help="The latest deposits, newest first.")
@click.option("--state", type=click.Choice([state.value for state in State]))
@click.option("--suspense", is_flag=True, help="Only what waits for its owner.")
@as_json
@pass_parts
def list_deposits(lazy: Lazy, state: str | None, suspense: bool, json_wanted: bool) -> None:
    """Orders and payments with all that tells them apart."""
    wanted = None if state is None else State(state)
    with lazy.parts().database.snapshot() as connection:
        found = store.listed(connection, LISTED_MAX, wanted, in_suspense=suspense)
    show_rows([_facts(deposit) for deposit in found], json_wanted)


@group.command("show", help="One deposit, with what became of each callback about it.")
@click.argument("reference")
@as_json
@pass_parts
def show_deposit(lazy: Lazy, reference: str, json_wanted: bool) -> None:
    """The deposit as it is now."""
    with lazy.parts().database.snapshot() as connection:
        found = known(connection, reference)
        became = callbacks.of_deposit(connection, found.id)
        account = account_of(connection, found)
    show({**_facts(found), "credited_to": _named(account), "callbacks": list(became)}, json_wanted)


@group.command("callbacks", help="Callbacks that are in no books or contradict them.")
@click.option(
    "--outcome",
    "outcomes",
    multiple=True,
    type=click.Choice([became.value for became in Became]),
    metavar="OUTCOME",  # a wrong one is answered with all there are
    help=f"Default: {', '.join(open_callbacks.OPEN)}.",
)
@as_json
@pass_parts
def list_callbacks(lazy: Lazy, outcomes: Sequence[str], json_wanted: bool) -> None:
    """Newest first, without their bytes."""
    wanted = [Became(outcome) for outcome in outcomes] or open_callbacks.OPEN
    with lazy.parts().database.snapshot() as connection:
        found = open_callbacks.listed(connection, wanted, LISTED_MAX)
    show_rows([asdict(told) for told in found], json_wanted)


@group.command("book", help="Ask to book money that only a statement has, into suspense.")
@click.argument("provider")
@click.option("--txn-id", required=True, help="The carrier's id of the payment.")
@reason_option
@operator_option
@as_json
@pass_parts
def book(lazy: Lazy, provider: str, txn_id: str, reason: str, json_wanted: bool) -> None:
    """A request that a second operator approves."""
    parts, actor = lazy.parts(), acting(lazy)

    number = parts.database.run(
        lambda c: parts.deposits.book(c, provider, txn_id, actor, reason, parts.clock.now())
    )
    show({"approval": number, "kind": BOOK}, json_wanted)


@group.command("confirm", help="Credit an order whose payment you have seen at its provider.")
@click.argument("reference")
@click.option("--txn-id", required=True, help="The carrier's id of the payment.")
@reason_option
@operator_option
@as_json
@pass_parts
def confirm(lazy: Lazy, reference: str, txn_id: str, reason: str, json_wanted: bool) -> None:
    """Done at once where somebody else's statement has the payment; else a request."""
    parts, actor = lazy.parts(), acting(lazy)
    done = parts.database.run(
        lambda c: parts.deposits.confirm(c, reference, txn_id, actor, reason, parts.clock.now())
    )
    asked = {"approval": done, "kind": CONFIRM}
    show(_facts(done) if isinstance(done, Deposit) else asked, json_wanted)


@group.command("release", help="Ask to let a wallet have what waits in suspense.")
@click.argument("reference")
@click.option("--to", "phone", required=True, help="Whose wallet it is for.")
@click.option("--new-wallet", is_flag=True, help="The phone has no wallet yet, and gets one.")
@reason_option
@operator_option
@as_json
@pass_parts
def release(lazy: Lazy, /, phone: str, new_wallet: bool, json_wanted: bool, **asked: str) -> None:
    """A request that a second operator approves."""
    parts, number = lazy.parts(), msisdn.parse(phone, lazy.parts().settings.country)
    actor, reference, reason = acting(lazy), asked["reference"], asked["reason"]

    def work(connection: Connection) -> int:
        now, new = parts.clock.now(), new_wallet
        return parts.deposits.release(
            connection, reference, number, actor, reason, now, new_wallet=new
        )

    try:
        waits = parts.database.run(work)
    except NoWallet as error:
        raise BadInput(f"{error}: is the number right? Then --new-wallet") from error
    show({"approval": waits, "kind": RELEASE}, json_wanted)


@group.command("reverse", help="Ask to take a completed deposit back.")
@click.argument("reference")
@reason_option
@operator_option
@as_json
@pass_parts
def reverse(lazy: Lazy, reference: str, reason: str, json_wanted: bool) -> None:
    """A request that a second operator approves."""
    parts, actor = lazy.parts(), acting(lazy)
    number = parts.database.run(
        lambda c: parts.deposits.reverse(c, reference, actor, reason, parts.clock.now())
    )
    show({"approval": number, "kind": REVERSE}, json_wanted)


def _named(account: Account | None) -> str | None:
    """Where the money went: a wallet by its number, any other account by its kind."""
    if account is None:
        return None
    return account.owner if account.kind == WALLET else account.kind


def _facts(deposit: Deposit) -> dict[str, Any]:
    return {
        "reference": deposit.reference,
        "origin": deposit.origin,
        "provider": deposit.provider,
        "txn_id": deposit.txn_id,
        "hinted_txn_id": deposit.hinted_txn_id,
        "msisdn": deposit.msisdn or None,
        "amount": deposit.amount,
        "fee": deposit.fee,
        "currency": deposit.currency,
        "state": deposit.state,
        "known_as": deposit.known_as,
        "parked": deposit.parked,
        "reason": deposit.reason,
        "created_at": deposit.created_at,
        "completed_at": deposit.completed_at,
    }
