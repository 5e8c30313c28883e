"""The console's staff: who works here, changed by admins alone, and no PIN is ever shown."""

from decimal import Decimal

import pytest

from gateway.outlets import manage
from gateway.people.staff import store
from gateway.people.staff.store import Member, Role
from tests.end_to_end.leaks import rows_of
from tests.outlets.staging import Shop
from tests.web.staffed import NAMES, PHONES, PIN, Staffed, Visitor, source, words

NEW_PIN = "6139"
NEW = "+2348030000021"
NAME = "Zara <i>Q</i> & sons"


@pytest.fixture
def admin(staffed: Staffed) -> Visitor:
    """The browser of an admin who is in, at a house with an outlet."""
    now = staffed.wired.clock.now()
    staffed.wired.run(
        lambda c: manage.create_outlet(c, "LAG-01", "Ikeja", "bank 1", "NGN", "cli:test", now)
    )
    return staffed.within(Role.ADMIN)


def hire(admin: Visitor, role: str = "cashier", **changes: str) -> tuple[int, str]:
    """Fill in the form; the status, and where it leads or what the page says."""
    form = {
        "name": NAME,
        "phone": "0803 000 0021",
        "role": role,
        "outlet": "LAG-01",
        "pin": NEW_PIN,
        "again": NEW_PIN,
        "reason": "the shop is busy",
    }
    answer = admin.post("/console/staff", **{**form, **changes})
    return answer.status_code, answer.location or ""


def member(staffed: Staffed, phone: str = NEW) -> Member:
    """Somebody as they stand."""
    found = staffed.wired.run(lambda c: store.by_msisdn(c, phone))
    assert found is not None
    return found


def approve(staffed: Staffed) -> None:
    """Have the operator approve the first that waits."""
    approvals, now = staffed.wired.gateway.approvals, staffed.wired.clock.now()
    actor = f"staff:{staffed.member(Role.OPERATOR).id}:{NAMES[Role.OPERATOR]}"
    staffed.wired.run(lambda c: approvals.approve(c, approvals.listed(c, now)[0].id, actor, now))


def test_everybody_of_the_console_sees_who_works_here(staffed: Staffed) -> None:
    for role in (Role.OPERATOR, Role.ADMIN):
        visitor = staffed.within(role)
        text = visitor.get("/console/staff").text
        for someone in Role:
            assert NAMES[someone] in text
            page = visitor.get(f"/console/staff/{staffed.member(someone).id}").text
            assert PHONES[someone] in page
            assert ("Disable" in page) == (role == Role.ADMIN)
        for number in ("999", "9" * 18, "9" * 30, "-1", "x"):
            assert visitor.get(f"/console/staff/{number}").status_code == 404
        assert "Nobody has been let go." in visitor.get("/console/staff?show=disabled").text


@pytest.mark.parametrize("role", [Role.CASHIER, Role.MANAGER, Role.OPERATOR])
def test_who_is_no_admin_changes_nothing(staffed: Staffed, role: Role) -> None:
    visitor = staffed.within(role)
    before = list(rows_of(staffed.wired.gateway.settings.database_url))
    number = staffed.member(Role.CASHIER).id
    for path in (
        "",
        f"/{number}/disable",
        f"/{number}/enable",
        f"/{number}/unlock",
        f"/{number}/pin",
    ):
        answer = visitor.post(f"/console/staff{path}", reason="x", pin=NEW_PIN, again=NEW_PIN)
        assert answer.status_code == 403
    assert list(rows_of(staffed.wired.gateway.settings.database_url)) == before


def test_a_cashier_is_taken_on_once_and_logs_in_with_that_pin(
    staffed: Staffed, admin: Visitor
) -> None:
    for _ in range(2):
        status, way = hire(admin)
        assert (status, way) == (303, f"/console/staff/{member(staffed).id}?done=staff-hire")
    found = member(staffed)
    assert (found.name, found.role, found.outlet) == (NAME, "cashier", "LAG-01")
    assert staffed.visitor("/counter").log_in(NEW, NEW_PIN).status_code == 303
    ada = f"staff:{staffed.member(Role.ADMIN).id}:Ada Min"
    assert staffed.trail(NEW) == [(ada, "staff.create", "the shop is busy")]
    page = admin.get(f"/console/staff/{found.id}?done=staff-hire").text
    assert "Zara &lt;i&gt;Q&lt;/i&gt; &amp; sons" in page
    assert "<i>Q" not in page + admin.get("/console/staff").text


