"""5 → 3 Block my wallet: one's own at once, another phone's with number and PIN, and no oracle."""

import pytest

from gateway.audit import store as audit
from gateway.formats import gsm7
from gateway.languages import Languages
from gateway.ledger import wallets
from gateway.ledger.store import ACTIVE, FROZEN
from gateway.people.pins import store as pins
from gateway.sms import texts
from gateway.tokens.guesses import store as guesses
from menus import settings as settings_menu
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import ADA, BELLO, Wired
from tests.ussd.posting import post

PIN, WRONG = "4711", "2580"
CHIDI = "+2348030000003"
NO_MATCH = "CON The number and the PIN do not match.\nEnter the PIN of "
HELP = "08001234567"


def status(wired: Wired, phone: str = ADA) -> str | None:
    """The state of a phone's wallet."""
    wallet = wired.run(lambda c: wallets.find(c, phone, "NGN"))
    return wallet.status if wallet else None


def with_wallet(wired: Wired, phone: str = ADA, pin: str | None = PIN) -> None:
    """Give a phone a wallet, and a PIN."""
    wired.redeem(wired.issue("10.00", to=phone).reveal(), phone)
    if pin is not None:
        wired.set_pin(pin, phone)


def texts_to(wired: Wired, phone: str = ADA) -> list[str]:
    """Every SMS about a block that a phone gets."""
    wired.send_all()
    return [m.text for m in wired.gateway.inbox(phone) if "block" in m.text]


def test_ones_own_wallet_is_blocked_after_a_confirmation_and_without_a_pin(
    database_url: str, clock: SteppedClock
) -> None:
    wired = Wired(database_url, clock, help_number=HELP)
    with_wallet(wired)
    call = wired.dial(text="5*3")
    assert call.body == "CON Block which wallet?\n1 My wallet\n2 Of another phone\n0 Back 00 Home"
    sure = "CON Block your wallet? Only we can open it again.\n1 Yes, block it\n0 Back 00 Home"
    assert call.send("1") == sure
    assert status(wired) == ACTIVE
    assert call.send("1") == f"END Your wallet is blocked. Please call {HELP}."
    assert status(wired) == FROZEN
    (line,) = wired.run(lambda c: [r for r in audit.about(c, ADA) if r.action == "wallet.block"])
    assert line.actor == ADA
    assert texts_to(wired) == [
        "Your wallet was blocked on 02/03/2026 10:00 by the phone +234 803 000 0001."
        f" Please call {HELP}."
    ]
    assert wired.dial(text="5*3*1").send("1").startswith("END Your wallet is blocked.")
    assert len(texts_to(wired)) == 1
    assert wired.breaches() == []
    wired.close()


@pytest.mark.parametrize("typed", ["5*3*1", "5*3*1*1", "5*3*1*1*1"])
def test_a_block_is_never_dialled(wired: Wired, typed: str) -> None:
    with_wallet(wired)
    assert wired.dial(text=typed).body.startswith("CON Block your wallet?")
    assert status(wired) == ACTIVE


def test_a_phone_without_a_wallet_has_none_to_block(wired: Wired) -> None:
    assert wired.dial(text="5*3*1").body.startswith("CON You have no wallet yet.\nBlock which")


def test_another_phone_blocks_a_wallet_with_number_and_pin(wired: Wired) -> None:
    with_wallet(wired)
    call = wired.dial(BELLO, text="5*3*2")
    assert call.body.startswith("CON Enter the number of the phone whose wallet")
    assert call.send("abc").startswith("CON This is not a phone number.\n")
    assert call.send("0803 000 0001").startswith("CON Enter the PIN of +234 803 000 0001:")
    assert call.send(PIN).startswith("CON Block the wallet of +234 803 000 0001? Only we can")
    assert status(wired) == ACTIVE
    assert call.send("1") == "END The wallet of +234 803 000 0001 is blocked."
    assert status(wired) == FROZEN
    (line,) = wired.run(lambda c: [r for r in audit.about(c, ADA) if r.action == "wallet.block"])
    assert line.actor == BELLO
    (text,) = texts_to(wired)
    assert text.endswith("by the phone +234 803 000 0002.")
    assert texts_to(wired, BELLO) == []


def test_a_repeated_confirmation_blocks_and_tells_once(wired: Wired) -> None:
    with_wallet(wired)
    text = ""
    for entry in ("5", "3", "2", "08030000001", PIN):
        text = f"{text}*{entry}".lstrip("*")
        post(wired, text, phone=BELLO)
    replies = race(4, lambda _: post(wired, f"{text}*1", phone=BELLO))
    assert replies == [b"END The wallet of +234 803 000 0001 is blocked."] * 4
    assert len(texts_to(wired)) == 1


