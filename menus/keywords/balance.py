"""BAL: what the wallet holds, behind the PIN once there is one, or not by SMS at all."""

from decimal import Decimal

from gateway.formats import money
from gateway.ledger import wallets
from gateway.people.pins.prove import Said, Verdict
from gateway.sms import texts
from menus.desk import Desk
from menus.keywords.asking import Asking, Reply
from menus.keywords.notes import LEFT
from menus.keywords.reading import pin_in


def tell(desk: Desk, asking: Asking, rest: str) -> Reply:
    """The balance. Raises `NeededFirst` as long as an entered PIN is not proved."""
    connection, msisdn = asking.connection, asking.msisdn
    if not desk.pins.has_pin(connection, msisdn):
        return _told(desk, asking)
    entry = pin_in(rest)
    if not entry:
        return Reply("pin_needed", "pin_needed")
    if not desk.pins.is_pin(entry):
        return Reply("pin_form", "pin_form")
    verdict = desk.pins.demand(connection, msisdn, entry, asking.incoming.made)
    if verdict.right:
        wallets.touch(connection, msisdn, asking.now, desk.limits)
        return _told(desk, asking)
    return _told(desk, asking) if verdict.said is Said.NO_PIN else _refused(desk, asking, verdict)


def _told(desk: Desk, asking: Asking) -> Reply:
    wallet = wallets.find(asking.connection, asking.msisdn, desk.currency)
    if wallet is not None and desk.limits.needs_verification(wallet, asking.now):
        return Reply("unverified", "unverified")
    spendable = wallet.balance if wallet is not None else None
    details = {"balance": money.display(spendable or Decimal("0.00"), desk.currency)}
    if wallet is not None and wallet.held:
        details["held"] = money.display(wallet.held, desk.currency)
    return Reply("balance", "balance", details)


def _refused(desk: Desk, asking: Asking, verdict: Verdict) -> Reply:
    if verdict.said is Said.WRONG:
        return Reply("pin_wrong", f"{LEFT}{verdict.left}")
    # Said once, as of tokens: whoever goes on guessing gets no further answer.
    if verdict.until is None:
        today = desk.limits.today(asking.now).isoformat()
        return Reply("pin_closed", "pin_closed", once=f"pin_closed:{asking.msisdn}:{today}")
    until = texts.minute(verdict.until, desk.zone)
    cause = f"pin_locked:{asking.msisdn}:{until}"
    return Reply("pin_locked", "pin_locked", {"until": until}, once=cause)
