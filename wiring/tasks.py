"""What stands behind each template of the outbox that is no SMS."""

from collections.abc import Mapping

from gateway.outbox.tasks import Task

RUNNERS = 2  # threads of a worker process, beside its senders


def tasks(*rooms: Mapping[str, Task]) -> Mapping[str, Task]:
    """The tasks of every room by their templates."""
    return {template: task for room in rooms for template, task in room.items()}
