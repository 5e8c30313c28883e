"""What callers can do in the menus: My tokens, My wallet, Settings, Redeem and its endings."""

from decimal import Decimal

import pytest

from gateway.formats import gsm7
from gateway.ledger import wallets
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired


def test_a_caller_sees_their_tokens_and_has_one_sent_again(
    wired: Wired, clock: SteppedClock
) -> None:
    first = wired.issue("75.00")
    clock.advance(seconds=1)
    second = wired.issue("20.00")
    wired.issue("1.00", to=BELLO)
    call = wired.dial()
    listed = call.send("3")
    assert listed.startswith("CON My tokens\n1 NGN ")
    assert listed.count(" until 01/04/2026") == 2
    number = "1" if "1 NGN 75.00" in listed else "2"
    assert call.send(number) == (
        f"CON Token {first.serial}\nNGN 75.00\nValid until 01/04/2026\n1 Send the SMS again\n"
        "0 Back 00 Home"
    )
    assert call.send("1") == f"END Token {first.serial} will be sent to you by SMS."
    assert wired.send_all() == 1
    message = wired.gateway.inbox(ADA)[0].text
    assert first.reveal()[:6] in message
    assert second.reveal()[:6] not in message


def test_sending_again_has_a_limit(wired: Wired, clock: SteppedClock) -> None:
    wired.issue()
    replies = []
    for _ in range(5):
        clock.advance(seconds=1)
        replies.append(wired.dial(text="3*1*1").body)
    assert replies[0].startswith("END Token ")
    assert replies[-1].startswith("END This token was sent several times already.")


def test_a_token_that_was_redeemed_since_it_was_listed_is_not_shown(wired: Wired) -> None:
    issued = wired.issue()
    call = wired.dial()
    call.send("3")
    wired.redeem(issued.reveal())
    assert call.send("1").startswith("CON This token is no longer waiting for you.\nMy tokens")
    assert call.send("0").startswith("CON Welcome.")
    assert call.send("3").startswith("CON You have no tokens waiting.\nWelcome.")


def test_a_token_that_was_redeemed_while_it_was_shown_is_not_sent(wired: Wired) -> None:
    issued = wired.issue()
    call = wired.dial(text="3*1")
    wired.redeem(issued.reveal())
    wired.send_all()
    assert call.send("1") == "END This token is no longer waiting for you."
    assert wired.send_all() == 0


def test_many_tokens_are_paged(wired: Wired, clock: SteppedClock) -> None:
    for number in range(20):
        clock.advance(seconds=1)
        wired.issue(f"{number + 1}000.00")
    call = wired.dial(text="3")
    pages = [call.body]
    while "98 More" in pages[-1]:
        pages.append(call.send("98"))
    assert all(gsm7.septets(page[4:]) <= 160 for page in pages)
    lines = [line for page in pages for line in page.split("\n") if "until" in line]
    assert [line.removeprefix("CON ").split(" ")[0] for line in lines] == [
        str(n + 1) for n in range(20)
    ]
    assert call.send("20").startswith("CON Token ")
    assert call.send("0").startswith("CON My tokens")


def test_the_balance_is_told_also_before_there_is_a_wallet(wired: Wired) -> None:
    assert wired.dial(text="4*1").body == "END Balance NGN 0.00"
    assert wired.dial(text="4*2").body.startswith("CON There are no entries yet.\nMy wallet")
    wired.redeem(wired.issue("1234567.89").reveal())
    assert wired.dial(text="4*1").body == "END Balance NGN 1234567.89"
    assert wired.dial(text="4*2").body == "END 02/03 +1234567.89 Token redeemed"


def test_a_statement_of_several_pages_ends_on_its_last(wired: Wired) -> None:
    for _ in range(10):
        wired.redeem(wired.issue("1234567.00").reveal())
    call = wired.dial(text="4*2")
    assert call.body.startswith("CON 02/03 +1234567.00 Token redeemed\n")
    assert call.send("5").startswith("CON Invalid choice.\n02/03")
    while call.body.startswith("CON "):
        call.send("98")
    assert call.body.startswith("END 02/03 ")


def test_the_language_is_kept_for_the_next_dialogue_and_the_sms(wired: Wired) -> None:
    call = wired.dial()
    assert call.send("5") == "CON Settings\n1 Language\n2 PIN\n3 Block my wallet\n0 Back"
    assert call.send("1") == "CON Language\n1 English\n2 Francais\n0 Back 00 Home"
    assert call.send("2") == "END Désormais, nous vous parlerons en francais."
    assert wired.dial().body.startswith("CON Bienvenue.\n1 Encaisser un jeton\n")
    assert wired.dial(BELLO).body.startswith("CON Welcome.")
    token = wired.issue().reveal()
    assert wired.dial(text=f"1*{token}").body.startswith(
        "END Vous avez reçu NGN 100.00.".replace("ç", "c")
    )
    wired.send_all()
    assert "encaissé" in wired.gateway.inbox(ADA)[0].text


def test_a_stopped_wallet_leaves_the_token_alive(wired: Wired) -> None:
    wired.redeem(wired.issue("1.00").reveal())
    wallet = wired.run(lambda c: wallets.find(c, ADA, "NGN"))
    assert wallet is not None
    wired.run(lambda c: wallets.freeze(c, wallet))
    issued = wired.issue()
    reply = wired.dial(text=f"1*{issued.reveal()}").body
    assert reply.startswith("END Your wallet cannot receive money now. Your token is safe.")
    assert wired.token(issued.serial).status == "issued"


def test_guessing_is_stopped_with_the_time_it_may_go_on(wired: Wired) -> None:
    guesses = [f"{n:017d}" for n in range(1, 7)]
    replies = [wired.dial(text=f"1*{guess}{luhn(guess)}").body for guess in guesses]
    assert all(reply.startswith("END This token cannot be redeemed.") for reply in replies[:5])
    assert replies[5] == "END Too many wrong tokens. Please try again after 02/03/2026 11:00."
    assert wired.balance() == Decimal("0.00")


def luhn(body: str) -> str:
    digits = [int(d) for d in reversed(body)]
    doubled = [sum(divmod(2 * d, 10)) if place % 2 == 0 else d for place, d in enumerate(digits)]
    return str(-sum(doubled) % 10)


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ("", "Nothing was entered."),
        ("abc", "Digits only, please."),
        ("12345", "A token has 18 or 11 digits. Please check it."),
        ("123456789012345672", "A digit is wrong. Please check it."),
    ],
)
def test_a_mistyped_token_is_asked_for_again_with_what_is_wrong(
    wired: Wired, entry: str, complaint: str
) -> None:
    call = wired.dial(text="1")
    assert call.send(entry) == f"CON {complaint}\nEnter the token:\n0 Back"
