"""The demo's phone: a feature phone in the browser, which plays the aggregator behind it too."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import Final

from flask import (
    Blueprint,
    Response,
    jsonify,
    render_template,
    request,
)

from gateway.formats import msisdn
from gateway.web.access import callers
from gateway.web.pages import static

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# What the page loads: other pages' files in the same folder are not this blueprint's to serve.
ASSETS: Final = (
    "look.css",
    "phone.css",
    "phone_handset.css",
    "phone_log.css",
    "phone.js",
    "phone_handset.js",
    "phone_keys.js",
    "phone_line.js",
    "phone_panels.js",
)

PAGE: Final = "/phone"
PHONES_MAX: Final = 40  # inboxes in one request
MESSAGES_MAX: Final = 30  # newest messages of one inbox
NUMBER_WANTED: Final = "Write the whole number, with + and the country code."


@dataclass(frozen=True, slots=True)
class Sms:
    """One message in an inbox, rendered when it is viewed; `at` is aware UTC."""

    id: int
    sender: str
    text: str = field(repr=False)  # may hold a token's digits
    at: datetime


@dataclass(frozen=True, slots=True)
class PhoneParts:
    """What the page is wired to: the demo's people, their inboxes and the real endpoints."""

    phones: Callable[[], Sequence[tuple[str, str]]]  # (E.164 number, name to show)
    inbox: Callable[[str], Sequence[Sms]]  # of an E.164 number, newest first
    ussd_path: str
    sms_path: str
    service_code: str  # as dialled: *384*1#
    short_code: str  # where an SMS goes to
    network: str  # the aggregator's code for the mobile network


def blueprint(parts: PhoneParts) -> Blueprint:
    """The routes of the phone; for demo mode alone, since the inbox shows token digits."""
    phone = Blueprint("phone", __name__, template_folder="templates")

    @phone.get("/")
    @callers("demo")
    def root() -> Response:
        answer = Response(status=HTTPStatus.FOUND)
        answer.headers["Location"] = PAGE
        return answer

    @phone.get(PAGE)
    @callers("demo")
    def page() -> Response:
        people = [(number, name, msisdn.display(number)) for number, name in parts.phones()]
        return _guarded(Response(render_template("phone.html", parts=parts, people=people)))

    @phone.get("/phone/inbox")
    @callers("demo")
    def inbox() -> Response:
        return _guarded(_inboxes(parts, request.args.getlist("phone")))

    @phone.get("/phone/static/<name>")
    @callers("demo")
    def asset(name: str) -> Response:
        return static.sent(name, ASSETS)

    return phone


def _inboxes(parts: PhoneParts, spelled: Sequence[str]) -> Response:
    """The inbox of each number asked for; 422 where one of them is no phone number."""
    if not 1 <= len(spelled) <= PHONES_MAX:
        return _refused(f"Ask for 1 to {PHONES_MAX} phones.")
    try:
        # Without a country of its own, only the international form names one phone for certain.
        numbers = [msisdn.parse(text, country="") for text in spelled]
    except msisdn.InvalidMsisdn:
        return _refused(NUMBER_WANTED)
    return jsonify(
        inboxes=[
            {
                "phone": number,
                "shown": msisdn.display(number),
                "messages": [_message(sms) for sms in parts.inbox(number)[:MESSAGES_MAX]],
            }
            for number in numbers
        ]
    )


def _message(sms: Sms) -> dict[str, object]:
    return {"id": sms.id, "from": sms.sender, "text": sms.text, "at": sms.at.isoformat()}


def _refused(detail: str) -> Response:
    response = jsonify(code="invalid_request", title="Invalid request", detail=detail, status=422)
    response.status_code = HTTPStatus.UNPROCESSABLE_ENTITY
    response.mimetype = "application/problem+json"
    return response


def _guarded(response: Response) -> Response:
    """No cache keeps the digits of an inbox, and the page runs no code but its own files."""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
