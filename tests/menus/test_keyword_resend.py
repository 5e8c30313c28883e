"""RESEND: the token's own SMS again, to its recorded recipient alone, and not without end."""

from datetime import timedelta

import pytest

from gateway.outbox.store import State
from gateway.tokens.issue import DELIVERY
from gateway.tokens.suspend import suspend
from tests.menus.texting import answered, said
from tests.support.clock import SteppedClock
from tests.support.partner import partner
from tests.support.wired import ADA, BELLO, Wired
from tests.web.sms_callbacks import outcomes, replies, text_in

CHIDI = "+2348030000003"
ELSEWHERE = "If token {} is waiting, its SMS goes again to the number it was sent to."
OFTEN = "This token was sent several times already. Please try again in an hour."


def deliveries(wired: Wired) -> list[tuple[str, str]]:
    """(recipient, serial) of every token's SMS, oldest first."""
    return [(m.recipient, m.subject) for m in replies(wired) if m.template == DELIVERY]


@pytest.mark.parametrize("text", ["RESEND", "resend.", "Resend my token pls", "RENVOYER", "Tena!"])
def test_alone_it_sends_the_latest_token_that_waits(
    wired: Wired, clock: SteppedClock, text: str
) -> None:
    wired.issue(to=ADA, expires_at=clock.now() + timedelta(hours=1))  # not the soonest to expire
    clock.advance(seconds=1)
    latest = wired.issue(to=ADA)
    spent = wired.issue(to=ADA)
    wired.redeem(spent.reveal())
    wired.issue(to=BELLO)
    outcome, (sms,) = answered(wired, text, "m1")
    assert (outcome, deliveries(wired)) == ("resent", [(ADA, latest.serial)])
    assert f"*384*1*1*{latest.reveal()}#" in sms


@pytest.mark.parametrize("written", ["{}", "{}.", "ref {}", "Ref: {} please", "\u201c{}\u201d"])
def test_a_serial_names_the_token(wired: Wired, written: str) -> None:
    wanted = wired.issue(to=ADA)
    wired.issue(to=ADA)
    serial = f"{wanted.serial[:4].lower()}-{wanted.serial[4:]}"
    text_in(wired, f"RESEND {written.format(wanted.serial)}", "m1")
    wired.send_all()
    text_in(wired, f"resend {serial}", "m2")
    assert outcomes(wired) == ["resent"] * 2
    assert deliveries(wired) == [(ADA, wanted.serial)] * 2


@pytest.mark.parametrize("sender", [ADA, BELLO])
def test_a_test_token_is_sent_to_nobody_and_reads_as_unknown(wired: Wired, sender: str) -> None:
    play = partner(wired).with_key(test=True)
    serial = play.post("/tokens", {"amount": "5.00", "recipient": ADA}).json["serial"]
    answer = answered(wired, f"RESEND {serial}", "m1", sender=sender)
    assert answer == ("resent_elsewhere", [ELSEWHERE.format(serial)])
    assert deliveries(wired) == []


def test_nobody_gets_anothers_token_and_nobody_learns_of_one(wired: Wired) -> None:
    """Whoever asks: it goes to its recipient, and all that is not theirs is one answer (T4, T9)."""
    live, dead = wired.issue(to=ADA), wired.issue(to=ADA)
    wired.redeem(dead.reveal())
    nobodys = wired.issue(to=None)
    for number, serial in enumerate((live.serial, dead.serial, nobodys.serial, "K7M29QXD")):
        answer = answered(wired, f"RESEND {serial}", f"m{number}", sender=BELLO)
        assert answer == ("resent_elsewhere", [ELSEWHERE.format(serial)])
    assert deliveries(wired) == [(ADA, live.serial)]


