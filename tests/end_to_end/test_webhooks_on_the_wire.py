"""Every dialect of the contract's table by real requests: its proof, its answer, the books."""

from collections import Counter
from decimal import Decimal
from functools import partial
from typing import NamedTuple

import pytest

from tests.emulators import daraja, selcom, vodacom
from tests.emulators.posting import Answer
from tests.end_to_end import hooks
from tests.end_to_end.calls import books_are_sound
from tests.end_to_end.hooks import STRANGER, Proof, deliver, send
from tests.end_to_end.market import Market
from tests.end_to_end.providers import CALLBACK_KEY, HOOK_SECRET, TANZANIA
from tests.providers.contract import sample
from tests.support.races import race
from tests.support.serving import Installed, Web
from tests.support.wired import SECRET

OLD, OLD_PATH, FOREIGN = "old-secret", "old-callback-secret", "foreign-secret"
TOKEN = "c2b-token"
SAFARICOM = "196.201.214.200"
FORGED = [("X-Forwarded-For", "127.0.0.1"), ("X-Real-IP", "127.0.0.1")]
# What each callback needs to be believed and no more; nothing here could ask a provider.
CREDENTIALS = {
    "GATEWAY_SNIPPE_WEBHOOK_SECRET": HOOK_SECRET,
    "GATEWAY_SELCOM_API_SECRET": selcom.SECRET,
    "GATEWAY_SELCOM_C2B_TOKEN": TOKEN,
    "GATEWAY_AIRTELMONEY_CALLBACK_KEY": CALLBACK_KEY,
    "GATEWAY_TIGOPESA_ALLOWED_ADDRESSES": "127.0.0.1",
    "GATEWAY_VODACOM_API_KEY": vodacom.API_KEY,
    "GATEWAY_VODACOM_ALLOWED_ADDRESSES": "127.0.0.1",
    "GATEWAY_DARAJA_CONSUMER_KEY": daraja.KEY,
    "GATEWAY_DARAJA_SHORTCODE": "600000",
    "GATEWAY_DARAJA_ALLOWED_ADDRESSES": "127.0.0.1",
    "GATEWAY_CALLBACK_SECRET": SECRET,
}
ROTATING = {
    name: f"{value},{OLD_PATH if name == 'GATEWAY_CALLBACK_SECRET' else OLD}"
    for name, value in CREDENTIALS.items()
    if name.endswith(("SECRET", "TOKEN", "CALLBACK_KEY"))
}
LOOKUP = b"""{"reference":"0000000002","resultcode":"000","result":"SUCCESS","message":"OK"\
,"name":"Token wallet","amount":"15000"}"""
C2B = b'{"reference":"0000000002","resultcode":"000","result":"SUCCESS","message":"OK"}'
PUSH = b"""{"ResponseCode":"BILLER-18-0000-S","ResponseStatus":true,\
"ResponseDescription":"Callback successful","ReferenceID":"900001ORD1001"}"""
NAMED = b"""<COMMAND><TYPE>SYNC_LOOKUP_RESPONSE</TYPE><RESULT>TS</RESULT>\
<ERRORCODE>error000</ERRORCODE><ERRORDESC>Success</ERRORDESC><MSISDN>700000001</MSISDN>\
<FLAG>Y</FLAG><CONTENT>Token wallet</CONTENT></COMMAND>"""
VODACOM = b"""{"output_OriginalConversationID":"synconv0001","output_ResponseCode":"0",\
"output_ResponseDesc":"Successfully Accepted Result",\
"output_ThirdPartyConversationID":"inORD1001"}"""
NOBODY = b'{"ResultCode":"C2B00012","ResultDesc":"Rejected"}'  # the payer is masked
STORED = b'{"ResultCode":0,"ResultDesc":"Success"}'


class Row(NamedTuple):
    """A line of the contract's table: the sample, its proof, our answer, what it does."""

    path: str  # behind /webhooks/
    sample: str
    proof: Proof | None  # None: the path's secret and the address list
    secret: str
    answer: bytes
    became: str = ""  # "": a question, nothing of it is kept
    credit: str = "0.00"
    again: str = "duplicate"


