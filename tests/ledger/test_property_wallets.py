"""Any sequence of movements leaves the books whole; a step that is refused leaves every row."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    consumes,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import Connection

from gateway.disputes.store import open_reference
from gateway.ledger import wallets
from gateway.ledger.books import Leg
from gateway.ledger.fees import SEND
from gateway.ledger.store import HELD, SETTLEMENT, WALLET
from gateway.tokens import store, suspend
from gateway.tokens.issue import Order, expiry
from gateway.tokens.redeem import Answer, Caller
from gateway.tokens.send import new_intent
from gateway.tokens.store import Token
from tests.ledger.machine import PHONES, Machine, Refused, amounts, phones
from tests.support.crashes import rows
from tests.support.databases import MariaDBSchema, SQLiteTemplate
from tests.support.wired import ADA
from wiring import caps

QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
OPERATOR = "cli:ops"


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

    @rule(target=issued, amount=amounts, to=phones, bound=st.booleans())
    def the_house_issues(self, amount: Decimal, to: str, bound: bool) -> str:
        """To somebody's phone, bound to it or not."""
        now = self.clock.now()
        binding = store.TO_RECIPIENT if bound else store.UNBOUND
        ends = expiry("30d", now, self.gateway.settings.zone)
        order = Order(amount, "NGN", ends, recipient=to, binding=binding)
        issued = self.attempt(lambda c: self.gateway.issuer.issue(c, order, now))
        assert not isinstance(issued, Refused)
        return issued.serial

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
        resume = partial(suspend.resume, open_dispute=open_reference)
        change = resume if resumed else suspend.suspend
        now = self.clock.now()
        self.attempt(lambda c: change(c, self.token(c, serial), OPERATOR, "", now))

    @rule(serial=tokens, by_operator=st.booleans())
    def it_is_cancelled(self, serial: str, by_operator: bool) -> None:
        """By an operator, or taken back by its sender."""
        now, retirer = self.clock.now(), self.gateway.retirer

        def work(connection: Connection) -> Token:
            token = self.token(connection, serial)
            if by_operator:
                retirer.cancel(connection, token, OPERATOR, "", now)
            else:
                retirer.take_back(connection, token, token.issuer, now)
            return token

        self.gives_back(self.attempt(work))

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


class WalletRules(Machine):
    """What operators do to wallets, and money that is held on its way out."""

    held = Bundle("held")

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

    @rule(target=held, phone=phones, amount=amounts)
    def money_is_held(self, phone: str, amount: Decimal) -> object:
        """As a withdrawal does when it is asked for."""
        now, books = self.clock.now(), self.gateway.books

        def work(connection: Connection) -> int:
            wallet = self.wallet(connection, phone)
            books.limits.insist_debit(wallet, amount, now)
            kept = books.system(connection, HELD, "NGN", now)
            legs = (Leg(wallet, -amount, amount), Leg(kept, amount))
            key = f"hold:{new_intent()}"
            return books.post(connection, key, "hold", "", legs, now, by_owner=True)

        movement = self.attempt(work)
        if isinstance(movement, Refused):
            return multiple()
        self.expect(phone, -amount)
        return (movement, phone, amount)

    @rule(hold=consumes(held), paid=st.booleans())
    def a_hold_ends(self, hold: tuple[int, str, Decimal], paid: bool) -> None:
        """Paid out, or back in the wallet, whatever state that is in."""
        number, phone, amount = hold
        now, books = self.clock.now(), self.gateway.books

        def work(connection: Connection) -> int:
            wallet = self.wallet(connection, phone)
            kept = books.system(connection, HELD, "NGN", now)
            out = books.system(connection, SETTLEMENT, "NGN", now, "mpesa")
            ways = {
                True: (Leg(wallet, Decimal("0.00"), -amount), Leg(kept, -amount), Leg(out, amount)),
                False: (Leg(wallet, amount, -amount), Leg(kept, -amount)),
            }
            key, kind = f"end:{number}", "paid" if paid else "release"
            return books.post(connection, key, kind, "", ways[paid], now, returning=True)

        self.wired.run(work)
        self.expect(phone, Decimal("0.00") if paid else amount)
        assert self.wired.run(lambda c: self.wallet(c, phone)).kind == WALLET


def machine(url: Callable[[], str]) -> type[Machine]:
    """All the rules over databases from `url`: a fresh one for each example."""

    class Everything(TokenRules, WalletRules):
        """Every noun that moves money."""

    Everything.url = staticmethod(url)
    return Everything


def step_through(url: Callable[[], str], examples: int, steps: int) -> None:
    """Run so many sequences of so many steps."""
    run_state_machine_as_test(
        machine(url),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=QUIET,
            derandomize=True,
            database=None,
            phases=(Phase.generate, Phase.shrink),
        ),
    )


def test_any_sequence_of_movements_leaves_whole_books_on_sqlite(
    sqlite_template: SQLiteTemplate, tmp_path: Path
) -> None:
    names = iter(range(10**6))
    step_through(lambda: sqlite_template.copy_to(tmp_path / f"{next(names)}.db"), 40, 40)


def test_any_sequence_of_movements_leaves_whole_books_on_mariadb(
    mariadb_schema: MariaDBSchema,
) -> None:
    step_through(partial(mariadb_schema.restore), 4, 30)
