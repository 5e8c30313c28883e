"""A page of the counter, with its bar."""

from http import HTTPStatus
from typing import Any

from flask import Response, g, request

from gateway.web.counter.places import PLACES
from gateway.web.pages.answers import page
from gateway.web.pages.places import here, seen_by


def shown(template: str, status: HTTPStatus = HTTPStatus.OK, **values: Any) -> Response:
    """The page out of a template."""
    bar = {"places": seen_by(g.member, PLACES), "here": here(request.path, PLACES)}
    return page(template, status, **bar, **values)
