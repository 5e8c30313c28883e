"""Log lines as JSON that cannot carry digits: no token, no PIN, no whole phone number."""

import json
import logging
import re
import sys
import threading
from collections.abc import Callable, Mapping
from traceback import walk_tb
from typing import Any, Final, TextIO

import structlog
from structlog.typing import EventDict, Processor

from gateway.errors import Misconfigured
from gateway.formats import msisdn, request_id

MASK: Final = "******"
NESTING_MAX: Final = 6
EXCEPTION_TEXT_MAX: Final = 500  # characters
EXCEPTIONS_MAX: Final = 5  # of one chain of causes
FRAMES_MAX: Final = 20  # of one exception, the innermost

# Six or more digits of any script, whatever people or programs put between their groups. A gap
# is at most four characters wide, so that the five stars of a masked phone number end a run.
_RUN: Final = re.compile(r"\d(?:[\W_]{0,4}\d){5,}")
# The same in rendered JSON, where one character may be written as an escape.
_RUN_IN_JSON: Final = re.compile(r"\d(?:(?>\\(?:u00[01][0-9a-f]|.)|[\W_]){0,4}\d){5,}")
_DIGIT: Final = re.compile(r"\d")

# JSON leaves these as they are, and readers of lines take them for the end of one.
_LINE_BREAKS: Final = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}

# Their own level at least: below it they write paths, queries, statements and bodies.
_LEVELS_OF_LIBRARIES: Final = (
    ("alembic", logging.WARNING),  # it says which database it is on at every look
    ("gunicorn.access", logging.WARNING),
    ("gunicorn.error", logging.INFO),
    ("sqlalchemy", logging.WARNING),
    ("urllib3", logging.WARNING),
    ("werkzeug", logging.WARNING),
)


def configure(level: str = "info", stream: TextIO | None = None) -> None:
    """Send every log line of the process, structlog's and stdlib's, as JSON to stderr (`stream`).

    Takes the place of all earlier handlers, so it may be called again. Raises Misconfigured for an
    unknown level.
    """
    number = logging.getLevelNamesMapping().get(level.upper())
    if number is None:
        raise Misconfigured(f"unknown log level {level!r}")
    sink = _Sink(stream or sys.stderr)
    structlog.configure(
        processors=_CHAIN,
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: sink,
        cache_logger_on_first_use=False,  # a module's logger follows the next configure()
    )
    root = logging.getLogger()
    root.handlers[:] = [_StandardHandler(sink)]
    root.setLevel(number)
    for name, lowest in _LEVELS_OF_LIBRARIES:
        library = logging.getLogger(name)
        library.handlers.clear()
        library.propagate = True
        library.setLevel(max(number, lowest))
    logging.captureWarnings(True)


def hook_uncaught() -> None:
    """Log what nobody caught, in any thread; Python itself would print the text with its digits."""
    log = structlog.get_logger()

    def in_thread(args: threading.ExceptHookArgs) -> None:
        if args.exc_type is not SystemExit:  # how a thread ends itself
            log.critical("uncaught in thread", exc_info=args.exc_value)

    sys.excepthook = lambda _, error, __: log.critical("uncaught", exc_info=error)
    sys.unraisablehook = lambda args: log.error("uncaught in clean-up", exc_info=args.exc_value)
    threading.excepthook = in_thread


class _Sink:
    """Writes whole lines; a full disk or a closed pipe loses the line, never the request."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.RLock()  # a signal handler may log while its thread is writing

    def write(self, line: str) -> None:
        if not line.isascii():
            line = line.translate(_LINE_BREAKS)
            line = line.encode("utf-8", "backslashreplace").decode()  # lone surrogates
        with self._lock:
            try:
                self._stream.write(line + "\n")
                self._stream.flush()
            except (OSError, ValueError, RuntimeError):
                return

    debug = info = warning = error = critical = write


class _StandardHandler(logging.Handler):
    """Takes the records of stdlib's logging through the same chain."""

    def __init__(self, sink: _Sink) -> None:
        super().__init__()
        self._sink = sink

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = record.getMessage()
        except Exception:  # noqa: BLE001 - a library's wrong placeholders must not end a request
            text = str(record.msg)
        event: Any = {"event": text, "logger": record.name, "exc_info": record.exc_info}
        for processor in _CHAIN:
            event = processor(self._sink, record.levelname.lower(), event)
        self._sink.write(event)


