"""What the console's bar leads to."""

from typing import Final

from gateway.web.pages.door import AT_CONSOLE
from gateway.web.pages.places import Place

PLACES: Final = (
    Place("/console", "Now", AT_CONSOLE),
    Place("/console/audit", "Audit", AT_CONSOLE),
)
