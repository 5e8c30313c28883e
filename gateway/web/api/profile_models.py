"""What the partner API says of a partner's profile."""

from typing import Annotated

from pydantic import Field

from gateway.web.api.models import Amount, Currency, View

Most = Annotated[Amount | None, Field(description="Null: no cap of the partner's own.")]


class ProfileView(View):
    """What is agreed with the partner, and what a token is like of which a request says nothing."""

    code: Annotated[str, Field(examples=["acme-stores"])]
    name: Annotated[str, Field(examples=["Acme Stores"])]
    status: Annotated[str, Field(pattern="^(active|suspended)$", examples=["active"])]
    currency: Currency
    sender_id: Annotated[
        str | None, Field(examples=["ACME"], description="What phones show as the sender.")
    ]
    language: Annotated[
        str, Field(examples=["en"], description="Of recipients who have chosen none.")
    ]
    expiry: Annotated[str, Field(pattern="^[1-9][0-9]{0,3}[dh]$", examples=["30d"])]
    token_max: Most
    day_max: Annotated[Most, Field(description="Of the tokens of one local day, together.")]
    low_float: Annotated[Most, Field(description="Below it the event float.low tells you.")]
    sms_texts: Annotated[dict[str, str], Field(description="The partner's own, by language.")]
