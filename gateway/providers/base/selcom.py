"""Selcom's signed API: requests, and what the codes of its answers decide."""

import json
import re
from collections.abc import Mapping
from datetime import timedelta, timezone
from typing import Any

from gateway import errors
from gateway.clock import Clock
from gateway.formats import strict_json
from gateway.providers.base import reading, signed_fields, unusable
from gateway.providers.base.http import Line, Reply
from gateway.providers.base.messages import Outcome
from gateway.settings.providers import Selcom

EAST_AFRICA = timezone(timedelta(hours=3))
OPERATOR_SECONDS = 300  # until the next try of what waits for an operator

# resultcode: "all others" have failed, says the page; here only those of its lists, beside FAIL.
SUCCESS = "000"
IN_PROGRESS = ("111", "927")
NOT_ENABLED = ("403", "4035")
BAD_REFERENCE = "010"  # also seen for trouble with the float: somebody has to look
FAILING = re.compile(r"(0[0-9]{2}|4[0-9]{2,3})\Z")  # 999 has stood for days over paid ones
UNDECIDED = ("408", "409")
CODE = re.compile(r"[A-Za-z0-9]{1,8}\Z")  # what may stand in an error of ours
FAIL_WORDS = ("FAIL", "FAILED")
REPEATED = re.compile(r"duplicate|already", re.IGNORECASE)  # then an earlier try counts
REQUEST_REFUSED = (400, 404, 405, 406, 410, 412)  # by HTTP, from the gateway's page of errors


class Api:
    """Signed requests; the first of our secrets signs."""

    def __init__(
        self, settings: Selcom, clock: Clock, timeout_seconds: tuple[float, float]
    ) -> None:
        unusable.insist_on("GATEWAY_SELCOM_API_KEY", settings.api_key)
        unusable.insist_on("GATEWAY_SELCOM_API_SECRET", settings.api_secret)
        unusable.insist_on_url("GATEWAY_SELCOM_BASE_URL", settings.base_url)
        self._key, self._secret = settings.api_key, settings.api_secret[0]
        self._line = Line(settings.base_url, timeout_seconds)
        self._clock = clock

    def post(self, path: str, fields: Mapping[str, str | int]) -> Reply:
        """Send the fields, all of them signed; errors as in `Line.post`."""
        headers = {"Content-Type": "application/json", **self._headers(fields)}
        return self._line.post(path, body=json_bytes(fields), headers=headers)

    def ask(self, path: str, name: str, reference: str) -> tuple[str, dict[str, Any]]:
        """Code and document. No answer says anything of the thing asked about but a 2xx."""
        fields = {name: reference}
        reply = self._line.get(path, headers=self._headers(fields), params=fields)
        try:
            code, found = said(reply)
        except errors.Refused as error:
            raise errors.Throttled(error.reason, OPERATOR_SECONDS, alarm=True) from None
        if reply.status >= 300:
            raise errors.OutcomeUnknown(f"HTTP {reply.status}")
        return code, found

    def _headers(self, fields: Mapping[str, str | int]) -> dict[str, str]:
        timestamp = self._clock.now().astimezone(EAST_AFRICA).isoformat(timespec="seconds")
        return signed_fields.headers(self._key, self._secret, timestamp, fields)


def said(reply: Reply) -> tuple[str, dict[str, Any]]:
    """Code and document; an answer from before the request was looked at is raised."""
    if reply.status == 401:
        raise errors.Throttled("credentials refused", OPERATOR_SECONDS, alarm=True)
    if reply.status == 429:
        raise errors.Throttled("too many requests")
    found = reply.document()
    given = found.get("resultcode")
    code = str(given) if isinstance(given, str) and CODE.match(given) else ""
    if reply.status == 403 or (reply.status < 300 and code in NOT_ENABLED):
        raise errors.Refused(f"not enabled for us: {code or reply.status}", alarm=True)
    return code, found


def became(code: str, found: Mapping[str, Any]) -> Outcome | None:
    """What a 2xx says became of a request; None when it does not say."""
    result = found.get("result")
    if code == SUCCESS:
        return Outcome.SUCCEEDED if result == "SUCCESS" else Outcome.PENDING
    if code in IN_PROGRESS:
        return Outcome.PENDING
    repeated = REPEATED.search(str(found.get("message")))
    failing = FAILING.match(code) and code not in UNDECIDED and not repeated
    return Outcome.FAILED if failing and result in FAIL_WORDS else None


def refusal(reply: Reply, code: str, found: Mapping[str, Any]) -> errors.SendFailed:
    """Neither an order nor a prompt has moved money, so that a refusal by HTTP is one."""
    failed = reply.status < 300 and became(code, found) is Outcome.FAILED
    if failed or reply.status in REQUEST_REFUSED:
        return errors.Refused(f"{code} {reading.reason(found.get('message'))}")
    return errors.OutcomeUnknown(f"HTTP {reply.status}, resultcode {code}")


def identifier(found: Mapping[str, Any], name: str) -> str:
    """An id of an answer, "" for what is none."""
    try:
        return reading.identifier(found, name)
    except strict_json.InvalidJson:
        return ""


def json_bytes(fields: Mapping[str, str | int]) -> bytes:
    """Fields as JSON, in their order."""
    return json.dumps(fields, separators=(",", ":")).encode()
