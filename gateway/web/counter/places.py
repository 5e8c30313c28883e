"""What the counter's bar leads to."""

from typing import Final

from gateway.people.staff.store import Role
from gateway.web.pages.door import AT_COUNTER
from gateway.web.pages.places import Place

MANAGES: Final = (Role.MANAGER,)
PLACES: Final = (
    Place("/counter", "Pay", AT_COUNTER),
    Place("/counter/today", "Today", AT_COUNTER),
    Place("/counter/close", "Close till", AT_COUNTER),
    Place("/counter/outlet", "Outlet", MANAGES),
)
