"""A page that gives somebody a PIN waits for its turn at hashing no longer than a page may."""

import threading

import pytest

from gateway.people.staff.store import Role
from gateway.web.pages import door
from tests.support.wired import Wired
from tests.web.staffed import Staffed

PINS = {"pin": "8264", "again": "8264", "reason": "needed"}
HIRE = {"name": "New One", "phone": "+2348030000077", "role": "operator", **PINS}


@pytest.mark.parametrize("form", ["hire", "reset"])
def test_while_others_hash_it_says_so_in_time(
    wired: Wired, staffed: Staffed, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, of = staffed.within(Role.ADMIN), staffed.member(Role.CASHIER).id
    page = "/console/staff" if form == "hire" else f"/console/staff/{of}"
    path, fields = (page, HIRE) if form == "hire" else (f"{page}/pin", PINS)
    data = {"csrf": admin.form_key(), **fields}
    monkeypatch.setattr(door, "REQUEST_SECONDS", 1.0)
    sent: list[int] = []
    thread = threading.Thread(
        target=lambda: sent.append(admin.client.post(path, data=data).status_code)
    )
    with wired.gateway.people.hasher.turn():
        thread.start()
        thread.join(20)
        in_time = not thread.is_alive()
    thread.join(20)
    assert (in_time, sent) == (True, [303])
    monkeypatch.undo()
    assert door.BUSY in admin.get(page).text
