"""1 Redeem token: type it, and it is in the wallet; two turns from the root."""

from datetime import datetime
from functools import partial

from gateway.formats import money
from gateway.sms.texts import minute
from gateway.switches.board import REDEEM
from gateway.tokens import code
from gateway.tokens.code import InvalidCode, Wrong
from gateway.tokens.redeem import Answer, Caller, Outcome
from gateway.ussd.screens import Again, Go, Next, Screen, Visit
from menus.desk import Desk

COMPLAINTS = {
    Wrong.EMPTY: "Nothing was entered.",
    Wrong.CHARACTERS: "Digits only, please.",
    Wrong.LENGTH: "A token has 18 or 11 digits. Please check it.",
    Wrong.CHECK_DIGIT: "A digit is wrong. Please check it.",
}
ENDINGS = {
    Answer.NOT_VALID: "redeem.not_valid",
    Answer.SHOP_ONLY: "redeem.shop_only",
    Answer.UNAVAILABLE: "redeem.unavailable",
}
# Endings that name the help line.
CALLS_US = {
    Answer.WALLET_STOPPED: "redeem.wallet_stopped",
    Answer.WALLET_FULL: "redeem.wallet_full",
}
LARGEST = "NGN 9999999999999999.99"
PAUSED = "Redeeming is paused. Your token is safe. Please try again later.{call_us}"


_ENDINGS = (
    Screen(
        "redeem.done",
        text="You have received {amount}.\nBalance {balance}.\nRef {serial}",
        ends=True,
        sample={"amount": LARGEST, "balance": LARGEST, "serial": "K7M29QXD"},
    ),
    Screen(
        "redeem.yours",
        text="You redeemed this token already: {amount} on {at}.\nRef {serial}",
        ends=True,
        sample={"amount": LARGEST, "at": "31/12/2026 23:59", "serial": "K7M29QXD"},
    ),
    Screen(
        "redeem.not_valid",
        text="This token cannot be redeemed. Please check the digits, or ask whoever gave it"
        " to you.",
        ends=True,
    ),
    Screen("redeem.shop_only", text="Only a shop pays this code.", ends=True),
    Screen(
        "redeem.limited",
        text="Too many wrong tokens. Please try again after {until}.",
        ends=True,
        sample={"until": "31/12/2026 23:59"},
    ),
    Screen(
        "redeem.unavailable",
        text="Redeeming is temporarily unavailable. Your token is safe. Please try again later.",
        ends=True,
    ),
    Screen(
        "redeem.paused",
        text=PAUSED,
        ends=True,
        sample={"call_us": " Please call +234 800 000 0000."},
    ),
    Screen(
        "redeem.wallet_stopped",
        text="Your wallet cannot receive money now. Your token is safe.{call_us}",
        ends=True,
        sample={"call_us": " Please call +234 800 000 0000."},
    ),
    Screen(
        "redeem.wallet_full",
        text="Your wallet cannot take so much now: it would pass its limit. Your token is safe."
        "{call_us}",
        ends=True,
        sample={"call_us": " Please call +234 800 000 0000."},
    ),
)


def screens(desk: Desk) -> tuple[Screen, ...]:
    """The entry and every way it can end."""
    return (
        Screen(
            "redeem",
            text="Enter the token:",
            answer=partial(_redeem, desk),
            complaints=tuple(COMPLAINTS.values()),
            code_lengths=code.LENGTHS,
            is_code=is_code,
            leads_to=(
                "redeem.done",
                "redeem.yours",
                "redeem.limited",
                "redeem.paused",
                *CALLS_US.values(),
                *ENDINGS.values(),
            ),
        ),
        *_ENDINGS,
    )


def _redeem(desk: Desk, visit: Visit, entry: str) -> Next:
    if desk.is_paused(visit.connection, REDEEM):  # before anything counts as a guess
        return Go("redeem.paused", {"call_us": desk.call_us(visit.say)})
    caller = Caller(visit.msisdn, visit.channel, visit.language)
    outcome = desk.redeemer.redeem(visit.connection, entry, caller, visit.now)
    if outcome.wrong is not None:
        return Again(COMPLAINTS[outcome.wrong])
    if outcome.answer in CALLS_US:
        return Go(CALLS_US[outcome.answer], {"call_us": desk.call_us(visit.say)})
    return Go(*_ending(desk, outcome))


def _ending(desk: Desk, outcome: Outcome) -> tuple[str, dict[str, str]]:
    amount = money.display(outcome.amount, outcome.currency)
    if outcome.answer is Answer.REDEEMED:
        balance = money.display(outcome.balance, outcome.currency)
        values = {"amount": amount, "balance": balance, "serial": outcome.serial}
        return "redeem.done", values
    if outcome.answer is Answer.ALREADY_YOURS:
        at = _local(desk, outcome.at)
        return "redeem.yours", {"amount": amount, "at": at, "serial": outcome.serial}
    if outcome.answer is Answer.LIMITED:
        return "redeem.limited", {"until": _local(desk, outcome.until)}
    return ENDINGS[outcome.answer], {}


def _local(desk: Desk, instant: datetime | None) -> str:
    return minute(instant, desk.zone) if instant is not None else ""


def is_code(entry: str) -> bool:
    """Whether an entry is a complete, well-typed token."""
    try:
        code.validate(entry)
    except InvalidCode:
        return False
    return True
