"""What spreadsheets make of a batch: read where it is sure what was meant, else refused by name."""

from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from gateway.api.batches import reading
from gateway.api.batches.checking import Checked, check
from gateway.api.issuing import Country
from gateway.errors import BadInput

NIGERIA = Country("NG", "NGN", ZoneInfo("Africa/Lagos"), ("en", "fr"))
HEAD = "amount,recipient,issue_ref"
ROW = "500.00,+2348030000001,r1"


def checked(text: str, token_max: str | None = None) -> Checked:
    """The file as a partner's own."""
    most = None if token_max is None else Decimal(token_max)
    return check(text, NIGERIA, most, is_test=False)


def told(text: str) -> list[tuple[int, str, str]]:
    """All that is wrong with a file."""
    return [(one.row, one.column, one.detail) for one in checked(text).faults]


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}\n{ROW}\n",
        f"\ufeff{HEAD}\r\n{ROW}\r\n",
        f"{HEAD}\n\n,,\n{ROW}\n\n",
        f"AMOUNT , Recipient,Issue_Ref,\n{ROW},\n",
        "amount;recipient;issue_ref\n500,00;08030000001;r1\n",
        "sep=;\namount;recipient;issue_ref\n500.00;2348030000001;r1\n",
        'amount\trecipient\tissue_ref\n"500"\t"0803 000 0001"\tr1',
        "issue_ref,recipient,amount\nr1,'+2348030000001,500.0",
        f"{HEAD},digits,bound,language,sender_name\n{ROW},,,,",
    ],
)
def test_the_same_row_is_read_however_a_spreadsheet_writes_it(text: str) -> None:
    found = checked(text)
    assert found.faults == []
    (row,) = found.rows
    assert (row.amount, row.recipient, row.issue_ref) == (
        Decimal("500.00"),
        "+2348030000001",
        "r1",
    )
    assert (row.digits, row.bound, row.language, row.sender_name) == (18, False, None, None)


def test_everything_that_may_be_said_of_a_row_is_heard() -> None:
    text = f'{HEAD},digits,bound,language,sender_name\n{ROW},11,YES,FR,"Acme, Ltd; ""Lagos"""'
    (row,) = checked(text).rows
    said = (row.digits, row.bound, row.language, row.sender_name)
    assert said == (11, True, "fr", 'Acme, Ltd; "Lagos"')


@pytest.mark.parametrize(
    ("cells", "column", "said"),
    [
        (
            "500,2.348E+12,r1",
            "recipient",
            "a spreadsheet has rewritten this phone number: format the column as text",
        ),
        (
            "500,2348030000001.0,r1",
            "recipient",
            "a spreadsheet has rewritten this phone number: format the column as text",
        ),
        (
            "5E+05,+2348030000001,r1",
            "amount",
            "a spreadsheet has rewritten this amount: format the column as text",
        ),
        (
            "500,+2348030000001,2.02603E+11",
            "issue_ref",
            "a spreadsheet has rewritten this reference: format the column as text",
        ),
        ('"1,000.00",+2348030000001,r1', "amount", "an amount reads like 500 or 500.00"),
        ("0,+2348030000001,r1", "amount", "an amount must be above zero"),
        (",+2348030000001,r1", "amount", "an amount reads like 500 or 500.00"),
        ("500,,r1", "recipient", "not a phone number"),
        ("500,=cmd(),r1", "recipient", "not a phone number"),
        ("500,+2348030000001,", "issue_ref", "1 to 64 printable ASCII characters"),
        ("500,+2348030000001,ré", "issue_ref", "1 to 64 printable ASCII characters"),
        ("500,+2348030000001,r1,12", "digits", "18 or 11"),
        ("500,+2348030000001,r1,,perhaps", "bound", "yes or no"),
        ("500,+2348030000001,r1,,,xx", "language", "one of en, fr"),
        (
            f"500,+2348030000001,r1,,,,{'x' * 41}",
            "sender_name",
            "at most 40 printable characters",
        ),
        ("500,+2348030000001,r1,,,,,more", "", "the row has more cells than the header"),
    ],
)
def test_a_cell_that_is_none_is_refused_by_its_row_and_column(
    cells: str, column: str, said: str
) -> None:
    head = f"{HEAD},digits,bound,language,sender_name"
    assert told(f"{head}\n{ROW.replace('r1', 'r0')}\n\n{cells}\n") == [(4, column, said)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file has no rows below a header"),
        (HEAD, "the file has no rows below a header"),
        (f"amount,recipient\n{ROW}", "row 1: the header lacks issue_ref"),
        (ROW, "row 1: the header lacks amount, recipient, issue_ref"),
        (f"{HEAD},colour\n{ROW}", "row 1: column 4 is none of amount"),
        (f"{HEAD},amount\n{ROW}", "row 1: a column stands there twice"),
        (f'{HEAD}\n500,"+2348030000001,r1', "row 2: its quotes do not match"),
        (f'{HEAD}\n500,"+23"48,r1', "row 2: its quotes do not match"),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_why(text: str, said: str) -> None:
    ((row, column, detail),) = told(text)
    assert (row, column) == (0, "")
    assert detail.startswith(said)


def test_a_reference_that_stands_twice_is_told_with_the_first_row() -> None:
    assert told(f"{HEAD}\n{ROW}\n{ROW}") == [(3, "issue_ref", "the same stands in row 2")]


def test_an_amount_above_what_was_agreed_is_told() -> None:
    (fault,) = checked(f"{HEAD}\n{ROW}", token_max="499.99").faults
    assert (fault.row, fault.detail) == (2, "above the 499.99 agreed for one token")


def test_ten_thousand_rows_are_read_and_one_more_is_not() -> None:
    rows = [f"1,+2348030000001,r{number}" for number in range(reading.ROWS_MAX)]
    found = checked("\n".join([HEAD, *rows]))
    assert (len(found.rows), found.total) == (10_000, Decimal("10000.00"))
    ((_, __, said),) = told("\n".join([HEAD, *rows, "1,+2348030000001,one-more"]))
    assert said == "more than 10,000 rows: send the file in parts"


def test_a_file_of_another_alphabet_or_without_an_end_is_refused() -> None:
    for raw in (f"{HEAD}\né".encode("latin-1"), HEAD.encode("utf-16")):
        with pytest.raises(BadInput, match="save it as CSV UTF-8"):
            reading.text_of(raw)
    with pytest.raises(BadInput, match="send it in parts"):
        reading.text_of(b"x" * (reading.BYTES_MAX + 1))
