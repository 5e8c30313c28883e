"""The same text again: the same bytes, and nothing happens twice (ussd.md A, R2 to R4)."""

from decimal import Decimal

from tests.support.races import race
from tests.support.wired import ADA, BELLO, Wired
from tests.ussd.posting import play, post


def texts_to(wired: Wired, phone: str = ADA) -> list[str]:
    """Every SMS that a phone gets."""
    wired.send_all()
    return [message.text for message in wired.gateway.inbox(phone)]


def test_a_repeated_menu_step_is_answered_with_the_same_bytes_and_not_taken_as_input(
    wired: Wired,
) -> None:
    first, second, third = play(wired, "", "1", "1")
    assert first.startswith(b"CON Welcome.")
    assert second.startswith(b"CON Enter the token")
    assert third == second


def test_a_redeeming_text_that_comes_again_gets_the_same_bytes_and_pays_once(wired: Wired) -> None:
    token = wired.issue("250.00").reveal()
    replies = play(wired, "", "1", f"1*{token}", f"1*{token}", f"1*{token}")
    assert replies[2].startswith(b"END You have received NGN 250.00.")
    assert set(replies[2:]) == {replies[2]}
    assert wired.balance() == Decimal("250.00")
    assert len(texts_to(wired)) == 1
    assert wired.breaches() == []


def test_the_same_redeeming_text_at_once_redeems_once_with_equal_bytes(wired: Wired) -> None:
    token = wired.issue().reveal()
    play(wired, "", "1")
    replies = race(8, lambda _: post(wired, f"1*{token}"))
    assert {type(reply) for reply in replies} == {bytes}
    assert len(set(map(repr, replies))) == 1
    assert isinstance(replies[0], bytes)
    assert replies[0].startswith(b"END You have received NGN 100.00.")
    assert wired.balance() == Decimal("100.00")
    assert len(texts_to(wired)) == 1
    assert wired.breaches() == []


def test_first_requests_at_once_open_one_dialogue_with_equal_bytes(wired: Wired) -> None:
    replies = race(8, lambda _: post(wired, ""))
    assert {repr(reply) for reply in replies} == {repr(post(wired, ""))}
    assert post(wired, "1").startswith(b"CON Enter the token")


def test_direct_dials_of_one_token_at_once_redeem_once_with_equal_bytes(wired: Wired) -> None:
    token = wired.issue().reveal()
    replies = race(6, lambda _: post(wired, f"1*{token}"))
    assert {repr(reply) for reply in replies} == {repr(post(wired, f"1*{token}"))}
    assert isinstance(replies[0], bytes)
    assert replies[0].startswith(b"END You have received NGN 100.00.")
    assert wired.balance() == Decimal("100.00")
    assert wired.breaches() == []


def test_two_callers_at_once_get_each_their_own_answer(wired: Wired) -> None:
    tokens = {ADA: wired.issue("100.00").reveal(), BELLO: wired.issue("7.50", to=BELLO).reveal()}
    phones = [ADA, BELLO]
    replies = race(2, lambda n: post(wired, f"1*{tokens[phones[n]]}", f"S{n}", phones[n]))
    assert "received NGN 100.00." in repr(replies[0])
    assert "received NGN 7.50." in repr(replies[1])
    assert wired.balance(ADA) == Decimal("100.00")
    assert wired.balance(BELLO) == Decimal("7.50")


def test_an_empty_text_in_mid_dialogue_is_a_late_retry_of_the_first(wired: Wired) -> None:
    first, entry, again, redeemed = play(wired, "", "1", "", "1*123")
    assert again == first
    # The state stayed where it was: the next text is taken by the token screen, not by the root.
    assert redeemed.startswith(b"CON A token has 18 or 11 digits.")
    assert entry.startswith(b"CON Enter the token")


def test_a_shorter_text_that_was_answered_gets_its_old_reply_and_changes_nothing(
    wired: Wired,
) -> None:
    token = wired.issue().reveal()
    replies = play(wired, "", "4", "4*0", "4", f"4*0*1*{token}", "4*0")
    assert replies[3] == replies[1]
    assert replies[4].startswith(b"END You have received")
    assert replies[5] == replies[2]
    assert post(wired, f"4*0*1*{token}") == replies[4]


def test_a_shorter_text_that_was_never_answered_redeems_nothing(wired: Wired) -> None:
    token = wired.issue().reveal()
    play(wired, "1*123*456")
    assert post(wired, "1*123") == b"END Something went wrong with this session. Please dial again."
    assert post(wired, f"1*{token}").startswith(b"END Something went wrong")
    assert wired.balance() == Decimal("0.00")


def test_texts_that_contradict_what_was_accepted_redeem_nothing(wired: Wired) -> None:
    token = wired.issue().reveal()
    replies = play(wired, "1", "2", "", f"2*{token}", token, f"3*{token}")
    assert replies[0].startswith(b"CON Enter the token")
    assert {reply[:4] for reply in replies[1:]} == {b"END "}
    assert wired.balance() == Decimal("0.00")
    # Neither has moved the dialogue: the text that does extend the first one goes on with it.
    assert post(wired, f"1*{token}").startswith(b"END You have received")


def test_a_text_that_goes_on_without_a_star_contradicts_the_one_before(wired: Wired) -> None:
    play(wired, "", "1")
    assert post(wired, "12").startswith(b"END Something went wrong")
    assert post(wired, "1*").startswith(b"CON Nothing was entered.")


def test_a_caller_whose_reply_was_lost_redials_and_is_told_of_their_redemption(
    wired: Wired,
) -> None:
    token = wired.issue("100.00").reveal()
    post(wired, f"1*{token}", "S1")
    post(wired, "", "S2")
    told = post(wired, f"1*{token}", "S2")
    assert told.startswith(b"END You redeemed this token already: NGN 100.00 on 02/03/2026 10:00.")
    stranger = post(wired, f"1*{token}", "S3", BELLO)
    assert stranger.startswith(b"END This token cannot be redeemed.")
    assert wired.balance() == Decimal("100.00")
    assert wired.balance(BELLO) == Decimal("0.00")


def test_equal_texts_of_another_session_or_phone_are_dialogues_of_their_own(wired: Wired) -> None:
    token = wired.issue("100.00").reveal()
    post(wired, f"1*{token}", "S1", ADA)
    assert post(wired, f"1*{token}", "S1", BELLO).startswith(b"END This token cannot be redeemed.")
    assert post(wired, f"1*{token}", "S2", ADA).startswith(b"END You redeemed this token already")
