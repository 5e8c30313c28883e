"""Moving about the screens, on small trees: private screens, lists, redirects, new versions."""

import json

import pytest

from gateway.database.engine import Database
from gateway.formats import gsm7
from gateway.ussd import journal
from gateway.ussd.engine import Engine
from gateway.ussd.screens import Again, Go, Next, Option, Screen, Visit
from tests.support.clock import SteppedClock
from tests.ussd.staging import PIN, Paying, Staged, engine, listing


@pytest.fixture
def paying() -> Paying:
    return Paying()


@pytest.fixture
def staged(database: Database, clock: SteppedClock, paying: Paying) -> Staged:
    return Staged(database, clock, engine(*paying.screens()))


def test_a_payment_is_made_turn_by_turn(staged: Staged, paying: Paying) -> None:
    texts = ["", "1", "1*50", f"1*50*{PIN}", f"1*50*{PIN}*1"]
    shown = [staged.shows(text).partition("\n")[0] for text in texts]
    assert shown == ["Home", "Amount?", "PIN?", "Pay 50?", "Paid 50"]
    assert paying.paid == ["50"]


def test_an_option_may_name_the_values_of_its_screen(staged: Staged) -> None:
    for text in ("", "1", "1*50"):
        staged.turn(text)
    assert "1 Yes, 50" in staged.shows(f"1*50*{PIN}")


def test_a_dialled_code_stops_before_a_private_screen(staged: Staged, paying: Paying) -> None:
    assert staged.shows(f"1*50*{PIN}*1").startswith("PIN?")
    assert paying.paid == []
    assert staged.shows(f"1*50*{PIN}*1*{PIN}").startswith("Pay 50?")


def test_what_was_not_typed_on_a_private_screen_does_not_answer_it(
    staged: Staged, paying: Paying
) -> None:
    for text in ("", "1"):
        staged.turn(text)
    assert staged.shows(f"1*50*{PIN}*1").startswith("PIN?")
    assert staged.shows(f"1*50*{PIN}*1*{PIN}*1").startswith("Pay 50?")
    assert paying.paid == []


def test_a_drop_on_a_private_screen_goes_on_at_the_open_one_before_it(
    staged: Staged, paying: Paying
) -> None:
    for text in ("", "1", "1*50", f"1*50*{PIN}"):
        staged.turn(text, "S1")
    assert staged.shows("", "S2").startswith("Home")
    replace_home(staged, paying)
    assert "9 Continue" in staged.shows("", "S3")
    assert staged.shows("9", "S3").startswith("Amount?")
    assert staged.shows("9*0", "S3").startswith("Home")
    assert paying.paid == []


def test_a_private_screen_right_behind_the_root_is_not_resumed(
    database: Database, clock: SteppedClock
) -> None:
    made = (
        Screen("home", text="Home", options=(Option("1", "PIN", "pin"), resuming())),
        Screen("pin", text="PIN?", answer=lambda *_: Again("Wrong."), private=True),
    )
    staged = Staged(database, clock, engine(*made))
    for text in ("", "1", "1*1"):
        staged.turn(text, "S1")
    assert "9 Continue" not in staged.shows("", "S2")


def resuming() -> Option:
    return Option("9", "Continue", "@resume", shown=lambda visit: visit.resumable)


def replace_home(staged: Staged, paying: Paying) -> None:
    """A new version whose root offers to go on."""
    home, *others = paying.screens()
    home = Screen("home", text="Home", options=(*home.options, resuming()))
    staged.engine = engine(home, *others)


def test_a_place_that_a_new_version_lacks_leads_home_and_takes_no_input(
    database: Database, clock: SteppedClock, paying: Paying
) -> None:
    staged = Staged(database, clock, engine(*paying.screens()))
    for text in ("", "1"):
        staged.turn(text, "S1")
    home = Screen("home", text="Home", options=(Option("1", "New", "new"), resuming()))
    staged.engine = engine(home, Screen("new", text="New", ends=True))
    shown = staged.shows("1*1", "S1")
    assert shown == "The menu has changed. Please choose again.\nHome\n1 New"
    assert staged.shows("1*1*1", "S1") == "New"
    assert "9 Continue" not in staged.shows("", "S2")


def test_a_place_whose_text_needs_a_value_it_has_not_leads_home(staged: Staged) -> None:
    for text in ("", "1"):
        staged.turn(text)
    made = (
        Screen("home", text="Home", options=(Option("1", "Pay", "amount"),)),
        Screen("amount", text="Of {funds}?", answer=lambda *_: Again("No."), sample={"funds": "1"}),
    )
    staged.engine = engine(*made)
    assert staged.shows("1*50").startswith("The menu has changed.")


def test_a_place_of_another_versions_shape_is_read_as_far_as_it_is_known(staged: Staged) -> None:
    for text in ("", "1"):
        staged.turn(text)
    place = json.dumps({"screen": "amount", "of_later": [1], "language": "en", "open": True})
    staged.database.run(lambda c: c.execute(journal.ussd_steps.update().values(place=place)))
    assert staged.shows("1*50").startswith("PIN?")


