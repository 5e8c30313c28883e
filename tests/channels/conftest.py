"""A running SMS API for the tests that send, and the shared contract's assertions rewritten."""

from collections.abc import Iterator

import pytest

from tests.channels.sending import API_KEY
from tests.emulators.africastalking import SmsApi

pytest.register_assert_rewrite("tests.channels.contract")


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def api() -> Iterator[SmsApi]:
    """The emulated SMS API, which knows one key."""
    with SmsApi(api_key=API_KEY) as running:
        yield running
