"""What a dialogue leaves in the database: no digit of what was typed (T3), and bounded rows."""

import hashlib
import json

from sqlalchemy import text

from gateway.ussd import journal
from tests.support.wired import ADA, Wired
from tests.ussd.posting import play, post

TYPED = ("490750293453273259", "49075029", "777777777777", "55555")


def fields(wired: Wired) -> list[object]:
    """Every field of every row of the journal."""
    with wired.gateway.database.snapshot() as connection:
        return [
            field
            for name in ("ussd_sessions", "ussd_steps")
            for row in connection.execute(text(f"SELECT * FROM {name}"))
            for field in row
        ]


def test_the_journal_holds_no_digits_of_what_was_typed(wired: Wired) -> None:
    token = wired.issue().reveal()
    typed = [*TYPED, token]
    for number, entry in enumerate(typed):
        play(wired, "", "1", f"1*{entry[:5]}*{entry[5:]}", session=f"typed {number}")
        post(wired, f"1*{entry}", f"dialled {number}")
        post(wired, f"{entry}*1", f"wrong {number}")
    kept = fields(wired)
    digests = {field for field in kept if isinstance(field, bytes)}
    words = "\n".join(str(field) for field in kept if not isinstance(field, bytes))
    for entry in typed:
        assert entry[:5] not in words
        assert entry[-5:] not in words
        for plain in (entry, f"1*{entry}"):
            assert hashlib.sha256(plain.encode()).digest() not in digests


def test_equal_texts_of_two_installations_have_different_digests(wired: Wired) -> None:
    post(wired, "1")
    with wired.gateway.database.snapshot() as connection:
        steps = connection.execute(journal.ussd_steps.select()).all()
    assert steps[0].text_digest != hashlib.sha256(b"1").digest()
    other = Wired(
        str(wired.gateway.settings.database_url),
        wired.clock,
        session_key="another-session-key-32-characters",
    )
    assert post(other, "1*5").startswith(b"CON A token has 18 or 11 digits.")
    other.close()


def test_the_language_network_and_phone_of_a_dialogue_are_kept_for_support(wired: Wired) -> None:
    post(wired, "", network="62130" * 5)
    with wired.gateway.database.snapshot() as connection:
        row = connection.execute(journal.ussd_sessions.select()).one()
        step = connection.execute(journal.ussd_steps.select()).one()
    kept = (row.msisdn, row.network, row.channel, json.loads(step.place)["language"])
    assert kept == (ADA, "6213062130621306", "africastalking", "en")
