"""Orders on their way: pushed once, asked about until it is known, never credited on a guess."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from gateway.outbox import store as outbox
from tests.deposits.staging import JUMA, Till, reaching, snippe_body, till
from tests.emulators.airtelmoney import AirtelMoneyApi
from tests.emulators.provider import HANGS_UP, PAID_THEN_HANGS_UP, TOO_MANY, Fault
from tests.emulators.snippe import SnippeApi
from tests.support.clock import SteppedClock


@pytest.fixture
def snippe() -> Iterator[SnippeApi]:
    """Snippe's API."""
    with SnippeApi() as api:
        yield api


@pytest.fixture
def airtel() -> Iterator[AirtelMoneyApi]:
    """Airtel's API."""
    with AirtelMoneyApi() as api:
        yield api


@pytest.fixture
def live(
    database_url: str, clock: SteppedClock, snippe: SnippeApi, airtel: AirtelMoneyApi
) -> Iterator[Till]:
    """A gateway that reaches both."""
    providers = reaching(snippe=snippe.url, airtelmoney=airtel.url)
    with till(database_url, clock, providers=providers) as made:
        yield made


def settle(api: SnippeApi, status: str, **members: object) -> None:
    """Let the only payment of Snippe reach a status."""
    (reference,) = api.made
    api.settle(reference, status, **members)


def test_an_order_is_pushed_once_and_knows_its_name_there(live: Till, snippe: SnippeApi) -> None:
    order = live.order()
    assert live.run_tasks() == 1
    (made,) = snippe.by_order(order.reference)
    assert live.seen(order).provider_ref == made["reference"]
    assert live.run_tasks() == 0
    assert len(snippe.made) == 1


def test_a_webhook_that_never_comes_is_found_by_asking_and_then_is_a_duplicate(
    live: Till, snippe: SnippeApi, clock: SteppedClock
) -> None:
    order = live.order()
    live.run_tasks()
    settle(snippe, "completed", external_reference="SYNX000001")
    clock.advance(minutes=4)
    assert live.run_tasks() == 1
    assert (live.seen(order).txn_id, str(live.has())) == ("SYNX000001", "15000.00")
    reference = live.seen(order).provider_ref
    live.snippe(snippe_body(order.reference, reference=reference))
    assert live.became() == ["duplicate"]
    assert (str(live.has()), live.movements()) == ("15000.00", 1)
    assert live.breaches() == []


def test_what_is_being_processed_stays_pending_and_is_asked_again(
    live: Till, snippe: SnippeApi, clock: SteppedClock
) -> None:
    order = live.order()
    live.run_tasks()
    for minutes in (4, 4, 7, 13):
        clock.advance(minutes=minutes)
        assert live.run_tasks() == 1
        assert live.seen(order).state == "pending"
    settle(snippe, "failed", failure_reason="no PIN")
    clock.advance(minutes=25)
    live.run_tasks()
    assert (live.seen(order).state, live.seen(order).reason) == ("failed", "no PIN")
    clock.advance(hours=7)
    assert live.run_tasks() == 0


def test_an_answer_over_another_amount_credits_nothing(
    live: Till, snippe: SnippeApi, clock: SteppedClock
) -> None:
    order = live.order()
    live.run_tasks()
    settle(snippe, "completed", amount={"value": 100, "currency": "TZS"})
    clock.advance(minutes=4)
    live.run_tasks()
    assert (live.seen(order).state, live.seen(order).parked) == (
        "pending",
        "the provider says 100.00",
    )
    assert (str(live.has()), live.movements()) == ("0.00", 0)


def test_a_hint_of_success_is_asked_about_and_credits_the_ordered_amount(
    live: Till, airtel: AirtelMoneyApi, clock: SteppedClock
) -> None:
    order = live.order("15000", "airtelmoney")
    live.run_tasks()
    clock.advance(minutes=1)
    live.airtel(order.reference)
    assert live.has() == 0
    airtel.settle(airtel.collections[order.reference], "TS", theirs="MP1")
    assert live.run_tasks() == 1
    assert (live.seen(order).txn_id, str(live.has())) == ("MP1", "15000.00")
    live.airtel(order.reference)
    assert live.became() == ["asked", "duplicate"]
    assert live.breaches() == []


def test_a_forged_hint_is_asked_about_and_credits_nothing(live: Till, clock: SteppedClock) -> None:
    order = live.order("15000", "airtelmoney")
    live.run_tasks()
    live.airtel(order.reference)
    live.run_tasks()
    assert (live.seen(order).state, str(live.has())) == ("pending", "0.00")


def test_a_push_that_never_left_goes_again(
    live: Till, snippe: SnippeApi, clock: SteppedClock
) -> None:
    snippe.script(TOO_MANY)
    order = live.order()
    live.run_tasks()
    assert snippe.made == {}
    clock.advance(minutes=2)
    live.run_tasks()
    assert len(snippe.by_order(order.reference)) == 1
    assert live.seen(order).state == "pending"


@pytest.mark.parametrize("fault", [HANGS_UP, PAID_THEN_HANGS_UP])
def test_a_push_without_an_answer_is_asked_about_and_not_repeated(
    live: Till, snippe: SnippeApi, clock: SteppedClock, fault: Fault
) -> None:
    snippe.script(fault)
    order = live.order()
    live.run_tasks()
    assert live.seen(order).state == "pending"
    pushes = [request for request in snippe.requests if request.method == "POST"]
    clock.advance(minutes=4)
    live.run_tasks()
    assert [request for request in snippe.requests if request.method == "POST"] == pushes
    assert live.seen(order).state == "pending"


def test_a_push_that_is_refused_fails_the_order(live: Till, clock: SteppedClock) -> None:
    order = live.order("100")  # Snippe takes 500 at least
    live.run_tasks()
    assert live.seen(order).state == "failed"
    clock.advance(minutes=4)
    assert live.run_tasks() == 0


def test_a_prompt_nobody_waits_for_any_more_is_not_shown(
    live: Till, snippe: SnippeApi, clock: SteppedClock
) -> None:
    order = live.order()
    clock.advance(minutes=11)
    live.run_tasks()
    assert (live.seen(order).state, snippe.made) == ("failed", {})


def test_an_order_that_is_never_answered_stays_pending(live: Till, clock: SteppedClock) -> None:
    order = live.order()
    live.run_tasks()
    asked = 0
    while clock.now() - order.created_at < timedelta(days=5):
        clock.advance(hours=6)
        asked += live.run_tasks()
    assert 10 < asked < 30
    assert live.seen(order).state == "pending"


def test_a_callback_faster_than_the_record_of_its_push_is_not_undone(
    live: Till, snippe: SnippeApi
) -> None:
    order = live.order()
    task = live.gateway.deposits.tasks()["deposit.push"]
    query = "SELECT id FROM outbox WHERE line = 'push'"
    row = live.run(lambda c: c.exec_driver_sql(query).scalar_one())
    message = live.run(lambda c: outbox.by_id(c, row))
    now = live.clock.now()
    work = live.run(lambda c: task.begin(c, message, now))
    assert work is not None
    pushed = work()
    live.snippe(snippe_body(order.reference, reference=pushed.provider_ref))
    assert live.seen(order).state == "completed"
    live.run(lambda c: task.done(c, message, pushed, now))
    done = live.seen(order)
    assert (done.state, done.provider_ref) == ("completed", pushed.provider_ref)
    assert (str(live.has(JUMA)), live.breaches()) == ("15000.00", [])
