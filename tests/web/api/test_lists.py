"""What a partner lists: its tokens page by page, and its float's statement as JSON and CSV."""

import csv
import io

import pytest

from tests.support.partner import Partner, partner
from tests.support.wired import ADA, BELLO, Wired


@pytest.fixture
def acme(wired: Wired) -> Partner:
    return partner(wired)


def issued(acme: Partner, number: int, to: str = ADA) -> str:
    body = {"amount": f"{number}.00", "recipient": to, "issue_ref": f"=n{number}"}
    serial: str = acme.post("/tokens", body).json["serial"]
    return serial


def test_every_token_is_listed_once_over_the_pages_even_while_new_ones_come(
    acme: Partner,
) -> None:
    known = [issued(acme, number) for number in range(1, 6)]
    partner(acme.wired, "Other").post("/tokens", {"amount": "9.00", "recipient": ADA})
    page = acme.get("/tokens?limit=2").json
    found = [token["serial"] for token in page["tokens"]]
    issued(acme, 6)
    while page["next"]:
        page = acme.get(f"/tokens?limit=2&after={page['next']}").json
        found += [token["serial"] for token in page["tokens"]]
    assert found == known[::-1]


def test_tokens_are_chosen_by_state_phone_and_time(acme: Partner) -> None:
    first, second = issued(acme, 1), issued(acme, 2, BELLO)
    acme.post(f"/tokens/{first}/suspend")

    def chosen(query: str) -> list[str]:
        return [token["serial"] for token in acme.get(f"/tokens?{query}").json["tokens"]]

    assert chosen("status=suspended") == [first]
    assert chosen("status=issued") == [second]
    assert chosen("recipient=08030000002") == [second]
    assert chosen("since=2100-01-01T00:00:00Z") == []
    assert chosen("until=2100-01-01T00:00:00Z") == [second, first]


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=x", "status=lost", "colour=red", "after=ZZZZZZZZ", "since=today"]
)
def test_a_query_that_is_none_is_refused(acme: Partner, query: str) -> None:
    answer = acme.get(f"/tokens?{query}")
    assert (answer.status_code, answer.json["code"]) == (422, "invalid_request")


def test_a_statement_tells_each_movement_and_the_balance_it_left(acme: Partner) -> None:
    first, second = issued(acme, 100), issued(acme, 50)
    acme.post(f"/tokens/{first}/cancel")
    lines = acme.get("/float/statement").json["lines"]
    assert [(line["kind"], line["subject"], line["amount"], line["balance"]) for line in lines] == [
        ("cancel", first, "100.00", "9950.00"),
        ("issue", second, "-50.00", "9850.00"),
        ("issue", first, "-100.00", "9900.00"),
        ("fund", "acme", "10000.00", "10000.00"),
    ]
    page = acme.get("/float/statement?limit=3").json
    behind = acme.get(f"/float/statement?limit=3&after={page['next']}").json
    assert page["lines"] + behind["lines"] == lines


def test_a_statement_is_a_file_that_a_spreadsheet_can_open(acme: Partner) -> None:
    serial = issued(acme, 100)
    answer = acme.get("/float/statement?format=csv")
    assert answer.content_type == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["subject"], row["amount"], row["balance"]) for row in rows] == [
        (serial, "-100.00", "9900.00"),
        ("acme", "10000.00", "10000.00"),
    ]
