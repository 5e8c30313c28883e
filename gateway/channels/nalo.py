"""Nalo Solutions (Ghana): USSD turns with the last input, in JSON, older ones without a session."""

from gateway.channels import base
from gateway.formats import json_forms

NAME = "nalo"


class NaloChannel:
    """USSD of Nalo Solutions, which says nothing when a dialogue is over."""

    name = NAME
    content_type = "application/json; charset=utf-8"
    septets_max = 120  # characters of MSG: documenter.getpostman.com/view/7705958/UyrEhaLQ
    paths: tuple[base.Path, ...] = ()

    def __init__(self, code: str = "") -> None:
        """`code` is the service code as it is dialled, which no request tells."""
        self._code = code

    def parse_turn(self, request: base.Inbound) -> base.UssdTurn:
        """Read a turn; without SESSIONID a dialogue goes by its phone and its start."""
        fields = base.json_fields(request.body)
        begins = base.json_flag(fields, "msgtype")
        return base.UssdTurn(
            channel=NAME,
            session_id=base.optional(fields, "sessionid").strip(),
            phone=base.international(base.required(fields, "msisdn")),
            service_code=self._code,
            network=base.optional(fields, "network"),
            text=base.last_input(fields.get("userdata", ""), self._code, begins),
        )

    def render(self, reply: base.UssdReply, asked: base.Inbound) -> bytes:
        """Write the screen; the input that could be echoed may be a token, and is not."""
        fields = base.json_echo(asked.body)
        return json_forms.written(
            {
                "USERID": fields.get("userid", ""),
                "MSISDN": fields.get("msisdn", ""),
                "MSG": base.lines(reply.text),
                "MSGTYPE": not reply.ends,
            }
        )
