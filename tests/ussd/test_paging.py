"""Pages: within the budget whatever the text, nothing lost, nothing twice (ussd.md E1, E3)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.database.engine import Database
from gateway.formats import gsm7
from gateway.ussd.paging import cut, sheet
from tests.support.clock import SteppedClock
from tests.ussd.staging import Staged, engine, listing

FOOTER, MORE = "0 Back 00 Home", "98 More"
ALPHABET = st.sampled_from("abc1 \n[]{}€^~\\|éÉÑ@£")
TEXTS = st.text(ALPHABET, min_size=1, max_size=600)
BUDGETS = st.integers(60, 182)


def lines_of(page: str, complaint: str = "") -> list[str]:
    """The lines of a page without what stands above and below."""
    lines = page.split("\n")
    if complaint:
        lines = lines[1:]
    return [line for line in lines if line not in (FOOTER, MORE)]


@given(TEXTS, BUDGETS)
def test_every_page_fits_and_all_characters_come_in_their_order(text: str, budget: int) -> None:
    pages = sheet(text, FOOTER, MORE, budget).pages()
    assert all(gsm7.septets(page) <= budget for page in pages)
    shown = "".join("".join(lines_of(page)) for page in pages)
    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", text)


@given(st.lists(st.text("abc[€", min_size=1, max_size=25), min_size=1, max_size=60), BUDGETS)
def test_lines_that_fit_are_never_cut(lines: list[str], budget: int) -> None:
    pages = sheet("\n".join(lines), FOOTER, MORE, budget).pages()
    fitting = budget - gsm7.septets(f"{MORE}\n{FOOTER}\n")
    if max(map(gsm7.septets, lines)) <= fitting:
        assert [line for page in pages for line in lines_of(page)] == lines


@given(
    TEXTS, BUDGETS, st.text(st.sampled_from("abc [€"), min_size=1, max_size=120), st.integers(0, 9)
)
def test_a_complaint_on_any_page_hides_no_line(
    text: str, budget: int, complaint: str, turn: int
) -> None:
    made = sheet(text, FOOTER, MORE, budget)
    seen, start, number = [], 0, 0
    while True:
        said = complaint.strip() if number == turn else ""
        page = made.page(start, said)
        assert gsm7.septets(page.text) <= budget
        assert not said or page.text.startswith(said.split()[0][:5])
        end = len(made.lines) if page.next is None else page.next
        seen += list(made.lines[start:end])
        if page.next is None:
            break
        start, number = page.next, number + 1
        assert number < 1_000
    assert seen == list(made.lines)


@given(st.text(st.sampled_from("ab[€ "), max_size=200), st.integers(2, 40))
def test_a_piece_of_a_line_fits_and_no_extension_pair_is_cut(line: str, room: int) -> None:
    pieces = cut(line, room)
    assert all(gsm7.septets(piece) <= room for piece in pieces)
    assert "".join(pieces).replace(" ", "") == line.replace(" ", "")


def test_no_room_is_refused() -> None:
    with pytest.raises(ValueError, match="no room"):
        sheet("a b c d e f g", FOOTER, MORE, 24)


PAGES_MAX = 60  # a text has 64 segments at most
ITEMS = [f"NGN {number},000.00 until {number % 28 + 1:02d}/12/2026" for number in range(60)]


@pytest.mark.parametrize("budget", [60, 100, 160, 182])
def test_a_list_of_sixty_is_paged_to_and_fro_and_chosen_from_on_any_page(
    database: Database, clock: SteppedClock, budget: int
) -> None:
    staged = Staged(database, clock, engine(*listing(lambda: ITEMS)), budget)
    pages = walk(staged)
    assert all(gsm7.septets(page) <= budget for page in pages)
    numbers = [int(n) for page in pages for n in re.findall(r"(?m)^(\d+) NGN", page)]
    assert numbers == list(range(1, 61))[: len(numbers)]
    assert len(numbers) == 60 or len(pages) == PAGES_MAX


def walk(staged: Staged) -> list[str]:
    """Every page, by pressing 98 as long as there is more and the text may grow."""
    text, pages = "1", [staged.shows("1")]
    while "98 More" in pages[-1] and len(pages) < PAGES_MAX:
        text += "*98"
        pages.append(staged.shows(text))
    return pages


def test_back_from_a_page_leads_to_the_page_before(database: Database, clock: SteppedClock) -> None:
    staged = Staged(database, clock, engine(*listing(lambda: ITEMS)))
    pages = [staged.shows(text) for text in ("1", "1*98", "1*98*98")]
    assert staged.shows("1*98*98*0") == pages[1]
    assert staged.shows("1*98*98*0*0") == pages[0]
    assert staged.shows("1*98*98*0*0*0").startswith("Home")


def test_a_wrong_number_on_a_page_complains_there_and_more_goes_on_where_it_stopped(
    database: Database, clock: SteppedClock
) -> None:
    staged = Staged(database, clock, engine(*listing(lambda: ITEMS)))
    staged.budget = 145
    staged.turn("1")
    second = staged.shows("1*98")
    complained = staged.shows("1*98*77")
    assert re.findall(r"(?m)^(\d+) NGN", second) == ["4", "5", "6", "7"]
    assert complained.startswith("Invalid choice.\n4 NGN")
    assert re.findall(r"(?m)^(\d+) NGN", complained) == ["4", "5", "6"]
    following = staged.shows("1*98*77*98")
    assert re.findall(r"(?m)^(\d+) NGN", following)[0] == "7"


def test_an_item_may_be_chosen_from_any_page(database: Database, clock: SteppedClock) -> None:
    staged = Staged(database, clock, engine(*listing(lambda: ITEMS)))
    staged.turn("1")
    staged.turn("1*98")
    assert staged.shows("1*98*60") == f"Chosen {ITEMS[59]}"


def test_more_on_the_last_page_is_an_invalid_choice(
    database: Database, clock: SteppedClock
) -> None:
    staged = Staged(database, clock, engine(*listing(lambda: ["a"])))
    assert staged.shows("1*98").startswith("Invalid choice.\nList\n1 a")
