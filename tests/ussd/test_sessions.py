"""A dialogue's identity and life: other phones, its end, resuming after a drop (ussd.md B)."""

from datetime import datetime
from decimal import Decimal

import pytest

from gateway.ussd import journal
from gateway.ussd.purge import forget_old
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired
from tests.ussd.posting import play, post

CONTINUE = b"9 Continue"


def test_a_session_id_of_another_phone_is_another_dialogue(wired: Wired) -> None:
    play(wired, "", "1", phone=ADA)
    root, wallet = play(wired, "", "4", phone=BELLO)
    assert root.startswith(b"CON Welcome.")
    assert wallet.startswith(b"CON My wallet")
    token = wired.issue().reveal()
    assert post(wired, f"1*{token}", phone=ADA).startswith(b"END You have received")
    assert wired.balance(BELLO) == Decimal("0.00")


@pytest.mark.parametrize("last", ["0", "4*1"])
def test_after_its_end_a_dialogue_is_over_and_nothing_is_done(wired: Wired, last: str) -> None:
    token = wired.issue().reveal()
    *_, end = play(wired, "", last)
    assert end.startswith(b"END ")
    for text in (f"{last}*1", f"{last}*1*{token}", f"{last}*"):
        assert post(wired, text) == b"END This session is over. Please dial again."
    assert post(wired, last) == end
    assert wired.balance() == Decimal("0.00")
    assert CONTINUE not in post(wired, "", "S2")


def test_another_process_goes_on_with_a_dialogue_in_its_middle(wired: Wired) -> None:
    token = wired.issue().reveal()
    before = play(wired, "", "1")
    restarted = Wired(str(wired.gateway.settings.database_url), wired.clock)
    assert post(restarted, "1") == before[1]
    reply = post(restarted, f"1*{token}")
    assert reply.startswith(b"END You have received NGN 100.00.")
    assert post(wired, f"1*{token}") == reply
    restarted.close()


def test_a_redial_within_five_minutes_offers_to_go_on(wired: Wired, clock: SteppedClock) -> None:
    wired.issue("42.00")
    *_, one = play(wired, "", "3", "3*1", session="S1")
    clock.advance(minutes=4, seconds=59)
    root, resumed = play(wired, "", "9", session="S2")
    assert CONTINUE in root
    assert resumed == one
    assert post(wired, "9*0", "S2").startswith(b"CON My tokens")
    home = post(wired, "9*0*00", "S2")
    assert home.startswith(b"CON Welcome.")
    assert CONTINUE not in home


def test_a_redial_after_five_minutes_starts_anew(wired: Wired, clock: SteppedClock) -> None:
    play(wired, "", "3", "1", session="S1")
    clock.advance(minutes=5)
    root, choice = play(wired, "", "9", session="S2")
    assert CONTINUE not in root
    assert choice.startswith(b"CON Invalid choice.")


def test_a_drop_before_choosing_keeps_what_was_dropped_first_for_its_five_minutes(
    wired: Wired,
    clock: SteppedClock,
) -> None:
    play(wired, "", "1", session="S1")
    clock.advance(minutes=2)
    assert CONTINUE in post(wired, "", "S2")
    clock.advance(minutes=2)
    root, entry = play(wired, "", "9", session="S3")
    assert CONTINUE in root
    assert entry.startswith(b"CON Enter the token")
    clock.advance(minutes=2)
    # What was resumed was dropped again in S3, two minutes ago: that counts now.
    assert CONTINUE in post(wired, "", "S4")
    clock.advance(minutes=3, seconds=1)
    assert CONTINUE not in post(wired, "", "S5")


def test_what_is_carried_on_does_not_outlive_five_minutes_by_redialling(
    wired: Wired, clock: SteppedClock
) -> None:
    play(wired, "", "1", session="S1")
    for number, offered in enumerate([True, True, True, False, False]):
        clock.advance(minutes=1, seconds=30)
        assert (CONTINUE in post(wired, "", f"R{number}")) is offered


def test_a_dialogue_resumed_and_finished_is_not_offered_again(wired: Wired) -> None:
    token = wired.issue().reveal()
    play(wired, "", "1", session="S1")
    play(wired, "", "9", f"9*{token}", session="S2")
    assert wired.balance() == Decimal("100.00")
    assert CONTINUE not in post(wired, "", "S3")


def test_only_the_phone_that_dropped_is_offered_to_go_on(wired: Wired) -> None:
    play(wired, "", "1", phone=ADA)
    assert CONTINUE not in post(wired, "", "S2", BELLO)


def test_a_resumed_list_is_made_anew_and_keeps_its_page(wired: Wired, clock: SteppedClock) -> None:
    for number in range(12):
        clock.advance(seconds=1)
        wired.issue(f"{number + 1}.00")
    *_, second = play(wired, "", "3", "3*98", session="S1")
    *_, resumed = play(wired, "", "9", session="S2")
    assert resumed == second
    assert post(wired, "9*98", "S2") == post(wired, "3*98*98", "S1")


def test_a_resumed_dialogue_speaks_the_language_chosen_since(wired: Wired) -> None:
    play(wired, "", "5*1*2", "", session="S1")
    root, entry = play(wired, "", "1", session="S2")
    assert root.startswith(b"CON Bienvenue.")
    assert entry.startswith(b"CON Entrez le jeton")
    root, entry = play(wired, "", "9", session="S3")
    assert b"9 Continuer" in root
    assert entry.startswith(b"CON Entrez le jeton")


def test_an_interrupted_ending_is_not_resumed(wired: Wired) -> None:
    """A statement's first page is still `CON`; going on would be looking it up once more."""
    for _ in range(8):
        wired.redeem(wired.issue("1234.00").reveal())
    *_, page = play(wired, "", "4", "4*2", session="S1")
    assert b"98 More" in page
    assert CONTINUE not in post(wired, "", "S2")


def test_old_dialogues_are_forgotten_with_their_replies(wired: Wired, clock: SteppedClock) -> None:
    for number in range(6):
        play(wired, "", "1", session=f"OLD{number}")
    clock.advance(hours=24)
    play(wired, "", "1", session="YOUNG")
    clock.advance(seconds=1)
    assert forget_old(wired.gateway.database, clock) == 6
    with wired.gateway.database.snapshot() as connection:
        assert len(connection.execute(journal.ussd_sessions.select()).all()) == 1
        assert len(connection.execute(journal.ussd_steps.select()).all()) == 2
    assert post(wired, "1", "YOUNG").startswith(b"CON Enter the token")


def test_ten_thousand_old_dialogues_are_forgotten_in_batches(
    wired: Wired, clock: SteppedClock
) -> None:
    old = [old_session(number, clock.now()) for number in range(10_000)]
    wired.run(lambda connection: connection.execute(journal.ussd_sessions.insert(), old))
    clock.advance(hours=25)
    assert forget_old(wired.gateway.database, clock) == 10_000
    assert forget_old(wired.gateway.database, clock) == 0


def old_session(number: int, at: datetime) -> dict[str, object]:
    """A row as the journal writes it."""
    return {
        "state_key": number.to_bytes(32, "big"),
        "channel": "africastalking",
        "msisdn": ADA,
        "network": "",
        "started_at": at,
    }
