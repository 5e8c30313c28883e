"""The console's switches: a part is paused with a reason, callers are told so, and it goes on."""

import re
import time

import pytest

from gateway.people.staff.store import Role
from gateway.settings.providers import Providers, Snippe, Vodacom
from gateway.switches import board, store
from gateway.switches.board import FRESH_SECONDS
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, Wired
from tests.web.staffed import Staffed, Visitor

ROOT = "/console/switches"
PAUSED = "Redeeming is paused. Your token is safe. Please try again later."
OUTSIDE = (*board.PROVIDERS, *board.CHANNELS)
ALL = (*board.PARTS, *(f"{board.PROVIDER}{name}" for name in OUTSIDE))
MARKUP = '<b>wrong</b> tokens & "more"'


def paused(staffed: Staffed) -> set[str]:
    """What is paused now."""
    return set(staffed.wired.run(store.paused))


def test_a_paused_redeem_gives_callers_a_proper_screen_until_it_is_resumed(
    staffed: Staffed, operator: Visitor
) -> None:
    token = staffed.wired.issue(to=ADA).reveal()
    answer = operator.post("/console/switches/redeem/pause", reason=MARKUP)
    assert (answer.status_code, answer.location) == (303, "/console/switches?done=switch-pause")
    assert staffed.wired.dial(ADA, text=f"1*{token}").body == f"END {PAUSED}"
    assert staffed.wired.balance() == 0
    page = operator.get("/console/switches?done=switch-pause").text
    assert "Paused, in every process within a second." in page
    assert "&lt;b&gt;wrong&lt;/b&gt; tokens" in page
    assert "by Ope Ade" in page

    resumed = operator.post("/console/switches/redeem/resume", reason="it was a test")
    assert resumed.status_code == 303
    time.sleep(FRESH_SECONDS)
    assert "You have received" in staffed.wired.dial(ADA, text=f"1*{token}").body
    ope = f"staff:{staffed.member(Role.OPERATOR).id}:Ope Ade"
    assert staffed.trail("redeem") == [
        (ope, "switch.pause", MARKUP),
        (ope, "switch.resume", "it was a test"),
    ]


def test_every_part_and_every_provider_can_be_paused_and_resumed(
    staffed: Staffed, operator: Visitor
) -> None:
    for name in ALL:
        assert operator.post(f"/console/switches/{name}/pause", reason="x").status_code == 303
    assert paused(staffed) == set(ALL)
    page = operator.get("/console/switches").text
    for name in ALL:
        assert f'action="/console/switches/{name}/resume"' in page
        assert operator.post(f"/console/switches/{name}/resume", reason="x").status_code == 303
    assert paused(staffed) == set()


def offered(visitor: Visitor) -> list[str]:
    """The providers and channels that the page has a form for."""
    return re.findall('action="/console/switches/provider:([a-z]+)/', visitor.get(ROOT).text)


def test_what_is_not_set_up_is_not_offered_but_to_be_resumed(
    staffed: Staffed, operator: Visitor
) -> None:
    assert offered(operator) == []
    page = operator.get(ROOT).text
    assert "None is set up: each that is can be paused here." in page
    assert "None is set up but the simulator of the demo." in page
    assert operator.post(f"{ROOT}/provider:mpesa/pause", reason="x").status_code == 303
    assert offered(operator) == ["mpesa"]


def test_what_is_set_up_is_offered_by_its_name_in_the_books(
    database_url: str, clock: SteppedClock
) -> None:
    given = Providers(
        snippe=Snippe(webhook_secret=("a-secret",)), vodacom=Vodacom(api_key="a-key-of-vodacom")
    )
    channels = ("africastalking", "simulator")
    wired = Wired(database_url, clock, providers=given, sms_channels=channels)
    assert offered(Staffed(wired).within(Role.OPERATOR)) == ["mpesa", "snippe", "africastalking"]
    wired.close()


@pytest.mark.parametrize("reason", ["", "  ", "\u200b", "x" * 201])
def test_without_a_reason_nothing_is_paused(
    staffed: Staffed, operator: Visitor, reason: str
) -> None:
    answer = operator.post("/console/switches/sms/pause", reason=reason)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert paused(staffed) == set()
    assert staffed.trail("sms") == []


def test_a_second_click_is_answered_as_the_first_and_somebody_elses_is_told(
    staffed: Staffed, operator: Visitor
) -> None:
    for _ in range(2):
        answer = operator.post("/console/switches/sms/pause", reason="a storm")
        assert answer.location == "/console/switches?done=switch-pause"
    assert len(staffed.trail("sms")) == 1
    other = staffed.within(Role.ADMIN).post("/console/switches/sms/pause", reason="a storm")
    assert other.status_code == 422
    assert 'role="alert">Sms is paused.' in other.text
    assert "resumed" not in operator.get("/console/switches?done=nothing").text.lower()


@pytest.mark.parametrize("name", ["everything", "provider:nobody", "provider:", "REDEEM%00"])
def test_a_switch_that_stops_nothing_is_not_there(
    staffed: Staffed, operator: Visitor, name: str
) -> None:
    answer = operator.post(f"/console/switches/{name}/pause", reason="x")
    assert answer.status_code == 404
    assert "No such switch" in answer.text
    assert paused(staffed) == set()
