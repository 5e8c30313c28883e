"""MTN MADAPI: USSD turns of MTN's own platform with the last input, in JSON."""

from gateway.channels import base
from gateway.formats import json_forms

NAME = "madapi"

# `messageType`: developers.mtn.com/products/ussd
BEGIN, CONTINUE, END = "0", "1", "2"
ENDS = {END: "end", "4": "cancel", "5": "timeout"}  # 3 notifies a phone, and is for us to send


class MadapiChannel:
    """USSD of MTN's Messaging API."""

    name = NAME
    content_type = "application/json; charset=utf-8"
    septets_max = 160
    paths: tuple[base.Path, ...] = ()

    def __init__(self, code: str = "") -> None:
        """`code` is the service code as it is dialled, where `serviceCode` says another."""
        self._code = code

    def parse_turn(self, request: base.Inbound) -> base.UssdTurn | base.UssdEnd:
        """Read a turn; an end, a cancelled dialogue and a time-out come as turns do."""
        fields = base.json_fields(request.body)
        kind = base.optional(fields, "messagetype")
        session_id = base.required(fields, "sessionid")
        phone = base.international(base.required(fields, "msisdn"))
        if kind in ENDS:
            return base.UssdEnd(NAME, session_id, phone, ENDS[kind])
        if kind not in (BEGIN, CONTINUE):
            raise base.Malformed("messageType is unknown")
        service_code = base.optional(fields, "servicecode")
        text, code = fields.get("ussdstring", ""), self._code or service_code
        return base.UssdTurn(
            channel=NAME,
            session_id=session_id,
            phone=phone,
            service_code=service_code,
            network="",  # always MTN; which of its countries, the number tells
            text=base.last_input(text, code, kind == BEGIN),
        )

    def render(self, reply: base.UssdReply, asked: base.Inbound) -> bytes:
        """Write the screen inside MADAPI's usual envelope."""
        fields = base.json_echo(asked.body)
        return json_forms.written(
            {
                "statusCode": "0000",
                "statusMessage": "Success",
                "transactionId": fields.get("sessionid", ""),
                "data": {
                    "inboundResponse": base.lines(reply.text),
                    "userInputRequired": not reply.ends,
                    "messageType": int(END if reply.ends else CONTINUE),
                    "serviceCode": fields.get("servicecode", ""),
                    "msisdn": fields.get("msisdn", ""),
                },
                "_link": {"self": {"href": ""}},
            }
        )
