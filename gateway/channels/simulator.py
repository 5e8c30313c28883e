"""The demo's SMS: a message handed over is delivered, for the phone's inbox is the outbox."""

from typing import NoReturn

from gateway.channels.base import Handover, Inbound, Malformed


class SimulatorChannel:
    """SMS that goes nowhere and always arrives; nothing ever calls back."""

    name = "simulator"

    def parse_message(self, request: Inbound) -> NoReturn:
        """Raise `Malformed`: the demo's phones send through the other channels' routes."""
        raise Malformed("the simulator takes no messages")

    def parse_report(self, request: Inbound) -> NoReturn:
        """Raise `Malformed`: the hand-over was the delivery."""
        raise Malformed("the simulator gives no reports")

    def send(self, to: str, text: str, *, reference: str, sender_id: str | None) -> Handover:
        """Deliver at once; the same reference has the same message id at every try."""
        return Handover(message_id=f"sim-{reference}", delivered=True)
