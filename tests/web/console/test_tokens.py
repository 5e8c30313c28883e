"""The console's pages of tokens: found by serial or phone, acted upon with a reason; no digits."""

from decimal import Decimal

import pytest
from sqlalchemy import update

from gateway.disputes.open import Complaint
from gateway.outbox import store as outbox
from gateway.people.staff.store import Role, staff
from tests.support.races import race
from tests.support.wired import ADA, BELLO, Wired
from tests.web.staffed import PHONES, Staffed, Visitor

MARKUP = "<b onclick=alert(1)>\"'"
WHY = "the recipient has lost the SMS"


def do(operator: Visitor, serial: str, form: str, reason: str = WHY, reprints: int = 0) -> None:
    """Send one of the forms of a token's page; `reprints`: those when the page was made."""
    fields = {"reason": reason, "reprints": str(reprints)}
    answer = operator.post(f"/console/tokens/{serial}/{form}", **fields)
    assert (answer.status_code, answer.headers.get("Location")) == (
        303,
        f"/console/tokens/{serial}?done=token-{form}",
    )


def refused(operator: Visitor, serial: str, form: str, reason: str = WHY, reprints: int = 0) -> str:
    """What one of the forms of a token's page is refused with."""
    fields = {"reason": reason, "reprints": str(reprints)}
    answer = operator.post(f"/console/tokens/{serial}/{form}", **fields)
    assert answer.status_code == 422
    return answer.text


def page(operator: Visitor, serial: str) -> str:
    """A token's page, its blanks folded."""
    answer = operator.get(f"/console/tokens/{serial}")
    assert answer.status_code == 200
    return " ".join(answer.text.split())


@pytest.mark.parametrize("spelling", ["{0}", " {1} ", "{2}-{3}"])
def test_a_serial_leads_to_its_token_however_it_is_written(
    wired: Wired, operator: Visitor, spelling: str
) -> None:
    serial = wired.issue().serial
    wanted = spelling.format(serial, serial.lower(), serial[:4], serial[4:].lower())
    answer = operator.post("/console/tokens", find=wanted)
    assert answer.headers["Location"] == f"/console/tokens/{serial}"
    assert f'<span class="mono">{serial}</span>' in page(operator, serial)


def test_a_phone_leads_to_its_tokens(wired: Wired, operator: Visitor) -> None:
    mine, other = wired.issue(to=ADA).serial, wired.issue(to=BELLO).serial
    answer = operator.post("/console/tokens", find="0803 000 0001")
    text = operator.get(answer.headers["Location"]).text
    assert mine in text
    assert other not in text
    sent = operator.get(f"{answer.headers['Location']}&show=sent").text
    assert "This phone has sent no token yet." in sent


@pytest.mark.parametrize("wanted", ["902100000000000014", "９０２１00000000000014"])
def test_the_digits_of_a_token_find_nothing_and_are_not_repeated(
    operator: Visitor, wanted: str
) -> None:
    answer = operator.post("/console/tokens", find=wanted)
    assert answer.status_code == 422
    assert "That is neither a serial nor a phone number." in answer.text
    assert wanted not in answer.text


def test_a_typing_error_is_said_beside_the_field_and_can_be_corrected(operator: Visitor) -> None:
    answer = operator.post("/console/tokens", find="<K7M2>")
    assert answer.status_code == 422
    assert 'value="&lt;K7M2&gt;"' in answer.text
    assert 'aria-describedby="find-problem"' in answer.text


@pytest.mark.parametrize("serial", ["K7M29QXD", "nothing", "%3Cb%3E", "902100000000000014"])
def test_an_unknown_serial_is_answered_without_repeating_it(operator: Visitor, serial: str) -> None:
    answer = operator.get(f"/console/tokens/{serial}")
    assert answer.status_code == 404
    assert "There is no token with this serial." in answer.text
    assert serial not in answer.text


