"""What operators may do to wallets, and the bank and the providers to floats."""

from decimal import Decimal

from hypothesis import strategies as st
from hypothesis.stateful import rule

from gateway.ledger import wallets
from gateway.partners.funding import APPROVAL as FUNDING
from gateway.reconciliation.settling import APPROVAL as SETTLING
from tests.sequences.machine import Machine, amounts, phones

references = st.integers(0, 5).map(lambda number: f"FT{number}")


class WalletRules(Machine):
    """What operators do to wallets."""

    @rule(phone=phones, tier=st.sampled_from(["basic", "full", "gone"]))
    def a_tier_is_given(self, phone: str, tier: str) -> None:
        """Also one that settings do not name."""
        self.wired.run(lambda c: wallets.set_tier(c, self.wallet(c, phone), tier))

    @rule(phone=phones, frozen=st.sampled_from([False, False, True]))
    def it_is_frozen_or_not(self, phone: str, frozen: bool) -> None:
        """A frozen one gets back what was its own."""
        change = wallets.freeze if frozen else wallets.unfreeze
        self.wired.run(lambda c: change(c, self.wallet(c, phone)))

    @rule(phone=phones)
    def its_owner_is_verified(self, phone: str) -> None:
        """Which also ends a long rest."""
        today = self.clock.now().date()
        self.wired.run(lambda c: wallets.verify(c, self.wallet(c, phone), today))


class FloatRules(Machine):
    """Money that the bank has got for the house, or from a provider."""

    @rule(amount=amounts, reference=references)
    def the_house_is_funded(self, amount: Decimal, reference: str) -> None:
        """Once for each reference of the bank; from then on the house has what it has."""
        details = {"owner": "house", "amount": str(amount), "currency": "NGN"}
        self.by_two(FUNDING, reference, details)

    @rule(gross=amounts, fee=st.sampled_from(["0.00", "0.50"]).map(Decimal), reference=references)
    def a_provider_settles(self, gross: Decimal, fee: Decimal, reference: str) -> None:
        """Gross, fee and net; refused where they do not fit."""
        details = {"provider": "snippe", "gross": str(gross), "fee": str(fee)}
        details |= {"net": str(gross - fee), "currency": "NGN"}
        self.by_two(SETTLING, reference, details)
