"""A token by SMS, with REDEEM before it or without: redeemed; its receipt is the reply."""

from gateway.formats import money
from gateway.sms import texts
from gateway.switches import board
from gateway.tokens.redeem import Answer, Caller
from menus.desk import Desk
from menus.keywords.asking import Asking, Reply
from menus.keywords.notes import PAUSED_NOTE

CHANNEL = "sms"  # as which its limits count


def redeem(desk: Desk, asking: Asking, entry: str) -> Reply:
    """Redeem what was written into the wallet of who wrote it."""
    if desk.is_paused(asking.connection, board.REDEEM):  # before it counts as a guess
        return Reply(PAUSED_NOTE, PAUSED_NOTE)
    caller = Caller(asking.msisdn, CHANNEL, asking.language)
    outcome = desk.redeemer.redeem(asking.connection, entry, caller, asking.now)
    answer = outcome.answer.value
    if outcome.answer is Answer.REDEEMED:
        return Reply(answer)
    if outcome.until is not None:
        until = texts.minute(outcome.until, desk.zone)
        # Said once: answering every text of a phone that goes on guessing costs money.
        return Reply(answer, answer, {"until": until}, once=f"limited:{asking.msisdn}:{until}")
    if outcome.at is None:
        return Reply(answer, answer, {"serial": outcome.serial}, outcome.serial)
    details = {
        "serial": outcome.serial,
        "amount": money.display(outcome.amount, outcome.currency),
        "at": texts.minute(outcome.at, desk.zone),
    }
    return Reply(answer, answer, details, outcome.serial)
