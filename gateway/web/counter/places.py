"""What the counter's bar leads to."""

from typing import Final

from gateway.web.pages.door import AT_COUNTER
from gateway.web.pages.places import Place

PLACES: Final = (Place("/counter", "Pay", AT_COUNTER),)
