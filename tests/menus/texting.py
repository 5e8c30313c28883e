"""Phones that text in tests: what they are answered, as it would be sent."""

from gateway.tokens.issue import DELIVERY
from gateway.tokens.redeem import RECEIPT
from menus.keywords import NOTE
from tests.support.wired import ADA, Wired
from tests.web.sms_callbacks import outcomes, replies, text_in

ANSWERS = (NOTE, DELIVERY, RECEIPT)


def said(wired: Wired, to: str = ADA) -> list[str]:
    """The texts that answer a phone, oldest first."""
    gateway = wired.gateway
    renderers = {**gateway.renderers(), DELIVERY: gateway.tokens.messages.delivered}
    with wired.gateway.database.snapshot() as connection:
        return [
            renderers[message.template](connection, message).body
            for message in replies(wired)
            if message.recipient == to and message.template in ANSWERS
        ]


def answered(wired: Wired, text: str, message_id: str, sender: str = ADA) -> tuple[str, list[str]]:
    """What came of one text, and what its sender is answered for it."""
    before = len(said(wired, sender))
    assert text_in(wired, text, message_id, sender=sender).status_code == 200
    return outcomes(wired)[-1], said(wired, sender)[before:]


def choose(wired: Wired, language: str, phone: str = ADA) -> None:
    """A phone's owner chooses a language."""
    now = wired.clock.now()
    wired.run(lambda c: wired.gateway.subscribers.choose_language(c, phone, language, now))
