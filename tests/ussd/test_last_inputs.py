"""Dialogues over channels that send the last input only, each through its own route (U1 to U3)."""

from collections.abc import Iterator
from decimal import Decimal

import pytest

from gateway.channels.base import LastInput
from gateway.ussd.engine import Turn
from tests.channels.sheets import SHEETS, Raw
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.ussd.speaking import CODE, COUNTED, LAST_INPUT, NUMBERED, Speaker

CODELESS = ("arkesel", "nalo")  # no request of theirs tells the service code
AGAIN = "Something went wrong with this session. Please dial again."
OVER = "This session is over. Please dial again."


@pytest.fixture
def coded(wired: Wired) -> Iterator[Wired]:
    """A gateway that was told its codes."""
    codes = dict.fromkeys(CODELESS, CODE)
    whole = Wired(str(wired.gateway.settings.database_url), wired.clock, ussd_codes=codes)
    yield whole
    whole.close()


@pytest.fixture(params=LAST_INPUT)
def ada(coded: Wired, request: pytest.FixtureRequest) -> Speaker:
    """A caller on each channel."""
    return Speaker(coded, request.param)


@pytest.fixture(params=COUNTED)
def counted(coded: Wired, request: pytest.FixtureRequest) -> Speaker:
    """A caller on each channel that does not number its turns."""
    return Speaker(coded, request.param)


@pytest.fixture(params=NUMBERED)
def numbered(coded: Wired, request: pytest.FixtureRequest) -> Speaker:
    """A caller on each channel that does."""
    return Speaker(coded, request.param)


def test_a_token_is_redeemed_in_two_turns(ada: Speaker) -> None:
    token = ada.wired.issue("250.00").reveal()
    assert ada.dial()[0].startswith("Welcome.\n1 Redeem token")
    assert ada.say("1")[0].startswith("Enter the token")
    text, ends = ada.say(token)
    assert (text[:29], ends) == ("You have received NGN 250.00.", True)
    assert ada.wired.balance() == Decimal("250.00")
    assert ada.wired.breaches() == []


def test_a_token_may_be_typed_with_stars_and_a_hash(ada: Speaker) -> None:
    token = ada.wired.issue().reveal()
    ada.dial()
    ada.say("1#")
    text, _ = ada.say(f"{token[:4]}*{token[4:8]}*{token[8:]}#")
    assert text.startswith("You have received NGN 100.00.")


def test_a_token_may_be_dialled_behind_the_code(ada: Speaker) -> None:
    token = ada.wired.issue("75.00").reveal()
    text, ends = ada.dial(f"1*{token}")
    assert text.startswith("You have received NGN 75.00.")
    assert ends is (ada.name != "infobip")  # its first screen never closes
    if not ends:
        assert ada.say("1") == (OVER, True)
    assert ada.wired.balance() == Decimal("75.00")


@pytest.mark.parametrize("name", CODELESS)
def test_what_is_dialled_behind_an_unknown_code_is_no_input(wired: Wired, name: str) -> None:
    token = wired.issue().reveal()
    assert Speaker(wired, name).dial(f"1*{token}")[0].startswith("Welcome.")
    assert wired.balance() == Decimal("0.00")


def test_the_same_input_may_answer_two_screens(ada: Speaker) -> None:
    ada.dial()
    assert ada.say("5")[0].startswith("Settings")
    assert ada.say("1")[0].startswith("Language")
    assert ada.say("1")[1]


def test_back_and_an_empty_input_are_inputs_like_any_other(ada: Speaker) -> None:
    ada.dial()
    ada.say("4")
    assert ada.say("0")[0].startswith("Welcome.")
    ada.say("1")
    assert ada.say("")[0].startswith("Nothing was entered.")


def test_a_redeeming_input_that_comes_again_gets_the_same_reply(ada: Speaker) -> None:
    token = ada.wired.issue().reveal()
    ada.dial()
    ada.say("1")
    first = ada.say(token)
    assert [ada.again(token) for _ in range(3)] == [first] * 3
    assert ada.wired.balance() == Decimal("100.00")
    assert ada.wired.send_all() == 1


def test_a_start_that_comes_again_gets_the_same_bytes_and_leaves_the_dialogue_fresh(
    ada: Speaker,
) -> None:
    replies = {ada.post(ada.started()).get_data() for _ in range(3)}
    assert len(replies) == 1
    ada.turn = 1
    assert ada.say("1")[0].startswith("Enter the token")


def test_a_dialled_token_that_comes_again_pays_once(ada: Speaker) -> None:
    token = ada.wired.issue().reveal()
    replies = [ada.dial(f"1*{token}") for _ in range(2)]
    assert replies[0] == replies[1]
    assert ada.wired.balance() == Decimal("100.00")
    assert ada.wired.breaches() == []


def test_after_the_end_nothing_is_done(ada: Speaker) -> None:
    token = ada.wired.issue().reveal()
    ada.dial()
    assert ada.say("0")[1]
    assert ada.say(f"1*{token}") == (OVER, True)
    assert ada.say(token) == (OVER, True)
    assert ada.wired.balance() == Decimal("0.00")


