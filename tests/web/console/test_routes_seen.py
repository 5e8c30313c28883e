"""Every form of the console either says what its page knew, or needs not to."""

import re
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from gateway.people.staff.store import Role
from gateway.web.console import doing
from gateway.web.console.doing import Work
from tests.support.wired import ADA, Wired
from tests.web.staffed import Staffed, subject_of

TEMPLATES: Final = Path(doing.__file__).parents[1] / "templates" / "console"
_DEED: Final = re.compile(r"\{% call deeds\.(?:deed|bare)\((.*?)\) %\}")
_LITERAL: Final = re.compile(r'"([^"]*)"')
# Routes whose forms are about something that stands one way or another, and what each can say.
GUARDED: Final = {
    "/console/people/<form>": ("freeze", "unfreeze", "verify", "tier", "move", "pin"),
    "/console/tokens/<serial>/<form>": ("suspend", "resume", "cancel"),
    "/console/staff/<int:number>/<form>": ("disable", "enable", "unlock"),
    "/console/staff/<int:number>/move": ("move",),
    "/console/staff/<int:number>/pin": ("pin",),
    "/console/switches/<what>/pause": ("pause",),
    "/console/switches/<what>/resume": ("resume",),
    "/console/partners/<code>/suspend": ("suspend",),
    "/console/partners/<code>/resume": ("resume",),
    "/console/outlets/<code>/freeze": ("freeze",),
    "/console/outlets/<code>/unfreeze": ("unfreeze",),
    "/console/outlets/<code>/close": ("close",),
    "/console/outlets/<code>/tills/<int:number>/limit": ("limit",),
    "/console/outlets/<code>/tills/<int:number>/freeze": ("freeze",),
    "/console/outlets/<code>/tills/<int:number>/unfreeze": ("unfreeze",),
    "/console/outlets/<code>/tills/<int:number>/close": ("close",),
    "/console/disputes/<reference>/<any(release, reject):how>": ("release", "reject"),
    "/console/disputes/<reference>/refund": ("refund",),
    "/console/withdrawals/<reference>/pay": ("pay",),
    "/console/withdrawals/<reference>/reject": ("reject",),
    "/console/withdrawals/<reference>/send": ("send",),
    "/console/withdrawals/<reference>/seen": ("seen",),
    "/console/deposits/<reference>/confirm": ("confirm",),
    "/console/deposits/<reference>/release": ("release",),
    "/console/deposits/<reference>/reverse": ("reverse",),
}
OWN: Final = "is about whoever sends it, with their PIN or their session"
LOOKED_FOR: Final = "finds, and changes nothing"
NEW: Final = "makes what is not there yet: a second one is refused by its name"
DECIDED: Final = "names what is decided once, for good"
INTENT: Final = "has a name minted with the page, under which it is done once"
SAYS_OTHERWISE: Final = "says in a field of its own what its page knew: counts, tills, reprints"
BY_BANK: Final = "asks under the bank's or the carrier's own reference, which counts once"
DISPUTES: Final = "its `seen` is of disputes, as its subject is typed into it: test_stale.py"
# Every other route, and why it needs none of the trail.
WITHOUT: Final = {
    "/console/login": OWN,
    "/console/logout": OWN,
    "/console/pin": OWN,
    "/console/tokens": LOOKED_FOR,
    "/console/outbox": LOOKED_FOR,
    "/console/audit": LOOKED_FOR,
    "/console/people": LOOKED_FOR,
    "/console/withdrawals": LOOKED_FOR,
    "/console/deposits": LOOKED_FOR,
    "/console/disputes": LOOKED_FOR,
    "/console/outlets": NEW,
    "/console/partners": NEW,
    "/console/staff": NEW,
    "/console/approvals/<int:number>/approve": DECIDED,
    "/console/approvals/<int:number>/refuse": DECIDED,
    "/console/outlets/<code>/settle": INTENT,
    "/console/withdrawals/settle": INTENT,
    "/console/outlets/<code>/shifts/<int:shift>/accept": SAYS_OTHERWISE,
    "/console/outlets/<code>/shifts/<int:shift>/count": SAYS_OTHERWISE,
    "/console/outlets/<code>/tills": SAYS_OTHERWISE,
    "/console/outbox/<int:row>/resend": SAYS_OTHERWISE,
    "/console/partners/<code>/fund": BY_BANK,
    "/console/deposits/book": BY_BANK,
    "/console/disputes/open": DISPUTES,
}
# The forms in the pages without the field: where each is, and the end of its address.
FORMS_WITHOUT: Final = {
    ("approval.html", "/approve"): DECIDED,
    ("approval.html", "/refuse"): DECIDED,
    ("deposit_book.html", "/console/deposits/book"): BY_BANK,
    ("message.html", "/resend"): SAYS_OTHERWISE,
    ("outlet.html", "/settle"): INTENT,
    ("outlet.html", "/tills"): SAYS_OTHERWISE,
    ("outlet.html", "/accept"): SAYS_OTHERWISE,
    ("outlet.html", "/count"): SAYS_OTHERWISE,
    ("outlets.html", "/console/outlets"): NEW,
    ("partner.html", "/fund"): BY_BANK,
    ("partners.html", "/console/partners"): NEW,
    ("staff.html", "/console/staff"): NEW,
    ("token.html", "/reprint"): SAYS_OTHERWISE,
    ("withdrawal_settle.html", "/console/withdrawals/settle"): INTENT,
}


