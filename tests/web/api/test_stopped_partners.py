"""A partner that operators have suspended: it reads what is there, and changes nothing."""

from collections.abc import Callable

import pytest

from gateway.partners import profiles
from tests.support.clock import SteppedClock
from tests.support.partner import Partner, partner
from tests.support.wired import ADA, Wired

CSV = f"amount,recipient,issue_ref\n5.00,{ADA},a-1\n"


@pytest.fixture
def acme(wired: Wired) -> Partner:
    return partner(wired)


def stop(acme: Partner) -> None:
    now = acme.wired.clock.now()
    acme.wired.run(lambda c: profiles.suspend(c, acme.code, "cli:ops", "fraud", now))


@pytest.mark.parametrize("deed", ["cancel", "suspend", "resume", "reprint"])
def test_a_stopped_partner_does_nothing_with_its_tokens(acme: Partner, deed: str) -> None:
    serial = acme.post("/tokens", {"amount": "50.00", "recipient": ADA}).json["serial"]
    before = acme.wired.token(serial)
    stop(acme)
    answer = acme.post(f"/tokens/{serial}/{deed}")
    assert (answer.status_code, answer.json["code"]) == (403, "forbidden"), answer.text
    assert acme.wired.token(serial) == before


def test_a_stopped_partner_replays_no_event_and_hands_no_file_in(
    acme: Partner, clock: SteppedClock
) -> None:
    serial = acme.post("/tokens", {"amount": "50.00", "deliver": False}).json["serial"]
    acme.post(f"/tokens/{serial}/cancel")
    acme.get("/events?after=0")
    stop(acme)
    asks: list[Callable[[], int]] = [
        lambda: acme.post("/events/1/replay").status_code,
        lambda: acme.post("/batches", {"csv": CSV}).status_code,
        lambda: acme.post("/batches", {"csv": CSV, "dry_run": True}).status_code,
    ]
    assert [ask() for ask in asks] == [403, 403, 403]


def test_a_stopped_partner_is_not_told_again_what_it_was_shown(acme: Partner) -> None:
    body = {"amount": "50.00", "deliver": False}
    assert acme.post("/tokens", body, "order-1").json["token"]
    stop(acme)
    again = acme.post("/tokens", body, "order-1")
    assert again.status_code == 403
    assert "token" not in again.json


def test_a_stopped_partner_reads_what_became_of_its_money(acme: Partner) -> None:
    serial = acme.post("/tokens", {"amount": "50.00", "deliver": False}).json["serial"]
    stop(acme)
    paths = ("/tokens", f"/tokens/{serial}", "/float", "/events?after=0", "/batches")
    assert [acme.get(path).status_code for path in paths] == [200] * len(paths)
