"""The USSD channels, by the name that stands in their path."""

from collections.abc import Callable, Mapping

from gateway.channels.africastalking import AfricasTalkingChannel
from gateway.channels.arkesel import ArkeselChannel
from gateway.channels.base import UssdChannel
from gateway.channels.hollatags import HollaTagsChannel
from gateway.channels.hubtel import HubtelChannel
from gateway.channels.infobip import InfobipChannel
from gateway.channels.madapi import MadapiChannel
from gateway.channels.nalo import NaloChannel
from gateway.errors import Misconfigured
from gateway.settings import Settings

USSD_CHANNELS: Mapping[str, Callable[[Settings], UssdChannel]] = {
    "africastalking": lambda s: AfricasTalkingChannel(s.africastalking),
    "arkesel": lambda s: ArkeselChannel(s.ussd_codes.get("arkesel", "")),
    "hollatags": lambda s: HollaTagsChannel(s.ussd_codes.get("hollatags", "")),
    "hubtel": lambda s: HubtelChannel(s.ussd_codes.get("hubtel", "")),
    "infobip": lambda s: InfobipChannel(s.ussd_codes.get("infobip", "")),
    "madapi": lambda s: MadapiChannel(s.ussd_codes.get("madapi", "")),
    "nalo": lambda s: NaloChannel(s.ussd_codes.get("nalo", "")),
}


def ussd_channels(settings: Settings) -> Mapping[str, UssdChannel]:
    """Every channel; raises `Misconfigured` where a code is given for one that takes none."""
    coded = USSD_CHANNELS.keys() - {"africastalking"}  # it has AFRICASTALKING_TEXT_PREFIX
    unknown = sorted(settings.ussd_codes.keys() - coded)
    if unknown:
        raise Misconfigured(f"GATEWAY_USSD_CODES names no such channel: {', '.join(unknown)}")
    return {name: make(settings) for name, make in USSD_CHANNELS.items()}