def _describe_exception(_: object, __: str, event: EventDict) -> EventDict:
    """Type, text and frames of the exception and its causes; never locals or source lines."""
    event.pop("stack_info", None)
    given = event.pop("exc_info", None)
    if not given:
        return event
    error = sys.exc_info()[1] if given is True else given
    if isinstance(error, tuple):
        error = error[1]
    causes: list[dict[str, object]] = []
    while isinstance(error, BaseException) and len(causes) < EXCEPTIONS_MAX:
        causes.append(
            {
                "type": f"{type(error).__module__}.{type(error).__qualname__}",
                "text": _mask_runs(_text_of(error))[:EXCEPTION_TEXT_MAX],
                "frames": _frames(error)[-FRAMES_MAX:],
            }
        )
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if causes:
        event["exception"] = causes
    return event


def _frames(error: BaseException) -> list[str]:
    frames = []
    for frame, line in walk_tb(error.__traceback__):
        file = "/".join(frame.f_code.co_filename.split("/")[-3:])
        frames.append(f"{file}:{line} {frame.f_code.co_name}")
    return frames


def _render(_: object, __: str, event: EventDict) -> str:
    """One line of JSON; the finished text is what is searched, so nothing gets around the search.

    Most lines hold no long run of digits and are done after one look. Else the fields are masked
    one by one, and if the text still has a run (groups spread over a list), every digit goes.
    """
    at = event.pop("at")
    kept = _take_kept(event)
    event = {"level": event.pop("level"), "event": event.pop("event", None), **event}
    body = _encoded(event)
    if body is None or _RUN_IN_JSON.search(body):
        event = _masked(event, _mask_runs)
        body = _ENCODER.encode(event)
        if _RUN_IN_JSON.search(body):
            body = _ENCODER.encode(_masked(event, _mask_digits))
    tail = f",{_ENCODER.encode(kept)[1:]}" if kept else "}"
    return f'{{"at":"{at}",{body[1:-1]}{tail}'


def _encoded(event: EventDict) -> str | None:
    try:
        return _ENCODER.encode(event)
    except (TypeError, ValueError, RecursionError):
        return None  # keys that are no text, NaN, cycles: _masked() makes JSON of them


def _masked(value: object, mask: Callable[[str], str], depth: int = 0) -> Any:
    """The value as JSON can hold it, with `mask` over every text, key and number in it."""
    if depth > NESTING_MAX:
        return "..."
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Mapping):
        return {
            mask(_text_of(key)): msisdn.masked(item)
            if key == "msisdn" and isinstance(item, str)
            else _masked(item, mask, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [_masked(item, mask, depth + 1) for item in value]
    text = _text_of(value)
    masked = mask(text)
    if isinstance(value, int | float) and masked == text and abs(value) < 100_000:
        return value
    return masked


def _mask_runs(text: str) -> str:
    """Each run of six or more digits replaced.

    >>> _mask_runs("redeem 9021-0000 0000.0000*14 or ７６５４３２１０９８３ for 5 days")
    'redeem ****** or ****** for 5 days'
    >>> _mask_runs("NGN 500.00 to +23480*****01 in 12 ms")
    'NGN 500.00 to +23480*****01 in 12 ms'
    """
    return _RUN.sub(MASK, text)


def _mask_digits(text: str) -> str:
    return _DIGIT.sub("*", text)


def _text_of(value: object) -> str:
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - what cannot describe itself is logged by its type
        return f"<{type(value).__qualname__}>"


def _take_kept(event: EventDict) -> dict[str, object]:
    """The fields whose own rule keeps tokens out, taken from the event."""
    kept = {}
    for key in _KEPT.keys() & event.keys():
        value = _KEPT[key](event[key])
        if value is not None:
            kept[key] = value
            del event[key]
    return kept


def _machine_number(value: object) -> int | None:
    """Shorter than any token or phone number."""
    return value if type(value) is int and abs(value) < 10_000_000 else None


def _phone(value: object) -> str | None:
    return msisdn.masked(value) if isinstance(value, str) else None


def _request_id(value: object) -> str | None:
    return value if isinstance(value, str) and request_id.is_safe(value) else None


def _text_like(pattern: str) -> Callable[[object], str | None]:
    form = re.compile(pattern, re.ASCII)

    def kept(value: object) -> str | None:
        return value if isinstance(value, str) and form.fullmatch(value) else None

    return kept


_KEPT: Final[dict[str, Callable[[object], object]]] = {
    "pid": _machine_number,
    "duration_ms": _machine_number,
    "rows": _machine_number,
    "count": _machine_number,
    "bytes": _machine_number,
    "msisdn": _phone,
    "request_id": _request_id,
    "serial": _text_like(r"(?=[0-9]*[A-Z])[0-9A-Z]{8}"),
    "amount": _text_like(r"-?[0-9]{1,7}\.[0-9]{2}"),
}

_ENCODER: Final = json.JSONEncoder(
    ensure_ascii=False,  # the search must see a full-width digit, not its escape
    allow_nan=False,
    separators=(",", ":"),
    default=_text_of,
)

_CHAIN: Final[tuple[Processor, ...]] = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
    _describe_exception,
    _render,
)
