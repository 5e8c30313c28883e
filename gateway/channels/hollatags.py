"""HollaTags (Nigeria): USSD turns by GET or POST with the last input, answered in JSON."""

from collections.abc import Mapping

from gateway.channels import base
from gateway.formats import json_forms

NAME = "hollatags"

# `session_operation` of a request: docs.hollatags.com/ussd/inbound
BEGIN, CONTINUE, END = "begin", "continue", "end"
# `session_type` of a reply: whether the phone is asked for another input.
ASKS, ENDS = 1, 4


class HollaTagsChannel:
    """USSD of HollaTags; its dialogues last 20 seconds at most."""

    name = NAME
    content_type = "application/json; charset=utf-8"
    septets_max = 160
    paths: tuple[base.Path, ...] = (base.Path("", ("GET",)),)

    def __init__(self, code: str = "") -> None:
        """`code` is the service code as it is dialled, where it is longer than `session_from`."""
        self._code = code

    def parse_turn(self, request: base.Inbound) -> base.UssdTurn | base.UssdEnd:
        """Read a turn, or the notice that the dialogue is over."""
        fields = _fields(request)
        operation = base.optional(fields, "session_operation").lower()
        session_id = base.required(fields, "session_id")
        phone = base.international(base.required(fields, "session_msisdn"))
        if operation == END:
            return base.UssdEnd(NAME, session_id, phone, operation)
        if operation not in (BEGIN, CONTINUE):
            raise base.Malformed("session_operation is unknown")
        service_code = base.optional(fields, "session_from")
        text, code = fields.get("session_msg", ""), self._code or service_code
        return base.UssdTurn(
            channel=NAME,
            session_id=session_id,
            phone=phone,
            service_code=service_code,
            network=base.optional(fields, "session_mno"),
            text=base.last_input(text, code, operation == BEGIN),
        )

    def render(self, reply: base.UssdReply, asked: base.Inbound) -> bytes:
        """Write the screen, for the session that was asked for."""
        return json_forms.written(
            {
                "session_operation": END if reply.ends else CONTINUE,
                "session_type": ENDS if reply.ends else ASKS,
                "session_id": _fields(asked).get("session_id", ""),
                "session_msg": base.lines(reply.text),
            }
        )


def _fields(request: base.Inbound) -> Mapping[str, str]:
    """What stands in the query; its users also report the same fields in a form."""
    return {**request.form, **request.query}
