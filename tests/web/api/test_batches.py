"""Batches over the API: checked, approved by an operator, issued, retried, cancelled, read."""

import csv
import io
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import select

from gateway.partners import profiles
from gateway.partners.access import keys
from gateway.partners.repeats.store import api_requests
from gateway.settings.limits import Money
from gateway.web.api import batch_models as models
from tests.api.batching import HEAD, advance, issued, sheet
from tests.partners.test_terms import agree
from tests.support.clock import SteppedClock
from tests.support.partner import Partner, Reply, partner
from tests.support.wired import ADA, Wired


@pytest.fixture
def acme(wired: Wired) -> Partner:
    return partner(wired)


def handed_in(acme: Partner, text: str, **more: Any) -> Reply:
    answer = acme.post("/batches", {"csv": text, **more})
    assert answer.status_code == 200, answer.text
    return answer


def approve(acme: Partner) -> None:
    """An operator lets the batch run that waits."""
    wired, now = acme.wired, acme.wired.clock.now()
    approvals = wired.gateway.approvals
    (waits,) = wired.run(lambda c: approvals.listed(c, now))
    assert waits.kind == "batch.issue"
    wired.run(lambda c: approvals.approve(c, waits.id, "cli:second", now))


def test_a_batch_waits_for_an_operator_and_is_issued_row_by_row(acme: Partner) -> None:
    name = handed_in(acme, sheet(3)).json["batch"]
    assert (advance(acme.wired), issued(acme.wired)) == (0, 0)
    assert acme.get(f"/batches/{name}").json["status"] == "waiting"
    approve(acme)
    assert (advance(acme.wired), acme.wired.send_all()) == (3, 3)
    done = acme.get(f"/batches/{name}").json
    assert (done["status"], done["issued"], done["issued_total"]) == ("done", 3, "30.00")
    assert acme.get("/float").json["balance"] == "9970.00"
    assert acme.wired.breaches() == []


def test_a_dry_run_tells_all_faults_and_keeps_nothing(acme: Partner) -> None:
    acme.post("/tokens", {"amount": "1.00", "recipient": ADA, "issue_ref": "old"})
    text = f"{HEAD}\n9999.01,{ADA},r1\n5,2.348E+12,r2\n5,{ADA},old\n5,{ADA},r1\n"
    found = handed_in(acme, text, dry_run=True).json
    assert (found["batch"], found["status"], found["rows"]) == (None, "checked", 4)
    assert (found["total"], found["balance"], found["missing"]) == (
        "10009.01",
        "9999.00",
        "10.01",
    )
    said = [(one["row"], one["column"]) for one in found["errors"]]
    assert (said, found["errors_count"]) == (
        [(3, "recipient"), (4, "issue_ref"), (5, "issue_ref")],
        3,
    )
    assert acme.get("/batches").json == {"batches": [], "next": None}


def test_a_dry_run_repeats_no_cell_and_is_not_remembered(acme: Partner) -> None:
    """A cell may hold digits of a token; what changed nothing needs no memory."""
    token = acme.post("/tokens", {"amount": "1.00", "digits": 11, "deliver": False}).json["token"]
    text = f"{HEAD}\n{token}.0,{token},{token}.0\n{token},{token}.0,{token}e+5\n"
    answer = acme.post("/batches", {"csv": text, "dry_run": True}, "try-1")
    assert (answer.status_code, token in answer.text) == (200, False), answer.text
    rows = acme.wired.run(lambda c: c.execute(select(api_requests.c.operation)).scalars().all())
    assert rows == ["POST /api/v1/tokens"]
    # The same key is free for the file itself.
    assert acme.post("/batches", {"csv": sheet(1)}, "try-1").status_code == 200


