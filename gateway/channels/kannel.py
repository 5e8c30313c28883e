"""Kannel: SMS out through sendsms, messages and delivery reports in through its URLs."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from http.client import HTTPResponse as Answer
from urllib.parse import unquote_to_bytes, urlsplit

from gateway import errors
from gateway.channels import base
from gateway.formats import gsm7
from gateway.settings.kannel import Kannel

NAME = "kannel"
TIMEOUT_SECONDS = (3.05, 9.05)  # to connect, between bytes
RETRY_SECONDS = 60
OPERATOR_SECONDS = 300  # until the next try of what waits for an operator
ANSWER_BYTES_MAX = 1_000
URL = re.compile(r"https?://([A-Za-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?\Z")
IN_A_HEADER = re.compile(r"[!-~]+\Z")
SENDER = re.compile(r"[ -~]{1,16}\Z")  # a number or a name; networks show 11 letters of a name
GSM7, UCS2 = "0", "2"  # X-Kannel-Coding
ALL_REPORTS = "31"  # X-Kannel-DLR-Mask: every type below

# Kannel's types of delivery reports (dlr-mask bits), and what is said of a failure.
DELIVERY: Mapping[str, base.Delivery] = {
    "1": base.Delivery.DELIVERED,
    "2": base.Delivery.FAILED,
    "4": base.Delivery.INTERIM,  # queued on the SMSC
    "8": base.Delivery.INTERIM,  # accepted by the SMSC
    "16": base.Delivery.FAILED,
}
FAILURES: Mapping[str, str] = {"2": "not delivered", "16": "rejected by the SMSC"}

# What sendsms answers begins so, seen with Kannel 1.4.5 (but for "Temporal failure").
ACCEPTED = ("0:", "3:")  # Accepted for delivery, Queued for later delivery
NOT_ROUTABLE = "Not routable"  # no SMSC of it takes this prefix
DENIED = "Number(s) has/have been denied"  # by its own lists
NO_SENDER = "Sender missing"
NO_RECEIVER = "Missing receiver"

# Of an inbound message, as %C names it; an unknown name is read as UTF-8.
CHARSETS: Mapping[str, str] = {
    "ISO-8859-1": "latin-1",
    "WINDOWS-1252": "cp1252",
    "UTF-16BE": "utf-16-be",
    "UCS-2": "utf-16-be",
}


class KannelChannel:
    """SMS through a Kannel of our own; holds no connection and may be shared by threads."""

    name = NAME

    def __init__(
        self,
        settings: Kannel,
        receipts_url: str,
        timeout_seconds: tuple[float, float] = TIMEOUT_SECONDS,
    ) -> None:
        """Without a `receipts_url` no reports are asked for. `Misconfigured` names the setting."""
        self._settings = _usable(settings)
        if receipts_url and not URL.match(receipts_url):
            raise errors.Misconfigured("KANNEL_CALLBACK_URL must be http(s)://host[:port][/path]")
        self._receipts_url = receipts_url
        self._timeout_seconds = timeout_seconds

    def parse_message(self, request: base.Inbound) -> base.InboundSms:
        """Read a message from get-url or post-url; `id` is %I, the same for every repeat."""
        query = request.query
        return base.InboundSms(
            channel=NAME,
            message_id=base.required(query, "id"),
            sender=base.with_plus(base.required(query, "from")),
            recipient=base.with_plus(base.optional(query, "to")),
            text=_text(request),
            sent_at=_instant(query.get("time", "")),
        )

    def parse_report(self, request: base.Inbound) -> base.DeliveryReport:
        """Read a delivery report, called at the URL that went along with the message."""
        status = base.optional(request.query, "type")
        return base.DeliveryReport(
            channel=NAME,
            message_id=base.required(request.query, "id"),
            delivery=DELIVERY.get(status, base.Delivery.UNKNOWN_WORD),
            status=status,
            reason=FAILURES.get(status, ""),
            phone=base.with_plus(base.optional(request.query, "to")),
        )

    def send(self, to: str, text: str, *, reference: str, sender_id: str | None) -> base.Handover:
        """Hand one message over; Kannel names no id, so reports come back under `reference`."""
        if not base.E164.match(to):
            raise errors.Refused("not an E.164 number", everywhere=True)
        if not text:
            raise errors.Refused("empty message", everywhere=True)
        status, words = self._post(self._headers(to, text, reference, sender_id), text)
        if status == 202 and words.startswith(ACCEPTED):
            return base.Handover(message_id=reference)
        raise _failure(status, words)

    def check(self) -> str:
        """Ask for nothing to be sent to nobody: Kannel looks at the credentials before it refuses.

        What is well; raises one of `SendFailed`'s children otherwise.
        """
        status, words = self._post(self._credentials(), "")
        if status == 400 and words.startswith(NO_RECEIVER):
            return "answers" if self._receipts_url else "answers; no reports: KANNEL_CALLBACK_URL"
        raise _failure(status, words)

    def _credentials(self) -> dict[str, str]:
        return {
            "Content-Type": "text/plain; charset=utf-8",
            "X-Kannel-Username": self._settings.username,
            "X-Kannel-Password": self._settings.password,
        }

    def _headers(self, to: str, text: str, reference: str, sender_id: str | None) -> dict[str, str]:
        # In headers and a body: a query would put token and password into logs on the way.
        headers = {
            **self._credentials(),
            "X-Kannel-To": to,
            "X-Kannel-Coding": GSM7 if gsm7.is_gsm7(text) else UCS2,
        }
        given = sender_id if sender_id and SENDER.match(sender_id) else ""
        if sender := given or self._settings.sender:
            headers["X-Kannel-From"] = sender
        if self._receipts_url:
            # Never %A: an SMSC's receipt repeats the beginning of the text.
            headers["X-Kannel-DLR-Url"] = f"{self._receipts_url}?id={reference}&type=%d&to=%p"
            headers["X-Kannel-DLR-Mask"] = ALL_REPORTS
        return headers

    def _post(self, headers: Mapping[str, str], text: str) -> tuple[int, str]:
        """The status and the first words; no byte of the message leaves before a connection."""
        url = urlsplit(self._settings.sendsms_url)
        kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
        to_connect, to_read = self._timeout_seconds
        line = kind(url.hostname or "", url.port, timeout=to_connect)
        try:
            try:
                line.connect()
            except OSError as error:
                raise errors.Unreachable(f"no connection: {type(error).__name__}") from None
            line.sock.settimeout(to_read)
            try:
                line.request("POST", url.path or "/", text.encode(), dict(headers))
                answer: Answer = line.getresponse()
                return answer.status, answer.read(ANSWER_BYTES_MAX).decode("utf-8", "replace")
            except (OSError, HTTPException) as error:
                raise errors.OutcomeUnknown(f"no answer: {type(error).__name__}") from None
        finally:
            line.close()


def _usable(settings: Kannel) -> Kannel:
    """The settings; those of a channel that only receives may be empty."""
    if settings.sendsms_url and not URL.match(settings.sendsms_url):
        raise errors.Misconfigured("KANNEL_SENDSMS_URL must be http(s)://host[:port]/path")
    for name in ("username", "password"):
        if (value := getattr(settings, name)) and not IN_A_HEADER.match(value):
            raise errors.Misconfigured(f"KANNEL_{name.upper()} must be ASCII without spaces")
    if settings.sender and not SENDER.match(settings.sender):
        raise errors.Misconfigured("KANNEL_SENDER must be at most 16 characters of ASCII")
    return settings


def _failure(status: int, words: str) -> errors.SendFailed:
    """What an answer other than yes means.

    >>> _failure(403, "Not routable. Do"), _failure(503, "Temporal failure")
    (Refused('HTTP 403 Not routable. Do'), Throttled('HTTP 503 Temporal failure'))
    >>> _failure(502, ""), _failure(202, "<html>")
    (OutcomeUnknown('HTTP 502 no reason given'), OutcomeUnknown('HTTP 202 <html>'))
    """
    said = f"HTTP {status} {base.plain(words)}"
    if status == 403 and not words.startswith(NOT_ROUTABLE):
        return errors.Throttled("credentials refused", OPERATOR_SECONDS, alarm=True)
    if status == 400 and words.startswith(NO_SENDER):
        return errors.Throttled("no sender: KANNEL_SENDER", OPERATOR_SECONDS, alarm=True)
    if 300 <= status < 400 or status in (401, 404, 405, 407):
        return errors.Throttled(f"{said}: KANNEL_SENDSMS_URL", OPERATOR_SECONDS, alarm=True)
    if status == 429 or (status == 503 and words.startswith("Temporal failure")):
        return errors.Throttled(said, RETRY_SECONDS)
    if 400 <= status < 500:
        return errors.Refused(said, alarm=not words.startswith(DENIED))
    return errors.OutcomeUnknown(said)


def _text(request: base.Inbound) -> str:
    """The message: the body of a post-url, `text` of a get-url, in the charset of `charset`.

    >>> _text(base.Inbound("GET", {}, {"charset": "ISO-8859-1"}, b"", b"id=1&text=%E9+a"))
    'é a'
    >>> _text(base.Inbound("POST", {}, {"charset": "UTF-16BE"}, b"\\xff\\x11\\x00A"))
    '１A'
    >>> _text(base.Inbound("POST", {}, {"charset": "8-BIT"}, b"4907 \\xff"))
    '4907 \\ufffd'
    """
    raw = request.body if request.method == "POST" else _raw(request.raw_query, b"text")
    charset = CHARSETS.get(request.query.get("charset", "").upper(), "utf-8")
    return raw.decode(charset, "replace")


def _raw(query: bytes, wanted: bytes) -> bytes:
    """The bytes of a field, which a framework would have read as UTF-8.

    >>> _raw(b"id=1&text=a%E9+b&charset=X", b"text"), _raw(b"id=1", b"text")
    (b'a\\xe9 b', b'')
    """
    pairs = [pair.partition(b"=") for pair in query.split(b"&")]
    found = [value for name, _, value in pairs if name == wanted]
    return unquote_to_bytes(found[-1].replace(b"+", b" ")) if found else b""


def _instant(seconds: str) -> datetime | None:
    """The UTC instant of %T, seconds since 1970; None for anything else.

    >>> _instant("1777788285").isoformat()
    '2026-05-03T06:04:45+00:00'
    >>> _instant("2026-05-03 06:04")
    """
    if not re.fullmatch(r"[1-9][0-9]{8,9}", seconds, re.ASCII):
        return None
    return datetime.fromtimestamp(int(seconds), UTC)
