"""What the counter says when the database does not answer, or a page is somebody else's."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

import structlog
from flask import Blueprint, Response, request

from gateway.errors import CommitUnknown, KeyMissing, TryAgain
from gateway.outlets.rights import NotAllowed
from gateway.web.pages.answers import page, problem, sentence

log = structlog.get_logger()
# By the button that was pressed.
UNKNOWN: Final[Mapping[str, str]] = {
    "confirm": "The payment may or may not have been made. Hand out nothing yet.",
    "decline": "The payment may or may not have been declined.",
    "resend": "The SMS may or may not have been sent again.",
}
# A form with a PIN is answered at the payment's page, which knows by then.
VOID: Final = "The database did not answer. While this page says paid, nothing was taken back."
KEYS: Final = "Tokens cannot be checked just now. Pay nothing, and tell an operator."


def handlers(pages: Blueprint) -> None:
    """Answer for what the views let pass."""

    @pages.errorhandler(TryAgain)
    @pages.errorhandler(CommitUnknown)
    def away(error: Exception) -> Response:
        """The page of the payment knows, as soon as the database is back."""
        log.warning("page_not_answered", error=type(error).__name__)
        reference = (request.view_args or {}).get("reference")
        if reference is None or request.method == "GET":
            return problem(HTTPStatus.SERVICE_UNAVAILABLE)
        said = UNKNOWN.get(request.path.rsplit("/", 1)[-1])
        status = HTTPStatus.SERVICE_UNAVAILABLE
        if said is None:
            return problem(status, VOID)
        return page("counter/away.html", status, reference=reference, said=said)

    @pages.errorhandler(NotAllowed)
    def not_theirs(error: NotAllowed) -> Response:
        return problem(HTTPStatus.NOT_FOUND, sentence(str(error)))

    @pages.errorhandler(KeyMissing)
    def without_keys(_: KeyMissing) -> Response:
        log.error("counter_without_keys")
        return problem(HTTPStatus.SERVICE_UNAVAILABLE, KEYS)
