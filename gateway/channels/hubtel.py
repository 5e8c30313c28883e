"""Hubtel Programmable Services (Ghana): numbered USSD turns with the last input, in JSON."""

from gateway.channels import base
from gateway.formats import json_forms

NAME = "hubtel"

# `Type` of a request, compared without regard to case: docs/api-reference-prog-services
INITIATION, RESPONSE = "initiation", "response"
ENDS = ("release", "timeout")
ON_A_PHONE = ("", "ussd")  # `Platform`: elsewhere no mobile network vouches for the number
SEQUENCE_DIGITS_MAX = 9


class HubtelChannel:
    """USSD of Hubtel; its apps and web mall are turned away."""

    name = NAME
    content_type = "application/json; charset=utf-8"
    septets_max = 160
    paths: tuple[base.Path, ...] = ()

    def __init__(self, code: str = "") -> None:
        """`code` is the service code as it is dialled, where `ServiceCode` says another."""
        self._code = code

    def parse_turn(self, request: base.Inbound) -> base.UssdTurn | base.UssdEnd:
        """Read a turn; a release and a time-out come as turns do."""
        fields = base.json_fields(request.body)
        kind = base.optional(fields, "type").lower()
        session_id = base.required(fields, "sessionid")
        phone = base.international(base.required(fields, "mobile"))
        if kind in ENDS:
            return base.UssdEnd(NAME, session_id, phone, kind)
        if kind not in (INITIATION, RESPONSE):
            raise base.Malformed("Type is unknown")
        if base.optional(fields, "platform").lower() not in ON_A_PHONE:
            raise base.Malformed("Platform is not USSD")
        service_code = base.optional(fields, "servicecode")
        text, code = fields.get("message", ""), self._code or service_code
        return base.UssdTurn(
            channel=NAME,
            session_id=session_id,
            phone=phone,
            service_code=service_code,
            network=base.optional(fields, "operator"),
            text=base.last_input(
                text, code, kind == INITIATION, _sequence(base.optional(fields, "sequence"))
            ),
        )

    def render(self, reply: base.UssdReply, asked: base.Inbound) -> bytes:
        """Write the screen; `Label` and the types of fields are for Hubtel's apps."""
        text = base.lines(reply.text)
        return json_forms.written(
            {
                "SessionId": base.json_echo(asked.body).get("sessionid", ""),
                "Type": "release" if reply.ends else "response",
                "Message": text,
                "Label": text,
                "ClientState": "",
                "DataType": "display" if reply.ends else "input",
                "FieldType": "text",
            }
        )


def _sequence(written: str) -> int | None:
    """The number of a turn; None for what is no number, and then the turns are counted.

    >>> _sequence("2"), _sequence(""), _sequence("-1"), _sequence("9" * 10)
    (2, None, None, None)
    """
    is_number = written.isascii() and written.isdigit() and len(written) <= SEQUENCE_DIGITS_MAX
    return int(written) if is_number else None
