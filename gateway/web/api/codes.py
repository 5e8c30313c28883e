"""Every code that trouble has in the partner API: its status, and what to do about it."""

from collections.abc import Mapping
from typing import Final

# The set is closed: a program may list them all. docs/partners.md has the same table.
CODES: Final[Mapping[str, tuple[int, str]]] = {
    "invalid_request": (422, "Mend the request; `detail` names the member."),
    "unauthorized": (401, "Check the key: it is wrong, ended or revoked."),
    "forbidden": (403, "The key lacks a scope, or the partner, float or payee is stopped."),
    "not_found": (404, "There is no such thing, or it is not yours."),
    "already_redeemed": (409, "The token is spent."),
    "suspended": (409, "Resume the token first."),
    "wrong_state": (409, "Read it again: how it stands does not allow this."),
    "disputed": (409, "A dispute holds the token; our operators end it."),
    "key_reused": (409, "Use a fresh `Idempotency-Key`: this one named another request."),
    "in_progress": (409, "The same request is being executed: wait for `Retry-After`, repeat it."),
    "duplicate_issue_ref": (409, "`serial` names the token of this reference."),
    "expired": (410, "The token's time is over; its value is on its float again."),
    "cancelled": (410, "The token was cancelled."),
    "insufficient_funds": (422, "Fund the float."),
    "limit_exceeded": (422, "A cap stands against it; `most`, if given, is what it leaves."),
    "limited": (429, "Too many tries: wait for `Retry-After`."),
    "temporarily_unavailable": (503, "Send it again with the same `Idempotency-Key`."),
    # What is wrong before any operation looks at the request, or with us.
    "bad_request": (400, "This is no HTTP request that can be read."),
    "method_not_allowed": (405, "`Allow` names the methods of this address."),
    "too_large": (413, "The body is longer than this operation takes."),
    "unsupported_media_type": (415, "Send application/json in UTF-8, not compressed."),
    "internal_error": (500, "Our fault, and logged: repeat it with the same `Idempotency-Key`."),
}
STATUSES: Final = {code: status for code, (status, _) in CODES.items()}
