"""A reload in a real browser after a refusal sends no manager's PIN again."""

from playwright.sync_api import expect

from gateway.outlets.payments.store import State
from gateway.people.staff.store import Role
from tests.web.counter.window import Front
from tests.web.staffed import PHONES


def test_a_reload_after_a_refused_taking_back_sends_nothing_and_the_way_back_neither(
    one_front: Front,
) -> None:
    desk = one_front.desk
    desk.open()
    path = desk.paid()
    window = one_front.window()
    window.open(path)
    window.page.get_by_text("The drawer was empty?").click()
    window.page.fill("#reason", "the drawer was empty")
    window.page.fill("#manager", PHONES[Role.MANAGER])
    window.page.fill("#pin", "8264")
    window.press("Take the payment back")
    expect(window.page.get_by_role("alert")).to_have_text("This phone and PIN do not match.")
    expect(window.page.locator("#reason")).to_have_value("the drawer was empty")
    expect(window.page.locator("#pin")).to_have_value("")
    sent = list(window.posts)
    for _ in range(2):
        window.page.reload()
    expect(window.page.get_by_text("This phone and PIN do not match.")).to_have_count(0)
    window.page.go_back()
    window.page.go_forward()
    assert window.posts == sent
    assert desk.shop.payment(path.rsplit("/", 1)[-1]).state == State.PAID
    assert desk.staffed.member(Role.MANAGER).tries == 1
