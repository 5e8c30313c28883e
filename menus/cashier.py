"""6 Cashier: pay a token out of the till, or look at it; the screen is the proof, never an SMS."""

from functools import partial

from gateway.formats import money, msisdn
from gateway.formats.msisdn import InvalidMsisdn
from gateway.outlets.counter import USSD
from gateway.outlets.payments.answers import Shown, Stop
from gateway.outlets.payments.store import Payment, State
from gateway.outlets.rights import NotAllowed
from gateway.outlets.shifts.store import State as ShiftState
from gateway.people.staff.hands import setter
from gateway.sms.texts import minute
from gateway.switches.board import REDEEM
from gateway.tokens import code
from gateway.tokens.tills.pay import Answer
from gateway.ussd.dialogue import INVALID_CHOICE
from gateway.ussd.screens import Again, Go, Next, Option, Screen, Values, Visit
from menus import redeem, till, unpaid
from menus.desk import Desk
from menus.send import NO_NUMBER, NUMBER

UNKNOWN = "There is no such token. Please check the digits."
UNCONFIRMED = "Not confirmed. Hand out nothing. Dial again: 6, 3 Last five."
NO_TILL = "no till open"
FOR = "For {recipient}"
SAMPLE = {
    **unpaid.SAMPLE,
    "till": till.SAMPLE["till"],
    "whose": f"\n{FOR.format(**NUMBER)}",
}
PAID, DECLINED = "cashier.paid", "cashier.declined"
WHOSE = "cashier.whose"
_BECAME = (unpaid.MINE, unpaid.VOIDED, DECLINED, till.OVER, *unpaid.WAYS.values())


def screens(desk: Desk) -> tuple[Screen, ...]:
    """The menu, whose numbers are a public contract, and the way to a payment."""
    return (
        Screen(
            "cashier",
            text="Cashier {till}",
            arrive=partial(_menu, desk),
            options=(
                Option("1", "Pay token", "cashier.pay", shown=_is_open),
                Option("2", "Look up", "cashier.look", shown=_is_open),
                Option("3", "Last five", "takings.last", shown=_has_shift),
                Option("4", "Till total", "takings.total", shown=_has_shift),
                Option("5", "Close till", "till.count", shown=_has_shift),
                Option("6", "Open a till", "till.open", shown=_has_none),
            ),
            complaints=(INVALID_CHOICE,),
            leads_to=(till.OWN_PIN,),
            sample=SAMPLE,
        ),
        _entry(desk, "cashier.pay", "Enter the token to pay:", "cashier.confirm"),
        _entry(desk, "cashier.look", "Enter the token to look up:", "cashier.found"),
        Screen(
            "cashier.found",
            text="{amount}\nRef {serial}\nIt can be paid.",
            options=(Option("1", "Pay it", "cashier.confirm"),),
            sample=SAMPLE,
        ),
        Screen(
            WHOSE,
            text="It cannot be checked like this. Enter the number that its SMS came to, then the"
            " token again:",
            answer=partial(_whose, desk),
            complaints=(NO_NUMBER,),
            leads_to=("cashier.pay",),
        ),
        *_paying(desk),
    )


def _entry(desk: Desk, name: str, text: str, to: str) -> Screen:
    """Where a token is typed; each entry counts as a guess of this cashier, at all their tills."""
    return Screen(
        name,
        text=text,
        arrive=partial(_may_pay, desk),
        answer=partial(_look_up, desk, to),
        complaints=(*redeem.COMPLAINTS.values(), UNKNOWN),
        code_lengths=code.LENGTHS,
        is_code=redeem.is_code,
        leads_to=(to, WHOSE, unpaid.LIMITED, till.NONE, till.COUNTED, *_BECAME),
    )


def _paying(desk: Desk) -> tuple[Screen, ...]:
    return (
        Screen(
            "cashier.phone",
            text="{amount}, Ref {serial}\nEnter the recipient's number:",
            answer=partial(_number, desk),
            complaints=(NO_NUMBER,),
            leads_to=("cashier.confirm",),
            sample=SAMPLE,
        ),
        Screen(
            "cashier.confirm",
            text="Pay {amount}?\nRef {serial}{whose}",
            arrive=_asked,
            options=(Option("1", "Confirm", PAID), Option("2", "Do not pay", DECLINED)),
            leads_to=("cashier.phone",),
            private=True,
            sample=SAMPLE,
        ),
        Screen(
            PAID,
            text="PAID {amount}\nRef {serial}\nTill {till}, {at}\nHand out the cash.",
            arrive=partial(_pay, desk),
            ends=True,
            unconfirmed=UNCONFIRMED,
            leads_to=_BECAME,
            sample=SAMPLE,
        ),
        Screen(
            DECLINED,
            text="Not paid: {amount}, Ref {serial}. The token stays good.",
            arrive=partial(_decline, desk),
            ends=True,
            unconfirmed=UNCONFIRMED,
            leads_to=tuple(to for to in _BECAME if to != DECLINED),
            sample=SAMPLE,
        ),
    )


# --- the menu: what it offers follows from the shift, and no number ever means two things --------


