"""Deposits on the console: what is in no books, and what operators decide about it."""

from collections.abc import Iterator

import pytest

from gateway.people.staff.store import Role
from tests.deposits.staging import JUMA, NEEMA, Till, snippe_body, till
from tests.support.clock import SteppedClock
from tests.web.console.answers import MARKUP, led_to, refusal, text
from tests.web.staffed import NAMES, Staffed, Visitor

ROOT = "/console/deposits"


@pytest.fixture
def tz(database_url: str, clock: SteppedClock) -> Iterator[Till]:
    """A gateway in Tanzania that takes money, on each engine."""
    with till(database_url, clock) as made:
        yield made


@pytest.fixture
def staffed(tz: Till) -> Staffed:
    """Its staff."""
    return Staffed(tz)


def suspended(tz: Till, known_as: str = "ORD-1", **changes: object) -> str:
    """Money that nobody owns; the deposit's reference."""
    tz.snippe(snippe_body(known_as, **changes))  # type: ignore[arg-type]
    return tz.all()[-1].reference


def test_each_list_shows_its_own_and_how_many_wait(tz: Till, operator: Visitor) -> None:
    order = tz.order("500")
    waits = suspended(tz, MARKUP[:40])
    tz.snippe(snippe_body(order.reference, 700, txn_id="SYNX9"))
    failed = tz.order("900")
    tz.snippe(snippe_body(failed.reference, 900, txn_id="SYNX8", event="payment.failed"))
    shown = text(operator.get(ROOT))
    assert "In suspense 2 Parked 1 Conflicts and unmatched 1 Pending Failed All" in shown
    assert waits in shown
    assert f"nobody knows “{MARKUP[:40]}”" in shown
    assert "TZS 15,000.00 snippe payment" in shown
    parked = text(operator.get(f"{ROOT}?show=parked"))
    assert order.reference in parked
    assert "700.00 TZS came for it" in parked
    assert JUMA not in parked
    assert failed.reference in operator.get(f"{ROOT}?show=failed").text
    assert order.reference in operator.get(f"{ROOT}?show=pending").text
    everything = operator.get(f"{ROOT}?show=all").text
    assert all(one.reference in everything for one in tz.all())


def test_a_callback_is_shown_as_it_came_with_tokens_hidden(tz: Till, operator: Visitor) -> None:
    order = tz.order("500")
    tz.snippe(snippe_body(order.reference, 700, note=f"902100000000000014 {MARKUP}"))
    listed = text(operator.get(f"{ROOT}?show=callbacks"))
    assert "snippe conflict 700.00 TZS came for it SYNX000001" in listed
    page = operator.get(f"{ROOT}/callbacks/1")
    assert f'"note":"################## {MARKUP}"' in text(page)
    assert "902100000000000014" not in page.text
    assert operator.get(f"{ROOT}/callbacks/99").status_code == 404


def test_a_deposit_shows_what_became_of_each_callback(tz: Till, operator: Visitor) -> None:
    order = tz.order()
    for _ in range(2):
        tz.snippe(snippe_body(order.reference, note="902100000000000014"))
    page = operator.get(f"{ROOT}/{order.reference.lower()}")
    shown = text(page)
    assert shown.index("snippe duplicate Body") < shown.index("snippe credited Body")
    assert f"Credited to the wallet of {JUMA}" in shown
    assert "902100000000000014" not in page.text
    assert '"note":"##################"' in shown


def test_a_list_is_read_page_by_page(tz: Till, operator: Visitor) -> None:
    made = [tz.order("500").reference for _ in range(51)]
    first = operator.get(f"{ROOT}?show=pending").text
    way = first.partition(">Next page")[0].rpartition('href="')[2].rstrip('"')
    second = operator.get(way.replace("&amp;", "&")).text
    assert [name in first for name in made] == [False] + [True] * 50
    assert [name in second for name in made] == [True] + [False] * 50


def test_an_order_on_a_statement_of_somebody_else_is_confirmed_at_once(
    tz: Till, staffed: Staffed, operator: Visitor
) -> None:
    order = tz.order()
    tz.stated("snippe", "SYNX000001", "15000")
    path, form = f"{ROOT}/{order.reference}", {"txn_id": "SYNX000001", "reason": "stated"}
    for _ in range(2):
        assert led_to(operator.post(f"{path}/confirm", **form)) == f"{path}?done=confirmed"
    assert str(tz.has(JUMA)) == "15000.00"
    who = f"staff:{staffed.member(Role.OPERATOR).id}:{NAMES[Role.OPERATOR]}"
    assert staffed.trail(order.reference) == [(who, "deposit.confirm", "stated")]
    other = operator.post(f"{path}/confirm", **(form | {"txn_id": "SYNX000002"}))
    assert refusal(other) == "The order is completed."
    assert tz.breaches() == []


def test_a_confirmation_on_ones_word_waits_for_a_second_operator(
    tz: Till, staffed: Staffed, operator: Visitor
) -> None:
    order = tz.order()
    path, form = f"{ROOT}/{order.reference}", {"txn_id": "SYNX000001", "reason": MARKUP}
    for _ in range(2):
        assert led_to(operator.post(f"{path}/confirm", **form)) == f"{path}?done=asked"
    assert str(tz.has(JUMA)) == "0.00"
    shown = text(operator.get(f"{path}?done=asked"))
    assert "Confirming it waits for a second operator: approval 1 , asked by Ope Ade" in shown
    other = operator.post(f"{path}/confirm", **(form | {"txn_id": "SYNX000002"}))
    assert refusal(other) == "Approval 1 waits for this already."
    second = staffed.within(Role.ADMIN)
    would = text(second.get("/console/approvals/1"))
    assert f"Credits TZS 15,000.00 of order {order.reference} to its customer" in would
    assert "On a statement no" in would
    led_to(second.post("/console/approvals/1/approve", reason="seen at Snippe"))
    assert (str(tz.has(JUMA)), tz.breaches()) == ("15000.00", [])


