"""Africa's Talking: USSD callbacks, SMS through its SDK, delivery reports and inbound SMS."""

import json
import re
import ssl
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import requests
from africastalking.Service import AfricasTalkingException
from africastalking.SMS import SMSService
from urllib3.exceptions import ConnectTimeoutError, HTTPError, MaxRetryError, ProxyError, SSLError

from gateway import errors
from gateway.channels import base
from gateway.settings import AfricasTalking

NAME = "africastalking"
TIMEOUT_SECONDS = (3.05, 9.05)  # to connect, between bytes: the SDK's own
RETRY_SECONDS = 60
OPERATOR_SECONDS = 300  # until the next try of what waits for an operator; a new key takes ~20 min
BASE_URL = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]+)?(/[A-Za-z0-9._/-]*)?\Z")
API_KEY = re.compile(r"[!-~]*\Z")  # it travels in a header
DATE_SHAPES = ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S")

# Bodies of a 401, which the SDK hands on without the status code.
CREDENTIALS_REFUSED = (
    "The supplied authentication is invalid",
    "The resource requires authentication, which was not supplied with the request",
)

DELIVERY: Mapping[str, base.Delivery] = {
    "Sent": base.Delivery.INTERIM,
    "Submitted": base.Delivery.INTERIM,
    "Buffered": base.Delivery.INTERIM,
    "Success": base.Delivery.DELIVERED,
    "Failed": base.Delivery.FAILED,
    "Rejected": base.Delivery.FAILED,
    "AbsentSubscriber": base.Delivery.FAILED,
    "Expired": base.Delivery.FAILED,
}

# Status codes of a recipient: developers.africastalking.com/docs/sms/sending/bulk
ACCEPTED = ("100", "101", "102")  # Processed, Sent, Queued
REFUSED: Mapping[str, str] = {
    "401": "RiskHold",
    "402": "InvalidSenderId",
    "403": "InvalidPhoneNumber",
    "404": "UnsupportedNumberType",
    "406": "UserInBlacklist",
    "409": "DoNotDisturbRejection",
    "502": "RejectedByGateway",
}
LATER: Mapping[str, str] = {
    "405": "InsufficientBalance",
    "407": "CouldNotRoute",
    "500": "InternalServerError",
    "501": "GatewayError",
}
OF_THE_NUMBER = ("InvalidPhoneNumber", "UnsupportedNumberType")  # no other channel takes it
OPERATOR_ACTS = ("RiskHold", "InvalidSenderId", "InsufficientBalance", "RejectedByGateway")

# Faults of the line that come before a byte of the request is sent: the first also stands for
# a refused connection and an unknown host.
BEFORE_SENDING = (ConnectTimeoutError, ProxyError, ssl.SSLCertVerificationError)


class AfricasTalkingChannel:
    """USSD and SMS of Africa's Talking; holds no connection and may be shared by threads."""

    name = NAME
    content_type = "text/plain; charset=utf-8"
    septets_max = 160
    paths: tuple[base.Path, ...] = ()

    def __init__(
        self,
        settings: AfricasTalking,
        timeout_seconds: tuple[float, float] = TIMEOUT_SECONDS,
    ) -> None:
        """Raise `Misconfigured` when the base URL or the key cannot be used."""
        self._post, self._url = _sdk(settings)
        self._sender_id = settings.sender_id
        self._timeout_seconds = timeout_seconds
        self._text_prefix = settings.text_prefix.strip("*")

    def parse_turn(self, request: base.Inbound) -> base.UssdTurn:
        """Read a session callback; raise `Malformed` without a session or a phone."""
        form = request.form
        return base.UssdTurn(
            channel=NAME,
            session_id=base.required(form, "sessionId"),
            phone=base.with_plus(base.required(form, "phoneNumber")),
            service_code=base.optional(form, "serviceCode"),
            network=base.optional(form, "networkCode"),
            text=_without_prefix(form.get("text", ""), self._text_prefix),
        )

    def parse_end(self, request: base.Inbound) -> base.UssdEnd:
        """Read a session-end notification; its `input` and `lastAppResponse` may hold tokens."""
        form = request.form
        return base.UssdEnd(
            channel=NAME,
            session_id=base.required(form, "sessionId"),
            phone=base.with_plus(base.optional(form, "phoneNumber")),
            status=base.optional(form, "status"),
        )

    def render(self, reply: base.UssdReply, asked: base.Inbound) -> bytes:
        """Write `CON ` or `END ` and the text; anything in front of them is an error there."""
        return f"{'END' if reply.ends else 'CON'} {base.lines(reply.text)}".encode()

    def parse_message(self, request: base.Inbound) -> base.InboundSms:
        """Read an incoming SMS, which is posted every minute until it got a 200, or for 12 h."""
        form = request.form
        return base.InboundSms(
            channel=NAME,
            message_id=base.required(form, "id"),
            sender=base.with_plus(base.required(form, "from")),
            recipient=base.with_plus(base.optional(form, "to")),
            text=form.get("text", ""),
            sent_at=_instant(form.get("date", "")),
        )

    def parse_report(self, request: base.Inbound) -> base.DeliveryReport:
        """Read a delivery report; the words are those of docs/sms/notifications."""
        form = request.form
        status = base.optional(form, "status")
        return base.DeliveryReport(
            channel=NAME,
            message_id=base.required(form, "id"),
            delivery=DELIVERY.get(status, base.Delivery.UNKNOWN_WORD),
            status=status,
            reason=form.get("failureReason", "")[: base.FIELD_CHARACTERS_MAX],
            phone=base.with_plus(base.optional(form, "phoneNumber")),
        )

    def send(self, to: str, text: str, *, reference: str, sender_id: str | None) -> base.Handover:
        """Hand one message over; the API has no idempotency key, so `reference` stays here."""
        if not base.E164.match(to):
            raise errors.Refused("not an E.164 number", everywhere=True)
        if not text:
            raise errors.Refused("empty message", everywhere=True)
        sender = sender_id or self._sender_id or None  # the sandbox refuses even an empty one
        try:
            answer = self._post(text, [to], sender, timeout=self._timeout_seconds)
        except AfricasTalkingException as error:
            answer = str(error)  # the body of any answer but a 2xx
        except (requests.RequestException, HTTPError, ValueError, RecursionError) as error:
            raise _line_fault(error, self._url) from None
        return _handover(answer)


