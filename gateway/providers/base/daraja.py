"""What Daraja's two files share: its local time, the results of an STK push, and our proof."""

import hmac
from collections.abc import Mapping
from datetime import timedelta, timezone
from typing import Any

from gateway.providers.base import reading, signatures
from gateway.providers.base.messages import Outcome

NAME = "mpesa"
CURRENCY = "KES"
NAIROBI = timezone(timedelta(hours=3))  # East Africa keeps no summer time
STAMP = "%Y%m%d%H%M%S"
PROOF_CHARACTERS = 64

# Of the callback and of the query; a code that does not stand here is asked about again.
STK_RESULTS: Mapping[str, Outcome] = {
    "0": Outcome.SUCCEEDED,
    "1": Outcome.FAILED,  # balance
    "17": Outcome.FAILED,  # a rule of M-Pesa
    "1001": Outcome.FAILED,  # another transaction of this phone is in process
    "1019": Outcome.FAILED,  # expired
    "1025": Outcome.FAILED,  # the prompt could not be sent
    "1032": Outcome.FAILED,  # cancelled by the customer
    "1037": Outcome.FAILED,  # no answer from the phone; a success was seen to follow it
    "2001": Outcome.FAILED,  # wrong PIN
    "2028": Outcome.FAILED,  # not permitted
    "4999": Outcome.PENDING,  # still under processing
    "8006": Outcome.FAILED,  # locked
    "SFC_IC0003": Outcome.FAILED,  # no such operator
}


def stk_outcome(found: Mapping[str, Any]) -> Outcome:
    """The meaning of a ResultCode; success is the text `0` alone, as a number or in quotes.

    >>> from gateway.formats import strict_json
    >>> stk_outcome(strict_json.document(b'{"ResultCode":0}'))
    <Outcome.SUCCEEDED: 'succeeded'>
    >>> [stk_outcome(strict_json.document(b'{"ResultCode":%s}' % code)).value
    ...  for code in (b'"0"', b'"SFC_IC0003"', b'0.0', b'true', b'null', b'-0')]
    ['succeeded', 'failed', 'pending', 'pending', 'pending', 'pending']
    """
    return STK_RESULTS.get(reading.word(found, "ResultCode"), Outcome.PENDING)


def question(secret: str, reference: str) -> str:
    """What our question about a payout carries and its answer echoes: only we can make it.

    >>> question("s", "P1001")[:9], len(question("s", "P1001"))
    ('P100159f1', 69)
    """
    return reference + hmac.digest(secret.encode(), reference.encode(), "sha256").hex()


def answered(secret: str, echoed: str) -> str:
    """Our reference in the answer to a question of ours; "" when it is no answer to us.

    >>> answered("s", question("s", "P1001")), answered("s", question("another", "P1001"))
    ('P1001', '')
    >>> answered("s", ""), answered("", question("", "P1001"))
    ('', '')
    """
    reference, proof = echoed[:-PROOF_CHARACTERS], echoed[-PROOF_CHARACTERS:]
    return reference if signatures.is_hmac_hex(proof, [secret], reference.encode()) else ""
