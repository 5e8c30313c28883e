"""Every route says who may call it."""

import pytest
from flask import Flask

from gateway.web.access import CALLERS, callers
from tests.support.clock import SteppedClock
from tests.support.wired import Wired


def undeclared(app: Flask) -> list[str]:
    """The routes whose view does not say who may call it, or names somebody unknown."""
    return sorted(
        rule.rule
        for rule in app.url_map.iter_rules()
        if not (who := getattr(app.view_functions[rule.endpoint], "callers", ()))
        or not set(who) <= set(CALLERS)
    )


@pytest.fixture
def app(sqlite_url: str, clock: SteppedClock) -> Flask:
    """The whole application of the demo, which has every route."""
    return Wired(sqlite_url, clock).app


def test_every_route_declares_its_callers(app: Flask) -> None:
    assert undeclared(app) == []
    assert len(list(app.url_map.iter_rules())) >= 6


def test_a_route_that_declares_none_is_found(app: Flask) -> None:
    bare = Flask("bare")
    bare.add_url_rule("/open", view_func=lambda: "to anyone")
    assert undeclared(bare) == ["/open", "/static/<path:filename>"]


def test_a_route_cannot_be_open_to_somebody_unknown() -> None:
    with pytest.raises(ValueError, match="the-world"):
        callers("the-world")


def test_the_routes_are_those_of_the_contract(app: Flask) -> None:
    found = {
        (rule.rule, *getattr(app.view_functions[rule.endpoint], "callers"))  # noqa: B009
        for rule in app.url_map.iter_rules()
    }
    assert found >= {
        ("/ussd/<channel>/<secret>", "aggregator"),
        ("/ussd/<channel>/<secret>/events", "aggregator"),
        ("/sms/<channel>/<secret>/inbound", "aggregator"),
        ("/sms/<channel>/<secret>/receipts", "aggregator"),
        ("/phone", "demo"),
        ("/healthz", "platform"),
        ("/readyz", "platform"),
    }
