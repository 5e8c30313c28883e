"""`gateway tokens`: issuing and looking after tokens by their serial."""

import shlex
from collections.abc import Callable
from datetime import datetime
from typing import Any

import click
from sqlalchemy import Connection

from gateway.cli.operators import acting, operator_option
from gateway.cli.output import as_json, limit_option, show, show_rows
from gateway.cli.parts import Lazy, Parts, pass_parts
from gateway.cli.reasons import optional_reason
from gateway.disputes.store import open_reference
from gateway.errors import BadInput, CommitUnknown
from gateway.formats import money, msisdn
from gateway.ledger.store import HOUSE
from gateway.outbox import store as outbox_store
from gateway.partners import profiles
from gateway.tokens import serials, store, suspend
from gateway.tokens.issue import SENDER_NAME_MAX, Issued, Order, expiry
from gateway.tokens.retire import shown_status
from gateway.tokens.store import TO_RECIPIENT, UNBOUND, Status, Token

DEFAULT_PERIOD = "30d"


@click.group("tokens", help="Tokens, by their serial.")
def group() -> None:
    """Commands on tokens."""


@group.command("issue", help="Issue a token, and send it by SMS.")
@click.option("--amount", required=True, help="Such as 500.00.")
@click.option("--to", "recipient", required=True, help="The recipient's phone.")
@click.option("--digits", type=click.Choice(["18", "11"]), default="18", show_default=True)
@click.option("--partner", default="", metavar="P", help="Who pays for it; without, the house.")
@click.option("--bound", is_flag=True, help="Only the recipient's phone may redeem it.")
@click.option(
    "--expires-in",
    default=None,
    help=f"{DEFAULT_PERIOD} or 12h, for example; without: as agreed with the partner, else"
    f" {DEFAULT_PERIOD}.",
)
@click.option("--issue-ref", default="", help="A reference of yours, unique.")
@click.option("--language", default=None, help="Of the SMS, such as en.")
@click.option("--sender-name", default=None, help="Who the SMS says it is from.")
@click.option("--show", "reveal", is_flag=True, help="Print the digits too.")
@operator_option
@as_json
@pass_parts
def issue(lazy: Lazy, /, reveal: bool, json_wanted: bool, **wanted: Any) -> None:
    """The token and its SMS, in one transaction."""
    parts = lazy.parts()
    now = parts.clock.now()
    if wanted["language"] is not None and wanted["language"] not in parts.languages.codes:
        raise BadInput(f"the languages are {', '.join(parts.languages.codes)}")
    order = Order(
        amount=money.parse(wanted["amount"]),
        currency=parts.settings.currency,
        expires_at=_expiry(parts, wanted, now),
        digits=int(wanted["digits"]),
        recipient=msisdn.parse(wanted["recipient"], parts.settings.country),
        issuer=wanted["partner"] or HOUSE,
        issue_ref=wanted["issue_ref"],
        binding=TO_RECIPIENT if wanted["bound"] else UNBOUND,
        language=wanted["language"],
        sender_name=_sender(parts, wanted),
        actor=acting(lazy),
        reveal=reveal,
    )
    issued = _issued(parts, order, now)
    shown = {
        "serial": issued.serial,
        "status": issued.status,
        "amount": issued.amount,
        "currency": issued.currency,
        "recipient": issued.recipient,
        "expires_at": issued.expires_at,
    }
    show(shown | ({"token": issued.reveal()} if reveal else {}), json_wanted)


def _sender(parts: Parts, wanted: dict[str, Any]) -> str | None:
    """Who the SMS says it is from: as it was asked for, or the partner."""
    name: str | None = wanted["sender_name"]
    if name is not None or not wanted["partner"]:
        return name
    with parts.database.snapshot() as connection:
        return profiles.find(connection, wanted["partner"]).name[:SENDER_NAME_MAX]


def _expiry(parts: Parts, wanted: dict[str, Any], now: datetime) -> datetime:
    if wanted["expires_in"] is None and wanted["partner"]:
        with parts.database.snapshot() as connection:
            return parts.issuing.expires_at(connection, wanted["partner"], now)
    return expiry(wanted["expires_in"] or DEFAULT_PERIOD, now, parts.settings.zone)


def _issued(parts: Parts, order: Order, now: datetime) -> Issued:
    keyed = parts.issuer.keyed(order)

    def work(connection: Connection) -> Issued:
        of = parts.issuer if order.issuer == HOUSE else parts.issuing
        return of.issue(connection, keyed, now)

    try:
        return parts.database.run(work, keyed=True)
    except CommitUnknown as error:
        again = f"--issue-ref {shlex.quote(keyed.issue_ref)}"
        raise click.ClickException(
            f"{error}: it may have been issued; repeat it with {again} and it is issued once"
        ) from error


