"""The parts about money in: settling callbacks, orders, their tasks and what operators do."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from gateway.audit.approvals import Executor, Requests
from gateway.chores import Chore
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.deposits import asks
from gateway.deposits.answers import Answers
from gateway.deposits.asking import Asking
from gateway.deposits.book import BOOK, Booking, Lines
from gateway.deposits.callbacks import purge
from gateway.deposits.confirm import CONFIRM, Confirming, Importers
from gateway.deposits.credit import HELD, RECEIPT, Crediting
from gateway.deposits.invariants.check import INVARIANTS
from gateway.deposits.messages import DepositMessages
from gateway.deposits.orders import Orders
from gateway.deposits.questions import Questions
from gateway.deposits.rematch import Rematcher
from gateway.deposits.settle import Policy, Settler, TakePayout
from gateway.deposits.tasks import AskTask, PushTask
from gateway.deposits.undo import Undoing
from gateway.languages import Languages
from gateway.ledger.books import Books
from gateway.ledger.invariants.check import Invariant
from gateway.outbox.sending import Renderer
from gateway.outbox.tasks import Task
from gateway.people.subscribers import Subscribers
from gateway.settings import Settings
from gateway.web.webhooks import WebhookParts
from wiring import caps
from wiring.providers import Providers


@dataclass(frozen=True, slots=True)
class Deposits:
    """What is done with deposits, all over the same books."""

    settler: Settler
    questions: Questions
    answers: Answers
    confirming: Confirming
    booking: Booking
    asking: Asking
    orders: Orders
    undoing: Undoing
    rematcher: Rematcher
    messages: DepositMessages
    providers: Providers

    @property
    def invariants(self) -> Sequence[Invariant]:
        """What must hold between deposits and the books."""
        return INVARIANTS

    def executors(self) -> Mapping[str, Executor]:
        """Who does each kind of approval about deposits."""
        return {**self.undoing.executors(), CONFIRM: self.confirming, BOOK: self.booking}

    def webhooks(
        self,
        settings: Settings,
        database: Database,
        clock: Clock,
        is_paused: Callable[[str], bool],
        count: Callable[[str, str], None],
    ) -> WebhookParts:
        """What the webhook routes need."""
        return WebhookParts(
            database=database,
            clock=clock,
            dialects=self.providers.dialects,
            secrets=settings.callback_secrets,
            settler=self.settler,
            questions=self.questions,
            is_paused=is_paused,
            count=count,
        )

    def tasks(self) -> Mapping[str, Task]:
        """The tasks of the outbox about orders."""
        collects, rematch = self.providers.collects, self.rematcher.order
        return {
            asks.PUSH_TEMPLATE: PushTask(collects, rematch),
            asks.ASK_TEMPLATE: AskTask(collects, self.answers, rematch),
        }

    def renderers(self) -> Mapping[str, Renderer]:
        """Who makes the text of each outbox template about deposits."""
        return {RECEIPT: self.messages.received, HELD: self.messages.held}

    def chores(self, settings: Settings, database: Database, clock: Clock) -> dict[str, Chore]:
        """Their part of `gateway sweep`."""
        days = settings.callback_days
        return {
            "callbacks_settled": partial(self.rematcher.kept, database, clock),
            "callbacks_purged": partial(purge.forget_old, database, clock, days),
        }


def deposit_parts(
    settings: Settings,
    providers: Providers,
    books: Books,
    subscribers: Subscribers,
    languages: Languages,
    requests: Requests,
    payouts: TakePayout,
    importers: Importers,
    lines: Lines,
) -> Deposits:
    """The parts; `payouts` takes what a callback says about money out.

    `importers` says who imported the statements in which a payment stands, `lines` what they say.
    """
    crediting = Crediting(books)
    policy = Policy(settings.country, settings.currency, settings.money.unsolicited_max)
    settler = Settler(crediting, policy, payouts)
    confirming, booking = Confirming(crediting, importers), Booking(crediting, lines)
    return Deposits(
        settler=settler,
        questions=Questions(books.limits, policy),
        answers=Answers(crediting),
        confirming=confirming,
        booking=booking,
        asking=Asking(requests, confirming, booking),
        orders=Orders(providers.collects, books, caps.fees(settings)),
        undoing=Undoing(books, crediting),
        rematcher=Rematcher(settler, providers.dialects),
        messages=DepositMessages(subscribers, languages),
        providers=providers,
    )
