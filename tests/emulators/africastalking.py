"""Africa's Talking's SMS API over real HTTP on loopback: scripted answers, faults and callbacks.

In a test: `with SmsApi() as api: ...` and `AFRICASTALKING_BASE_URL=api.url`. By hand, or for
several processes: `python -m tests.emulators.africastalking PORT`, then GET /_recorded.
"""

import json
import sys
import threading
from collections import deque
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl
from uuid import uuid4

from tests.emulators.africastalking_answers import ACCEPT, BAD_KEY, Behaviour
from tests.emulators.posting import Answer, post_form
from tests.emulators.serving import Serving

PATH = "/version1/messaging"
RECORDED = "/_recorded"
IDLE_SECONDS_MAX = 10.0
USER_AGENT = "at-sms-api/1.0"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request that arrived."""

    to: str
    text: str
    sender_id: str | None
    api_key: str
    form: dict[str, str]
    headers: dict[str, str]
    message_id: str
    taken: bool


class SmsApi(Serving):
    """The server; answers by script first, then by recipient, then as `usual` says."""

    def __init__(self, port: int = 0, *, api_key: str | None = None) -> None:
        """Listen on loopback; with an `api_key` any other key gets a 401."""
        self.usual = ACCEPT
        self.reports_to = ""  # the URLs of our callbacks
        self.messages_to = ""
        self._api_key = api_key
        self._script: deque[Behaviour] = deque()
        self._by_number: dict[str, Behaviour] = {}
        self._requests: list[Recorded] = []
        self._arrived = threading.Condition()
        super().__init__(_Server(("127.0.0.1", port), self))
        self.url = f"http://127.0.0.1:{self.port}"

    def script(self, *behaviours: Behaviour) -> None:
        """Answer the next requests so, in this order, one each."""
        with self._arrived:
            self._script.extend(behaviours)

    def answer_to(self, number: str, behaviour: Behaviour) -> None:
        """Answer requests for this recipient so."""
        self._by_number[number] = behaviour

    @property
    def requests(self) -> list[Recorded]:
        """All requests that were read."""
        with self._arrived:
            return list(self._requests)

    @property
    def messages(self) -> list[Recorded]:
        """Those that went out to a phone."""
        return [request for request in self.requests if request.taken]

    def wait_for_requests(self, count: int, seconds: float = 5.0) -> None:
        """Return when so many have been read; raises `TimeoutError`."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self._requests) >= count, seconds):
                raise TimeoutError(f"{len(self._requests)} of {count} requests in {seconds} s")

    def deliver(self, message_id: str, status: str = "Success", reason: str = "") -> Answer:
        """Post a delivery report to `reports_to`."""
        numbers = [request.to for request in self.requests if request.message_id == message_id]
        fields = {
            "id": message_id,
            "status": status,
            "phoneNumber": numbers[0] if numbers else "+254700000001",
            "networkCode": "99999",
            **({"failureReason": reason} if reason else {}),
            "retryCount": "0",
        }
        return post_form(self.reports_to, fields, user_agent=USER_AGENT)

    def originate(
        self, sender: str, text: str, *, recipient: str = "21512", message_id: str = ""
    ) -> Answer:
        """Post a message that a phone sent to our short code, to `messages_to`."""
        fields = {
            "date": "2026-05-03T06:04:45Z",
            "from": sender,
            "id": message_id or str(uuid4()),
            "linkId": uuid4().hex[:20],
            "text": text,
            "to": recipient,
            "networkCode": "99999",
            "cost": "KES 0.0000",
        }
        return post_form(self.messages_to, fields, user_agent=USER_AGENT)

    def drops_unread(self) -> bool:
        """Whether the connection just made is to be dropped at once."""
        with self._arrived:
            if self._script and self._script[0].unread:
                self._script.popleft()
                return True
        return False

    def record(self, form: dict[str, str], headers: dict[str, str]) -> tuple[Recorded, Behaviour]:
        """Take a request down and decide on its answer."""
        key = next((v for name, v in headers.items() if name.lower() == "apikey"), "")
        with self._arrived:
            chosen = self._script.popleft() if self._script else None
            behaviour = chosen or self._by_number.get(form.get("to", ""), self.usual)
            if self._api_key is not None and key != self._api_key:
                behaviour = BAD_KEY
            recorded = Recorded(
                to=form.get("to", ""),
                text=form.get("message", ""),
                sender_id=form.get("from"),
                api_key=key,
                form=form,
                headers=headers,
                message_id=f"ATXid_{uuid4().hex}" if behaviour.takes else "None",
                taken=behaviour.takes,
            )
            self._requests.append(recorded)
            self._arrived.notify_all()
        return recorded, behaviour


class _Handler(BaseHTTPRequestHandler):
    """One connection, one request: the SDK makes a new one for every call."""

    server: "_Server"
    timeout = IDLE_SECONDS_MAX

    def do_POST(self) -> None:
        api = self.server.api
        length = int(self.headers.get("Content-Length", "0"))
        form = dict(parse_qsl(self.rfile.read(length).decode(), keep_blank_values=True))
        if not self.path.endswith(PATH):
            return self._reply(Behaviour(status=404, content_type="text/plain"), "no such path")
        recorded, behaviour = api.record(form, dict(self.headers))
        api.pause(behaviour.wait_seconds)
        if behaviour.silent:
            return None
        body = _body(recorded, behaviour) if behaviour.body is None else behaviour.body
        return self._reply(behaviour, body)

    def do_GET(self) -> None:
        """What was recorded, or the fetch of incoming messages: where a 302 ends up."""
        if self.path == RECORDED:
            body = json.dumps([asdict(recorded) for recorded in self.server.api.requests])
        else:
            body = json.dumps({"SMSMessageData": {"Messages": []}})
        self._reply(Behaviour(status=200), body)

    def _reply(self, behaviour: Behaviour, body: str) -> None:
        content = body.encode()
        self.send_response(behaviour.status)
        self.send_header("Content-Type", behaviour.content_type)
        self.send_header("Content-Length", str(len(content) + behaviour.short_by))
        if behaviour.location:
            self.send_header("Location", behaviour.location)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the tests' output quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # closing waits for them
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], api: SmsApi) -> None:
        super().__init__(address, _Handler)
        self.api = api

    def verify_request(self, request: Any, client_address: Any) -> bool:
        return not self.api.drops_unread()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Let a caller hang up; anything else is a fault of this emulator."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def _body(recorded: Recorded, behaviour: Behaviour) -> str:
    """The answer for one recipient, with the keys in the order of the captures."""
    taken = 1 if behaviour.takes else 0
    cost = "KES 0.8000" if behaviour.takes else "0"
    recipient = {
        "statusCode": behaviour.code,
        "number": recorded.to,
        "status": behaviour.word,
        "cost": cost,
        "messageId": recorded.message_id,
        "messageParts": 1,
    }
    message = f"Sent to {taken}/1 Total Cost: {cost}"
    return json.dumps({"SMSMessageData": {"Message": message, "Recipients": [recipient]}})


if __name__ == "__main__":
    with SmsApi(int(sys.argv[1])) as standalone:
        sys.stdout.write(f"{standalone.url}\n")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            sys.stdout.write("stopped\n")
