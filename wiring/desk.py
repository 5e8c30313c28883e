"""What the menus may use, out of the rooms behind them."""

from gateway.outlets.rights import PAYERS
from gateway.people.staff.phones.known import Phones
from menus.desk import Desk
from wiring.core import Core
from wiring.money import Money


def desk(core: Core, money: Money) -> Desk:
    """The parts behind the screens."""
    settings = core.settings
    return Desk(
        redeemer=money.tokens.redeemer,
        reprinter=money.tokens.reprinter,
        retirer=money.tokens.retirer,
        sends=money.tokens.sends,
        limits=core.books.limits,
        fees=core.fees,
        withdrawals=money.withdrawals.requester,
        cash=money.withdrawals.cash,
        orders=money.deposits.orders,
        counter=money.outlets.counter,
        is_payer=Phones(PAYERS).has,
        is_paused=lambda connection, what: core.board.is_paused(what, connection),
        subscribers=core.subscribers,
        pins=core.people.pins,
        chooser=core.people.chooser,
        languages=core.languages,
        country=settings.country,
        currency=settings.currency,
        zone=settings.zone,
        help_number=settings.help_number,
    )
