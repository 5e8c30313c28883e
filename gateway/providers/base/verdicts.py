"""What an HTTP status decides about a request, where the provider's own words decide nothing."""

from gateway import errors

TAKEN = (200, 201, 202)
REFUSED = (400, 404, 405, 413, 415)  # the request itself is wrong and was not carried out
CREDENTIALS = (401, 403)
TOO_MANY = 429
OPERATOR_SECONDS = 300  # until the next try of what waits for an operator


def of(status: int, word: str) -> errors.SendFailed:
    """The error for a status that is not in TAKEN; a redirect or a 5xx leaves it open.

    >>> of(400, "validation_error"), of(502, "")
    (Refused('HTTP 400 validation_error'), OutcomeUnknown('HTTP 502'))
    >>> of(401, "unauthorized").alarm, of(429, "").alarm
    (True, False)
    """
    said = f"HTTP {status} {word}".strip()
    if status == TOO_MANY:
        return errors.Throttled(said)
    if status in CREDENTIALS:
        return errors.Throttled(said, OPERATOR_SECONDS, alarm=True)
    return errors.Refused(said) if status in REFUSED else errors.OutcomeUnknown(said)
