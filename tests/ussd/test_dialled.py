"""Dialled codes: the segments of a first text are replayed from the root (ussd.md D, U05)."""

from decimal import Decimal

import pytest

from tests.support.wired import ADA, BELLO, Wired, wired_settings
from tests.ussd.posting import play, post


def test_a_dialled_choice_and_a_typed_one_show_the_same_screen(wired: Wired) -> None:
    for choice in ("1", "4", "5", "2", "4*2", "5*1"):
        dialled = post(wired, choice, f"dialled {choice}")
        *_, typed = play(wired, "", *prefixes(choice), session=f"typed {choice}")
        assert dialled == typed


def prefixes(text: str) -> list[str]:
    segments = text.split("*")
    return ["*".join(segments[: n + 1]) for n in range(len(segments))]


def test_a_token_can_be_dialled_directly(wired: Wired) -> None:
    token = wired.issue("500.00").reveal()
    assert post(wired, f"1*{token}").startswith(b"END You have received NGN 500.00.")
    assert wired.breaches() == []


@pytest.mark.parametrize("junk", ["9", "junk", "", "1*2*3", "00", "0*0"])
def test_what_follows_a_dialled_token_is_dropped(wired: Wired, junk: str) -> None:
    token = wired.issue().reveal()
    assert post(wired, f"1*{token}*{junk}").startswith(b"END You have received NGN 100.00.")


def test_a_second_token_behind_the_first_is_not_redeemed(wired: Wired) -> None:
    first, second = wired.issue("1.00").reveal(), wired.issue("2.00").reveal()
    assert post(wired, f"1*{first}*{second}").startswith(b"END You have received NGN 1.00.")
    assert wired.balance() == Decimal("1.00")


@pytest.mark.parametrize("wrong", ["7", "8", "8*1", "01", "", "98"])
def test_a_wrong_part_shows_an_error_at_the_root_and_redeems_nothing(
    wired: Wired, wrong: str
) -> None:
    token = wired.issue().reveal()
    for dialled in (f"{wrong}*{token}", f"{wrong}*1*{token}"):
        reply = post(wired, dialled, dialled)
        assert reply.startswith(b"CON Invalid choice.\nWelcome.")
    assert wired.balance() == Decimal("0.00")


def test_a_wrong_part_further_in_stops_there(wired: Wired) -> None:
    token = wired.issue().reveal()
    assert post(wired, f"4*9*00*1*{token}", "S1").startswith(b"CON Invalid choice.\nMy wallet")
    assert post(wired, f"1*12345*{token}", "S2").startswith(b"CON A token has 18 or 11 digits.")
    assert wired.balance() == Decimal("0.00")


def test_a_list_and_its_answers_can_be_dialled(wired: Wired) -> None:
    issued = wired.issue("75.00")
    sent = post(wired, "3*1*1").decode()
    assert sent == f"END Token {issued.serial} will be sent to you by SMS."
    assert wired.send_all() == 1
    assert issued.reveal()[:6] in wired.gateway.inbox(ADA)[0].text
    assert post(wired, "3*1*1") == sent.encode()
    assert wired.send_all() == 0
    assert post(wired, "3*2*1", "S2").startswith(b"CON Invalid choice.\nMy tokens")
    none = post(wired, "3*1*1", "S3", BELLO)
    assert none.startswith(b"CON You have no tokens waiting.\nWelcome.")


def test_the_balance_and_the_language_can_be_dialled(wired: Wired) -> None:
    wired.redeem(wired.issue("75.00").reveal())
    assert post(wired, "4*1", "S1") == b"END Balance NGN 75.00"
    chosen = post(wired, "5*1*2", "S2").decode()
    assert chosen == "END Désormais, nous vous parlerons en francais."  # GSM-7 has no ç
    assert post(wired, "4*1", "S3") == b"END Solde NGN 75.00"


def test_after_a_deep_dial_the_dialogue_goes_on_turn_by_turn(wired: Wired) -> None:
    token = wired.issue().reveal()
    replies = play(wired, "3*1", "3*1*0", "3*1*0*0", f"3*1*0*0*1*{token}")
    assert replies[0].startswith(b"CON Token ")
    assert replies[1].startswith(b"CON My tokens")
    assert replies[2].startswith(b"CON Welcome.")
    assert replies[3].startswith(b"END You have received")


def test_a_lost_session_is_replayed_from_the_root(wired: Wired) -> None:
    """The aggregator goes on with a session whose rows are gone."""
    token = wired.issue().reveal()
    assert post(wired, f"4*00*1*{token}").startswith(b"END You have received")


def test_a_dialled_choice_may_have_empty_parts_between(wired: Wired) -> None:
    token = wired.issue().reveal()
    assert post(wired, f"1**{token}").startswith(b"END You have received")
    assert post(wired, "*1", "S2").startswith(b"CON Invalid choice.")
    assert post(wired, "1*", "S3").startswith(b"CON Nothing was entered.")


def test_a_shared_codes_own_extension_is_no_input(wired: Wired) -> None:
    settings = wired_settings(str(wired.gateway.settings.database_url))
    shared = Wired(
        settings.database_url,
        wired.clock,
        africastalking=type(settings.africastalking)("sandbox", "key", text_prefix="33"),
    )
    token = wired.issue().reveal()
    root, entry, redeemed = play(shared, "33", "33*1", f"33*1*{token}")
    assert root.startswith(b"CON Welcome.")
    assert entry.startswith(b"CON Enter the token")
    assert redeemed.startswith(b"END You have received")
    shared.close()