def test_a_third_operator_waits_for_a_second_ones_approval(
    staffed: Staffed, admin: Visitor
) -> None:
    for _ in range(2):
        status, way = hire(admin, "operator", outlet="")
        assert (status, way) == (303, f"/console/staff/{member(staffed).id}?done=asked")
    assert member(staffed).status == "waiting"
    page = admin.get(f"/console/staff/{member(staffed).id}").text
    assert "waits for a second operator" in page
    assert NAME.split()[0] in admin.get("/console/staff?show=waiting").text
    approve(staffed)
    assert (member(staffed).status, member(staffed).outlet) == ("active", None)


# What is changed in a form that would be taken, and what is said about it.
REFUSED: tuple[tuple[dict[str, str], str], ...] = (
    ({"again": "6138"}, "The two PINs are not the same."),
    ({"pin": "1234", "again": "1234"}, "This PIN is too easy to guess."),
    ({"pin": "61", "again": "61"}, "A PIN has 4 to 6 digits."),
    ({"name": ""}, "A name has 1 to 40 characters."),
    ({"name": "x" * 41}, "A name has 1 to 40 characters."),
    ({"phone": "12"}, "That is no phone number."),
    ({"role": "owner"}, "Choose a role."),
    ({"outlet": ""}, "Choose the outlet where they work."),
    ({"outlet": "NOWHERE"}, "Choose the outlet where they work."),
    ({"reason": " "}, "Say why: the reason is blank."),
    ({"phone": PHONES[Role.MANAGER]}, "This phone is Musa Bala&#39;s, who is active."),
)


@pytest.mark.parametrize(("changes", "said"), REFUSED)
def test_who_cannot_be_taken_on_is_said_and_no_pin_comes_back(
    staffed: Staffed, admin: Visitor, changes: dict[str, str], said: str
) -> None:
    assert hire(admin, **changes) == (303, "/console/staff")
    page = admin.get("/console/staff")
    assert page.status_code == 422
    assert said in page.text
    assert staffed.wired.run(lambda c: store.by_msisdn(c, NEW)) is None
    assert changes.get("pin", NEW_PIN) not in source(page)
    assert "name" in changes or 'value="Zara &lt;i&gt;Q' in page.text


def test_somebody_is_disabled_and_enabled_and_out_at_once(staffed: Staffed, admin: Visitor) -> None:
    cashier, number = staffed.within(Role.CASHIER), staffed.member(Role.CASHIER).id
    for _ in range(2):
        out = admin.post(f"/console/staff/{number}/disable", reason="he left")
        assert out.location == f"/console/staff/{number}?done=staff-disable"
    assert cashier.get("/counter").status_code == 303
    assert "Let them work again" in admin.get(f"/console/staff/{number}").text
    back = admin.post(f"/console/staff/{number}/enable", reason="he is back")
    assert back.location == f"/console/staff/{number}?done=staff-enable"
    assert [line[1] for line in staffed.trail(PHONES[Role.CASHIER])] == [
        "staff.create",
        "staff.disable",
        "staff.enable",
    ]
    late = admin.post(f"/console/staff/{number}/enable", reason="once more")
    assert late.status_code == 422
    assert "Chika Obi is active." in late.text


def test_an_operator_comes_back_with_an_approval_and_nobody_leaves_one_alone(
    staffed: Staffed, admin: Visitor
) -> None:
    me = staffed.member(Role.ADMIN).id
    alone = admin.post(f"/console/staff/{me}/disable", reason="I leave")
    assert alone.status_code == 422
    assert "Fewer than two operators would be left" in alone.text
    other = staffed.member(Role.OPERATOR).id
    admin.post(f"/console/staff/{other}/disable", reason="she left")
    asked = admin.post(f"/console/staff/{other}/enable", reason="she is back")
    assert asked.location == f"/console/staff/{other}?done=asked"
    assert staffed.member(Role.OPERATOR).status == "disabled"