TABLE = (
    Row("snippe", "snippe/payment-completed.json", hooks.snippe, HOOK_SECRET,
        b'{"received":true}', "credited", "15000.00"),
    Row("selcom/checkout", "selcom/checkout.json", hooks.checkout, selcom.SECRET,
        b'{"resultcode":"000","result":"SUCCESS"}', "asked", again="asked"),
    Row("selcom/c2b/lookup", "selcom/c2b.json", hooks.bearer, TOKEN, LOOKUP),
    Row("selcom/c2b/validation", "selcom/c2b.json", hooks.bearer, TOKEN, C2B),
    Row("selcom/c2b/notification", "selcom/c2b.json", hooks.bearer, TOKEN,
        C2B, "credited", "15000.00"),
    Row("airtelmoney", "airtelmoney/paid.json", hooks.hashed, CALLBACK_KEY,
        b'{"status":"received"}', "asked", again="asked"),
    Row("tigopesa/<secret>/push", "tigopesa/push.json", None, SECRET,
        PUSH, "credited", "15000.00"),
    Row("tigopesa/<secret>/billpay", "tigopesa/lookup.xml", None, SECRET, NAMED),
    Row("tigopesa/<secret>/billpay", "tigopesa/billpay.xml", None, SECRET,
        sample("tigopesa/billpay-taken.xml"), "credited", "15000.00"),
    Row("vodacom/<secret>", "vodacom/callback.json", None, SECRET,
        VODACOM, "asked", again="asked"),
    Row("daraja/<secret>/stk", "daraja/stk.json", None, SECRET,
        STORED, "asked", again="asked"),
    Row("daraja/<secret>/c2b/validation", "daraja/c2b.json", None, SECRET, NOBODY),
    Row("daraja/<secret>/c2b/confirmation", "daraja/c2b.json", None, SECRET,
        STORED, "credited", "1500.00"),
    Row("daraja/<secret>/b2c/result", "daraja/b2c-result.json", None, SECRET,
        STORED, "handed_on", again="handed_on"),
    Row("daraja/<secret>/b2c/timeout", "daraja/b2c-result.json", None, SECRET,
        STORED, "handed_on", again="handed_on"),
)  # fmt: skip
# The orders that the samples name.
ORDERS = (
    ("snippe", "15000.00", "TZS", {"known_as": "ORD-1001", "provider_ref": "pi_synthetic0001"}),
    ("selcom", "15000.00", "TZS", {"known_as": "ORD-1001"}),
    ("airtelmoney", "15000.00", "TZS", {"known_as": "ORD1001A"}),
    ("tigopesa", "15000.00", "TZS", {"known_as": "900001ORD1001"}),
    ("mpesa", "15000.00", "TZS", {"known_as": "ORD1001", "provider_ref": "synconv0001"}),
    ("mpesa", "1500.00", "KES", {"provider_ref": "ws_CO_010120261200000001"}),
    ("mpesa", "1500.00", "KES", {"known_as": "ORD-1001"}),
)


def placed(market: Market) -> None:
    """The orders of the samples, one a phone."""
    for number, (provider, amount, currency, names) in enumerate(ORDERS):
        phone = f"+25570000000{number + 1}"
        market.order(provider, phone, amount, currency, reference=f"D2345BCD{number + 2}", **names)


def posted(web: Web, row: Row, secret: str) -> Answer:
    """The row's sample under a secret; "" leaves the credential out."""
    if row.proof is not None:
        return deliver(web, f"/webhooks/{row.path}", row.proof(sample(row.sample), secret))
    return send(web, guarded(row, secret), sample(row.sample))


def guarded(row: Row, secret: str) -> str:
    """The path with a secret in it, or without."""
    path = f"/webhooks/{row.path}"
    return path.replace("<secret>", secret) if secret else path.replace("/<secret>", "")