def test_money_in_suspense_goes_to_a_wallet_by_two(
    tz: Till, staffed: Staffed, operator: Visitor
) -> None:
    reference = suspended(tz)
    path, form = f"{ROOT}/{reference}", {"phone": NEEMA, "reason": "she has the receipt"}
    said = refusal(operator.post(f"{path}/release", **form))
    assert said == "This phone has no wallet yet: is the number right? Then tick that it gets one."
    for _ in range(2):
        answer = operator.post(f"{path}/release", **form, new="yes")
        assert led_to(answer) == f"{path}?done=asked"
    assert str(tz.has(NEEMA)) == "0.00"
    second = staffed.within(Role.ADMIN)
    assert f"to the wallet of {NEEMA}." in text(second.get("/console/approvals/1"))
    for _ in range(2):
        led_to(second.post("/console/approvals/1/approve", reason="seen it"))
    assert (str(tz.has(NEEMA)), str(tz.suspense("snippe"))) == ("15000.00", "0.00")
    page = operator.get(path)
    assert f"the wallet of {NEEMA}" in text(page)
    assert f"{path}/release" not in page.text
    assert tz.breaches() == []


def test_a_deposit_is_reversed_by_two(tz: Till, staffed: Staffed, operator: Visitor) -> None:
    order = tz.order()
    tz.snippe(snippe_body(order.reference))
    path = f"{ROOT}/{order.reference}"
    for _ in range(2):
        assert led_to(operator.post(f"{path}/reverse", reason="twice")) == f"{path}?done=asked"
    assert str(tz.has(JUMA)) == "15000.00"
    led_to(staffed.within(Role.ADMIN).post("/console/approvals/1/approve", reason="agreed"))
    assert (str(tz.has(JUMA)), tz.breaches()) == ("0.00", [])
    late = operator.post(f"{path}/reverse", reason="once more")
    assert refusal(late) == "The deposit is reversed."


def test_money_that_only_a_statement_has_is_booked_by_two(
    tz: Till, staffed: Staffed, operator: Visitor
) -> None:
    tz.stated("snippe", "SYNX77", "300.00")
    form = {"provider": "snippe", "txn_id": "SYNX77", "reason": "its callback was lost"}
    for _ in range(2):
        answer = operator.post(f"{ROOT}/book", **form)
        assert led_to(answer) == "/console/approvals/1?done=asked"
    led_to(staffed.within(Role.ADMIN).post("/console/approvals/1/approve", reason="seen"))
    assert (str(tz.suspense("snippe")), tz.breaches()) == ("300.00", [])
    again = operator.post(f"{ROOT}/book", **form)
    assert refusal(again).startswith("This transaction is booked as ")


REFUSED: tuple[tuple[str, dict[str, str], str], ...] = (
    ("confirm", {"txn_id": ""}, "A transaction's id has 1 to 64 characters."),
    ("confirm", {"txn_id": "x" * 65}, "A transaction's id has 1 to 64 characters."),
    ("release", {"phone": MARKUP}, "Not a phone number."),
    ("release", {"phone": NEEMA, "new": "yes"}, "The deposit is pending."),
    ("reverse", {}, "The deposit is pending."),
    ("reverse", {"reason": ""}, "Say why: the reason is blank."),
)


@pytest.mark.parametrize(("form", "typed", "said"), REFUSED)
def test_what_cannot_be_asked_for_is_refused_in_plain_words(
    tz: Till, operator: Visitor, form: str, typed: dict[str, str], said: str
) -> None:
    order = tz.order()
    answer = operator.post(f"{ROOT}/{order.reference}/{form}", **{"reason": "so", **typed})
    assert refusal(answer) == said
    assert "Nothing waits" in text(operator.get("/console/approvals"))


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"txn_id": ""}, "A transaction's id is needed."),
        ({"txn_id": MARKUP}, "No statement of snippe has this transaction as money that came."),
        ({"provider": "moon"}, "No statement of moon has this transaction as money that came."),
    ],
)
def test_a_booking_that_no_statement_has_is_refused(
    tz: Till, operator: Visitor, typed: dict[str, str], said: str
) -> None:
    form = {"provider": "snippe", "txn_id": "SYNX77", "reason": "lost", **typed}
    answer = operator.post(f"{ROOT}/book", **form)
    assert refusal(answer) == said
    assert MARKUP not in answer.text


def test_a_deposit_is_found_by_any_name_it_has(tz: Till, operator: Visitor) -> None:
    reference = suspended(tz, "ORD-7")
    for wanted in (reference.lower(), "SYNX000001", "ORD-7"):
        answer = operator.post(ROOT, find=wanted)
        assert led_to(answer) == f"{ROOT}/{reference}"
    twin = suspended(tz, "ORD-7", txn_id="SYNX000002", reference="pi_2")
    both = operator.post(ROOT, find="ORD-7").text
    assert (reference in both, twin in both) == (True, True)
    missed = operator.post(ROOT, find=MARKUP)
    assert (missed.status_code, MARKUP in text(missed)) == (404, True)
