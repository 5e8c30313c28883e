"""A page of the counter, with its bar, and with money and times as people read them."""

from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any
from zoneinfo import ZoneInfo

from flask import Response, g, request

from gateway.formats import money, msisdn
from gateway.sms import texts
from gateway.web.counter.parts import CounterParts
from gateway.web.counter.places import PLACES
from gateway.web.pages.answers import page
from gateway.web.pages.places import here, seen_by

UNPROCESSABLE = HTTPStatus.UNPROCESSABLE_ENTITY


@dataclass(frozen=True, slots=True)
class Reader:
    """How a page writes what it holds."""

    zone: ZoneInfo
    currency: str
    now: datetime

    def money(self, amount: Any, currency: str = "") -> str:
        """An amount, of the outlets' currency if none is named."""
        return f"{currency or self.currency} {money.grouped(amount)}"

    def when(self, instant: datetime) -> str:
        """A local time: today's without its date.

        >>> from datetime import UTC
        >>> now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        >>> reader = Reader(ZoneInfo("Africa/Lagos"), "NGN", now)
        >>> reader.when(now), reader.when(datetime(2026, 2, 28, 23, 30, tzinfo=UTC))
        ('10:00', '1 Mar 2026 00:30')
        """
        local = instant.astimezone(self.zone)
        if local.date() == self.now.astimezone(self.zone).date():
            return f"{local:%H:%M}"
        return self.dated(instant)

    def dated(self, instant: datetime) -> str:
        """A local time with its date."""
        local = instant.astimezone(self.zone)
        return f"{local.day} {local:%b %Y %H:%M}"

    def until(self, instant: datetime) -> str:
        """The end of a token's time, in the words of its SMS."""
        return texts.until(instant, self.zone)

    def masked(self, number: str) -> str:
        """A phone number that only its owner needs to recognise."""
        return msisdn.masked(number)


def shown(
    parts: CounterParts,
    template: str,
    status: HTTPStatus = HTTPStatus.OK,
    at: str = "",
    **values: Any,
) -> Response:
    """The page out of a template; `at` is the place that it belongs to, if not by its address."""
    bar = {"places": seen_by(g.member, PLACES), "here": here(at or request.path, PLACES)}
    return page(template, status, read=reader(parts), **bar, **values)


def reader(parts: CounterParts) -> Reader:
    """Writes what is read now."""
    return Reader(parts.zone, parts.currency, parts.clock.now())
