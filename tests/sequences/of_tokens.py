"""What may happen to tokens."""

from decimal import Decimal
from functools import partial

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, initialize, multiple, precondition, rule
from sqlalchemy import Connection

from gateway.disputes.store import open_reference
from gateway.ledger.fees import SEND
from gateway.tokens import store, suspend
from gateway.tokens.issue import Order, expiry
from gateway.tokens.redeem import Answer, Caller
from gateway.tokens.send import new_intent
from gateway.tokens.store import Token
from tests.sequences.machine import CHIDI, FIRST, PHONES, Machine, Refused, amounts, phones
from tests.support.crashes import rows
from tests.support.wired import ADA, BELLO
from wiring import caps


class TokenRules(Machine):
    """Issued, sent, redeemed, stopped, ended and sent elsewhere."""

    issued = Bundle("issued")  # by the house
    sent = Bundle("sent")  # by somebody
    tokens = issued | sent

    def __init__(self) -> None:
        super().__init__()
        self.confirmed: list[tuple[str, str, str, Decimal, str]] = []

    def token(self, connection: Connection, serial: str) -> Token:
        """A token as it stands."""
        found = store.by_serial(connection, serial)
        assert found is not None
        return found

    def owner(self, token: Token) -> str | None:
        """The phone whose wallet paid for a token; None for the house."""
        return None if token.issuer == "house" else token.issuer

    @initialize(target=sent)
    def some_were_sent_before(self) -> object:
        """To everybody, and one of them was redeemed."""
        to_others = [(ADA, BELLO), (BELLO, ADA), (CHIDI, ADA)]
        sent = [self.send(new_intent(), by, to, Decimal("10.00")) for by, to in to_others]
        self.somebody_redeems(sent[0], None)
        return multiple(*sent)

    @rule(target=issued, amount=amounts, to=phones, bound=st.booleans())
    def the_house_issues(self, amount: Decimal, to: str, bound: bool) -> object:
        """To somebody's phone, bound to it or not, as long as its float lasts if it has one."""
        now = self.clock.now()
        binding = store.TO_RECIPIENT if bound else store.UNBOUND
        ends = expiry("30d", now, self.gateway.settings.zone)
        order = Order(amount, "NGN", ends, recipient=to, binding=binding)
        issued = self.attempt(lambda c: self.gateway.issuer.issue(c, order, now))
        return multiple(*([] if isinstance(issued, Refused) else [issued.serial]))

    @rule(target=sent, by=phones, to=phones, amount=amounts)
    def somebody_sends(self, by: str, to: str, amount: Decimal) -> object:
        """Out of their wallet, if it has so much and they may."""
        intent = new_intent()
        serial = self.send(intent, by, to, amount)
        self.confirmed.append((intent, by, to, amount, serial))
        return multiple(*[one for one in (serial,) if one])

    @precondition(lambda self: self.confirmed)
    @rule(target=sent, which=st.integers(0, 20))
    def a_confirmation_comes_twice(self, which: int) -> object:
        """The token of the first time again, and not a row more; a refused one may succeed now."""
        intent, by, to, amount, serial = self.confirmed[which % len(self.confirmed)]
        before = rows(self.wired)
        again = self.send(intent, by, to, amount)
        if serial:
            assert again == serial
            assert rows(self.wired) == before
        elif again:
            self.confirmed.append((intent, by, to, amount, again))
        return multiple(*[one for one in (again,) if one and not serial])

    def send(self, intent: str, by: str, to: str, amount: Decimal) -> str:
        """The serial of what was sent, empty for a refusal."""
        now, fee = self.clock.now(), caps.fees(self.gateway.settings).of(SEND, amount)
        known: list[Token | None] = []

        def work(connection: Connection) -> str:
            known.append(store.by_issue_ref(connection, by, f"send:{intent}"))
            wallet = self.wallet(connection, by)
            sends = self.gateway.tokens.sends
            return sends.send(connection, wallet, to, amount, fee, intent, now)[0].serial

        serial = self.attempt(work)
        if isinstance(serial, Refused):
            return ""
        if known[-1] is None:
            self.expect(by, -amount - fee)
        return serial

    @rule(serial=tokens, other=st.sampled_from([None, None, *PHONES]))
    def somebody_redeems(self, serial: str, other: str | None) -> None:
        """Right digits, by their recipient or another; the answer says whether it is theirs."""
        token = self.wired.token(serial)
        digits, by = self.gateway.reprinter.digits(token), other or token.recipient or ADA
        before, caller = rows(self.wired), Caller(by, "africastalking", "en")
        redeemer, now = self.gateway.desk.redeemer, self.clock.now()
        outcome = self.wired.run(lambda c: redeemer.redeem(c, digits, caller, now))
        if outcome.answer is Answer.REDEEMED:
            self.expect(by, outcome.amount)
        else:
            self.unchanged(before)

    @rule(serial=tokens, resumed=st.booleans())
    def an_operator_suspends_or_resumes(self, serial: str, resumed: bool) -> None:
        """Neither moves money."""
        self.switched(serial, resumed)

    def switched(self, serial: str, resumed: bool) -> object:
        """What comes of it."""
        resume = partial(suspend.resume, open_dispute=open_reference)
        change, now = resume if resumed else suspend.suspend, self.clock.now()
        return self.command(lambda c: change(c, self.token(c, serial), FIRST, "", now))

    @rule(serial=tokens, by_operator=st.booleans())
    def it_is_cancelled(self, serial: str, by_operator: bool) -> None:
        """By an operator, or taken back by its sender."""
        now, retirer = self.clock.now(), self.gateway.retirer

        def work(connection: Connection) -> Token:
            token = self.token(connection, serial)
            if by_operator:
                retirer.cancel(connection, token, FIRST, "", now)
            else:
                retirer.take_back(connection, token, token.issuer, now)
            return token

        self.gives_back((self.command if by_operator else self.attempt)(work))

    def gives_back(self, done: Token | Refused) -> None:
        """The value of an ended token is its sender's again."""
        owner = None if isinstance(done, Refused) else self.owner(done)
        if owner is not None and not isinstance(done, Refused):
            self.expect(owner, done.amount)

    @rule(target=sent, serial=sent, to=phones)
    def it_is_sent_elsewhere(self, serial: str, to: str) -> object:
        """By its sender; the value stays out of the wallet."""
        now = self.clock.now()

        def work(connection: Connection) -> str:
            token = self.token(connection, serial)
            owner = token.issuer
            wallet, sends = self.wallet(connection, owner), self.gateway.tokens.sends
            return sends.readdress(connection, token, wallet, to, new_intent(), now).serial

        moved = self.attempt(work)
        return multiple(*([] if isinstance(moved, Refused) else [moved]))

    @rule()
    def the_sweep_comes_by(self) -> None:
        """What is overdue goes back to whoever paid for it."""
        with self.gateway.database.snapshot() as connection:
            overdue = store.overdue(connection, self.clock.now(), 1000)
            ended = [store.by_id(connection, one) for one in overdue]
        assert self.gateway.chores()["tokens_expired"]() == len(ended)
        for token in ended:
            self.gives_back(token)
