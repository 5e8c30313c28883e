"""What a service costs its user: bands by amount, zero where nothing is set (M9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

SEND, WITHDRAW_MOBILE, WITHDRAW_CASH, TOP_UP = "send", "withdraw_mobile", "withdraw_cash", "top_up"
SERVICES = (SEND, WITHDRAW_MOBILE, WITHDRAW_CASH, TOP_UP)
ZERO = Decimal("0.00")


@dataclass(frozen=True, slots=True)
class Band:
    """The fee of every amount up to and with `up_to` that no smaller band covers."""

    up_to: Decimal
    fee: Decimal


@dataclass(frozen=True, slots=True)
class Fees:
    """The fee table of a country; bands are in rising order and the last covers what is above."""

    bands: Mapping[str, Sequence[Band]] = field(default_factory=dict)

    def of(self, service: str, amount: Decimal) -> Decimal:
        """The fee of one use of a service.

        >>> table = Fees({"send": [Band(Decimal("1000"), Decimal("10")),
        ...                        Band(Decimal("5000"), Decimal("25"))]})
        >>> table.of("send", Decimal("1000.00")), table.of("send", Decimal("9000.00"))
        (Decimal('10'), Decimal('25'))
        >>> table.of("top_up", Decimal("1.00"))
        Decimal('0.00')
        """
        bands = self.bands.get(service, ())
        return next((band.fee for band in bands if amount <= band.up_to), _last(bands))


def _last(bands: Sequence[Band]) -> Decimal:
    return bands[-1].fee if bands else ZERO
