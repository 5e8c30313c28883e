"""Arkesel (Ghana): USSD turns with the last input, in JSON."""

from gateway.channels import base
from gateway.formats import json_forms

NAME = "arkesel"


class ArkeselChannel:
    """USSD of Arkesel, which says nothing when a dialogue is over."""

    name = NAME
    content_type = "application/json; charset=utf-8"
    septets_max = 160
    paths: tuple[base.Path, ...] = ()

    def __init__(self, code: str = "") -> None:
        """`code` is the service code as it is dialled, which no request tells."""
        self._code = code

    def parse_turn(self, request: base.Inbound) -> base.UssdTurn:
        """Read a turn; at its start `userData` is what was dialled."""
        fields = base.json_fields(request.body)
        begins = base.json_flag(fields, "newsession")
        return base.UssdTurn(
            channel=NAME,
            session_id=base.required(fields, "sessionid"),
            phone=base.international(base.required(fields, "msisdn")),
            service_code=self._code,
            network=base.optional(fields, "network"),
            text=base.last_input(fields.get("userdata", ""), self._code, begins),
        )

    def render(self, reply: base.UssdReply, asked: base.Inbound) -> bytes:
        """Write the screen, with the session, account and phone as they were asked."""
        fields = base.json_echo(asked.body)
        return json_forms.written(
            {
                "sessionID": fields.get("sessionid", ""),
                "userID": fields.get("userid", ""),
                "msisdn": fields.get("msisdn", ""),
                "message": base.lines(reply.text),
                "continueSession": not reply.ends,
            }
        )
