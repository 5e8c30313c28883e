"""The whole gateway: every part wired from settings; web, worker and commands take theirs."""

import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy import Connection

from gateway import chores
from gateway.cli.demo.people import PHONES as DEMO_PHONES
from gateway.cli.parts import Parts
from gateway.clock import Clock
from gateway.errors import Misconfigured
from gateway.outbox import queue
from gateway.outbox.running import TaskRunner
from gateway.outbox.sending import BillGuard, Renderer, Sender
from gateway.outbox.tasks import QUERY
from gateway.people.staff.sessions.sessions import forget_old as forget_sessions
from gateway.people.staff.tries.limits import forget_old as forget_tries
from gateway.retention.purge import Purger
from gateway.settings import Settings
from gateway.tokens.issue import DELIVERY
from gateway.tokens.keys import readiness, rotation
from gateway.tokens.undelivered import LOOK_SECONDS, tell_senders
from gateway.ussd import screens
from gateway.ussd.engine import Engine
from gateway.ussd.purge import forget_old
from gateway.web import phone, sms, ussd
from gateway.web.api.routes import ApiParts
from gateway.web.console.parts import ConsoleParts
from gateway.web.counter.parts import CounterParts
from gateway.web.inbox import Inbox
from gateway.web.pages.door import Door
from gateway.worker import HOUSE_SECONDS, Worker
from menus import (
    cashier,
    home,
    pin,
    redeem,
    send,
    sent,
    takings,
    till,
    tokens,
    topup,
    unpaid,
    wallet,
    withdraw,
)
from menus import settings as settings_menu
from menus.keywords import NOTE, Keywords, heeding
from wiring import pages
from wiring.api import api_parts
from wiring.channels import CHECKS, SMS_CHANNELS
from wiring.core import core
from wiring.desk import desk
from wiring.money import money
from wiring.reconciliation import STATEMENT_PROVIDERS, reconciler
from wiring.ussd import ussd_channels
from wiring.wallets import wallet_operators

log = structlog.get_logger()

MENUS = (
    *(home, redeem, send, tokens, sent, wallet, topup, withdraw, settings_menu, pin),
    *(cashier, till, takings, unpaid),
)


