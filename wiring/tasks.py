"""What stands behind each template of the outbox that is no SMS."""

from collections.abc import Mapping

from gateway.outbox.tasks import LINES, WEBHOOK, Task

# The lines of each thread of a worker process, beside its senders: a partner's slow receiver must
# not hold up money.
_MONEY = tuple(line for line in LINES if line != WEBHOOK)
RUNNERS = (_MONEY, _MONEY, (WEBHOOK,), (WEBHOOK,))


def tasks(*rooms: Mapping[str, Task]) -> Mapping[str, Task]:
    """The tasks of every room by their templates."""
    return {template: task for room in rooms for template, task in room.items()}
