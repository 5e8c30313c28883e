"""How each aggregator writes USSD: its raw samples, and requests made from them field by field.

A channel's folder under samples/ holds `ussd.json` (which name stands for which of ours, and what
each sample says), raw requests `ussd-*.http` as method, target below the channel's path, content
type and body, and the replies to them, byte for byte, as `ussd-*.reply`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode

from werkzeug import Request
from werkzeug.routing import Map, Rule
from werkzeug.test import EnvironBuilder

from gateway.channels.base import Inbound, UssdChannel
from tests.channels.bodies import SAMPLES
from tests.support.wired import wired_settings
from wiring.ussd import USSD_CHANNELS

SEQUENCE = "sequence"


@dataclass(frozen=True, slots=True)
class Raw:
    """A request below the channel's path and secret."""

    method: str
    target: str
    content_type: str
    body: bytes


@dataclass(frozen=True)
class Sheet:
    """One aggregator's way of writing."""

    name: str
    channel: UssdChannel

    @cached_property
    def manner(self) -> dict[str, Any]:
        """What `ussd.json` says."""
        read: dict[str, Any] = json.loads(self.file("ussd.json"))
        return read

    @property
    def names(self) -> Mapping[str, str | int]:
        """The aggregator's name of each field of ours; a number is a segment of the target."""
        names: Mapping[str, str | int] = self.manner["names"]
        return names

    def file(self, file: str) -> bytes:
        """A file of this channel's samples."""
        return (SAMPLES / self.name / file).read_bytes()

    def has(self, sample: str) -> bool:
        """Whether there is such a request."""
        return (SAMPLES / self.name / f"ussd-{sample}.http").exists()

    def raw(self, sample: str) -> Raw:
        """A sample request."""
        head, _, body = self.file(f"ussd-{sample}.http").partition(b"\n\n")
        first, *headers = head.decode().split("\n")
        method, _, target = first.partition(" ")
        content_type = next((h.split(": ", 1)[1] for h in headers), "")
        return Raw(method, target, content_type, body)

    def written(self, sample: str, fields: Mapping[str, str]) -> Raw:
        """A sample request that says these fields, by our names, and no other of ours."""
        raw = self.raw(sample)
        told = {self.names[name]: value for name, value in fields.items() if name in self.names}
        segments = raw.target.split("/")
        for place in (name for name in self.names.values() if isinstance(name, int)):
            segments[place] = told.pop(place, "")
        raw = replace(raw, target="/".join(segments))
        words = {str(name): value for name, value in told.items()}
        where = self.manner["in"]
        if where == "json":
            return replace(raw, body=json.dumps(self._put(json.loads(raw.body), words)).encode())
        if where == "query":
            pairs = self._put(dict(parse_qsl(raw.target[1:], keep_blank_values=True)), words)
            return replace(raw, target=f"?{urlencode(pairs)}")
        pairs = self._put(dict(parse_qsl(raw.body.decode(), keep_blank_values=True)), words)
        return replace(raw, body=urlencode(pairs).encode())

    def _put(self, found: dict[str, Any], words: Mapping[str, str]) -> dict[str, Any]:
        rest = {name: value for name, value in found.items() if name not in self.names.values()}
        return {**rest, **words}

    def inbound(self, raw: Raw) -> Inbound:
        """The request as the web edge hands it over."""
        target, _, query = raw.target.partition("?")
        builder = EnvironBuilder(
            method=raw.method, data=raw.body, query_string=query, content_type=raw.content_type
        )
        request = Request(builder.get_environ())
        return Inbound(
            method=request.method,
            form={name: values[-1] for name, values in request.form.lists()},
            query={name: values[-1] for name, values in request.args.lists()},
            body=raw.body,
            path=self._inside(raw.method, target),
        )

    def _inside(self, method: str, target: str) -> Mapping[str, str]:
        if not target:
            return {}
        below = [path for path in self.channel.paths if path.below]
        rules = Map([Rule(path.below, methods=path.methods) for path in below])
        _, inside = rules.bind("").match(target, method=method)
        return inside

    def shown(self, body: bytes) -> tuple[str, bool]:
        """The text that a phone shows for a reply, and whether the dialogue ends."""
        if "shown" not in self.manner:
            return body[4:].decode(), {b"CON ": False, b"END ": True}[body[:4]]
        found = json.loads(body)
        text, ends = self.manner["shown"]["text"], self.manner["shown"]["ends"]
        ending = [_member(found, name) == value for name, value in ends.items()]
        assert len(set(ending)) == 1
        shown = _member(found, text)
        assert isinstance(shown, str)
        return shown, ending[0]


def _member(found: Any, name: str) -> object:
    for part in name.split("."):
        found = found[part]
    return found


SETTINGS = wired_settings("sqlite://")
SHEETS = {name: Sheet(name, make(SETTINGS)) for name, make in USSD_CHANNELS.items()}
