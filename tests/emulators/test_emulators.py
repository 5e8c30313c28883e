"""The emulated aggregator speaks as the real one was captured."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs
from urllib.request import urlopen

import pytest

from gateway.channels.africastalking import AfricasTalkingChannel
from gateway.channels.base import Delivery
from gateway.settings import AfricasTalking
from tests.channels.bodies import inbound, sample
from tests.channels.sending import API_KEY, PHONE, channel, send
from tests.emulators.africastalking import SmsApi
from tests.emulators.dialer import Dialer

ROOT = Path(__file__).parents[2]
CAPTURED = "ATUid_7c898d72eb11f723ed8ea05ef232f279"
CALLBACKS = AfricasTalkingChannel(AfricasTalking())


class Post(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes


@contextmanager
def endpoint(reply: bytes) -> Iterator[tuple[str, list[Post]]]:
    """A server in the gateway's place, and what was posted to it."""
    posts: list[Post] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            posts.append(Post(self.path, dict(self.headers), body))
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; charset=utf-8")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the tests' output quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.02,))
        serving.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", posts
        server.shutdown()
        serving.join()


def test_a_first_dial_is_the_captured_request() -> None:
    with endpoint(b"CON Welcome") as (url, posts):
        session = Dialer(url, "s3cret").dial("+254700000001", "*384*44135#", session_id=CAPTURED)
    (post,) = posts
    assert post.path == "/ussd/africastalking/s3cret"
    assert post.body == sample("africastalking/ussd-first-dial.form")
    assert post.headers["User-Agent"] == "at-ussd-api/1.0"
    assert post.headers["Content-Type"] == "application/x-www-form-urlencoded; charset=UTF-8"
    assert session.answer == (200, "text/plain; charset=utf-8", b"CON Welcome")
    assert not session.answer.ends


def test_entries_are_joined_and_a_repeat_is_the_same_request() -> None:
    with endpoint(b"END Bye") as (url, posts):
        session = Dialer(url, "s3cret").dial(PHONE)
        session.send("1")
        session.send("2*3")
        session.repeat()
        session.post("odd")
        session.repeat()
    texts = [parse_qs(post.body.decode(), keep_blank_values=True)["text"][0] for post in posts]
    assert texts == ["", "1", "1*2*3", "1*2*3", "odd", "1*2*3"]
    assert posts[2].body == posts[3].body
    assert session.answer.ends


def test_a_longer_code_can_be_dialled_directly() -> None:
    with endpoint(b"END Bye") as (url, posts):
        Dialer(url, "s3cret").dial(PHONE, text="1*00012345674")
    assert CALLBACKS.parse_turn(inbound(posts[0].body)).text == "1*00012345674"


def test_a_session_end_is_posted_to_the_events() -> None:
    with endpoint(b"CON Enter token") as (url, posts):
        session = Dialer(url, "s3cret").dial(PHONE)
        session.end("Incomplete")
    assert posts[1].path == "/ussd/africastalking/s3cret/events"
    end = CALLBACKS.parse_end(inbound(posts[1].body))
    assert (end.session_id, end.phone, end.status) == (session.session_id, PHONE, "Incomplete")


def test_reports_name_the_message_and_its_phone() -> None:
    with SmsApi(api_key=API_KEY) as api, endpoint(b"") as (url, posts):
        api.reports_to = f"{url}/sms/africastalking/s3cret/receipts"
        handover = send(channel(api.url))
        assert api.deliver(handover.message_id, "Failed", "DeliveryFailure").status == 200
    report = CALLBACKS.parse_report(inbound(posts[0].body))
    assert (report.message_id, report.delivery) == (handover.message_id, Delivery.FAILED)
    assert (report.reason, report.phone) == ("DeliveryFailure", PHONE)


def test_a_phone_can_write_to_us() -> None:
    with SmsApi() as api, endpoint(b"") as (url, posts):
        api.messages_to = f"{url}/sms/africastalking/s3cret/inbound"
        api.originate(PHONE, "BAL", message_id="17")
    message = CALLBACKS.parse_message(inbound(posts[0].body))
    assert (message.message_id, message.sender, message.text) == ("17", PHONE, "BAL")
    assert message.sent_at is not None


def test_waiting_for_a_request_ends() -> None:
    with SmsApi(api_key=API_KEY) as api:
        with pytest.raises(TimeoutError):
            api.wait_for_requests(1, seconds=0.01)
        send(channel(api.url))
        api.wait_for_requests(1)


def test_the_api_runs_by_itself_and_shows_what_it_recorded() -> None:
    command = [sys.executable, "-m", "tests.emulators.africastalking", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        handover = send(channel(url))
        with urlopen(f"{url}/_recorded", timeout=5) as answer:
            recorded = json.load(answer)
        process.terminate()
    assert [(r["to"], r["message_id"], r["taken"]) for r in recorded] == [
        (PHONE, handover.message_id, True)
    ]