def test_a_file_with_a_fault_is_refused_as_a_whole(acme: Partner) -> None:
    answer = acme.post("/batches", {"csv": f"{HEAD}\n5,{ADA},r1\n0,{ADA},r2\n"})
    assert (answer.status_code, answer.json["code"]) == (422, "invalid_request")
    (fault,) = answer.json["errors"]
    assert (fault["row"], fault["column"], answer.json["errors_count"]) == (3, "amount", 1)
    assert acme.get("/batches").json["batches"] == []


def test_a_repeat_of_the_request_takes_the_file_in_once(acme: Partner) -> None:
    body = {"csv": sheet(2)}
    first = acme.post("/batches", body, "k1")
    again = acme.post("/batches", body, "k1")
    assert (again.json, again.headers["Idempotent-Replayed"]) == (first.json, "true")
    assert len(acme.get("/batches").json["batches"]) == 1
    other = acme.post("/batches", {"csv": sheet(3)}, "k1")
    assert other.json["code"] == "key_reused"


def test_the_same_file_again_issues_nothing_twice(acme: Partner) -> None:
    first, second = (handed_in(acme, sheet(2)).json["batch"] for _ in range(2))
    now, approvals = acme.wired.clock.now(), acme.wired.gateway.approvals
    both = acme.wired.run(lambda c: approvals.listed(c, now))
    acme.wired.run(lambda c: [approvals.approve(c, one.id, "cli:second", now) for one in both])
    advance(acme.wired)
    assert acme.get(f"/batches/{first}").json["issued"] == 2
    found = acme.get(f"/batches/{second}").json
    assert (found["failed"], {one["code"] for one in found["errors"]}) == (
        2,
        {"duplicate_issue_ref"},
    )
    assert issued(acme.wired) == 2


def test_rows_that_failed_are_issued_once_what_was_wrong_is_mended(acme: Partner) -> None:
    agree(acme.wired, day_max="25")
    name = handed_in(acme, sheet(3)).json["batch"]
    approve(acme)
    advance(acme.wired)
    found = acme.get(f"/batches/{name}").json
    assert (found["status"], found["issued"], found["failed"]) == ("done", 2, 1)
    (fault,) = found["errors"]
    assert (fault["row"], fault["code"]) == (4, "limit_exceeded")
    agree(acme.wired, clears=("day_max",))
    assert acme.post(f"/batches/{name}/retry").json["waiting"] == 1
    advance(acme.wired)
    assert acme.get(f"/batches/{name}").json["issued"] == 3
    again = acme.post(f"/batches/{name}/retry")
    assert (again.status_code, again.json["code"]) == (409, "wrong_state")


def test_a_cancelled_batch_issues_nothing_and_can_be_approved_no_more(acme: Partner) -> None:
    name = handed_in(acme, sheet(2)).json["batch"]
    gone = acme.post(f"/batches/{name}/cancel", {"reason": "wrong file"}).json
    assert (gone["status"], gone["cancelled"]) == ("cancelled", 2)
    now, wired = acme.wired.clock.now(), acme.wired
    assert wired.run(lambda c: wired.gateway.approvals.listed(c, now)) == []
    assert (advance(wired), issued(wired)) == (0, 0)
    assert acme.post(f"/batches/{name}/cancel").json["code"] == "wrong_state"
    assert acme.post(f"/batches/{name}/retry").json["code"] == "wrong_state"


def test_what_nobody_approves_is_refused_with_all_its_rows(
    acme: Partner, clock: SteppedClock
) -> None:
    name = handed_in(acme, sheet(2)).json["batch"]
    clock.advance(days=8)
    acme.wired.gateway.approvals.sweep(acme.wired.gateway.database, clock)
    found = acme.get(f"/batches/{name}").json
    assert (found["status"], found["cancelled"], found["waiting"]) == ("refused", 2, 0)


def test_a_suspended_partners_batch_waits_and_goes_on_later(acme: Partner) -> None:
    name = handed_in(acme, sheet(2)).json["batch"]
    approve(acme)
    wired, now = acme.wired, acme.wired.clock.now()
    wired.run(lambda c: profiles.suspend(c, "acme", "t", "papers", now))
    assert advance(wired) == 0
    assert acme.get(f"/batches/{name}").json["waiting"] == 2
    wired.run(lambda c: profiles.resume(c, "acme", "t", "papers came", now))
    assert advance(wired) == 2


