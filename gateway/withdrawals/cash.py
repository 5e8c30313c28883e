"""Cash at a shop: a token that its owner pays for and that only a counter pays out."""

from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy import Connection

from gateway.ledger.fees import WITHDRAW_CASH, Fees
from gateway.ledger.store import Account
from gateway.tokens.issue import Issued, Issuer, Order
from gateway.tokens.store import TO_COUNTER

VALID_FOR = timedelta(hours=1)  # then the sweep gives the amount back; the fee stays


class CashCodes:
    """Issues cash codes; they go by SMS to the wallet's own phone."""

    def __init__(self, issuer: Issuer, fees: Fees) -> None:
        self._issuer = issuer
        self._fees = fees

    def fee(self, amount: Decimal) -> Decimal:
        """What taking an amount out in cash costs besides."""
        return self._fees.of(WITHDRAW_CASH, amount)

    def request(
        self,
        connection: Connection,
        wallet: Account,
        amount: Decimal,
        fee: Decimal,
        intent: str,
        now: datetime,
    ) -> Issued:
        """Issue a code, for the `fee` that was agreed to; an intent has one code.

        Raises what `Issuer.issue` does, each before anything is written.
        """
        order = Order(
            amount=amount,
            currency=wallet.currency,
            expires_at=now + VALID_FOR,
            recipient=wallet.owner,
            issuer=wallet.owner,
            issue_ref=f"cash:{intent}",
            txn_id=intent,
            binding=TO_COUNTER,
            fee=fee,
        )
        return self._issuer.issue(connection, order, now, wallet)
