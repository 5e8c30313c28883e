"""The examples in the bench's docstrings hold."""

import doctest
from types import ModuleType

import pytest

from bench import (
    debits,
    floor_schema,
    load,
    reconcile,
    report,
    rounds,
    servers,
    storm,
    topups,
    webhooks,
)

MODULES = (
    debits,
    floor_schema,
    load,
    reconcile,
    report,
    rounds,
    servers,
    storm,
    topups,
    webhooks,
)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_the_docstrings_hold(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert (outcome.failed, outcome.attempted > 0) == (0, True)