def test_an_input_without_a_start_does_nothing(ada: Speaker) -> None:
    token = ada.wired.issue().reveal()
    for text in (f"1*{token}", token, "1", ""):
        assert ada.say(text) == (AGAIN, True)
    assert ada.wired.balance() == Decimal("0.00")


def test_another_phone_in_the_same_session_is_another_dialogue(ada: Speaker) -> None:
    ada.dial()
    ada.say("1")
    bello = ada.other(phone=BELLO)
    assert bello.dial()[0].startswith("Welcome.")
    assert bello.say("4")[0].startswith("My wallet")
    token = ada.wired.issue().reveal()
    assert ada.say(token)[0].startswith("You have received")
    assert ada.wired.balance(BELLO) == Decimal("0.00")


def test_a_dropped_call_can_be_continued(ada: Speaker, clock: SteppedClock) -> None:
    token = ada.wired.issue().reveal()
    ada.dial()
    ada.say("1")
    clock.advance(minutes=2)
    redialled = ada.other(session="S2")
    assert "9 Continue" in redialled.dial()[0]
    assert redialled.say("9")[0].startswith("Enter the token")
    assert redialled.say(token)[0].startswith("You have received")


def test_another_process_goes_on_in_the_middle(ada: Speaker) -> None:
    token = ada.wired.issue().reveal()
    ada.dial()
    ada.say("1")
    restarted = Wired(str(ada.wired.gateway.settings.database_url), ada.wired.clock)
    ada.wired = restarted
    assert ada.say(token)[0].startswith("You have received")
    restarted.close()


def test_a_screen_fits_what_the_channel_shows(ada: Speaker) -> None:
    for _ in range(8):
        ada.wired.issue("1234567.00")
    ada.dial()
    text, _ = ada.say("3")
    most = SHEETS[ada.name].channel.septets_max
    assert most - 40 < len(text) <= most


def test_a_pin_is_proved_over_a_last_input(coded: Wired) -> None:
    coded.set_pin("4711")
    ada = Speaker(coded, "hollatags")
    ada.dial("4*1")
    assert not ada.say("0815")[1]
    assert ada.say("4711") == ("Balance NGN 0.00", True)


def test_equal_inputs_are_counted_outside_once_for_each_turn(wired: Wired) -> None:
    def cause(text: LastInput, done: int = 0) -> bytes:
        turn = Turn("hubtel", "S1", ADA, "", text, 160, wired.clock.now(), done)
        return wired.gateway.engine.cause(turn)

    third, fourth = LastInput("0815", sequence=3), LastInput("0815", sequence=4)
    assert cause(third) == cause(third)
    assert cause(third) != cause(fourth)
    assert cause(LastInput("0815"), 2) == cause(LastInput("0815"), 2)
    assert cause(LastInput("0815"), 2) != cause(LastInput("0815"), 3)


# --- without numbers ----------------------------------------------------------------------------


def test_a_start_in_the_middle_begins_anew(counted: Speaker) -> None:
    counted.dial()
    counted.say("4")
    assert counted.dial()[0].startswith("Welcome.")
    assert counted.say("1")[0].startswith("Enter the token")


def test_a_start_after_the_end_begins_anew(counted: Speaker) -> None:
    counted.dial()
    counted.say("0")
    assert counted.dial()[0].startswith("Welcome.")
    assert counted.say("4")[0].startswith("My wallet")


# --- with numbers -------------------------------------------------------------------------------


def test_a_numbered_turn_that_comes_late_gets_its_own_reply(numbered: Speaker) -> None:
    numbered.dial()
    entry = numbered.say("1")
    numbered.say("12345")
    assert numbered.show(replayed(numbered, "1", 2)) == entry
    token = numbered.wired.issue().reveal()
    assert numbered.say(token)[0].startswith("You have received")


def test_a_number_that_comes_with_another_input_does_nothing(numbered: Speaker) -> None:
    token = numbered.wired.issue().reveal()
    numbered.dial()
    numbered.say("1")
    assert numbered.show(replayed(numbered, token, 2)) == (AGAIN, True)
    assert numbered.wired.balance() == Decimal("0.00")
    assert numbered.say(token)[0].startswith("You have received")


def test_a_number_that_was_left_out_and_comes_after_all_does_nothing(numbered: Speaker) -> None:
    token = numbered.wired.issue().reveal()
    numbered.dial()
    numbered.turn = 4
    assert numbered.say("1")[0].startswith("Enter the token")
    assert numbered.show(replayed(numbered, token, 3)) == (AGAIN, True)
    assert numbered.wired.balance() == Decimal("0.00")


def test_numbers_that_begin_again_with_another_code_begin_a_dialogue(numbered: Speaker) -> None:
    numbered.dial()
    numbered.say("4")
    assert numbered.dial("1")[0].startswith("Enter the token")
    assert numbered.say("0")[0].startswith("Welcome.")


def replayed(speaker: Speaker, text: str, turn: int) -> Raw:
    """An earlier number once more."""
    now, speaker.turn = speaker.turn, turn
    raw = speaker.said(text)
    speaker.turn = now
    return raw