def test_rows_are_listed_page_by_page_and_exported_without_digits_or_formulas(
    acme: Partner,
) -> None:
    text = f"{HEAD}\n10,{ADA},=1+1\n10,{ADA},r2\n10,{ADA},r3\n"
    name = handed_in(acme, text).json["batch"]
    approve(acme)
    advance(acme.wired)
    page = acme.get(f"/batches/{name}/rows?limit=2").json
    behind = acme.get(f"/batches/{name}/rows?limit=2&after={page['next']}").json
    assert [row["row"] for row in page["rows"] + behind["rows"]] == [2, 3, 4]
    assert behind["next"] is None
    answer = acme.get(f"/batches/{name}/rows?format=csv")
    lines = list(csv.DictReader(io.StringIO(answer.text)))
    assert [line["issue_ref"] for line in lines] == ["'=1+1", "r2", "r3"]
    assert lines[0]["recipient"] == f"'{ADA}"
    assert [line["serial"] for line in lines] == [row["serial"] for row in page["rows"]] + [
        behind["rows"][0]["serial"]
    ]
    assert {line["status"] for line in lines} == {"issued"}


def test_what_is_answered_is_what_is_described(acme: Partner) -> None:
    models.BatchView.model_validate_json(handed_in(acme, f"{HEAD}\n", dry_run=True).text)
    name = models.BatchView.model_validate_json(handed_in(acme, sheet(2)).text).batch
    approve(acme)
    advance(acme.wired)
    agree(acme.wired, token_max="1")
    models.BatchView.model_validate_json(acme.get(f"/batches/{name}").text)
    models.BatchPage.model_validate_json(acme.get("/batches").text)
    models.RowPage.model_validate_json(acme.get(f"/batches/{name}/rows").text)


def test_a_partner_sees_its_own_batches_alone_and_needs_the_scope(acme: Partner) -> None:
    name = handed_in(acme, sheet(1)).json["batch"]
    other = partner(acme.wired, "Other")
    for answer in (
        other.get(f"/batches/{name}"),
        other.get(f"/batches/{name}/rows"),
        other.post(f"/batches/{name}/cancel"),
    ):
        assert (answer.status_code, answer.json["code"]) == (404, "not_found")
    assert acme.with_key(keys.READ).post("/batches", {"csv": sheet(1)}).status_code == 403


def test_a_test_key_plays_a_batch_without_an_approval_and_sends_nothing(acme: Partner) -> None:
    play = acme.with_key(test=True)
    found = handed_in(play, sheet(2)).json
    assert (found["status"], found["currency"]) == ("running", "XTS")
    advance(acme.wired)
    assert play.get(f"/batches/{found['batch']}").json["issued"] == 2
    assert (acme.wired.send_all(), acme.get("/float").json["balance"]) == (0, "10000.00")
    assert acme.get(f"/batches/{found['batch']}").status_code == 404


def test_up_to_an_amount_of_the_settings_nobody_has_to_approve(
    database_url: str, clock: SteppedClock
) -> None:
    wired = Wired(database_url, clock, money=Money(batch_alone_max=Decimal("20.00")))
    acme = partner(wired)
    assert handed_in(acme, sheet(2)).json["status"] == "running"
    assert handed_in(acme, sheet(3, first=10)).json["status"] == "waiting"
    wired.close()


def test_a_body_that_is_too_long_is_refused(acme: Partner) -> None:
    assert acme.post("/batches", {"csv": "x" * 200_000, "dry_run": True}).status_code == 200
    assert acme.post("/batches", {"csv": "x" * 5_000_000}).status_code == 413
    assert acme.post("/tokens", {"amount": "x" * 200_000}).status_code == 413
