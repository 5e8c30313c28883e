"""How a page leaves: never kept by a cache, running no code but our own files."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from flask import Response, g, render_template, request

from gateway.people.staff.store import Member

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
AREAS: Final = {"/counter": "Counter", "/console": "Console"}
# A cookie beside the session's, of no worth: that somebody is in, to tell them when they are out.
CAME_IN: Final = "gateway_came_in"
IN: Final = "in"
# What people can do about it, by the status; the page says it under the status' own phrase.
ADVICE: Final[Mapping[int, str]] = {
    400: "The form was not complete. Go back and send it again.",
    403: "Your role does not allow this.",
    404: "There is nothing at this address.",
    405: "This address takes no such request.",
    409: "Somebody did the same at this moment. Look how it stands before you repeat.",
    413: "That was too much at once.",
    422: "This cannot be done.",
    500: "Something went wrong on our side. Nothing was changed.",
    503: "The database cannot be reached just now. Wait a moment, then look before you repeat.",
}


def area_of(path: str) -> str:
    """The area of the staff that a path lies in; empty for every other path.

    >>> area_of("/counter/login"), area_of("/console"), area_of("/counterfeit"), area_of("/ussd")
    ('/counter', '/console', '', '')
    """
    first = "/" + path.removeprefix("/").partition("/")[0]
    return first if first in AREAS else ""


def home_of(member: Member) -> str:
    """The area where somebody works."""
    return "/console" if member.is_operator else "/counter"


def page(template: str, status: HTTPStatus = HTTPStatus.OK, **values: Any) -> Response:
    """A page out of a template; it knows its area and who looks at it."""
    area = area_of(request.path)
    member: Member | None = g.get("member")
    home = home_of(member) if member else area
    known: dict[str, Any] = {"area": area, "brand": AREAS.get(area, ""), "home": home}
    known |= {"works_at": AREAS.get(home), "member": member, "csrf": g.get("csrf")}
    text = render_template(template, **known, **values)
    return guarded(Response(text, status, content_type="text/html; charset=utf-8"))


def sent_on(path: str) -> Response:
    """The answer to a form that was taken: reload and back then repeat nothing."""
    answer = Response(status=HTTPStatus.SEE_OTHER)
    answer.headers["Location"] = path
    return guarded(answer)


def problem(status: HTTPStatus, advice: str = "") -> Response:
    """An error as a page."""
    said = advice or ADVICE.get(status, "")
    g.said = said
    return page("problem.html", status, title=status.phrase, advice=said)


def sentence(words: str) -> str:
    """A refusal as a sentence.

    >>> sentence("a PIN has 4 to 6 digits"), sentence("Try again."), sentence("")
    ('A PIN has 4 to 6 digits.', 'Try again.', '')
    """
    ends = not words or words.endswith((".", "?", "!", "”"))
    return words[:1].upper() + words[1:] + ("" if ends else ".")


def guarded(response: Response) -> Response:
    """With the headers of everything that only the staff may see."""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    return response
