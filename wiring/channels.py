"""The SMS channels, by the name that GATEWAY_SMS_CHANNELS lists, and how each is looked at."""

from collections.abc import Callable, Mapping

from gateway.channels.africastalking import AfricasTalkingChannel
from gateway.channels.base import SmsChannel
from gateway.channels.kannel import KannelChannel
from gateway.channels.simulator import SimulatorChannel
from gateway.settings import Settings


def kannel(settings: Settings) -> KannelChannel:
    """Kannel, which is told with each message where its reports go."""
    base, secret = settings.kannel.callback_url, settings.callback_secrets[0]
    return KannelChannel(settings.kannel, f"{base}/sms/kannel/{secret}/receipts" if base else "")


SMS_CHANNELS: Mapping[str, Callable[[Settings], SmsChannel]] = {
    "africastalking": lambda s: AfricasTalkingChannel(s.africastalking),
    "kannel": kannel,
    "simulator": lambda _: SimulatorChannel(),
}
# Those that can be asked how they are without sending anything.
CHECKS: Mapping[str, Callable[[Settings], str]] = {"kannel": lambda s: kannel(s).check()}
