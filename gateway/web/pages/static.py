"""The files that the staff's pages load: a literal list, nothing else of the folder."""

from collections.abc import Collection
from http import HTTPStatus
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, abort, send_from_directory

from gateway.web.access import callers

FILES: Final = (
    *("look.css", "pages.css", "console.css", "amounts.js"),
    *("counter.css", "counter.js", "counter_entry.js"),
    *("api_docs.css", "api_docs.js"),
)
STATIC: Final = Path(__file__).parents[1] / "static"


def blueprint() -> Blueprint:
    """`/static/<name>`."""
    files = Blueprint("files", __name__)

    @files.get("/static/<name>")
    @callers("person")
    def file(name: str) -> Response:
        return sent(name, FILES)

    return files


def sent(name: str, files: Collection[str]) -> Response:
    """One of the files that a page may load; 404 for every other name."""
    if name not in files:
        abort(HTTPStatus.NOT_FOUND)
    response = send_from_directory(STATIC, name, max_age=0)
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
