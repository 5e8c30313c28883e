"""Which provider pays a phone: the first of those set up that serves it."""

from collections.abc import Sequence

from gateway.providers.base.messages import Amounts, Pays

ANY = Amounts()


class Payers:
    """The providers that can pay, in the order in which they are preferred."""

    def __init__(self, providers: Sequence[Pays]) -> None:
        self._providers = tuple(providers)

    def serving(self, msisdn: str, currency: str) -> Pays | None:
        """Who pays this phone: the one that names its prefix most exactly; None: nobody does."""
        able = [p for p in self._providers if currency in p.currencies and _reach(p, msisdn) >= 0]
        return max(able, key=lambda payer: _reach(payer, msisdn), default=None)

    def amounts(self, msisdn: str, currency: str) -> Amounts:
        """What whoever pays this phone takes; anything where nobody does, or nothing is known."""
        amounts: Amounts = getattr(self.serving(msisdn, currency), "payout_amounts", ANY)
        return amounts

    def named(self, name: str, msisdn: str, currency: str) -> Pays | None:
        """The provider to whom a payout of this phone was given; None when it is gone."""
        able = [p for p in self._providers if p.name == name and currency in p.currencies]
        able = [p for p in able if _reach(p, msisdn) >= 0]
        return max(able, key=lambda payer: _reach(payer, msisdn), default=None)


def _reach(payer: Pays, msisdn: str) -> int:
    """How many characters of the phone a provider names; -1 when it serves others only."""
    if not payer.phone_prefixes:
        return 0
    fitting = (len(p) for p in payer.phone_prefixes if msisdn.startswith(p))
    return max(fitting, default=-1)