def _sdk(settings: AfricasTalking) -> tuple[Callable[..., object], str]:
    """The untyped SDK's one call that we make, and the URL it posts to."""
    base_url = settings.base_url.rstrip("/")
    if base_url and not BASE_URL.match(base_url):
        raise errors.Misconfigured("AFRICASTALKING_BASE_URL must be http(s)://host[:port][/path]")
    if not API_KEY.match(settings.api_key):
        raise errors.Misconfigured("AFRICASTALKING_API_KEY must be ASCII without spaces")
    service = SMSService(settings.username, settings.api_key)
    if base_url:
        service._baseUrl = f"{base_url.removesuffix('/version1')}/version1"
    return service.send, f"{service._baseUrl}/messaging"


def _without_prefix(text: str, prefix: str) -> str:
    """The text without a shared code's extension, which stands before what the caller typed.

    >>> _without_prefix("33*1*2", "33"), _without_prefix("33", "33"), _without_prefix("1", "")
    ('1*2', '', '1')
    >>> _without_prefix("331*2", "33")
    '331*2'
    """
    if not prefix:
        return text
    return "" if text == prefix else text.removeprefix(f"{prefix}*")


def _instant(date: str) -> datetime | None:
    """The UTC instant of a callback's date; None when its shape is neither of the two seen.

    >>> _instant("2026-05-03T06:04:45Z") == _instant("2026-05-03 06:04:45")
    True
    >>> _instant("2026-05-03T06:04")
    """
    for shape in DATE_SHAPES:
        try:
            return datetime.strptime(date, shape).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _line_fault(error: Exception, url: str) -> errors.SendFailed:
    """`Unreachable` only when no byte of the message can have left, else `OutcomeUnknown`."""
    cause = error.args[0] if error.args else None
    if isinstance(cause, MaxRetryError):
        cause = cause.reason
    if isinstance(cause, SSLError) and cause.args:
        cause = cause.args[0]
    asked = getattr(error, "request", None)
    redirected = asked is not None and asked.url != url  # then the first server had it all
    if isinstance(cause, BEFORE_SENDING) and not redirected:
        return errors.Unreachable(f"no connection: {type(cause).__name__}")
    return errors.OutcomeUnknown(f"no answer: {type(error).__name__}")


def _handover(body: object) -> base.Handover:
    """What a body says, under whatever HTTP status: refusals come under 201 and 409 alike."""
    match _parsed(body):
        case {"SMSMessageData": {"Recipients": []} as data}:
            word = base.plain(data.get("Message"))
            if word.startswith("Sent to"):
                raise errors.OutcomeUnknown(f"no recipient named: {word}")
            raise _refusal(word, errors.Refused(word, alarm=True))
        case {"SMSMessageData": {"Recipients": [{"statusCode": code} as recipient]}}:
            if str(code) not in ACCEPTED:
                unknown = f"unknown status code: {base.plain(recipient.get('status'))}"
                word = {**REFUSED, **LATER}.get(str(code), "")
                raise _refusal(word, errors.OutcomeUnknown(unknown))
            return base.Handover(
                message_id=_message_id(recipient.get("messageId")),
                cost=str(recipient.get("cost", ""))[: base.FIELD_CHARACTERS_MAX],
            )
    if isinstance(body, str) and any(words in body for words in CREDENTIALS_REFUSED):
        raise errors.Throttled("credentials refused", OPERATOR_SECONDS, alarm=True)
    raise errors.OutcomeUnknown("unreadable answer")


def _parsed(body: object) -> object:
    """The body as JSON; the SDK parses it only under a content type without a charset."""
    try:
        return json.loads(body) if isinstance(body, str) else body
    except (ValueError, RecursionError):
        return None


def _message_id(value: object) -> str:
    """The id that reports will name; "" for none, which the API writes as the word "None".

    Nor is a text an id that no database would store, or no report could name.

    >>> _message_id("ATXid_1"), _message_id("None"), _message_id("ATXid_\\ud800")
    ('ATXid_1', '', '')
    """
    if not isinstance(value, str) or value == "None" or not value.strip():
        return ""
    fits = len(value) <= base.FIELD_CHARACTERS_MAX and value.isprintable()  # no lone surrogate
    return value if fits else ""


def _refusal(word: str, otherwise: errors.SendFailed) -> errors.SendFailed:
    """What a word of the tables decides; `otherwise` for a word that stands in neither."""
    alarm = word in OPERATOR_ACTS
    if word in LATER.values():
        return errors.Throttled(word, OPERATOR_SECONDS if alarm else RETRY_SECONDS, alarm=alarm)
    if word not in REFUSED.values():
        return otherwise
    return errors.Refused(word, alarm=alarm, everywhere=word in OF_THE_NUMBER)
