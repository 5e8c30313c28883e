"""Disputes about any of it, and how they may end."""

from decimal import Decimal

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, invariant, multiple, rule
from sqlalchemy import Connection

from gateway.disputes import store
from gateway.disputes.open import Complaint
from gateway.disputes.refund import SOURCES
from gateway.disputes.resolve import APPROVAL
from gateway.disputes.states import Kind
from gateway.disputes.store import Dispute
from gateway.tokens.store import Status
from gateway.withdrawals.store import Payout, State, Withdrawal
from tests.sequences.machine import FIRST, SECOND, Refused
from tests.sequences.of_deposits import DepositRules
from tests.sequences.of_tokens import TokenRules
from tests.support.wired import ADA

partial_amounts = st.sampled_from([None, "0.01", "10.00", "60.00"]).map(
    lambda text: None if text is None else Decimal(text)
)


class DisputeRules(TokenRules, DepositRules):
    """Opened about tokens and withdrawals in any state, ended in any way."""

    disputes = Bundle("disputes")

    def opened(self, subject: str) -> object:
        """A dispute's reference, if one can be opened."""
        complaint, now = Complaint(subject, ADA, FIRST, "why"), self.clock.now()
        made = self.command(lambda c: self.gateway.disputes.opener.open(c, complaint, now))
        if isinstance(made, Refused):
            return multiple()
        self.operators_try_to_get_round_it(made.reference)
        return made.reference

    @rule(target=disputes, serial=TokenRules.tokens)
    def somebody_complains_about_a_token(self, serial: str) -> object:
        """Live or redeemed."""
        return self.opened(serial)

    @rule(target=disputes, made=DepositRules.asked)
    def somebody_complains_about_a_withdrawal(self, made: Withdrawal) -> object:
        """Held or paid."""
        return self.opened(made.reference)

    @rule(reference=disputes, how=st.sampled_from(["release", "reject"]))
    def it_is_let_go(self, reference: str, how: str) -> None:
        """Moves no money."""
        end, now = getattr(self.gateway.disputes.resolver, how), self.clock.now()
        self.command(lambda c: end(c, reference, FIRST, "looked", now))

    @rule(reference=disputes)
    def operators_try_to_get_round_it(self, reference: str) -> None:
        """Send, pay or resume what it is about: in vain while it is open."""
        dispute = self.dispute(reference)
        subject = dispute.subject
        if subject in self.known:
            made = self.known[subject]
            done = [self.sent_again(made), self.paid_by_hand(made, 1, "bank")]
        else:
            done = [self.switched(subject, resumed=True)]
        is_open = dispute.state == "open"
        assert not is_open or all(isinstance(one, Refused) for one in done)

    @rule(reference=disputes, amount=partial_amounts, source=st.sampled_from(SOURCES))
    def two_operators_refund(self, reference: str, amount: Decimal | None, source: str) -> None:
        """All or a part, from whoever has the money or from the house."""
        now, approvals = self.clock.now(), self.gateway.approvals

        def ask(connection: Connection) -> int:
            resolver = self.gateway.disputes.resolver
            found, details = resolver.request(connection, reference, amount, source, now)
            asked = (APPROVAL, found.reference, details, FIRST, "why", now)
            return approvals.ask(connection, *asked)

        number = self.command(ask)
        if isinstance(number, Refused):
            return
        done = self.command(lambda c: approvals.approve(c, number, SECOND, now))
        if isinstance(done, Refused):
            self.wired.run(lambda c: approvals.refuse(c, number, FIRST, "in vain", now))
        else:
            self.moves(self.dispute(reference), source)

    def dispute(self, reference: str) -> Dispute:
        """A dispute as it stands."""
        found = self.wired.run(lambda c: store.by_reference(c, reference))
        assert found is not None
        return found

    def moves(self, dispute: Dispute, source: str) -> None:
        """Whose wallets a refund was between."""
        refunded = dispute.refunded or Decimal("0.00")
        if dispute.kind == Kind.LIVE:
            self.gives_back(self.wired.token(dispute.subject))
        elif dispute.kind == Kind.PAID:
            self.expect(self.known[dispute.subject].msisdn, refunded)
        elif dispute.kind == Kind.REDEMPTION:
            token = self.wired.token(dispute.subject)
            owner = self.owner(token)
            if owner is not None:
                self.expect(owner, refunded)
            if source != "house":
                self.expect(token.redeemed_by or "", -refunded)
        self.look()

    @invariant()
    def what_is_disputed_stands_still(self) -> None:
        """No token of an open dispute can be redeemed, and no payout waits for a worker."""
        with self.gateway.database.snapshot() as connection:
            listed = store.listed(connection, "open")
        for dispute in listed:
            if dispute.kind == Kind.LIVE:
                assert self.wired.token(dispute.subject).status != Status.ISSUED
            if dispute.kind == Kind.HELD:
                found = self.desk.now(self.known[dispute.subject])
                assert found.state != State.HELD or found.payout != Payout.QUEUED