def test_who_is_locked_out_is_unlocked_once_a_day(staffed: Staffed, admin: Visitor) -> None:
    number, phone = staffed.member(Role.CASHIER).id, PHONES[Role.CASHIER]
    assert "Unlock" not in admin.get(f"/console/staff/{number}").text
    for _ in range(5):
        staffed.visitor("/counter").log_in(phone, "8264")
    assert "after too many wrong PINs" in admin.get(f"/console/staff/{number}").text
    done = admin.post(f"/console/staff/{number}/unlock", reason="he rang me")
    assert done.location == f"/console/staff/{number}?done=staff-unlock"
    assert staffed.visitor("/counter").log_in(phone).status_code == 303
    again = admin.post(f"/console/staff/{number}/unlock", reason="and again")
    assert again.status_code == 422
    assert "Chika Obi is not locked." in again.text


def test_a_pin_for_once_is_asked_for_typed_twice_and_never_shown(
    staffed: Staffed, admin: Visitor
) -> None:
    number, phone = staffed.member(Role.CASHIER).id, PHONES[Role.CASHIER]
    path = f"/console/staff/{number}/pin"
    differ = admin.refused(path, pin=NEW_PIN, again="6138", reason="forgot it")
    assert differ.status_code == 422
    assert "The two PINs are not the same." in differ.text
    assert NEW_PIN not in source(differ)
    assert 'value="forgot it"' in differ.text
    asked = admin.post(path, pin=NEW_PIN, again=NEW_PIN, reason="forgot it")
    assert asked.location == f"/console/staff/{number}?done=asked"
    for pin in (NEW_PIN, "6138"):  # one PIN is like another: nobody can compare them
        waits = admin.refused(path, pin=pin, again=pin, reason="forgot it")
        assert "Approval 1 waits for this already." in waits.text
    page = admin.get(f"/console/staff/{number}?done=asked")
    assert "A new PIN waits for a second operator" in words(page)
    assert NEW_PIN not in source(page)
    assert staffed.visitor("/counter").log_in(phone, PIN).status_code == 303
    approve(staffed)
    assert staffed.visitor("/counter").kept_out(phone, PIN).status_code == 422
    refused = staffed.visitor("/counter").kept_out(phone, NEW_PIN)
    assert "This PIN is good for one thing: choosing your own." in refused.text
    assert "PIN for once" in admin.get(f"/console/staff/{number}").text
    kept = [text for _, text in rows_of(staffed.wired.gateway.settings.database_url)]
    assert NEW_PIN not in kept


@pytest.mark.parametrize("form", ["disable", "enable", "unlock", "pin", "promote"])
def test_nobody_is_changed_who_is_not_there(admin: Visitor, form: str) -> None:
    answer = admin.post(f"/console/staff/999/{form}", reason="x", pin=NEW_PIN, again=NEW_PIN)
    assert answer.status_code == 404


def test_a_cashier_is_moved_to_another_outlet_once_their_till_is_closed(
    staffed: Staffed, admin: Visitor
) -> None:
    here, there = Shop(staffed.wired, "LAG-01"), Shop(staffed.wired, "ABJ-02").open()
    limit, now = Decimal("500.00"), staffed.wired.clock.now()
    staffed.wired.run(lambda c: manage.create_till(c, "LAG-01", limit, "NGN", "cli:test", now))
    cashier, number = staffed.member(Role.CASHIER), staffed.member(Role.CASHIER).id
    here.shift(cashier)
    path, form = f"/console/staff/{number}/move", {"outlet": "ABJ-02", "reason": "she moved"}
    early = admin.post(path, **form)
    assert early.status_code == 422
    assert "Chika Obi has till LAG-01/1 open: close it first." in early.text
    here.count("500.00", cashier)
    for _ in range(2):
        assert admin.post(path, **form).location == f"/console/staff/{number}?done=staff-move"
    page = admin.get(f"/console/staff/{number}?done=staff-move").text
    assert "Moved: they open their tills there" in page
    assert "LAG-01 to ABJ-02: she moved" in page
    assert there.shift(staffed.member(Role.CASHIER)).till == "ABJ-02/1"
    assert (
        "Move to another outlet"
        not in admin.get(f"/console/staff/{staffed.member(Role.OPERATOR).id}").text
    )
    assert staffed.within(Role.OPERATOR).post(path, **form).status_code == 403