def test_the_way_back_skips_screens_that_are_gone(database: Database, clock: SteppedClock) -> None:
    def menu(name: str, to: str) -> Screen:
        return Screen(name, text=name, options=(Option("1", to, to),))

    old = (menu("home", "a"), menu("a", "b"), menu("b", "c"), menu("c", "home"))
    staged = Staged(database, clock, engine(*old))
    for text in ("", "1", "1*1", "1*1*1"):
        staged.turn(text)
    staged.engine = engine(menu("home", "a"), menu("a", "c"), menu("c", "home"))
    assert staged.shows("1*1*1*0").startswith("a\n")
    assert staged.shows("1*1*1*0*0").startswith("home\n")


def test_the_way_back_and_the_row_do_not_grow_with_the_dialogue(
    database: Database, clock: SteppedClock
) -> None:
    ring = (
        Screen("home", text="Home", options=(Option("1", "A", "a"), resuming())),
        Screen("a", text="A", options=(Option("1", "B", "b"),)),
        Screen("b", text="B", options=(Option("1", "A", "a"),)),
    )
    staged = Staged(database, clock, engine(*ring))
    for length in range(60):
        staged.turn("*".join("1" * length))
    with database.snapshot() as connection:
        rows = connection.execute(journal.ussd_steps.select()).all()
    assert max(len(row.place) for row in rows) < 600
    for number in range(20):
        staged.turn("9*1*1*1", f"R{number}")
    with database.snapshot() as connection:
        rows = connection.execute(journal.ussd_steps.select()).all()
    assert max(len(row.place) for row in rows) < 1_600


def test_a_screen_that_turns_its_caller_away_leaves_them_where_they_were(
    database: Database, clock: SteppedClock
) -> None:
    closed = Screen("b", text="B", arrive=lambda _: Again("Closed."), ends=True)
    made = (
        Screen("home", text="Home", options=(Option("1", "A", "a"),)),
        Screen("a", text="A", options=(Option("1", "B", "b"),)),
        closed,
    )
    staged = Staged(database, clock, engine(*made))
    staged.turn("1")
    assert staged.shows("1*1") == "Closed.\nA\n1 B\n0 Back"
    assert staged.shows("1*1*0").startswith("Home")


def test_values_looked_up_before_are_looked_up_again_on_the_way_back(
    database: Database, clock: SteppedClock
) -> None:
    balances = ["10", "20", "30"]

    def look(_: Visit) -> dict[str, str]:
        return {"balance": balances.pop(0)}

    made = (
        Screen("home", text="Home", options=(Option("1", "A", "a"),)),
        Screen(
            "a",
            text="A {balance}",
            arrive=look,
            options=(Option("1", "B", "b"),),
            sample={"balance": "1"},
        ),
        Screen("b", text="B", options=(Option("1", "A", "a"),)),
    )
    staged = Staged(database, clock, engine(*made))
    staged.turn("1")
    assert staged.shows("1*1").startswith("B")
    assert staged.shows("1*1*0").startswith("A 20")
    assert staged.shows("1*1*0*7").startswith("Invalid choice.\nA 20")


def circle(target: str) -> Engine:
    def arrive(_: Visit) -> Next:
        return Go(target)

    return engine(
        Screen("home", text="Home", options=(Option("1", "A", "a"),)),
        Screen("a", text="A", arrive=arrive, ends=True, leads_to=("b",)),
        Screen("b", text="B", arrive=lambda _: Go("a"), ends=True, leads_to=("a",)),
    )


def test_screens_that_redirect_in_a_circle_are_found_out(
    database: Database, clock: SteppedClock
) -> None:
    staged = Staged(database, clock, circle("b"))
    with pytest.raises(RuntimeError, match="in a circle"):
        staged.turn("1")


def test_a_list_that_shrank_is_answered_by_what_the_caller_saw(
    database: Database, clock: SteppedClock
) -> None:
    items = ["a", "b", "c"]
    staged = Staged(database, clock, engine(*listing(lambda: items)))
    assert staged.shows("1") == "List\n1 a\n2 b\n3 c\n0 Back"
    items.pop(0)
    assert staged.shows("1*2") == "Chosen b"


def test_a_list_item_may_look_like_a_message_with_a_value(
    database: Database, clock: SteppedClock
) -> None:
    staged = Staged(database, clock, engine(*listing(lambda: ["{amount}", "{}", "{item}"])))
    assert staged.shows("1") == "List\n1 {amount}\n2 {}\n3 {item}\n0 Back"
    assert staged.shows("1*3") == "Chosen {item}"


def test_another_channel_is_another_dialogue(staged: Staged) -> None:
    staged.turn("1")
    other = Staged(staged.database, staged.clock, staged.engine, channel="other")
    assert other.shows("").startswith("Home")
    assert staged.shows("1*5").startswith("PIN?")


def test_a_name_outside_the_alphabet_is_written_within_it(
    database: Database, clock: SteppedClock
) -> None:
    name = "Café “Lagos” – ₦ Shop \N{GRINNING FACE}"
    staged = Staged(database, clock, engine(*listing(lambda: [name])))
    assert staged.shows("1") == 'List\n1 Café "Lagos" - N Shop \n0 Back'
    assert gsm7.is_gsm7(staged.shows("1*1"))