class Gateway:
    """Every part of the gateway, wired from settings; web, worker and commands take theirs."""

    def __init__(self, configured: Settings, clock: Clock | None = None) -> None:
        self.settings = configured
        self.clock = clock or Clock()
        self.core = core(configured, self.clock)
        self.database, self.rings = self.core.database, self.core.rings
        self.books, self.board = self.core.books, self.core.board
        self.languages, self.subscribers = self.core.languages, self.core.subscribers
        self.money = money(self.core, self._is_released)
        self.tokens, self.providers = self.money.tokens, self.money.providers
        self.deposits, self.withdrawals = self.money.deposits, self.money.withdrawals
        self.disputes, self.partners = self.money.disputes, self.money.partners
        self.approvals, self.people = self.money.approvals, self.core.people
        self.roster = self.core.roster
        self.issuer, self.reprinter = self.tokens.issuer, self.tokens.reprinter
        self.retirer = self.tokens.retirer
        self.counter = self.money.outlets.counter
        self.reconciler = reconciler(
            configured,
            self.database,
            self.clock,
            self.money.invariants,
            lambda: self.money.runner(f"{rotation.process_name()}:reconcile", (QUERY,)),
        )
        self.desk = desk(self.core, self.money)
        self.keywords = Keywords(
            self.desk, configured.service_code, tells_balance=configured.texting.balance
        )
        self.tree = screens.tree([s for menu in MENUS for s in menu.screens(self.desk)])
        self.engine = Engine(
            self.tree,
            self.languages,
            self._subkey("journal"),
            self.subscribers.language_query,
            self.subscribers.default_language,
        )

    def _is_released(self, connection: Connection, at: datetime) -> bool:
        return self.reconciler.is_released(connection, at)

    def ussd_parts(self) -> ussd.UssdParts:
        """What the USSD routes need."""
        return ussd.UssdParts(
            database=self.database,
            clock=self.clock,
            engine=self.engine,
            channels=ussd_channels(self.settings),
            secrets=self.settings.callback_secrets,
            country=self.settings.country,
            budgets=self.settings.ussd_budgets,
            count=self.core.meters.step,
        )

    def sms_parts(self) -> sms.SmsParts:
        """What the SMS routes need."""
        key = self._subkey("inbound")
        return sms.SmsParts(
            database=self.database,
            clock=self.clock,
            channels={name: make(self.settings) for name, make in SMS_CHANNELS.items()},
            secrets=self.settings.callback_secrets,
            country=self.settings.country,
            act=self.keywords.act,
            digest=lambda text: hmac.digest(key, text.encode(), hashlib.sha256),
            count=self.core.meters.received,
        )

    def renderers(self) -> Mapping[str, Renderer]:
        """Who makes the text of each outbox template."""
        return {
            **self.money.renderers(),
            NOTE: self.keywords.note,
            settings_menu.SMS: partial(settings_menu.blocked, self.desk),
        }

    def sender(self, worker: str) -> Sender:
        """A worker's sender; one for each thread. Raises `Misconfigured` without a channel."""
        if not self.settings.sms_channels:
            raise Misconfigured("GATEWAY_SMS_CHANNELS is not set: nothing could send an SMS")
        return Sender(
            self.database,
            self.clock,
            [SMS_CHANNELS[name](self.settings) for name in self.settings.sms_channels],
            heeding(self.renderers()),
            BillGuard(self.settings.sms_prefixes, self.settings.sms_daily_max),
            worker,
            is_paused=self.board.is_paused,
        )

    def runner(self, worker: str) -> TaskRunner:
        """What runs the outbox's tasks; one for each thread."""
        return self.money.runner(worker)

    def worker(self, threads: int, sweep_every: int | None) -> Worker:
        """A worker process's body: its senders, and what it does besides."""
        names = [f"{rotation.process_name()}:{number}" for number in range(threads)]
        runners = self.money.runners(rotation.process_name())
        housekeeping: list[tuple[int, Callable[[], object]]] = [
            (HOUSE_SECONDS, self.settle_messages),
            (rotation.REPORT_SECONDS, partial(self.report_keys, "worker")),
            (LOOK_SECONDS, partial(tell_senders, self.database, self.clock)),
            *self.partners.housekeeping(),
            *self.money.events.housekeeping(self.database, self.clock),
        ]
        if sweep_every is not None:
            housekeeping.append((sweep_every, partial(chores.each, self.chores())))
        return Worker([self.sender(name) for name in names], housekeeping, runners)

    def chores(self) -> dict[str, chores.Chore]:
        """What `gateway sweep` does."""
        database, clock = self.database, self.clock
        return {
            **self.money.chores(),
            "ussd_sessions_purged": partial(forget_old, database, clock),
            "messages_settled": self.settle_messages,
            "approvals_expired": partial(self.approvals.sweep, database, clock),
            "staff_sessions_purged": partial(forget_sessions, database, clock),
            "staff_tries_purged": partial(forget_tries, database, clock),
            **Purger(database, clock, self.settings.keeping).chores(),
        }

    def settle(self) -> int:
        """What a worker that runs once does before it sends."""
        issued, settled = self.partners.batch_worker.advance(), self.settle_messages()
        return issued + settled + self.money.events.advance(self.database, self.clock)

    def settle_messages(self) -> int:
        """Move on messages and tasks whose worker died or whose report never came."""
        now = self.clock.now()
        messages = self.database.run(
            lambda c: queue.settle_lapsed(c, now) + queue.settle_undecided(c, now)
        )
        return messages + self.runner("settles").settle_lost()

    def report_keys(self, role: str) -> None:
        """Tell the database which keys this process holds."""
        self.database.run(
            lambda c: rotation.report(c, self.rings, role, self.clock.now()), keyed=True
        )

    def obstacles(self) -> Sequence[str]:
        """Why this process should not be sent callers."""
        return readiness.obstacles(self.database, self.rings)

    def parts(self) -> Parts:
        """What the commands need."""
        return Parts(
            settings=self.settings,
            database=self.database,
            clock=self.clock,
            rings=self.rings,
            books=self.books,
            issuer=self.issuer,
            issuing=self.partners.issuing,
            profiles=self.partners.profiles,
            batches=self.partners.batches,
            reprinter=self.reprinter,
            retirer=self.retirer,
            languages=self.languages,
            tree=self.tree,
            invariants=self.money.invariants,
            chores=self.chores(),
            settle=self.settle,
            endpoints=self.money.events.endpoints,
            sender=self.sender,
            channel_checks={name: partial(ask, self.settings) for name, ask in CHECKS.items()},
            worker=self.worker,
            report_keys=self.report_keys,
            sign_off=lambda: self.database.run(rotation.sign_off),
            obstacles=self.obstacles,
            approvals=self.approvals,
            roster=self.roster,
            way_back=self.core.way_back,
            deposits=self.deposits.asking,
            wallets=wallet_operators(self.core),
            withdrawals=self.withdrawals.operators,
            settlements=self.withdrawals.settlements,
            disputes=self.disputes.opener,
            resolver=self.disputes.resolver,
            funding=self.partners.funding,
            settling=self.partners.settling,
            counter=self.counter,
            outlets=self.money.outlets.settling,
            reconciler=self.reconciler,
            statement_providers=STATEMENT_PROVIDERS,
        )

    def door(self) -> Door:
        """What the pages of the staff stand behind."""
        return pages.door(self.core, self._subkey("pages"))

    def counter_parts(self) -> CounterParts:
        """What the counter's pages need."""
        return pages.counter_parts(self.core, self.money, self.door())

    def console_parts(self) -> ConsoleParts:
        """What the console's pages need."""
        return pages.console_parts(self.core, self.money, self.reconciler, self.door())

    def api_parts(self) -> ApiParts:
        """What the partner API needs."""
        return api_parts(self.core, self.money)

    def phone_parts(self) -> phone.PhoneParts:
        """What the demo's phone needs."""
        secret = self.settings.callback_secrets[0]
        return phone.PhoneParts(
            phones=lambda: DEMO_PHONES,
            inbox=self.inbox,
            ussd_path=f"/ussd/africastalking/{secret}",
            sms_path=f"/sms/africastalking/{secret}/inbound",
            service_code=self.settings.service_code,
            short_code=self.settings.short_code,
            network="62130",
        )

    def inbox(self, msisdn: str) -> Sequence[phone.Sms]:
        """A demo phone's messages as they were sent, whatever became of their tokens since."""
        renderers = {**self.renderers(), DELIVERY: self.tokens.messages.delivered}
        return Inbox(self.database, renderers, self.settings.sender_name).of(msisdn)

    def _subkey(self, purpose: str) -> bytes:
        """A key of its own for each purpose, out of the session key."""
        label = f"ptg/{purpose}/v1".encode()
        return hmac.digest(self.settings.session_key.encode(), label, hashlib.sha256)
