"""What the console's bar leads to."""

from typing import Final

from gateway.web.pages.door import AT_CONSOLE
from gateway.web.pages.places import Place

PLACES: Final = (
    Place("/console", "Now", AT_CONSOLE),
    Place("/console/tokens", "Tokens", AT_CONSOLE),
    Place("/console/people", "People", AT_CONSOLE),
    Place("/console/approvals", "Approvals", AT_CONSOLE),
    Place("/console/withdrawals", "Withdrawals", AT_CONSOLE),
    Place("/console/deposits", "Deposits", AT_CONSOLE),
    Place("/console/disputes", "Disputes", AT_CONSOLE),
    Place("/console/reconciliation", "Reconciliation", AT_CONSOLE),
    Place("/console/outlets", "Outlets", AT_CONSOLE),
    Place("/console/partners", "Partners", AT_CONSOLE),
    Place("/console/outbox", "Outbox", AT_CONSOLE),
    Place("/console/limits", "Limits", AT_CONSOLE),
    Place("/console/switches", "Switches", AT_CONSOLE),
    Place("/console/staff", "Staff", AT_CONSOLE),
    Place("/console/audit", "Audit", AT_CONSOLE),
)
