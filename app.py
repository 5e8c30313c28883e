"""The one place that wires: settings in, the web application and the command line out."""

import hashlib
import hmac
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import structlog
from flask import Flask

from gateway import chores, logs, settings
from gateway.audit import approvals, trail
from gateway.audit.approvals import Approvals, Requests
from gateway.channels.africastalking import AfricasTalkingChannel
from gateway.channels.base import SmsChannel, UssdChannel
from gateway.channels.simulator import SimulatorChannel
from gateway.cli.main import command_group
from gateway.cli.parts import Parts
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.errors import Misconfigured
from gateway.languages import Languages
from gateway.ledger.books import Books
from gateway.ledger.invariants.check import INVARIANTS as LEDGER_INVARIANTS
from gateway.outbox import queue
from gateway.outbox.running import TaskRunner
from gateway.outbox.sending import BillGuard, Renderer, Sender
from gateway.outbox.tasks import LINES
from gateway.people.staff.roster import Roster
from gateway.people.subscribers import Subscribers
from gateway.settings import Settings
from gateway.switches.board import Board
from gateway.tokens.invariants.check import INVARIANTS as TOKEN_INVARIANTS
from gateway.tokens.issue import DELIVERY
from gateway.tokens.keys import readiness, rotation
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.undelivered import LOOK_SECONDS, tell_senders
from gateway.ussd import screens
from gateway.ussd.engine import Engine
from gateway.ussd.purge import forget_old
from gateway.web import edge, health, phone, proxies, requests, sms, ussd
from gateway.web.inbox import Inbox
from gateway.worker import HOUSE_SECONDS, Worker
from menus import home, keywords, pin, redeem, send, sent, tokens, wallet
from menus import settings as settings_menu
from menus.desk import Desk
from menus.keywords import NOTE, Keywords
from wiring import caps
from wiring.approvals import executors
from wiring.people import people
from wiring.tasks import RUNNERS, tasks
from wiring.tokens import token_parts

log = structlog.get_logger()
T = TypeVar("T")

MENUS = (home, redeem, send, tokens, sent, wallet, settings_menu, pin)
LOCALE = Path(__file__).parent / "menus" / "locale"
USSD_CHANNELS: Mapping[str, Callable[[Settings], UssdChannel]] = {
    "africastalking": lambda s: AfricasTalkingChannel(s.africastalking),
}
SMS_CHANNELS: Mapping[str, Callable[[Settings], SmsChannel]] = {
    "africastalking": lambda s: AfricasTalkingChannel(s.africastalking),
    "simulator": lambda _: SimulatorChannel(),
}
# Numbers of the demo's phones, with the names of their keepers.
DEMO_PEOPLE = (("+2348030000001", "Ada"), ("+2348030000002", "Bello"), ("+2348030000003", "Chidi"))


