"""5 Settings: the caller's language, their PIN, and blocking a wallet, also another phone's."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.clock import iso
from gateway.errors import Limited
from gateway.formats import msisdn
from gateway.formats.msisdn import InvalidMsisdn
from gateway.ledger import wallets
from gateway.outbox import queue
from gateway.outbox.sending import Text
from gateway.outbox.store import Message
from gateway.people.pins.prove import Said
from gateway.sms import texts
from gateway.tokens.guesses import limits
from gateway.tokens.guesses.limits import PHONE, Allowance
from gateway.ussd.screens import Again, Choice, Go, Next, Option, Screen, Values, Visit
from menus.desk import Desk
from menus.pin import CALL, FORM

SMS = "wallet_blocked"  # the outbox template
BLOCKED = "Your wallet was blocked on {at} by the phone {by}.{call_us}"
SAMPLE = {"at": "31/12/2026 23:59", "by": "+234 800 000 0000", "call_us": CALL}
NO_WALLET = "You have no wallet yet."
NO_NUMBER = "This is not a phone number."
# One answer for an unknown number, one without a wallet or a PIN, and a wrong PIN.
NO_MATCH = "The number and the PIN do not match."
# Tries at one wallet from all other phones together; they never lock its owner's own PIN.
TARGET = Allowance(10, 20)
ONCE = Allowance(1, 1)
NUMBER = {"phone": "+2348000000000", "shown": "+234 800 000 0000"}

_BLOCK = (
    Screen(
        "settings.block",
        text="Block which wallet?",
        options=(
            Option("1", "My wallet", "settings.block.own"),
            Option("2", "Of another phone", "settings.block.number"),
        ),
    ),
    Screen(
        "settings.block.sure",
        text="Block the wallet of {shown}? Only we can open it again.",
        options=(Option("1", "Yes, block it", "settings.block.other_done"),),
        private=True,
        sample=NUMBER,
    ),
    Screen(
        "settings.block.limited",
        text="Too many tries. Please try again after {until}.{call_us}",
        ends=True,
        sample={"until": "31/12/2026 23:59", "call_us": CALL},
    ),
)


def screens(desk: Desk) -> tuple[Screen, ...]:
    """The settings menu; the PIN has a file of its own."""
    return (
        Screen(
            "settings",
            text="Settings",
            options=(
                Option("1", "Language", "settings.language"),
                Option("2", "PIN", "pin"),
                Option("3", "Block my wallet", "settings.block"),
            ),
        ),
        Screen(
            "settings.language",
            text="Language",
            choices=partial(_choices, desk),
            choose=partial(_chosen, desk),
            leads_to=("settings.language.done",),
            sample_choices=[desk.languages.name(code) for code in desk.languages.codes],
        ),
        Screen(
            "settings.language.done",
            text="From now on we speak English to you.",
            ends=True,
        ),
        *_BLOCK,
        *_own(desk),
        *_others(desk),
    )


def _own(desk: Desk) -> tuple[Screen, ...]:
    """Stopping one's own wallet takes no PIN: who has the phone may always stop it."""
    return (
        Screen(
            "settings.block.own",
            text="Block your wallet? Only we can open it again.",
            arrive=partial(_has_wallet, desk),
            options=(Option("1", "Yes, block it", "settings.block.done"),),
            complaints=(NO_WALLET,),
            private=True,
        ),
        Screen(
            "settings.block.done",
            text="Your wallet is blocked.{call_us}",
            arrive=partial(_block_own, desk),
            ends=True,
            sample={"call_us": CALL},
        ),
    )


def _others(desk: Desk) -> tuple[Screen, ...]:
    return (
        Screen(
            "settings.block.number",
            text="Enter the number of the phone whose wallet is to be blocked:",
            answer=partial(_number, desk),
            complaints=(NO_NUMBER,),
            leads_to=("settings.block.pin",),
        ),
        Screen(
            "settings.block.pin",
            text="Enter the PIN of {shown}:",
            answer=partial(_pin, desk),
            complaints=(FORM, NO_MATCH),
            leads_to=("settings.block.sure", "settings.block.limited"),
            private=True,
            sample=NUMBER,
        ),
        Screen(
            "settings.block.other_done",
            text="The wallet of {shown} is blocked.{call_us}",
            arrive=partial(_block_other, desk),
            ends=True,
            sample={**NUMBER, "call_us": CALL},
        ),
    )


