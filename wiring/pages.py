"""What the pages of the staff are wired to."""

from gateway.outbox.sending import BillGuard
from gateway.people.staff.sessions.sessions import Sessions
from gateway.reconciliation.run import Reconciler
from gateway.web.console.parts import ConsoleParts
from gateway.web.counter.parts import CounterParts
from gateway.web.pages.door import Door
from wiring.core import Core
from wiring.money import Money
from wiring.reconciliation import STATEMENT_PROVIDERS
from wiring.wallets import wallet_operators


def door(core: Core, key: bytes) -> Door:
    """The one door of counter and console; `key` is for their cookies and forms alone."""
    return Door(
        database=core.database,
        clock=core.clock,
        sessions=Sessions(key),
        roster=core.roster,
        zone=core.settings.zone,
        country=core.settings.country,
        secure=not core.settings.demo,
    )


def counter_parts(core: Core, money: Money, way_in: Door) -> CounterParts:
    """What cashiers and managers work with."""
    return CounterParts(
        door=way_in,
        database=core.database,
        clock=core.clock,
        zone=core.settings.zone,
        country=core.settings.country,
        currency=core.settings.currency,
        counter=money.outlets.counter,
    )


def console_parts(core: Core, money: Money, reconciler: Reconciler, way_in: Door) -> ConsoleParts:
    """What operators and admins work with."""
    tokens, deposits, withdrawals = money.tokens, money.deposits, money.withdrawals
    return ConsoleParts(
        door=way_in,
        database=core.database,
        clock=core.clock,
        zone=core.settings.zone,
        country=core.settings.country,
        currency=core.settings.currency,
        rings=core.rings,
        books=core.books,
        issuer=tokens.issuer,
        reprinter=tokens.reprinter,
        retirer=tokens.retirer,
        invariants=money.invariants,
        approvals=money.approvals,
        roster=core.roster,
        way_back=core.way_back,
        deposits=deposits.asking,
        wallets=wallet_operators(core),
        withdrawals=withdrawals.operators,
        settlements=withdrawals.settlements,
        disputes=money.disputes.opener,
        resolver=money.disputes.resolver,
        funding=money.partners.funding,
        settling=money.partners.settling,
        reconciler=reconciler,
        statement_providers=STATEMENT_PROVIDERS,
        in_use=money.providers.names | frozenset(core.settings.sms_channels),
        board=core.board,
        caps=core.settings.money,
        bill=BillGuard(core.settings.sms_prefixes, core.settings.sms_daily_max),
        counter=money.outlets.counter,
        outlets=money.outlets.settling,
    )
