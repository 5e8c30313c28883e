"""Why a form with a PIN was not taken, said at another address: a reload there sends no PIN."""

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any, Final, TypeVar

from flask import Blueprint, Response, g, request

from gateway.formats import msisdn
from gateway.formats.digits import hidden
from gateway.web.pages.answers import sent_on
from gateway.web.pages.door import Door

# What was said travels with the browser, sealed: before a login there is no row to keep it in.
COOKIE: Final = "gateway_refused"
KEPT_FOR: Final = timedelta(minutes=5)
FIELD_MAX: Final = 200
COOKIE_MAX: Final = 3_500  # browsers keep 4,096
PHONES: Final = ("phone", "manager", "recipient")  # fields that are kept when they are one
View = TypeVar("View", bound=Callable[..., Response])


@dataclass(frozen=True, slots=True)
class PinForm:
    """A form with a PIN in it: its name, its page's address, and what is filled in again."""

    name: str
    page: Callable[..., str]  # of what the form's own address names
    keeps: tuple[str, ...]  # names of fields, never one of a PIN


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a page says of a form that was not taken, and what was typed into it."""

    form: str
    said: str
    status: HTTPStatus
    typed: Mapping[str, str]


def carries_pin(name: str, page: Callable[..., str], *keeps: str) -> Callable[[View], View]:
    """Mark the view of a form that has a PIN in it.

    Whatever it refuses, or does not come to, is said at the address of its page.
    """

    def mark(view: View) -> View:
        vars(view)["pin_form"] = PinForm(name, page, keeps)
        return view

    return mark


def hooks(pages: Blueprint, door: Door) -> None:
    """No answer to a form with a PIN stays at the form's address, whatever became of it."""

    @pages.after_request
    def elsewhere(response: Response) -> Response:
        form: PinForm | None = g.get("pin_form")
        # What is not there has no page: nothing is ever done with such a form.
        if form is not None and response.status_code >= 400 and response.status_code != 404:
            return refused(door, form, g.get("said", ""), HTTPStatus(response.status_code))
        if g.get("heard"):
            response.delete_cookie(COOKIE, httponly=True, samesite="Strict", secure=door.secure)
        return response


def refused(door: Door, form: PinForm, said: str, status: HTTPStatus) -> Response:
    """On to the form's page, which says why it was not taken; once, and soon."""
    path = form.page(**(request.view_args or {}))
    # Of a form from elsewhere nothing is kept: who typed it, and for whom, nobody knows.
    typed = {name: _fit(door, name) for name in form.keeps} if g.is_ours else {}
    ends = (door.clock.now() + KEPT_FOR).timestamp()
    bare = path.partition("?")[0]
    value = _sealed(door, [bare, ends, form.name, said, status.value, typed])
    if len(value) > COOKIE_MAX:
        value = _sealed(door, [bare, ends, form.name, said, status.value, {}])
    answer = sent_on(path)
    seconds = int(KEPT_FOR.total_seconds())
    answer.set_cookie(COOKIE, value, seconds, httponly=True, samesite="Strict", secure=door.secure)
    return answer


def heard(door: Door) -> Refusal | None:
    """What this page has to say of a form that was just sent from it; it says it once."""
    packed, _, seal = request.cookies.get(COOKIE, "").rpartition(".")
    if not hmac.compare_digest(seal.encode(), door.sessions.seal(g.visit, packed).encode()):
        return None
    path, ends, form, said, status, typed = json.loads(urlsafe_b64decode(packed))
    if path != request.path or datetime.fromtimestamp(ends, UTC) <= door.clock.now():
        return None
    g.heard = True
    return Refusal(form, said, HTTPStatus(status), typed)


def _fit(door: Door, name: str) -> str:
    """What was typed, as far as it may lie in a cookie: a token's digits or a PIN may not (T3)."""
    entry = request.form.get(name, "")[:FIELD_MAX]
    if name not in PHONES:
        return hidden(entry)
    try:
        msisdn.parse(entry, door.country)
    except msisdn.InvalidMsisdn:
        return ""
    return entry


def _sealed(door: Door, parts: list[Any]) -> str:
    packed = urlsafe_b64encode(json.dumps(parts, ensure_ascii=False).encode()).decode()
    return f"{packed}.{door.sessions.seal(g.visit, packed)}"
