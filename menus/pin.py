"""5 → 2 PIN: set it or change it; and the screen that asks for it in front of other things."""

from collections.abc import Callable, Sequence
from functools import partial

from gateway.audit import trail
from gateway.ledger import wallets
from gateway.people.pins.choose import Chosen
from gateway.people.pins.prove import Said, Verdict
from gateway.people.pins.rules import Unfit
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
UNFIT = {
    Unfit.FORM: FORM,
    Unfit.GUESSABLE: "This PIN is too easy to guess.",
    Unfit.OWN_NUMBER: "This PIN is the end of your number.",
}
DIFFERS = "That was not the same PIN."
NONE, LOCKED, CLOSED = "pin.none", "pin.locked", "pin.closed"
STALE, UNVERIFIED = "pin.stale", "pin.unverified"
CALL = " Please call +234 800 000 0000."  # the longest that `Desk.call_us` says

_ENDINGS = (
    Screen(
        "pin.done",
        text="Your PIN is set. Never tell it to anybody, not even to us.",
        ends=True,
    ),
    Screen(
        STALE,
        text="Your PIN was not changed: it is being set in another call too. Please try again.",
        ends=True,
    ),
    Screen(
        UNVERIFIED,
        text="Before you can set a PIN we must make sure that this is still your number.{call_us}",
        ends=True,
        sample={"call_us": CALL},
    ),
    Screen(
        NONE,
        text="You need a PIN for this.",
        options=(Option("1", "Set a PIN", "pin"),),
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


def screens(desk: Desk) -> tuple[Screen, ...]:
    """Choosing a PIN, the old one first, and where a PIN screen leads that cannot be passed."""
    return (
        _first_entry(desk, "pin", arrive=partial(_opened, desk), leads_to=("pin.old",)),
        ask(
            desk,
            "pin.old",
            partial(_proved, desk),
            leads_to=("pin.new",),
            text="Enter your old PIN:",
        ),
        _first_entry(desk, "pin.new"),
        Screen(
            "pin.again",
            text="Enter the new PIN again:",
            answer=partial(_second, desk),
            complaints=(FORM, DIFFERS),
            leads_to=("pin.done", STALE, UNVERIFIED),
            private=True,
        ),
        *_ENDINGS,
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
    if not verdict.right:
        return _refused(desk, visit, verdict)
    step = then(visit)
    # Last, because a token's row is locked before any account's.
    wallets.touch(visit.connection, visit.msisdn, visit.now, desk.limits)
    return step


def _refused(desk: Desk, visit: Visit, verdict: Verdict) -> Next:
    if verdict.said is Said.NO_PIN:
        return Go(NONE)
    if verdict.said is Said.WRONG:
        return Again(LEFT[verdict.left])
    if verdict.until is None:
        return Go(CLOSED, {"call_us": desk.call_us(visit.say)})
    return Go(LOCKED, {"until": minute(verdict.until, desk.zone)})


# --- choosing one: `version` names the PIN that the change begins from --------------------------


def _first_entry(
    desk: Desk,
    name: str,
    arrive: Callable[[Visit], Next | Values] | None = None,
    leads_to: Sequence[str] = (),
) -> Screen:
    return Screen(
        name,
        text="Choose a PIN of 4 to 6 digits:",
        arrive=arrive,
        answer=partial(_first, desk),
        complaints=tuple(UNFIT.values()),
        leads_to=("pin.again", STALE, UNVERIFIED, *leads_to),
        private=True,
    )


def _opened(desk: Desk, visit: Visit) -> Next | Values:
    if not desk.chooser.may_choose(visit.connection, visit.msisdn, visit.now):
        return _unverified(desk, visit)
    if desk.pins.has_pin(visit.connection, visit.msisdn):
        return Go("pin.old")
    return {"version": str(desk.pins.version(visit.connection, visit.msisdn))}


def _proved(desk: Desk, visit: Visit) -> Next:
    version = desk.pins.version(visit.connection, visit.msisdn)
    return Go("pin.new", {"version": str(version)})


def _first(desk: Desk, visit: Visit, entry: str) -> Next:
    unfit = desk.chooser.unfit(entry, visit.msisdn)
    if unfit is not None:
        return Again(UNFIT[unfit])
    version = int(visit.values["version"])
    chosen = desk.chooser.propose(
        visit.connection, visit.msisdn, entry, visit.proofs, version, visit.now
    )
    if chosen is Chosen.KEPT:
        return Go("pin.again", {"version": visit.values["version"]})
    return _unverified(desk, visit) if chosen is Chosen.UNVERIFIED else Go(STALE)


def _second(desk: Desk, visit: Visit, entry: str) -> Next:
    if not desk.pins.is_pin(entry):
        return Again(FORM)
    version = int(visit.values["version"])
    chosen = desk.chooser.confirm(
        visit.connection, visit.msisdn, entry, visit.proofs, version, visit.now
    )
    if chosen is Chosen.DIFFERS:
        return Again(DIFFERS)
    if chosen is Chosen.UNVERIFIED:
        return _unverified(desk, visit)
    if chosen is Chosen.STALE:
        return Go(STALE)
    trail.record(visit.connection, visit.msisdn, "pin.set", visit.msisdn, visit.now)
    return Go("pin.done", forget=True)


def _unverified(desk: Desk, visit: Visit) -> Go:
    return Go(UNVERIFIED, {"call_us": desk.call_us(visit.say)})
