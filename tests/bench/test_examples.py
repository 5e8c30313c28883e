"""The examples in the bench's docstrings hold."""

import doctest
from types import ModuleType

import pytest

from bench import floor_schema, load, report, rounds, servers


@pytest.mark.parametrize("module", [floor_schema, load, report, rounds, servers])
def test_the_examples_in_the_docstrings_hold(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert (outcome.failed, outcome.attempted > 0) == (0, True)
