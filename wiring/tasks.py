"""What stands behind each template of the outbox that is no SMS."""

from collections.abc import Mapping

from gateway.outbox.tasks import Task

RUNNERS = 2  # threads of a worker process, beside its senders


def tasks() -> Mapping[str, Task]:
    """The tasks by their templates."""
    return {}