@group.command("list", help="The latest tokens to a phone, or sent by one; newest first.")
@click.option("--to", "phone", default=None, help="The recipient's phone.")
@click.option("--from", "sender", default=None, help="The phone that sent them.")
@click.option("--state", type=click.Choice([status.value for status in Status]), default=None)
@limit_option
@as_json
@pass_parts
def list_tokens(
    lazy: Lazy,
    phone: str | None,
    sender: str | None,
    state: str | None,
    rows_max: int,
    json_wanted: bool,
) -> None:
    """As `show` tells of each; never the digits."""
    if not phone and not sender:
        raise BadInput("say whose tokens: --to or --from")
    parts = lazy.parts()
    country = parts.settings.country
    with parts.database.snapshot() as connection:
        found = store.latest(
            connection,
            parts.clock.now(),
            rows_max,
            to=msisdn.parse(phone, country) if phone else None,
            sender=msisdn.parse(sender, country) if sender else None,
            state=None if state is None else Status(state),
        )
    show_rows([_facts(parts, token) for token in found], json_wanted)


@group.command("show", help="What is known of a token, and of its messages.")
@click.argument("serial")
@as_json
@pass_parts
def show_token(lazy: Lazy, serial: str, json_wanted: bool) -> None:
    """State, value, recipient and messages; never the digits."""
    parts = lazy.parts()
    with parts.database.snapshot() as connection:
        token = _token(connection, serial)
        messages = outbox_store.about(connection, token.serial)
    sent = [
        f"{message.template} {message.state}" + (f" ({message.reason})" if message.reason else "")
        for message in messages
    ]
    show(_facts(parts, token) | {"messages": sent}, json_wanted)


Change = Callable[[Connection, Token], None]


def _change(lazy: Lazy, serial: str, json_wanted: bool, change: Change) -> None:
    parts = lazy.parts()

    def work(connection: Connection) -> Token:
        token = _token(connection, serial)
        change(connection, token)
        return store.by_id(connection, token.id)

    show(_facts(parts, parts.database.run(work)), json_wanted)


@group.command("suspend", help="Stop a token: it neither redeems nor expires.")
@click.argument("serial")
@optional_reason
@operator_option
@as_json
@pass_parts
def suspend_token(lazy: Lazy, serial: str, reason: str | None, json_wanted: bool) -> None:
    """Issued to suspended."""
    now, actor = lazy.parts().clock.now(), acting(lazy)
    _change(lazy, serial, json_wanted, lambda c, t: suspend.suspend(c, t, actor, reason or "", now))


@group.command("resume", help="Let a suspended token be redeemed again.")
@click.argument("serial")
@optional_reason
@operator_option
@as_json
@pass_parts
def resume_token(lazy: Lazy, serial: str, reason: str | None, json_wanted: bool) -> None:
    """Suspended to issued."""
    now, actor = lazy.parts().clock.now(), acting(lazy)
    _change(
        lazy,
        serial,
        json_wanted,
        lambda c, t: suspend.resume(c, t, actor, reason or "", now, open_reference),
    )


@group.command("cancel", help="Cancel a live token; its value goes back to its funder.")
@click.argument("serial")
@optional_reason
@operator_option
@as_json
@pass_parts
def cancel_token(lazy: Lazy, serial: str, reason: str | None, json_wanted: bool) -> None:
    """Live to cancelled."""
    parts, actor = lazy.parts(), acting(lazy)
    now = parts.clock.now()
    _change(
        lazy,
        serial,
        json_wanted,
        lambda c, t: parts.retirer.cancel(c, t, actor, reason or "", now),
    )


@group.command("reprint", help="Send a token's SMS again, to its recorded recipient.")
@click.argument("serial")
@operator_option
@as_json
@pass_parts
def reprint_token(lazy: Lazy, serial: str, json_wanted: bool) -> None:
    """The same digits, proved against the row before they are sent."""
    parts, actor = lazy.parts(), acting(lazy)
    now = parts.clock.now()
    _change(lazy, serial, json_wanted, lambda c, t: parts.reprinter.resend(c, t, actor, now))


def _token(connection: Connection, serial: str) -> Token:
    wanted = serials.normalise(serial)
    token = store.by_serial(connection, wanted) if wanted else None
    if token is None:
        raise BadInput(f"no token with serial {serial!r}" if wanted else "that is no serial")
    return token


def _facts(parts: Parts, token: Token) -> dict[str, Any]:
    return {
        "serial": token.serial,
        "status": shown_status(token, parts.clock.now()),
        "amount": token.amount,
        "currency": token.currency,
        "recipient": token.recipient,
        "bound": token.binding != UNBOUND,
        "digits": token.digits,
        "issue_ref": token.issue_ref,
        "issued_at": token.issued_at,
        "expires_at": token.expires_at,
        "redeemed_at": token.redeemed_at,
        "redeemed_by": token.redeemed_by,
        "redeemed_channel": token.redeemed_channel,
        "reprints": token.reprints,
    }
