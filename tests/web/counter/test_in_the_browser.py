"""The counter in a real browser: paid once whatever is clicked, and a day closed by a manager."""

from playwright.sync_api import Route, expect

from gateway.people.staff.store import Role
from tests.outlets.staging import naira
from tests.support.clock import SteppedClock
from tests.web.counter.window import Front, Window


def found(window: Window, front: Front, amount: str = "500.00") -> str:
    """Scan a token; the address of its page."""
    window.open()
    expect(window.entry).to_be_focused()
    window.scan(front.desk.wired.issue(amount).reveal())
    expect(window.main).to_contain_text(f"Pay NGN {amount}")
    return window.page.url.removeprefix(front.address)


def test_a_token_is_scanned_paid_and_the_next_one_can_be_scanned_at_once(at_front: Front) -> None:
    at_front.desk.open()
    window = at_front.window()
    found(window, at_front)
    window.press("Pay NGN 500.00")
    expect(window.main).to_contain_text("Hand out NGN 500.00, once.")
    expect(window.entry).to_be_focused()
    window.scan(at_front.desk.wired.issue("20.00").reveal())
    expect(window.main).to_contain_text("Pay NGN 20.00")
    assert at_front.desk.wired.breaches() == []


def test_a_double_click_a_reload_and_the_way_back_pay_once(at_front: Front) -> None:
    shift = at_front.desk.open(cash="5000.00")
    window = at_front.window()
    path = found(window, at_front)
    window.page.get_by_role("button", name="Pay NGN 500.00").dblclick()
    expect(window.main).to_contain_text("Hand out NGN 500.00, once.")
    window.page.reload()
    expect(window.main).to_contain_text("Hand out NGN 500.00, once.")
    window.page.go_back()
    window.page.go_forward()
    window.open(path)
    expect(window.main).to_contain_text("Hand the cash out only if you have not yet.")
    assert window.page.get_by_role("button", name="Pay NGN").count() == 0
    assert at_front.desk.shop.stand(shift).paid == naira("500.00")
    assert at_front.desk.wired.breaches() == []


def test_the_form_on_the_page_before_sent_again_comes_back_to_the_receipt(
    at_front: Front, clock: SteppedClock
) -> None:
    shift = at_front.desk.open()
    window = at_front.window()
    path = found(window, at_front)
    tab = at_front.window(tab_of=window)
    device = at_front.window()
    for other in (tab, device):
        other.open(path)
        expect(other.main).to_contain_text("Pay NGN 500.00")
    window.press("Pay NGN 500.00")
    expect(window.main).to_contain_text("Hand out NGN 500.00, once.")
    for each in (tab, device):
        clock.advance(seconds=1)
        each.press("Pay NGN 500.00")
        expect(each.main).to_contain_text("Hand the cash out only if you have not yet.")
    assert [len(each.posts) for each in (tab, device)] == [1, 1]
    assert at_front.desk.shop.stand(shift).paid == naira("500.00")
    assert at_front.desk.shop.account().balance == naira("500.00")


def test_an_answer_that_was_lost_on_the_way_is_found_again(at_front: Front) -> None:
    shift = at_front.desk.open()
    window = at_front.window()
    path = found(window, at_front)

    def lose(route: Route) -> None:
        route.fetch(max_redirects=0)
        route.abort()

    window.page.route("**/confirm", lose)
    window.page.get_by_role("button", name="Pay NGN 500.00").click(no_wait_after=True)
    window.page.wait_for_timeout(500)
    window.page.unroute("**/confirm")
    window.open(path)
    expect(window.main).to_contain_text("Hand the cash out only if you have not yet.")
    assert at_front.desk.shop.stand(shift).paid == naira("500.00")


def test_a_day_is_closed_with_a_variance_that_a_manager_accepts(at_front: Front) -> None:
    desk = at_front.desk
    window = at_front.window()
    window.page.get_by_label(f"{desk.shop.outlet}/1").check()
    window.page.get_by_label("Cash in its drawer, NGN").fill("1000")
    window.press("Open the till")
    found(window, at_front)
    window.press("Pay NGN 500.00")
    window.page.get_by_role("link", name="Close till").click()
    assert "500" not in window.main.inner_text()
    window.page.get_by_label("Cash counted, NGN").fill("490")
    window.press("This is the count")
    expect(window.main).to_contain_text("The count is not as expected.")
    expect(window.main).not_to_contain_text("short")
    boss = at_front.window(Role.MANAGER)
    boss.page.get_by_role("link", name="Outlet", exact=True).first.click()
    boss.page.get_by_role("link", name="Decide about till LAG-01/1").click()
    expect(boss.main).to_contain_text("NGN 10.00 short")
    boss.page.get_by_label("Reason").fill("a note was torn")
    boss.press("Accept the variance")
    expect(boss.main).to_contain_text("a note was torn")
    window.page.reload()
    expect(window.main).to_contain_text("The till is closed.")
    assert desk.shop.owed() == naira("500.00")
    assert desk.wired.breaches() == []


def test_without_javascript_everything_works(at_front: Front) -> None:
    desk = at_front.desk
    window = at_front.window(script=False)
    window.page.get_by_label(f"{desk.shop.outlet}/1").check()
    window.page.get_by_label("Cash in its drawer, NGN").fill("1000")
    window.press("Open the till")
    digits = desk.wired.issue("500.00").reveal()
    window.entry.fill(digits[:-1] + str((int(digits[-1]) + 1) % 10))
    window.press("Look up")
    expect(window.main).to_contain_text("A digit is wrong.")
    window.entry.fill(f"{digits[:6]} {digits[6:12]}-{digits[12:]}")
    window.press("Look up")
    window.page.get_by_role("button", name="Pay NGN 500.00").dblclick()
    expect(window.main).to_contain_text("Hand out NGN 500.00, once.")
    assert window.page.get_by_role("button", name="Print the receipt").count() == 0
    window.open("/counter/close")
    window.page.get_by_label("Cash counted, NGN").fill("500")
    window.press("This is the count")
    expect(window.main).to_contain_text("The till is closed.")
    assert desk.wired.breaches() == []
