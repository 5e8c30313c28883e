"""A process that lacks a lookup key: nobody is told "not valid", and nobody is counted for it."""

from collections.abc import Callable

import pytest

from gateway.errors import KeyDiffers, KeyMissing
from gateway.tokens.guesses.store import guess_counters
from gateway.tokens.keys import store
from gateway.tokens.keys.rotation import REPORT_VALID, sign_off
from gateway.tokens.redeem import Answer
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.keyed import BOTH_RINGS, NEW_RINGS, OLD_RINGS, rotate
from tests.tokens.staging import count
from tests.web.sms_callbacks import outcomes, text_in

NEVER_ISSUED = "490750293453273258"
LACKING = [
    ({**NEW_RINGS, "token_keys": BOTH_RINGS["token_keys"]}, KeyMissing),
    ({**BOTH_RINGS, "lookup_keys": f"p1:{'7c' * 32}"}, KeyDiffers),
]


@pytest.mark.parametrize(("rings", "error"), LACKING)
def test_an_entry_that_another_process_would_find_is_not_called_wrong(
    process: Callable[..., Wired], rings: dict[str, str], error: type[KeyMissing]
) -> None:
    token = process(OLD_RINGS).issue().reveal()
    lacking = process(rings)
    for _ in range(7):
        with pytest.raises(error) as raised:
            lacking.redeem(token)
        assert type(raised.value) is error
    assert count(lacking, guess_counters) == 0
    both = process(BOTH_RINGS)
    assert both.redeem(token).answer is Answer.REDEEMED
    assert both.breaches() == []


@pytest.mark.parametrize(("rings", "error"), LACKING)
def test_a_caller_is_told_to_try_again_and_an_sms_is_repeated(
    process: Callable[..., Wired], rings: dict[str, str], error: type[KeyMissing]
) -> None:
    token = process(OLD_RINGS).issue().reveal()
    lacking = process(rings)
    with captured_log() as log:
        assert lacking.dial(ADA, f"1*{token}").body.endswith("Please try again.")
        assert text_in(lacking, token, "m1").status_code == 503
        assert error.__name__ in log.text()
        assert token not in log.text()
    assert count(lacking, guess_counters) == 0
    both = process(BOTH_RINGS)
    assert outcomes(both) == []
    assert text_in(both, token, "m1").status_code == 200
    assert outcomes(both) == ["redeemed"]


def test_a_process_that_lacks_a_key_tells_no_token_from_an_unknown_one(
    process: Callable[..., Wired],
) -> None:
    process(OLD_RINGS).issue()
    rotate(process(BOTH_RINGS), "lookup", "p2")
    bound = process(BOTH_RINGS).issue(binding="recipient").reveal()
    lacking = process(LACKING[0][0])
    for entry in (bound, NEVER_ISSUED):
        with pytest.raises(KeyMissing):
            lacking.redeem(entry, BELLO)
    assert process(BOTH_RINGS).redeem(bound, BELLO).answer is Answer.NOT_VALID
    assert lacking.redeem(bound, ADA).answer is Answer.REDEEMED


def test_a_wrong_entry_counts_where_every_key_is_held(process: Callable[..., Wired]) -> None:
    both = process(BOTH_RINGS)
    both.issue()
    assert both.redeem(NEVER_ISSUED).answer is Answer.NOT_VALID
    assert count(both, guess_counters) > 0


def test_a_key_taken_out_once_no_live_token_needs_it_is_not_missed(
    process: Callable[..., Wired], clock: SteppedClock
) -> None:
    token = process(OLD_RINGS).issue().reveal()
    both, new = process(BOTH_RINGS), process(NEW_RINGS)
    rotate(both, "generate", "k2")
    rotate(both, "lookup", "p2")
    clock.advance(seconds=REPORT_VALID.total_seconds() + 1)
    new.gateway.report_keys("web")
    with pytest.raises(KeyMissing):
        new.redeem(NEVER_ISSUED)
    both.redeem(token)
    both.gateway.report_keys("web")
    assert count(both, store.written_keys) == 4
    new.gateway.report_keys("web")
    assert count(both, store.written_keys) == 2
    assert new.redeem(NEVER_ISSUED).answer is Answer.NOT_VALID


def test_a_key_is_not_struck_off_soon_after_a_rotation_or_while_it_is_written_with(
    process: Callable[..., Wired], clock: SteppedClock
) -> None:
    both, new = process(BOTH_RINGS), process(NEW_RINGS)
    rotate(both, "lookup", "p1")
    clock.advance(seconds=REPORT_VALID.total_seconds() + 1)
    new.gateway.report_keys("web")
    assert count(both, store.written_keys) == 1
    new.run(sign_off)
    rotate(both, "lookup", "p2")
    new.gateway.report_keys("web")
    assert count(both, store.written_keys) == 2
