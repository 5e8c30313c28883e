"""Keeps the path, which holds the callback secret, out of gunicorn's own log lines."""

import logging
import re
from typing import Final

# gunicorn quotes the request line of what it cannot parse, and the URI of what it cannot answer.
_PATH: Final = re.compile(r"(/(?:ussd|sms|webhooks)/)[^\s'\"]*")


def hide_paths() -> None:
    """Filter what this process's gunicorn logs from now on."""
    logging.getLogger("gunicorn.error").addFilter(_without_path)


def _without_path(record: logging.LogRecord) -> bool:
    """Cut the path short; every record is kept.

    >>> record = logging.makeLogRecord({"msg": "bad: %s", "args": ("POST /ussd/x/s3cret?a H",)})
    >>> _without_path(record), record.getMessage()
    (True, 'bad: POST /ussd/... H')
    >>> record = logging.makeLogRecord({"msg": "Booting worker with pid: %s", "args": (7,)})
    >>> _without_path(record), record.getMessage()
    (True, 'Booting worker with pid: 7')
    """
    record.msg, record.args = _PATH.sub(r"\1...", record.getMessage()), ()
    return True