def blocked(desk: Desk, connection: Connection, message: Message) -> Text:
    """The SMS to a phone whose wallet was blocked, for sending now."""
    language = desk.subscribers.language(connection, message.recipient, message.language)
    say = partial(desk.languages.text, language)
    values = {
        "at": texts.minute(datetime.fromisoformat(message.details["at"]), desk.zone),
        "by": msisdn.display(message.details["by"]),
        "call_us": desk.call_us(say),
    }
    return Text(texts.fit(say, BLOCKED, values))


def _choices(desk: Desk, _: Visit) -> Sequence[Choice]:
    return [Choice(desk.languages.name(code), code) for code in desk.languages.codes]


def _chosen(desk: Desk, visit: Visit, language: str) -> Next:
    desk.subscribers.choose_language(visit.connection, visit.msisdn, language, visit.now)
    return Go("settings.language.done", language=language, forget=True)


def _has_wallet(desk: Desk, visit: Visit) -> Next | Values:
    wallet = wallets.find(visit.connection, visit.msisdn, desk.currency)
    return {} if wallet is not None else Again(NO_WALLET)


def _number(desk: Desk, _: Visit, entry: str) -> Next:
    try:
        phone = msisdn.parse(entry, desk.country)
    except InvalidMsisdn:
        return Again(NO_NUMBER)
    return Go("settings.block.pin", {"phone": phone, "shown": msisdn.display(phone)})


def _pin(desk: Desk, visit: Visit, entry: str) -> Next:
    if not desk.pins.is_pin(entry):
        return Again(FORM)
    phone = visit.values["phone"]
    counters = ((f"block:{visit.msisdn}", PHONE), (f"blocked:{phone}", TARGET))

    def count(connection: Connection, cause: bytes, now: datetime) -> None:
        try:
            limits.begin(connection, f"once:{cause.hex()[:48]}", ONCE, now)
        except Limited:  # the same request, made again
            return
        for source, allowance in counters:
            limits.begin(connection, source, allowance, now)

    verdict = desk.pins.demand_elsewhere(visit.connection, phone, entry, visit.proofs, count)
    if verdict.said is Said.LOCKED and verdict.until is not None:
        until = texts.minute(verdict.until, desk.zone)
        call_us = desk.call_us(visit.say)
        return Go("settings.block.limited", {"until": until, "call_us": call_us})
    wallet = wallets.find(visit.connection, phone, desk.currency)
    if not verdict.right or wallet is None:
        return Again(NO_MATCH)
    for source, _ in counters:
        limits.forgive(visit.connection, source)
    return Go("settings.block.sure", {"phone": phone, "shown": visit.values["shown"]})


def _block_own(desk: Desk, visit: Visit) -> Values:
    _block(desk, visit, visit.msisdn)
    return {"call_us": desk.call_us(visit.say)}


def _block_other(desk: Desk, visit: Visit) -> Values:
    _block(desk, visit, visit.values["phone"])
    return {"shown": visit.values["shown"], "call_us": desk.call_us(visit.say)}


def _block(desk: Desk, visit: Visit, phone: str) -> None:
    """Freeze the wallet, note who did it and tell its phone; once, as long as it is frozen."""
    connection, now = visit.connection, visit.now
    wallet = wallets.find(connection, phone, desk.currency)
    if wallet is None or not wallets.freeze(connection, wallet):
        return
    trail.record(connection, visit.msisdn, "wallet.block", phone, now)
    details = {"at": iso(now), "by": visit.msisdn}
    cause = f"blocked:{wallet.id}:{iso(now)}"
    queue.add(connection, cause, SMS, phone, phone, "", now, details)
