"""A token that somebody types where a payment's reference belongs is in no row (T3)."""

import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from gateway.deposits.callbacks import masking
from gateway.deposits.callbacks.store import callbacks
from tests.deposits.staging import C2B_TOKEN, Till
from tests.end_to_end.leaks import leaks
from tests.providers.contract import sample
from tests.support.wired import SECRET

TOKEN = "902100000000000014"
BEARER = [("Authorization", f"Bearer {C2B_TOKEN}")]
# How people write it, all of which the menus would take (T8).
WRITTEN: Mapping[str, str] = {
    "plainly": TOKEN,
    "with the closing key": f"{TOKEN}#",
    "in groups": "902100 000000 000014",
    "with stars": "9021*0000*0000*0000*14",
    "with points and hyphens": "9021-0000.0000-0000.14",
    "after a word": f"token {TOKEN}",
    "in full width": "\uff19\uff10\uff12\uff11" + "\uff10" * 12 + "\uff11\uff14",
    "with what is not seen": "9021\u200b00000000000014",
}


def kept(till: Till) -> list[tuple[str, str]]:
    """Every text of every stored callback."""
    rows = till.run(lambda c: list(c.execute(select(callbacks)).mappings()))
    return [
        (name, value.decode(errors="replace") if isinstance(value, bytes) else str(value))
        for row in rows
        for name, value in row.items()
    ]


def digits_of(text: str) -> str:
    """The digits of a text in ASCII, whatever script and escapes it has them in."""
    plain = json.loads(f'"{text}"') if "\\" in text else text
    return plain.translate({0xFF10 + digit: str(digit) for digit in range(10)})


def holds_no_token(till: Till) -> bool:
    """Whether no stored callback holds the token, however it is written."""
    texts = kept(till)
    plain = [(place, digits_of(text.replace('"', ""))) for place, text in texts]
    return leaks([*texts, *plain], [TOKEN]) == []


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("is_ascii", [True, False])
def test_a_token_typed_as_a_reference_is_kept_in_no_form(
    tz: Till, written: str, is_ascii: bool
) -> None:
    typed = WRITTEN[written]
    said = {**json.loads(sample("selcom/c2b.json")), "utilityref": typed}
    body = json.dumps(said, ensure_ascii=is_ascii).encode()
    paid = {**json.loads(sample("daraja/c2b.json")), "BillRefNumber": typed}
    flat = json.dumps(paid, ensure_ascii=is_ascii).encode()
    xml = sample("tigopesa/billpay.xml").replace(b"ORD-1001", typed.encode())
    tz.post("selcom/c2b/notification", body, BEARER)
    tz.post(f"daraja/{SECRET}/c2b/confirmation", flat)
    tz.post(f"tigopesa/{SECRET}/billpay", xml, content_type="application/xml")
    assert (len(tz.became()), "malformed" in tz.became()) == (3, False)
    assert holds_no_token(tz)


@pytest.mark.parametrize("written", WRITTEN)
def test_nor_is_it_in_what_could_not_be_read(tz: Till, written: str) -> None:
    typed = WRITTEN[written]
    said = {**json.loads(sample("selcom/c2b.json")), "utilityref": typed, "amount": "1,500"}
    tz.post("selcom/c2b/notification", json.dumps(said).encode(), BEARER)
    tz.post("selcom/c2b/notification", json.dumps(said, ensure_ascii=False).encode(), BEARER)
    assert tz.became() == ["malformed", "malformed"]
    assert holds_no_token(tz)
    assert any("SYN0001" in text for _, text in kept(tz))  # all else is as it came


def test_nor_is_it_in_a_header_or_in_another_field(tz: Till) -> None:
    xml = sample("tigopesa/billpay.xml").replace(b"TEST PAYER", f"code {TOKEN}".encode())
    assert TOKEN.encode() in xml
    headers = [("X-Note", TOKEN), ("X-Other", f"a {TOKEN}#")]
    path = f"tigopesa/{SECRET}/billpay"
    assert tz.post(path, xml, headers, content_type="application/xml").status_code == 200
    assert holds_no_token(tz)


@pytest.mark.parametrize("typed", ["08030000002", "254700000001", "902100000000000015"])
def test_what_only_has_as_many_digits_as_a_token_stays(ke: Till, typed: str) -> None:
    ke.c2b("TK1", "20.00", BillRefNumber=typed)
    assert [deposit.known_as for deposit in ke.all()] == [typed]
    assert typed in dict(kept(ke))["body"]


def test_an_id_that_could_be_a_token_is_an_id(ke: Till) -> None:
    ke.c2b(TOKEN, "20.00", BillRefNumber="x")
    assert [deposit.txn_id for deposit in ke.all()] == [TOKEN]
    assert TOKEN in dict(kept(ke))["body"]
    ke.stk(f"ws_CO_{TOKEN}", 0, Amount=20)
    assert (ke.became()[-1], dict(kept(ke))["provider_ref"]) == ("unmatched", f"ws_CO_{TOKEN}")


def test_ids_times_and_phones_are_kept_as_they_came(tz: Till) -> None:
    said = {
        **json.loads(sample("selcom/c2b.json")),
        "utilityref": "0700 000 001",
        "transid": "123456789012345678",
        "at": datetime(2026, 1, 1, tzinfo=UTC).isoformat(),
    }
    body = json.dumps(said).encode()
    tz.post("selcom/c2b/notification", body, BEARER)
    assert dict(kept(tz))["body"] == body.decode()


@pytest.mark.parametrize("piece", ["1", "1 ", "\\uff11", "\\u200b", "&#49;", "1\u200b", "_", "\\"])
def test_a_hostile_body_is_looked_through_quickly(piece: str) -> None:
    body = (piece * (200_000 // len(piece)) + "1").encode()
    began = time.monotonic()
    masking.masked_bytes(body)
    assert time.monotonic() - began < 5.0
