"""The console shows where a partner's webhooks go, and which were not taken."""

from tests.emulators.receiver import Receiver
from tests.partners.told import Told, told
from tests.web.staffed import Staffed, Visitor


def test_an_endpoint_and_its_latest_failures_are_shown(staffed: Staffed, operator: Visitor) -> None:
    acme: Told = told(staffed.wired)
    assert "Webhooks" not in operator.get("/console/partners/acme").text
    with Receiver(clock=acme.clocked()) as receiver:
        made = acme.endpoint(receiver)
        assert "taken at once" in operator.get("/console/partners/acme").text
        receiver.answers(500)
        acme.ended()
        acme.turn()
        page = operator.get("/console/partners/acme").text
        assert receiver.url in page
        assert "HTTP 500" in page
        assert (made.secret or "whsec_") not in page