def test_a_page_tells_all_that_happened_and_never_the_digits(
    wired: Wired, operator: Visitor
) -> None:
    issued = wired.issue("70.00", deliver=True)
    wired.send_all()
    wired.redeem(issued.reveal(), BELLO)
    text = page(operator, issued.serial)
    for fact in (
        "NGN 70.00",
        "SMS with the token",
        "was delivered, over simulator",
        "SMS with the receipt",
        "Redeemed",
        "through africastalking",
        ">redeem</span>",
        "NGN -70.00",
        BELLO,
    ):
        assert fact in text
    assert issued.reveal() not in text.replace(" ", "")
    assert "Nothing: the token has ended." in text


def test_a_suspended_token_is_refused_to_its_caller_until_it_is_resumed(
    staffed: Staffed, operator: Visitor
) -> None:
    issued = staffed.wired.issue("70.00")
    do(operator, issued.serial, "suspend")
    staffed.wired.dial(ADA, text=f"1*{issued.reveal()}")
    assert staffed.wired.balance(ADA) == Decimal("0.00")
    text = page(operator, issued.serial)
    assert "suspended</span>" in text
    assert "Refused to whoever entered it" in text
    do(operator, issued.serial, "resume", "it was found")
    staffed.wired.dial(ADA, text=f"1*{issued.reveal()}")
    assert staffed.wired.balance(ADA) == Decimal("70.00")
    member = staffed.member(Role.OPERATOR)
    actor = f"staff:{member.id}:{member.name}"
    lines = [line for line in staffed.trail(issued.serial) if line[0] == actor]
    assert lines == [(actor, "token.suspend", WHY), (actor, "token.resume", "it was found")]


def test_a_disputed_token_is_not_resumed(wired: Wired, operator: Visitor) -> None:
    serial = wired.issue().serial
    complaint = Complaint(serial, ADA, "cli:test", "never got it")
    now = wired.clock.now()
    wired.run(lambda c: wired.gateway.disputes.opener.open(c, complaint, now))
    assert "is not resumed before that is resolved" in page(operator, serial)
    assert "about it is open: resolve that first" in refused(operator, serial, "resume")
    assert wired.token(serial).status == "suspended"


def test_a_cancelled_token_gives_its_value_back_once(wired: Wired, operator: Visitor) -> None:
    serial = wired.issue("70.00").serial
    do(operator, serial, "cancel")
    do(operator, serial, "cancel")  # the same click
    text = page(operator, serial)
    assert text.count('<span class="why">cancel</span>') == 2  # two sides of one movement
    assert "the token is cancelled" in refused(operator, serial, "cancel", "anew").lower()
    assert wired.breaches() == []


def test_a_reprint_goes_to_the_recorded_recipient_with_its_reason(
    staffed: Staffed, operator: Visitor
) -> None:
    issued = staffed.wired.issue(deliver=True)
    staffed.wired.send_all()
    do(operator, issued.serial, "reprint")
    staffed.wired.send_all()
    inbox = staffed.wired.gateway.inbox(ADA)
    spoken = ["".join(filter(str.isdigit, sms.text)) for sms in inbox]
    assert sum(issued.reveal() in text for text in spoken) == 2
    assert staffed.trail(issued.serial)[-1][1:] == ("token.resend", WHY)
    assert issued.reveal() not in page(operator, issued.serial).replace(" ", "")


def test_a_token_without_a_recipient_is_not_reprinted(wired: Wired, operator: Visitor) -> None:
    serial = wired.issue(to=None).serial
    assert f"/console/tokens/{serial}/reprint" not in page(operator, serial)
    assert "the token has no recipient" in refused(operator, serial, "reprint").lower()


def test_a_token_is_reprinted_only_so_often(wired: Wired, operator: Visitor) -> None:
    serial = wired.issue(deliver=True).serial
    do(operator, serial, "reprint", "first")
    do(operator, serial, "reprint", "second", reprints=1)
    assert "sent often enough for now" in refused(operator, serial, "reprint", "third", reprints=2)


def sent(wired: Wired, serial: str) -> int:
    """How many SMS there are with a token."""
    return len(wired.run(lambda c: outbox.about(c, serial)))


