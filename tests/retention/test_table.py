"""One table says what is kept how long: every table of the schema is in it, as in the docs."""

import pytest
from sqlalchemy import inspect

from app import Gateway
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.database.types import metadata
from gateway.retention.kinds import KINDS, Kind, shown
from gateway.settings.keeping import DAYS
from tests.support.house import ROOT
from tests.support.wired import wired_settings

FORGETTING = [kind for kind in KINDS if kind.chore]
FORGETS = "_purged"  # how the chores are called that take rows away
VERSION_TABLE = "alembic_version"  # the migrations' own


@pytest.fixture
def gateway() -> Gateway:
    """The wired gateway over a database that nobody opens."""
    return Gateway(wired_settings("sqlite:///never-opened.db"), Clock())


def test_every_table_of_the_schema_has_its_line(gateway: Gateway, database: Database) -> None:
    assert gateway.chores()  # the wiring has brought every table into the metadata
    named = [name for kind in KINDS for name in kind.tables]
    stored = database.run(lambda c: inspect(c).get_table_names())
    assert len(named) == len(set(named))
    assert set(named) | {VERSION_TABLE} == set(stored) | set(metadata.tables)


def test_every_chore_that_is_named_is_done_by_the_sweep(gateway: Gateway) -> None:
    chores = {name for name in gateway.chores() if name.endswith(FORGETS)}
    assert {kind.chore for kind in FORGETTING} == chores


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.tables[0])
def test_what_is_kept_for_ever_says_so(kind: Kind) -> None:
    assert kind.holds
    assert bool(kind.chore or kind.elsewhere) != kind.kept.startswith("kept")
    assert (kind.setting == "") == (kind.days is None)


@pytest.mark.parametrize("kind", FORGETTING, ids=lambda kind: kind.tables[0])
def test_its_days_are_those_that_the_settings_have(kind: Kind) -> None:
    days = {name: default for name, _, default, _ in DAYS}
    days["GATEWAY_CALLBACK_DAYS"] = wired_settings("sqlite:///x").callback_days
    assert kind.days == days.get(kind.setting)


def test_the_docs_show_the_table() -> None:
    assert "\n".join(shown()) in (ROOT / "docs/retention.md").read_text()


def test_the_page_of_settings_names_every_one() -> None:
    text = (ROOT / "docs/settings.md").read_text()
    assert [kind.setting for kind in FORGETTING if f"`{kind.setting}`" not in text] == (
        [""] * len([kind for kind in FORGETTING if not kind.setting])
    )