@pytest.mark.parametrize("state", ["suspended", "expired", "cancelled"])
def test_a_token_of_ones_own_that_is_dead_is_not_sent(
    wired: Wired, clock: SteppedClock, state: str
) -> None:
    token = wired.issue(to=ADA)
    found, now = wired.token(token.serial), clock.now()
    if state == "suspended":
        wired.run(lambda c: suspend(c, found, "operator", "test", now))
    elif state == "cancelled":
        wired.run(lambda c: wired.gateway.retirer.cancel(c, found, "operator", "test", now))
    else:
        clock.advance(days=40)
    assert answered(wired, f"RESEND {token.serial}", "m1")[0] == "resent_elsewhere"
    assert answered(wired, "RESEND", "m2") == ("none_waiting", ["You have no tokens waiting."])
    assert deliveries(wired) == []


def test_who_redeemed_it_is_told_so(wired: Wired) -> None:
    token = wired.issue("500.00", to=ADA)
    wired.redeem(token.reveal())
    assert answered(wired, f"RESEND {token.serial}", "m1") == (
        "already_yours",
        [f"You redeemed this token already: NGN 500.00 on 02/03/2026 10:00.\nRef {token.serial}"],
    )


@pytest.mark.parametrize("rest", ["K7M29QX", "490750293453273258", "Ref 12"])
def test_what_is_no_serial_is_told_what_one_is(wired: Wired, rest: str) -> None:
    wired.issue(to=ADA)
    outcome, (text,) = answered(wired, f"RESEND {rest}", "m1")
    assert outcome == "no_serial"
    assert text.startswith("This is no reference. It stands behind Ref, such as K7M29QXD.")
    assert deliveries(wired) == []


def test_one_that_is_on_its_way_already_is_not_doubled(wired: Wired) -> None:
    wired.issue(to=ADA, deliver=True)
    for number in range(4):
        text_in(wired, "RESEND", f"m{number}")
    assert outcomes(wired) == ["on_its_way"] * 4
    assert len(said(wired)) == 1
    wired.send_all()
    assert answered(wired, "RESEND", "later")[0] == "resent"


def test_a_token_is_sent_three_times_an_hour_at_most(wired: Wired, clock: SteppedClock) -> None:
    wired.issue(to=ADA, deliver=True)
    clock.advance(hours=1, seconds=1)
    wired.send_all()
    for number in range(4):
        text_in(wired, "RESEND", f"m{number}")
        wired.send_all()
    assert outcomes(wired) == ["resent"] * 3 + ["resend_limited"]
    assert said(wired)[-1] == OFTEN
    clock.advance(hours=1, seconds=1)
    assert answered(wired, "RESEND", "later")[0] == "resent"


def test_a_phone_asks_for_six_an_hour_at_most_and_hears_so_once(wired: Wired) -> None:
    serials = [wired.issue(to=BELLO).serial for _ in range(9)]
    for number, serial in enumerate(serials):
        text_in(wired, f"RESEND {serial}", f"m{number}", sender=CHIDI)
    assert outcomes(wired) == ["resent_elsewhere"] * 6 + ["resend_limited"] * 3
    assert len(deliveries(wired)) == 6
    assert said(wired, CHIDI)[6:] == [OFTEN]


def test_a_sender_may_have_it_sent_again_to_whom_they_sent_it(wired: Wired) -> None:
    wired.redeem(wired.issue("500.00").reveal())
    wired.set_pin()
    call = wired.dial(text=f"2*{BELLO}*100")
    for entry in ("1", "4711"):
        call.send(entry)
    wired.send_all()
    ((to, serial),) = deliveries(wired)
    assert answered(wired, f"RESEND {serial}", "m1")[1] == [ELSEWHERE.format(serial)]
    assert deliveries(wired) == [(to, serial)] * 2 == [(BELLO, serial)] * 2


def test_a_failed_message_may_be_asked_for_again(wired: Wired) -> None:
    token = wired.issue(to=ADA, deliver=True)
    wired.send_all()
    sent = [message.state for message in replies(wired) if message.subject == token.serial]
    assert sent == [State.DELIVERED]
    assert answered(wired, "RESEND", "m1")[0] == "resent"