def test_one_form_sent_twice_at_once_sends_one_sms(staffed: Staffed, operator: Visitor) -> None:
    serial = staffed.wired.issue(deliver=True).serial
    other = staffed.within(Role.OPERATOR)
    clicks = (operator, other)
    assert race(2, lambda n: do(clicks[n], serial, "reprint")) == [None, None]
    assert sent(staffed.wired, serial) == 2  # the first one of all, and this
    text = page(operator, serial)
    assert 'name="reprints" value="1"' in text


def test_two_clicks_that_do_not_say_what_they_saw_send_two(staffed: Staffed) -> None:
    """What the form's own number is for."""
    wired = staffed.wired
    issued = wired.issue(deliver=True)
    token, now = wired.token(issued.serial), wired.clock.now()
    race(2, lambda _: wired.run(lambda c: wired.gateway.reprinter.resend(c, token, "test", now)))
    assert sent(wired, issued.serial) == 3


def test_a_form_that_somebody_was_quicker_with_sends_nothing_and_says_so(
    staffed: Staffed, operator: Visitor
) -> None:
    serial = staffed.wired.issue(deliver=True).serial
    do(staffed.within(Role.ADMIN), serial, "reprint", "they called me too")
    said = refused(operator, serial, "reprint")
    assert "It was sent again since this page was made: look at its history." in said
    assert sent(staffed.wired, serial) == 2


@pytest.mark.parametrize("form", ["suspend", "cancel", "reprint"])
@pytest.mark.parametrize("reason", ["", " \u200b "])
def test_nothing_is_done_without_a_reason(
    wired: Wired, operator: Visitor, form: str, reason: str
) -> None:
    serial = wired.issue(deliver=True).serial
    assert "Say why: the reason is blank." in refused(operator, serial, form, reason)
    assert (wired.token(serial).status, wired.token(serial).reprints) == ("issued", 0)


def test_a_reason_that_holds_digits_keeps_none_of_them(staffed: Staffed, operator: Visitor) -> None:
    issued = staffed.wired.issue()
    do(operator, issued.serial, "suspend", f"they read {issued.reveal()} to me")
    assert issued.reveal() not in page(operator, issued.serial)
    assert staffed.trail(issued.serial)[-1][2] == "they read #### to me"


def test_cashiers_and_managers_see_no_token_and_change_none(staffed: Staffed) -> None:
    serial = staffed.wired.issue().serial
    for role in (Role.CASHIER, Role.MANAGER):
        visitor = staffed.within(role)
        assert visitor.get(f"/console/tokens/{serial}").status_code == 403
        assert visitor.post("/console/tokens", find=serial).status_code == 403
        answer = visitor.post(f"/console/tokens/{serial}/cancel", reason=WHY)
        assert answer.status_code == 403
    assert staffed.wired.token(serial).status == "issued"


def test_a_form_from_elsewhere_changes_nothing(wired: Wired, operator: Visitor) -> None:
    serial = wired.issue().serial
    path = f"/console/tokens/{serial}/cancel"
    answer = operator.client.post(path, data={"reason": WHY, "csrf": "0" * 64})
    assert answer.status_code == 403
    assert operator.post(f"/console/tokens/{serial}/explode", reason=WHY).status_code == 404
    assert wired.token(serial).status == "issued"


def test_markup_in_names_and_reasons_is_only_ever_text(
    staffed: Staffed, operator: Visitor, wired: Wired
) -> None:
    renamed = update(staff).where(staff.c.msisdn == PHONES[Role.OPERATOR])
    wired.run(lambda c: c.execute(renamed.values(name=MARKUP)))
    serial = wired.issue(sender_name=MARKUP, issue_ref=MARKUP).serial
    do(operator, serial, "suspend", MARKUP)
    text = page(operator, serial)
    assert MARKUP not in text
    assert text.count("&lt;b onclick=alert(1)&gt;") >= 5  # who, why, sender, reference, and the bar
