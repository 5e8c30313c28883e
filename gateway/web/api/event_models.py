"""What the partner API takes and gives about events."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from gateway.web.api.models import Amount, Balance, Body, Currency, Query, Serial, View, When

Seq = Annotated[
    int, Field(ge=1, description="Counts up with each event of this partner; gaps mean nothing.")
]


class EventsQuery(Query):
    """Which events."""

    after: Annotated[
        str, Field(pattern=r"^[0-9]{1,18}$", description="`next` of the answer before.")
    ] = "0"


class EventData(View):
    """The token that it happened to; of a low float, the one that took it below."""

    serial: Serial
    amount: Amount
    currency: Currency
    issue_ref: str
    balance: Annotated[Balance | None, Field(description="Of a low float alone: what is left.")] = (
        None
    )
    low_float: Annotated[Amount | None, Field(description="Of a low float alone.")] = None


class EventView(View):
    """Something that happened to a token; a webhook's body is the same."""

    id: Annotated[str, Field(examples=["evt_7c1f0e9ad2b34c58a1b2c3d4"])]
    seq: Seq
    type: Literal[
        "token.redeemed", "token.expired", "token.cancelled", "token.undelivered", "float.low"
    ]
    timestamp: datetime
    data: EventData


class EventPage(View):
    """Events, oldest first."""

    events: list[EventView]
    next: Annotated[int, Field(description="Ask `after` it the next time, also when it is later.")]
    more: Annotated[bool, Field(description="Whether there are more by now.")]


class ReplayOne(Body):
    """Nothing: the event's number stands in the address."""


class ReplaySpan(Body):
    """A time whose events are sent again."""

    since: Annotated[When, Field(description="This instant or later.")]
    until: Annotated[When, Field(description="Before this instant.")]


class Replayed(View):
    """How many webhooks were queued."""

    queued: int
