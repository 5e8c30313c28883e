"""HELP, STOP and START: what one can send, and what who wants no notices still gets."""

import pytest
from sqlalchemy import text as sql

from gateway.outbox.store import State
from gateway.sms.wishes.kinds import KINDS, Kind
from tests.menus.texting import answered, choose, said
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.web.sms_callbacks import outcomes, replies, text_in

HELP = (
    "Send a token to redeem it, RESEND for its SMS, BAL for your balance, STOP to end notices."
    " Or dial *384*1#."
)
STOPPED = (
    "You get no more notices, only tokens, receipts and warnings. Send START to get notices again."
)
STARTED = "You get notices again. Send STOP to end them."


def sent_to_bello(wired: Wired) -> str:
    """Ada sends Bello a token, who redeems it; the state of the notice that tells Ada."""
    wired.redeem(wired.issue("500.00").reveal())
    call = wired.dial(text=f"2*{BELLO}*100")
    for entry in ("1", "4711"):
        call.send(entry)
    serial = [m.subject for m in replies(wired) if m.template == "token"][-1]
    wired.redeem(wired.gateway.reprinter.digits(wired.token(serial)), BELLO)
    wired.send_all()
    (notice,) = [m for m in replies(wired) if m.cause == f"token_spent:{serial}"]
    return notice.state


def test_every_text_we_send_has_its_kind(wired: Wired) -> None:
    assert set(KINDS) == set(wired.gateway.renderers())


def test_stop_keeps_back_courtesies_alone() -> None:
    kept_back = [template for template, kind in KINDS.items() if kind is Kind.COURTESY]
    assert kept_back == ["token_spent"]


@pytest.mark.parametrize("text", ["HELP", "help!!!", "Help me please", "AIDE", "msaada", "hello"])
def test_help_says_what_one_can_send_and_dial(wired: Wired, text: str) -> None:
    choose(wired, "en")
    assert answered(wired, text, "m1")[1] == [HELP]


def test_help_names_the_number_to_call_where_there_is_one(
    database_url: str, clock: SteppedClock
) -> None:
    helped = Wired(database_url, clock, help_number="+2348000000000")
    (text,) = answered(helped, "HELP", "m1")[1]
    assert text.endswith("Or dial *384*1#. Please call +2348000000000.")
    helped.close()


def test_talk_is_helped_a_few_times_and_what_is_asked_for_more_often(
    wired: Wired, clock: SteppedClock
) -> None:
    for number in range(6):
        text_in(wired, f"what is this {number}?", f"m{number}")
    assert outcomes(wired) == ["unknown"] * 6
    assert said(wired) == [HELP] * 3
    assert answered(wired, "HELP", "asked")[1] == [HELP]
    clock.advance(hours=1, seconds=1)
    assert answered(wired, "thanks", "later")[1] == [HELP]


@pytest.mark.parametrize("text", ["", " \n ", "!!!", "\U0001f44d", "\u200b"])
def test_nothing_at_all_is_not_answered(wired: Wired, text: str) -> None:
    assert answered(wired, text, "m1") == ("ignored", [])


def test_stop_is_answered_once_and_again_after_a_start(wired: Wired) -> None:
    texts = ["STOP", "stop!", "Unsubscribe", "START", "STOP", "START", "START"]
    answers = [answered(wired, text, f"m{number}") for number, text in enumerate(texts)]
    assert answers == [
        ("stopped", [STOPPED]),
        ("stopped_before", []),
        ("stopped_before", []),
        ("started", [STARTED]),
        ("stopped", [STOPPED]),
        ("started", [STARTED]),
        ("started", [STARTED]),
    ]


def test_stop_and_start_and_help_work_in_english_whatever_was_chosen(wired: Wired) -> None:
    choose(wired, "fr")
    texts = ("STOP", "START", "HELP")
    assert [answered(wired, text, text)[0] for text in texts] == ["stopped", "started", "help"]
    assert said(wired)[0].startswith("Vous n'aurez plus d'avis")


def test_who_said_stop_still_gets_tokens_receipts_warnings_and_answers(wired: Wired) -> None:
    text_in(wired, "STOP", "m1")
    token = wired.issue(to=ADA, deliver=True)
    text_in(wired, token.reveal(), "m2")
    cancelled = wired.issue(to=ADA, deliver=True)
    wired.send_all()
    found, now = wired.token(cancelled.serial), wired.clock.now()
    wired.run(lambda c: wired.gateway.retirer.cancel(c, found, "operator", "test", now))
    assert answered(wired, "HELP", "m3")[1] == [HELP]
    assert answered(wired, "BAL", "m4")[1] == ["Balance NGN 100.00"]
    wired.send_all()
    states = {m.template: m.state for m in replies(wired)}
    assert states == dict.fromkeys(
        ("note", "token", "redeemed", "token_cancelled"), State.DELIVERED
    )


def test_who_said_stop_is_not_helped_unasked(wired: Wired) -> None:
    text_in(wired, "STOP", "m1")
    assert answered(wired, "what?", "m2") == ("unknown", [])


def test_a_courtesy_is_kept_back_between_stop_and_start(wired: Wired) -> None:
    wired.set_pin()
    assert sent_to_bello(wired) == State.DELIVERED
    text_in(wired, "STOP", "m1")
    assert sent_to_bello(wired) == State.DROPPED
    dropped = [m for m in replies(wired) if m.state == State.DROPPED]
    assert [(m.template, m.reason) for m in dropped if m.recipient == ADA] == [
        ("token_spent", "its reader has said STOP")
    ]
    text_in(wired, "START", "m2")
    assert sent_to_bello(wired) == State.DELIVERED


def test_the_wish_of_one_phone_is_not_anothers(wired: Wired) -> None:
    text_in(wired, "STOP", "m1", sender=BELLO)
    wired.set_pin()
    assert sent_to_bello(wired) == State.DELIVERED


@pytest.mark.parametrize("sender", ["MTN", "38400", "Token Gateway"])
@pytest.mark.parametrize("text", ["STOP", "HELP", "BAL", "RESEND", "hello"])
def test_a_machine_that_is_no_phone_wishes_nothing(wired: Wired, sender: str, text: str) -> None:
    assert answered(wired, text, "m1", sender=sender) == ("no_phone", [])
    wished = sql("SELECT count(*) FROM sms_wishes")
    assert wired.run(lambda c: c.execute(wished).scalar()) == 0
    assert replies(wired) == []