def addresses(number: int, serial: str) -> list[str]:
    """Each guarded form's address, with names put into it."""
    named = {"what": "redeem", "code": "LAG-01", "number": str(number)}
    named |= {"reference": serial, "serial": serial}
    found = []
    for rule, forms in GUARDED.items():
        parts = re.split(r"<(?:[^:<>]*:)?(\w+)>", rule)
        for form in forms:
            names = {**named, "form": form, "how": form}
            filled = (names[part] if at % 2 else part for at, part in enumerate(parts))
            found.append("".join(filled))
    return found


def test_every_route_that_takes_a_form_is_guarded_or_says_why_it_needs_not(wired: Wired) -> None:
    rules = {
        rule.rule
        for rule in wired.app.url_map.iter_rules()
        if rule.rule.startswith("/console") and "POST" in (rule.methods or ())
    }
    assert rules == {*GUARDED, *WITHOUT}
    assert not {*GUARDED} & {*WITHOUT}


def test_every_guarded_route_looks_at_the_trail_of_what_it_is_about(
    wired: Wired, staffed: Staffed, monkeypatch: pytest.MonkeyPatch
) -> None:
    guarded, looked = doing.unmoved, []

    def unmoved(subject: str, work: Work, *, asks: bool = False) -> Work:
        looked.append(subject)
        return guarded(subject, work, asks=asks)

    monkeypatch.setattr(doing, "unmoved", unmoved)
    admin = staffed.within(Role.ADMIN)
    fields = {"phone": ADA, "reason": "why", "pin": "6139", "again": "6139"}
    for address in addresses(staffed.member(Role.CASHIER).id, wired.issue().serial):
        admin.post(address, **fields)
        expected = wired.run(partial(subject_of, path=address, fields=fields))
        assert (address, looked) == (address, [expected])
        looked.clear()


def test_every_form_in_the_pages_says_what_its_page_knew_or_why_not() -> None:
    without, having = set(), 0
    for page in sorted(TEMPLATES.glob("*.html")):
        for call in _DEED.findall(page.read_text()):
            if ", seen=" in call:
                having += 1
                continue
            ends = [one for one in _LITERAL.findall(call) if one.startswith("/")]
            without.add((page.name, ends[-1] if ends else call))
    assert without == {*FORMS_WITHOUT}
    assert having > len(GUARDED)
