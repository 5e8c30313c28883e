"""Asking for the caller's PIN in front of whatever needs it, and what comes of a wrong one."""

from collections.abc import Callable, Sequence
from functools import partial

from gateway.people.pins.prove import Said, Verdict
from gateway.sms.texts import minute
from gateway.ussd.screens import Again, Go, Next, Option, Screen, Values, Visit
from menus.desk import Desk

ENTER = "Enter your PIN:"
FORM = "A PIN has 4 to 6 digits."
# A complaint is a message of its own, without values: one for each number of tries left.
LEFT = {
    4: "Wrong PIN. 4 tries left.",
    3: "Wrong PIN. 3 tries left.",
    2: "Wrong PIN. 2 tries left.",
    1: "Wrong PIN. 1 try left.",
}
COMPLAINTS = (FORM, *LEFT.values())
NONE, LOCKED, CLOSED = "pin.none", "pin.locked", "pin.closed"
CALL = " Please call +234 800 000 0000."  # the longest that `Desk.call_us` says


def screens(_: Desk) -> tuple[Screen, ...]:
    """Where a PIN screen leads that cannot be passed."""
    return (
        Screen(
            NONE,
            text="You need a PIN for this.",
            options=(Option("1", "Set a PIN", "settings.pin"),),
        ),
        Screen(
            LOCKED,
            text="Too many wrong PINs. Please try again after {until}.",
            ends=True,
            sample={"until": "31/12/2026 23:59"},
        ),
        Screen(
            CLOSED,
            text="Your PIN is locked after too many wrong tries.{call_us}",
            ends=True,
            sample={"call_us": CALL},
        ),
    )


def ask(
    desk: Desk,
    name: str,
    then: Callable[[Visit], Next],
    *,
    leads_to: Sequence[str],
    text: str = ENTER,
    sample: Values | None = None,
) -> Screen:
    """A screen that takes the caller's PIN; `then` is called only after a right one.

    The screen keeps the values it was given, and `then` finds them in `visit.values`; it runs in
    the transaction that ends the row of wrong tries, and goes to one of `leads_to`. `text` may
    name values (with a `sample` of each). A caller without a PIN is shown how to set one instead
    of being asked. A wrong PIN asks again with the tries left; too many lead to a last screen.

    The screen is private: it is never dialled or replayed into, and a dropped call resumes before
    it. `then` may run twice for one entry as any answer may (the transaction is repeated), and
    must not reach outside the database.

        pin.ask(desk, "send.pin", partial(_paid, desk), leads_to=("send.confirm",))
    """
    return Screen(
        name,
        text=text,
        arrive=partial(_asked, desk),
        answer=partial(_answered, desk, then),
        complaints=COMPLAINTS,
        leads_to=(*leads_to, NONE, LOCKED, CLOSED),
        private=True,
        sample=sample or {},
    )


def _asked(desk: Desk, visit: Visit) -> Next | Values:
    return {} if desk.pins.has_pin(visit.connection, visit.msisdn) else Go(NONE)


def _answered(desk: Desk, then: Callable[[Visit], Next], visit: Visit, entry: str) -> Next:
    if not desk.pins.is_pin(entry):
        return Again(FORM)
    verdict = desk.pins.demand(visit.connection, visit.msisdn, entry, visit.proofs)
    return then(visit) if verdict.right else _refused(desk, visit, verdict)


def _refused(desk: Desk, visit: Visit, verdict: Verdict) -> Next:
    if verdict.said is Said.NO_PIN:
        return Go(NONE)
    if verdict.said is Said.WRONG:
        return Again(LEFT[verdict.left])
    if verdict.until is None:
        return Go(CLOSED, {"call_us": desk.call_us(visit.say)})
    return Go(LOCKED, {"until": minute(verdict.until, desk.zone)})
