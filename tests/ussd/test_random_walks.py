"""Whatever is typed, in whatever order it arrives: proper screens, equal repeats, one payment."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.formats import gsm7
from tests.support.clock import SteppedClock
from tests.support.databases import SQLiteTemplate
from tests.support.wired import Wired
from tests.ussd.posting import post

TOKEN = "a token"  # stands for the digits of one that waits to be redeemed
KEYS = ["0", "00", "98", "9", "1", "2", "3", "4", "5", "7", "", " ", "#", "é€[", "123", "x" * 40]
ENTRIES = st.one_of(st.sampled_from([*KEYS, TOKEN]), st.text(max_size=8))
WALKS = st.lists(st.tuples(ENTRIES, st.booleans(), st.booleans()), max_size=10)
NUMBERS = count(1)
FEW = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def walked(sqlite_template: SQLiteTemplate) -> Iterator[Wired]:
    with TemporaryDirectory() as folder:
        url = sqlite_template.copy_to(Path(folder) / "walks.db")
        wired = Wired(url, SteppedClock())
        yield wired
        wired.close()


def fits(reply: bytes) -> bool:
    shown = reply.decode()
    return shown[:4] in ("CON ", "END ") and 0 < gsm7.septets(shown[4:]) <= 160


@FEW
@given(WALKS)
def test_a_walk_shows_proper_screens_and_repeats_itself(
    walked: Wired, walk: list[tuple[str, bool, bool]]
) -> None:
    number = next(NUMBERS)
    session, phone = f"walk {number}", f"+234803{number:07d}"
    token = walked.issue("5.00", to=phone).reveal()
    text, answered = "", dict[str, bytes]()
    for entry, drops, repeats in [("", False, True), *walk]:
        typed = entry.replace(TOKEN, token)
        text = f"{text}*{typed}" if text else typed
        reply = post(walked, text, session, phone)
        assert fits(reply)
        assert b"busy" not in reply
        answered.setdefault(text, reply)
        if repeats:
            for earlier, bytes_then in list(answered.items()):
                assert post(walked, earlier, session, phone) == bytes_then
        if drops or reply.startswith(b"END "):
            session, text, answered = f"{session}'", "", dict[str, bytes]()
    assert walked.balance(phone) in (Decimal("0.00"), Decimal("5.00"))


@FEW
@given(st.lists(st.integers(0, 5), max_size=12))
def test_retries_in_any_order_redeem_once(walked: Wired, order: list[int]) -> None:
    number = next(NUMBERS)
    phone = f"+234803{number:07d}"
    token = walked.issue("5.00", to=phone).reveal()
    texts = ["", "1", f"1*{token}", f"1*{token}*1", f"1*{token[:6]}*{token[6:]}", "4*1"]
    seen: dict[str, bytes] = {}
    for index in order:
        reply = post(walked, texts[index], f"retries {number}", phone)
        assert fits(reply)
        if reply.startswith(b"END You have received"):
            assert seen.setdefault("paid", reply) == reply
    assert walked.balance(phone) == (Decimal("5.00") if "paid" in seen else Decimal("0.00"))


def test_the_books_hold_after_all_walks(walked: Wired) -> None:
    assert walked.breaches() == []
