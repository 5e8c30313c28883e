"""What the partner API takes and gives: the one place that both checks and describes it."""

import re
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from gateway.web.api.codes import CODES

YEARS = (1970, 2999)  # of every instant: neither a zone nor a page that shows it goes beyond
_TIME = re.compile(  # RFC 3339, of which seconds may be left out
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d{1,6})?)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)
_WHOLE = re.compile(r"[0-9]{1,9}", re.ASCII)


def _written_out(value: object) -> object:
    """Only what is written as a time: pydantic would take seconds since 1970 too."""
    if value is not None and not (isinstance(value, str) and _TIME.fullmatch(value)):
        raise ValueError("write a time with its zone, such as 2026-03-31T22:59:59Z")
    return value


def _within_years(value: datetime) -> datetime:
    """Only what every zone can say. Raises ValueError."""
    if not YEARS[0] < value.year < YEARS[1]:
        raise ValueError(f"a time lies between {YEARS[0]} and {YEARS[1]}")
    return value.astimezone(UTC)


def _whole(value: object) -> object:
    """Only digits: pydantic would take ` 5`, `+5`, `5.0` and `1_0` too."""
    if isinstance(value, str) and not _WHOLE.fullmatch(value):
        raise ValueError("a whole number in digits")
    return value


When = Annotated[
    AwareDatetime,
    BeforeValidator(_written_out),
    AfterValidator(_within_years),
    Field(strict=False, examples=["2026-12-31T22:59:59Z"]),
]
Amount = Annotated[
    str,
    Field(pattern=r"^[0-9]{1,15}(\.[0-9]{1,2})?$", examples=["500.00"], description="Above zero."),
]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$", examples=["NGN"])]
Phone = Annotated[
    str,
    Field(min_length=3, max_length=32, examples=["+2348030000001"], description="E.164 is best."),
]
Number = Annotated[
    str | None, Field(examples=["+2348030000001"], description="E.164, as it was given to us.")
]
Serial = Annotated[str, Field(pattern=r"^[0-9A-Z]{8}$", examples=["K7M29QXD"])]
Digits = Annotated[str, Field(pattern=r"^([0-9]{18}|[0-9]{11})$", examples=["490750293453273258"])]
Entered = Annotated[
    str,
    Field(
        min_length=1,
        max_length=64,
        examples=["4907 5029 3453 2732 58"],
        description="18 or 11 digits; blanks, hyphens and dots between them do no harm.",
    ),
]
Balance = Annotated[str, Field(pattern=r"^-?[0-9]{1,16}\.[0-9]{2}$", examples=["9500.00"])]
Status = Literal["issued", "suspended", "redeemed", "expired", "cancelled"]
Reason = Annotated[
    str,
    Field(
        max_length=200,
        pattern=r"^[^\x00-\x1f\x7f]*$",
        examples=["the customer has lost the phone"],
        description="One line, kept in the trail; never a token.",
    ),
]


class Body(BaseModel):
    """What a partner sends: nothing more than what is known, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class View(BaseModel):
    """What a partner is given."""

    model_config = ConfigDict(extra="forbid")


class NewToken(Body):
    """A token to issue from the partner's float."""

    amount: Amount
    recipient: Annotated[
        Phone | None,
        Field(examples=["+2348030000001"], description="Whose token it is; needed to deliver it."),
    ] = None
    issue_ref: Annotated[
        str | None,
        Field(
            max_length=64,
            examples=["order-1001"],
            description="Yours, once: unique per partner. Printable ASCII, never a token.",
        ),
    ] = None
    digits: Annotated[Literal[18, 11], Field(description="11: for your own labels.")] = 18
    bound: Annotated[
        bool, Field(description="Only the recipient's phone, or without one only you, redeem it.")
    ] = False
    expires_at: Annotated[
        When | None, Field(description="Exact; null: as the profile says, else 30 days.")
    ] = None
    deliver: Annotated[bool, Field(description="By SMS to the recipient.")] = True
    language: Annotated[
        str | None,
        Field(max_length=8, description="Of the SMS, such as en; null: the recipient's."),
    ] = None
    sender_name: Annotated[
        str | None, Field(max_length=40, description="From whom, in the SMS; null: the partner.")
    ] = None


