"""Infobip's USSD gateway: a path for each turn of a session, the last input in JSON."""

from gateway.channels import base
from gateway.formats import json_forms

NAME = "infobip"

START, RESPONSE, END = "start", "response", "end"
TAKEN = 200  # `responseExitCode` of what was understood


class InfobipChannel:
    """USSD of Infobip, as its third-party application interface was published."""

    name = NAME
    content_type = "application/json; charset=utf-8"
    septets_max = 160
    paths: tuple[base.Path, ...] = (
        base.Path("/session/<session>/<any(start, response, end):verb>", ("POST", "PUT")),
    )

    def __init__(self, code: str = "") -> None:
        """`code` is the service code as it is dialled, where `shortCode` is not sent."""
        self._code = code

    def parse_turn(self, request: base.Inbound) -> base.UssdTurn | base.UssdEnd:
        """Read a turn; the notice of an end names no phone."""
        verb = request.path.get("verb", "")
        session_id = base.required(request.path, "session")
        fields = base.json_fields(request.body)
        if verb == END:
            phone = base.international(base.optional(fields, "msisdn"))
            return base.UssdEnd(NAME, session_id, phone, base.optional(fields, "exitcode"))
        service_code = base.optional(fields, "shortcode")
        text, code = fields.get("text", ""), self._code or service_code
        return base.UssdTurn(
            channel=NAME,
            session_id=session_id,
            phone=base.international(base.required(fields, "msisdn")),
            service_code=service_code,
            network=base.optional(fields, "ussdgwid"),
            text=base.last_input(text, code, verb == START),
        )

    def render(self, reply: base.UssdReply, asked: base.Inbound) -> bytes:
        """Write the screen; the first one may not close the session, whatever it says."""
        verb = asked.path.get("verb", "")
        taken = {"responseExitCode": TAKEN, "responseMessage": ""}
        if verb == END:
            return json_forms.written(taken)
        closes = reply.ends and verb != START
        screen = {"ussdMenu": base.lines(reply.text), "shouldClose": closes}
        return json_forms.written({**screen, **taken})