class Gateway:
    """Every part of the gateway, wired from settings; web, worker and commands take theirs."""

    def __init__(self, configured: Settings, clock: Clock | None = None) -> None:
        self.settings = configured
        self.clock = clock or Clock()
        keys = (configured.token_keys, configured.lookup_keys)
        self.database = _made("GATEWAY_DATABASE_URL", lambda: Database(configured.database_url))
        self.rings = _made("GATEWAY_TOKEN_KEYS and _LOOKUP_KEYS", lambda: KeyRings.parse(*keys))
        self.books = Books(caps.limits(configured))
        self.languages = Languages(LOCALE, configured.languages)
        self.subscribers = Subscribers()
        self.board = Board(self.database)
        self.people = people(configured, self.database, self.clock, self.books)
        self.requests = Requests()
        self.roster = Roster(
            self.database, self.people.hasher, self.clock, trail.record, self.requests
        )
        self.tokens = token_parts(
            configured, self.rings, self.books, self.subscribers, self.languages, self.clock
        )
        self.issuer, self.reprinter = self.tokens.issuer, self.tokens.reprinter
        self.retirer = self.tokens.retirer
        self.approvals = Approvals(executors())
        self.desk = Desk(
            redeemer=self.tokens.redeemer,
            reprinter=self.reprinter,
            retirer=self.retirer,
            sends=self.tokens.sends,
            limits=self.books.limits,
            fees=caps.fees(configured),
            is_paused=lambda connection, what: self.board.is_paused(what, connection),
            subscribers=self.subscribers,
            pins=self.people.pins,
            chooser=self.people.chooser,
            languages=self.languages,
            country=configured.country,
            currency=configured.currency,
            zone=configured.zone,
            help_number=configured.help_number,
        )
        self.tree = screens.tree([s for menu in MENUS for s in menu.screens(self.desk)])
        self.engine = Engine(
            self.tree,
            self.languages,
            self._subkey("journal"),
            self.subscribers.language_query,
            self.subscribers.default_language,
        )

    def ussd_parts(self) -> ussd.UssdParts:
        """What the USSD routes need."""
        return ussd.UssdParts(
            database=self.database,
            clock=self.clock,
            engine=self.engine,
            channels={name: make(self.settings) for name, make in USSD_CHANNELS.items()},
            secrets=self.settings.callback_secrets,
            country=self.settings.country,
            budgets=self.settings.ussd_budgets,
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
            act=Keywords(self.desk).act,
            digest=lambda text: hmac.digest(key, text.encode(), hashlib.sha256),
        )

    def renderers(self) -> Mapping[str, Renderer]:
        """Who makes the text of each outbox template."""
        return {
            **self.tokens.renderers(),
            NOTE: partial(keywords.note, self.desk),
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
            self.renderers(),
            BillGuard(self.settings.sms_prefixes, self.settings.sms_daily_max),
            worker,
            is_paused=self.board.is_paused,
        )

    def runner(self, worker: str) -> TaskRunner:
        """What runs the outbox's tasks; one for each thread."""
        return TaskRunner(
            self.database, self.clock, tasks(), LINES, worker, is_paused=self.board.is_paused
        )

    def worker(self, threads: int, sweep_every: int | None) -> Worker:
        """A worker process's body: its senders, and what it does besides."""
        names = [f"{rotation.process_name()}:{number}" for number in range(threads)]
        runners = [self.runner(f"{rotation.process_name()}:r{n}") for n in range(RUNNERS)]
        housekeeping: list[tuple[int, Callable[[], object]]] = [
            (HOUSE_SECONDS, self.settle_messages),
            (rotation.REPORT_SECONDS, partial(self.report_keys, "worker")),
            (LOOK_SECONDS, partial(tell_senders, self.database, self.clock)),
        ]
        if sweep_every is not None:
            housekeeping.append((sweep_every, partial(chores.each, self.chores())))
        return Worker([self.sender(name) for name in names], housekeeping, runners)

    def chores(self) -> dict[str, chores.Chore]:
        """What `gateway sweep` does."""
        database, clock = self.database, self.clock
        return {
            **self.tokens.chores(database, clock),
            "ussd_sessions_purged": partial(forget_old, database, clock),
            "messages_settled": self.settle_messages,
            "approvals_expired": partial(approvals.sweep, database, clock),
        }

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
            reprinter=self.reprinter,
            retirer=self.retirer,
            languages=self.languages,
            tree=self.tree,
            invariants=(*LEDGER_INVARIANTS, *TOKEN_INVARIANTS),
            chores=self.chores(),
            settle=self.settle_messages,
            sender=self.sender,
            worker=self.worker,
            report_keys=self.report_keys,
            sign_off=lambda: self.database.run(rotation.sign_off),
            obstacles=self.obstacles,
            approvals=self.approvals,
            roster=self.roster,
        )

    def phone_parts(self) -> phone.PhoneParts:
        """What the demo's phone needs."""
        secret = self.settings.callback_secrets[0]
        return phone.PhoneParts(
            phones=lambda: DEMO_PEOPLE,
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


def _made(setting: str, make: Callable[[], T]) -> T:
    """What `make` gives; a refusal names the setting, never the secrets in it."""
    try:
        return make()
    except Misconfigured as error:
        raise Misconfigured(f"{setting}: {error}") from None
    except Exception as error:  # noqa: BLE001 - a library's own words may hold the password
        raise Misconfigured(f"{setting}: {type(error).__name__}") from None


def create_app(configured: Settings, clock: Clock | None = None) -> Flask:
    """The web application."""
    return web_application(Gateway(configured, clock))


def web_application(gateway: Gateway) -> Flask:
    """The web application over a wired gateway."""
    app = Flask(__name__, static_folder=None)
    app.config.update(
        MAX_CONTENT_LENGTH=edge.BODY_BYTES_MAX,
        MAX_FORM_MEMORY_SIZE=edge.BODY_BYTES_MAX,
        MAX_FORM_PARTS=edge.FORM_PARTS_MAX,
    )
    proxies.trust(app, gateway.settings.trusted_proxies)
    requests.install(app)
    app.register_blueprint(ussd.blueprint(gateway.ussd_parts()))
    app.register_blueprint(sms.blueprint(gateway.sms_parts()))
    app.register_blueprint(health.blueprint(health.HealthParts(gateway.obstacles)))
    if gateway.settings.demo:
        app.register_blueprint(phone.blueprint(gateway.phone_parts()))
    return app


def refusal() -> str | None:
    """Why this process's settings cannot serve, in one line; None when they can."""
    try:
        create_app(settings.read(os.environ))
    except Misconfigured as error:
        return f"Error: {error}"
    return None


def command_line() -> None:
    """The entry of the `gateway` command."""
    logs.hook_uncaught()
    command_group(lambda: Gateway(settings.read(os.environ)).parts())()