def _menu(desk: Desk, visit: Visit) -> Next | Values:
    at = till.work(desk, visit)
    if at is None:
        return Again(INVALID_CHOICE)
    if setter(at.member) is not None:  # who knows it can pay on the page in their name
        return Go(till.OWN_PIN)
    if at.shift is None:
        return {"till": visit.say(NO_TILL), "state": ""}
    return {"till": at.shift.till, "state": at.shift.state}


def _is_open(visit: Visit) -> bool:
    return visit.values["state"] == ShiftState.OPEN


def _has_shift(visit: Visit) -> bool:
    return bool(visit.values["state"])


def _has_none(visit: Visit) -> bool:
    return not visit.values["state"]


# --- looking up ----------------------------------------------------------------------------------


def _may_pay(desk: Desk, visit: Visit) -> Next | Values:
    at = till.at_till(desk, visit)
    if isinstance(at, Go):
        return at
    return Go(unpaid.WAYS[Stop.PAUSED]) if desk.is_paused(visit.connection, REDEEM) else {}


def _look_up(desk: Desk, to: str, visit: Visit, entry: str) -> Next:
    at = till.at_till(desk, visit)
    if isinstance(at, Go):
        return at
    member, shift = at
    try:
        owner = visit.values.get("owner", "")
        shown = desk.counter.show(visit.connection, shift, entry, member, USSD, visit.now, owner)
    except NotAllowed:
        return Go(till.OVER)
    if shown.asks_phone and not owner:
        return Go(WHOSE)
    return _found(desk, to, shown)


def _whose(desk: Desk, _: Visit, entry: str) -> Next:
    """The digits are typed again: what could be kept of them would be read by others."""
    try:
        return Go("cashier.pay", {"owner": msisdn.parse(entry.strip().rstrip("#"), desk.country)})
    except InvalidMsisdn:
        return Again(NO_NUMBER)


def _found(desk: Desk, to: str, shown: Shown) -> Next:
    payment = shown.payment
    if shown.wrong is not None:
        return Again(redeem.COMPLAINTS[shown.wrong])
    if shown.answer is Answer.UNKNOWN:
        return Again(UNKNOWN)
    if shown.until is not None:
        return Go(unpaid.LIMITED, {"until": minute(shown.until, desk.zone)})
    if payment is None:
        return Go(unpaid.WAYS[shown.answer])
    if shown.answer is Answer.PAYABLE:
        return Go(to, _facts(desk, payment))
    return _became(desk, payment, shown.answer)


def _facts(desk: Desk, payment: Payment) -> dict[str, str]:
    """The reference of a payment travels in the screens' values: it is the intent (M4)."""
    return {
        "payment": payment.reference,
        "amount": money.display(payment.amount, payment.currency),
        "serial": payment.serial,
        "asks": "1" if payment.asks_phone else "",
        "phone": payment.customer,
        "till": payment.till,
        "at": minute(payment.decided_at or payment.created_at, desk.zone),
    }


# --- paying --------------------------------------------------------------------------------------


def _number(desk: Desk, visit: Visit, entry: str) -> Next:
    try:
        phone = msisdn.parse(entry.strip().rstrip("#"), desk.country)
    except InvalidMsisdn:
        return Again(NO_NUMBER)
    return Go("cashier.confirm", {**visit.values, "phone": phone})


def _asked(visit: Visit) -> Next | Values:
    given = visit.values
    if given["asks"] and not given["phone"]:
        return Go("cashier.phone", given)
    shown = given["phone"] and msisdn.display(given["phone"])
    return {"whose": f"\n{visit.say(FOR, recipient=shown)}" if shown else ""}


def _pay(desk: Desk, visit: Visit) -> Next | Values:
    at, given = till.work(desk, visit), visit.values
    if at is None:
        return Go(till.OVER)
    try:
        payment = desk.counter.confirm(
            visit.connection, given["payment"], at.member, given["phone"], visit.now, USSD
        )
    except NotAllowed:
        return Go(till.OVER)
    # Paid by this very turn: what was paid before, here or in the browser, is not paid out again.
    if payment.state == State.PAID and payment.decided_at == visit.now:
        return _facts(desk, payment)
    return _became(desk, payment, payment.answer)


def _decline(desk: Desk, visit: Visit) -> Next | Values:
    at = till.work(desk, visit)
    if at is None:
        return Go(till.OVER)
    try:
        payment = desk.counter.decline(
            visit.connection, visit.values["payment"], at.member, visit.now
        )
    except NotAllowed:
        return Go(till.OVER)
    facts = _facts(desk, payment)
    return facts if payment.state == State.DECLINED else _became(desk, payment, payment.answer)


def _became(desk: Desk, payment: Payment, answer: str) -> Go:
    """The screen for a payment that this turn has not made."""
    decided = {State.PAID: unpaid.MINE, State.VOIDED: unpaid.VOIDED, State.DECLINED: DECLINED}
    to = decided.get(State(payment.state)) or unpaid.WAYS[answer]
    return Go(to, _facts(desk, payment))
