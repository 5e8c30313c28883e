"""What is counted of redemptions, callbacks and requests: once, when it is committed."""

from timeit import repeat

import pytest
from prometheus_client import CollectorRegistry, Counter
from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.metrics.children import Children
from gateway.metrics.meters import Meters
from gateway.tokens.redeem import Caller
from gateway.tokens.store import TO_RECIPIENT
from tests.metrics import scraping
from tests.support.clock import SteppedClock
from tests.support.partner import partner
from tests.support.wired import ADA, BELLO, SECRET, Wired
from tests.web.counter.desk import Desk

NOBODYS = "902100000000000014"


def redemptions(wired: Wired) -> dict[str, float]:
    """How often each outcome was counted, by channel and outcome."""
    family = scraping.within(wired.client).families["gateway_redemptions"]
    return {
        f"{sample.labels['channel']}:{sample.labels['outcome']}": sample.value
        for sample in family.samples
        if sample.name.endswith("_total")
    }


def test_each_answer_is_counted_by_channel_and_outcome(wired: Wired) -> None:
    token = wired.issue().reveal()
    wired.redeem(token)
    wired.redeem(token, BELLO)
    wired.redeem(token)
    wired.redeem(NOBODYS, channel="sms")
    assert redemptions(wired) == {
        "africastalking:redeemed": 1,
        "africastalking:not_valid": 1,
        "africastalking:already_yours": 1,
        "sms:not_valid": 1,
    }


def test_wrong_entries_are_told_by_kind(wired: Wired) -> None:
    wired.redeem(wired.issue(to=BELLO, binding=TO_RECIPIENT).reveal())
    wired.redeem("1234")
    seen = scraping.within(wired.client)
    assert seen.value("gateway_guesses_total", channel="africastalking", kind="wrong") == 1
    assert seen.value("gateway_guesses_total", channel="africastalking", kind="mistyped") == 1


def test_a_redemption_that_is_rolled_back_is_not_counted(wired: Wired, clock: SteppedClock) -> None:
    token = wired.issue().reveal()

    def work(connection: Connection) -> None:
        caller = Caller(ADA, "africastalking", "en")
        wired.gateway.desk.redeemer.redeem(connection, token, caller, clock.now())
        raise BadInput("no")

    with pytest.raises(BadInput):
        wired.run(work)
    wired.redeem(token)
    assert redemptions(wired) == {"africastalking:redeemed": 1}


def test_a_counter_that_pays_is_told_apart_from_callers(wired: Wired) -> None:
    desk = Desk(wired)
    desk.open()
    token = wired.issue("60.00").reveal()
    desk.shop.confirm(desk.shop.shown(token, desk.teller), desk.teller)
    desk.shop.show(token, desk.teller)
    desk.shop.show("1234", desk.teller)
    assert redemptions(wired) == {
        "counter:redeemed": 1,
        "counter:already_redeemed": 1,
        "counter:mistyped": 1,
    }


def test_what_partners_redeem_is_counted_once_for_each_request(wired: Wired) -> None:
    acme = partner(wired)
    token = acme.post("/tokens", {"amount": "50.00", "deliver": False}).json["token"]
    acme.post("/lookups", {"token": token})
    for _ in range(2):
        acme.post("/redemptions", {"token": token, "payee": ADA}, "r1")
    acme.post("/redemptions", {"token": token, "payee": BELLO})
    assert redemptions(wired) == {"api:redeemed": 1, "api:already_redeemed": 1}


def test_steps_are_told_by_outcome(wired: Wired) -> None:
    call = wired.dial()
    call.send("0")
    wired.client.post(f"/ussd/africastalking/{SECRET}", data={"text": ""})
    wired.client.post("/ussd/africastalking/a-wrong-secret", data={"text": ""})
    seen = scraping.within(wired.client)
    name = "gateway_ussd_step_seconds_count"
    for outcome in ("continued", "ended", "malformed"):
        assert seen.value(name, channel="africastalking", outcome=outcome) == 1, outcome


def test_words_from_outside_make_no_series(wired: Wired) -> None:
    for number in range(20):
        wired.client.open(f"/{ADA}/{number}", method=f"MADEUP{number}")
    seen = scraping.within(wired.client)
    assert "MADEUP" not in seen.text
    assert ADA not in seen.text
    value = seen.value("gateway_http_requests_total", rule="unknown", method="other", status="404")
    assert value == 20


def test_the_series_of_a_metric_are_bounded_and_the_rest_count_together() -> None:
    counter = Counter("things", "Things.", ("kind",), registry=CollectorRegistry())
    children = Children(counter, most=3)
    for number in range(10):
        children.of(f"kind-{number}").inc()
    children.of("902100000000000014").inc()
    samples = [s for metric in counter.collect() for s in metric.samples]
    found = {s.labels["kind"]: s.value for s in samples if s.name.endswith("_total")}
    assert found == {"kind-0": 1, "kind-1": 1, "kind-2": 1, "other": 8}


def test_counting_a_step_costs_next_to_nothing() -> None:
    meters = Meters()
    steps = repeat(lambda: meters.step("africastalking", "ended", 0.012), number=500, repeat=9)
    assert min(steps) / 500 < 60e-6  # a turn takes some thousands