class IssuedToken(View):
    """A token that was issued."""

    serial: Serial
    status: Status
    amount: Amount
    currency: Currency
    recipient: Number
    expires_at: datetime
    token: Annotated[
        Digits | None, Field(description="With deliver: false and the scope tokens:reveal alone.")
    ] = None


class TokenView(View):
    """A token as its issuer reads it; never its digits."""

    serial: Serial
    status: Status
    amount: Amount
    currency: Currency
    recipient: Number
    expires_at: datetime
    issue_ref: Annotated[str, Field(examples=["order-1001"])]
    digits: Literal[18, 11]
    bound: bool
    issued_at: Annotated[datetime, Field(examples=["2026-03-01T09:15:00Z"])]
    redeemed_at: Annotated[datetime | None, Field(examples=[None])]


class Deed(Body):
    """Why a partner changes a token."""

    reason: Reason = ""


class Entry(Body):
    """A token as somebody typed or said it."""

    token: Entered


class FoundToken(View):
    """A token that could be redeemed."""

    serial: Serial
    status: Status
    amount: Amount
    currency: Currency
    expires_at: datetime
    bound: bool


class Redemption(Body):
    """A token to redeem for somebody."""

    token: Entered
    payee: Annotated[
        Phone,
        Field(description="Whose wallet it goes to, a phone; or the till that pays: IKEJA/1."),
    ]
    customer: Annotated[
        Phone | None,
        Field(
            description="Of a till alone: the phone of whoever is handed the cash. A token that is"
            " bound to a phone needs it."
        ),
    ] = None


class Redeemed(View):
    """A token that was redeemed."""

    serial: Serial
    status: Literal["redeemed"]
    amount: Amount
    currency: Currency
    redeemed_at: datetime
    payee: Annotated[str, Field(examples=["+2348030000001"])]


class FloatView(View):
    """What a partner has left to issue from."""

    owner: Annotated[str, Field(examples=["acme-stores"], description="Test keys have their own.")]
    balance: Balance
    currency: Currency
    status: Literal["active", "frozen", "closed"]


class Query(BaseModel):
    """What a GET asks for: text, made into what it stands for; nothing unknown."""

    model_config = ConfigDict(extra="forbid")

    limit: Annotated[int, BeforeValidator(_whole), Field(ge=1, le=500)] = 100
    since: Annotated[When | None, Field(description="This instant or later.")] = None
    until: Annotated[When | None, Field(description="Before this instant.")] = None


class TokensQuery(Query):
    """Which tokens."""

    after: Annotated[str | None, Field(max_length=12, description="`next` of the page before")] = (
        None
    )
    status: Status | None = None
    recipient: Phone | None = None


class TokenPage(View):
    """Tokens, newest first."""

    tokens: list[TokenView]
    next: Annotated[
        str | None,
        Field(examples=["K7M29QXD"], description="Ask `after` it for more; null: no more."),
    ]


class StatementQuery(Query):
    """Which lines; as a file without a limit."""

    after: Annotated[str | None, Field(pattern="^[0-9]{1,18}$")] = None
    format: Literal["json", "csv"] = "json"


class Line(View):
    """One movement of the float, and what it left."""

    at: datetime
    kind: Annotated[
        str, Field(examples=["issue"], description="fund, issue, cancel, expire, and so on.")
    ]
    subject: Annotated[
        str, Field(examples=["K7M29QXD"], description="The serial, or who was funded.")
    ]
    amount: Annotated[Balance, Field(examples=["-500.00"], description="Below zero: went out.")]
    balance: Balance
    currency: Currency


class Statement(View):
    """The float's lines, newest first."""

    lines: list[Line]
    next: Annotated[str | None, Field(examples=["8123"], description="As of a page of tokens.")]


class Problem(View):
    """What went wrong (RFC 9457); `code` is for programs."""

    model_config = ConfigDict(extra="allow")

    title: Annotated[str, Field(examples=["Not Found"], description="Of the status.")]
    status: Annotated[int, Field(examples=[404])]
    code: Annotated[
        str,
        Field(
            json_schema_extra={"enum": list(CODES)},
            examples=["not_found"],
            description="For programs; this set is closed.",
        ),
    ]
    detail: Annotated[
        str,
        Field(examples=["this partner has no token with this serial"], description="For people."),
    ]
