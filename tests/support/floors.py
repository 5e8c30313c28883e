"""The floors of the house: which room may import which."""

from collections.abc import Iterator

from tests.support.house import Finding, Source, of

# From the bottom up. A room imports only from floors below its own: rooms that share a floor do
# not know each other, so that each can be read, tested and deleted by itself.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("errors",),
    ("formats", "clock", "settings"),
    ("logs", "languages", "chores"),
    ("database", "channels", "providers"),
    ("people", "ledger", "outbox", "audit", "switches", "ussd", "sms"),
    ("tokens", "partners", "notices"),
    ("withdrawals", "deposits", "outlets"),
    ("disputes", "reconciliation"),
    ("api", "restores", "retention"),
    ("menus", "metrics"),
    ("web", "cli", "worker"),
    ("wiring",),
    ("app",),
    ("wsgi",),
)
HEIGHTS = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}
ADAPTER_ROOMS = ("channels", "providers")


def room_of(module: str) -> str | None:
    """The room a dotted module lies in; None for what is not ours.

    >>> room_of("gateway.tokens.store"), room_of("menus.home"), room_of("app.create_app")
    ('tokens', 'menus', 'app')
    >>> room_of("flask.Flask"), room_of("gateway")
    (None, None)
    """
    first, _, rest = module.partition(".")
    if first == "gateway":
        return rest.split(".")[0] or None
    return first if first in HEIGHTS else None


def module_of(source: Source) -> str:
    """The dotted name of a Python file.

    >>> module_of(Source("gateway/tokens/store.py", ""))
    'gateway.tokens.store'
    """
    return source.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports_come_from_lower_floors(source: Source) -> Iterator[Finding]:
    """A room imports only from floors below its own, and never by a relative path."""
    if not source.is_product:
        return
    room = room_of(module_of(source))
    height = HEIGHTS.get(room, -1) if room else -1
    for line, module in source.imports:
        other = room_of(module) or room
        too_high = other != room and HEIGHTS.get(str(other), len(FLOORS)) >= height
        if too_high or module.startswith("."):
            yield Finding(line, module)


def every_room_has_a_floor(source: Source) -> Iterator[Finding]:
    """A new room under gateway/ is given its floor in the literal list."""
    room = room_of(module_of(source)) if source.is_product else None
    if room is not None and room not in HEIGHTS:
        yield Finding(1, room)


def adapters_do_not_know_each_other(source: Source) -> Iterator[Finding]:
    """An adapter imports nothing of its own room but base."""
    room = room_of(module_of(source)) if source.is_product else None
    if room not in ADAPTER_ROOMS or source.path.endswith("/__init__.py"):
        return
    for line, module in source.imports:
        if room_of(module) == room and not of(module, (f"gateway.{room}.base",)):
            yield Finding(line, module)