def refused(market: Market, row: Row) -> None:
    """Assert that without its credential nothing is said, kept or booked."""
    before = market.wallets(), market.became()
    status = 401 if row.proof is not None else 404
    for secret in (FOREIGN, "", row.secret[:-1], f"{row.secret}0"):
        assert posted(market.web, row, secret).status == status, (row.path, secret)
    for forged in [[], FORGED] if row.proof is None else []:
        path, body = guarded(row, row.secret), sample(row.sample)
        assert send(market.web, path, body, forged, address=STRANGER).status == 401, row.path
    assert (market.wallets(), market.became()) == before


def taken(market: Market, row: Row, secret: str, became: str, credit: str) -> None:
    """Assert that the row is answered in its own words, and what then stands in the books."""
    before, kept = sum(market.wallets().values()), market.became()
    answer = posted(market.web, row, secret)
    assert (answer.status, answer.body) == (200, row.answer), row.path
    assert market.became()[len(kept) :] == ([became] if became else []), row.path
    assert sum(market.wallets().values()) - before == Decimal(credit), row.path


@pytest.fixture
def rotating(market: Market) -> Market:
    """A market that knows an old and a new secret of everything, with the samples' orders."""
    market.installed.env.update({**TANZANIA, **CREDENTIALS})
    placed(market)
    return market


def test_each_dialect_by_a_good_a_bad_a_missing_and_a_rotated_credential(rotating: Market) -> None:
    with rotating.open(ROTATING):
        for row in TABLE:
            refused(rotating, row)
            taken(rotating, row, row.secret, row.became, row.credit)
            old = OLD if row.proof is not None else OLD_PATH
            taken(rotating, row, old, row.again if row.became else "", "0.00")
    before = rotating.wallets(), rotating.became()
    with rotating.open(CREDENTIALS, name="rotated") as web:
        for row in TABLE:
            old, status = (OLD, 401) if row.proof is not None else (OLD_PATH, 404)
            assert posted(web, row, old).status == status, row.path
        assert (rotating.wallets(), rotating.became()) == before
        for row in TABLE:
            assert posted(web, row, row.secret).body == row.answer, row.path
    assert rotating.wallets() == before[0]
    assert books_are_sound(rotating.installed)


# What a proxy in front passes on: who wrote it, what it says, and what comes of it.
FORWARDED: tuple[tuple[str, list[str], int], ...] = (
    ("the proxy alone", [SAFARICOM], 200),
    ("a forged one, and the proxy behind it", [f"{SAFARICOM}, 10.9.8.7"], 401),
    ("a forged one in a line of its own", [SAFARICOM, "10.9.8.7"], 401),
    ("a chain that ends at the provider", [f"10.9.8.7, {SAFARICOM}"], 200),
    ("nobody", [], 401),
    ("no address", ["safaricom"], 401),
)


def test_behind_a_proxy_only_its_own_word_about_the_address_counts(on_sqlite: Installed) -> None:
    body, market = sample("daraja/c2b.json"), Market(on_sqlite)
    behind = {
        "GATEWAY_TRUSTED_PROXIES": "1",
        "GATEWAY_DARAJA_ALLOWED_ADDRESSES": "safaricom",
    }
    with market.open(TANZANIA, CREDENTIALS, behind) as web:
        for name, chain, status in FORWARDED:
            headers = [("X-Forwarded-For", address) for address in chain]
            path = f"/webhooks/daraja/{SECRET}/c2b/confirmation"
            assert send(web, path, body, headers).status == status, name
    assert market.became() == ["suspense", "duplicate"]
    market.close()


def sent_again(web: Web, row: Row, _: int) -> tuple[int, bytes]:
    """The row's sample once more: what it is answered."""
    answer = posted(web, row, row.secret)
    return answer.status, answer.body


def test_one_event_sixteen_times_at_once_is_one_credit(rotating: Market) -> None:
    signed, typed, paid = TABLE[0], TABLE[4], TABLE[8]
    with rotating.open(CREDENTIALS) as web:
        for row in (signed, typed, paid):
            answers = race(16, partial(sent_again, web, row))
            assert Counter(answers) == {(200, row.answer): 16}, answers
    assert Counter(rotating.became()) == {"credited": 3, "duplicate": 45}
    assert sum(rotating.wallets().values()) == Decimal("45000.00")
    assert rotating.booked("deposit") == 3
    assert books_are_sound(rotating.installed)