def test_unknown_numbers_wallets_without_a_pin_and_wrong_pins_get_one_answer(wired: Wired) -> None:
    with_wallet(wired, ADA)
    with_wallet(wired, CHIDI, pin=None)
    wired.set_pin(PIN, "+2348030000004")  # a PIN without a wallet
    told = set()
    for number, entry in (
        ("08030000001", WRONG),
        ("08030000003", PIN),
        ("08030000004", PIN),
        ("08030000009", PIN),
    ):
        call = wired.dial("+2348030000005", text=f"5*3*2*{number}")
        shown = call.body.split("Enter the PIN of ")[1].split(":")[0]
        told.add(call.send(entry).replace(shown, ""))
    assert len(told) == 1
    assert told.pop().startswith(NO_MATCH)


def test_tries_from_one_phone_end_after_five_also_for_the_right_pin(
    wired: Wired, clock: SteppedClock
) -> None:
    with_wallet(wired)
    call = wired.dial(BELLO, text="5*3*2*08030000001")
    assert all(call.send(WRONG).startswith(NO_MATCH) for _ in range(5))
    assert call.send(PIN) == "END Too many tries. Please try again after 02/03/2026 11:00."
    other = wired.dial(BELLO, text="5*3*2*08030000009")
    assert other.send(PIN).startswith("END Too many tries.")
    clock.advance(hours=1)
    assert wired.dial(BELLO, text="5*3*2*08030000001").send(PIN).startswith("CON Block the wallet")
    assert status(wired) == ACTIVE


def test_tries_of_many_phones_at_one_wallet_end_too_and_never_lock_its_owner(wired: Wired) -> None:
    with_wallet(wired)
    answers = []
    for number in range(4):
        call = wired.dial(f"+23480300001{number:02}", text="5*3*2*08030000001")
        answers += [call.send(WRONG) for _ in range(4)]
    most = settings_menu.TARGET.an_hour
    assert [a.startswith(NO_MATCH) for a in answers[:most]] == [True] * most
    assert answers[most].startswith("END Too many tries.")
    found = wired.run(lambda c: pins.read(c, ADA))
    assert (found.tries, found.locked_until) == (0, None)
    assert wired.dial(text="4*1").send(PIN) == "END Balance NGN 10.00"


def test_an_owners_lock_does_not_keep_the_wallet_from_being_blocked(wired: Wired) -> None:
    with_wallet(wired)
    for _ in range(5):
        wired.dial(text="4*1").send(WRONG)
    assert wired.dial(BELLO, text="5*3*2*08030000001").send(PIN).startswith("CON Block the wallet")


def test_right_pins_from_another_phone_use_nothing_up(wired: Wired) -> None:
    with_wallet(wired)
    for _ in range(7):
        call = wired.dial(BELLO, text="5*3*2*08030000001")
        assert call.send(PIN).startswith("CON Block the wallet of ")


@pytest.mark.parametrize(("entry", "counted"), [(PIN, 0), (WRONG, 1)])
def test_one_try_sent_many_times_at_once_is_counted_once(
    wired: Wired, entry: str, counted: int
) -> None:
    with_wallet(wired)
    post(wired, "5*3*2*08030000001", phone=BELLO)
    replies = race(4, lambda _: post(wired, f"5*3*2*08030000001*{entry}", phone=BELLO))
    assert len({str(reply) for reply in replies}) == 1
    sources = (f"block:{BELLO}", f"blocked:{ADA}")
    counters = wired.run(lambda c: guesses.read(c, sources))
    assert [counters[source].hour_count for source in sources] == [counted] * 2


@pytest.mark.parametrize("typed", [PIN, f"{PIN}*1", f"{PIN}*1*1"])
def test_another_phones_pin_is_never_dialled(wired: Wired, typed: str) -> None:
    with_wallet(wired)
    call = wired.dial(BELLO, text=f"5*3*2*08030000001*{typed}")
    assert call.body.startswith("CON Enter the PIN of ")
    assert status(wired) == ACTIVE


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_sms_fits_one_segment(wired: Wired, language: str) -> None:
    languages: Languages = wired.gateway.languages
    said = languages.text(language, settings_menu.BLOCKED, **settings_menu.SAMPLE)
    assert gsm7.septets(gsm7.transliterate(said)) <= texts.SEGMENT_SEPTETS
