"""What every USSD channel must do, over the one list of channels and each one's samples."""

from collections.abc import Mapping
from typing import Any

import pytest

from gateway.channels.base import (
    FIELD_CHARACTERS_MAX,
    Inbound,
    LastInput,
    Malformed,
    UssdEnd,
    UssdReply,
    UssdTurn,
)
from tests.channels.bodies import SAMPLES
from tests.channels.contract import ODD_TEXTS, without
from tests.channels.sheets import SEQUENCE, SHEETS, Sheet

TOKEN = "490750293453273258"
PHONE = "+254700000001"
TURN = {
    "session": "7c898d72eb11f723ed8ea05ef232f279",
    "phone": PHONE,
    "service_code": "*384*1#",
    "network": "63902",
    "text": "1",
    SEQUENCE: "2",
}
SCREENS = (
    "Enter token",
    "Token wallet\n1 Redeem token\n2 Send token\n0 Exit",
    "1 & 2 < 3 > \"x\" 'y' 100% {[~^|\\]}",
    "Montant: 500,00 \xe0 payer \xc7\xd1\xfc",
)
# What each kind of sample is answered with; `last` answers the same request as `turn`.
ANSWERS: Mapping[str, UssdReply] = {
    "start": UssdReply("Welcome.\n1 Redeem token\n0 Exit", ends=False),
    "turn": UssdReply("Enter token\n0 Back", ends=False),
    "older": UssdReply("Enter token\n0 Back", ends=False),
    "last": UssdReply("You have received NGN 500.00.", ends=True),
    "end": UssdReply("This session is over.", ends=True),
    "cancel": UssdReply("This session is over.", ends=True),
    "timeout": UssdReply("This session is over.", ends=True),
}
NOTHING = Inbound("POST", {}, {}, b"")
JUNK = (
    *(b"", b"{", b"[]", b"null", b'"x"', b"5", b"{}", b"\xff\xfe", b'{"a":NaN}'),
    *(b"[" * 200_000, b'{"msisdn":' + b"9" * 5000 + b"}", b'{"Mobile":"1","mobile":"2"}'),
)

pytestmark = pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)


def turn(sheet: Sheet, fields: Mapping[str, str]) -> Inbound:
    return sheet.inbound(sheet.written("turn", fields))


def read(sheet: Sheet, fields: Mapping[str, str]) -> UssdTurn:
    found = sheet.channel.parse_turn(turn(sheet, fields))
    assert isinstance(found, UssdTurn)
    return found


def told(found: UssdTurn | UssdEnd) -> dict[str, Any]:
    """What was read, by our names; what is usual is left out."""
    if isinstance(found, UssdEnd):
        return {"session": found.session_id, "phone": found.phone, "status": found.status}
    fields: dict[str, Any] = {
        "session": found.session_id,
        "phone": found.phone,
        "service_code": found.service_code,
        "network": found.network,
    }
    if isinstance(found.text, str):
        return {**fields, "text": found.text}
    fields["text"] = found.text.text
    if found.text.is_start:
        fields["is_start"] = True
    if found.text.sequence is not None:
        fields["sequence"] = found.text.sequence
    return fields


def entered(found: UssdTurn) -> str:
    return found.text if isinstance(found.text, str) else found.text.text


def test_each_sample_is_read_as_its_sheet_says(sheet: Sheet) -> None:
    said = sheet.manner["reads"]
    found = {name: told(sheet.channel.parse_turn(sheet.inbound(sheet.raw(name)))) for name in said}
    assert found == said


def test_each_reply_has_its_bytes(sheet: Sheet) -> None:
    files = sorted((SAMPLES / sheet.name).glob("ussd-*.reply"))
    kinds = [file.stem.removeprefix("ussd-") for file in files]
    asked = {kind: sheet.inbound(sheet.raw("turn" if kind == "last" else kind)) for kind in kinds}
    written = {kind: sheet.channel.render(ANSWERS[kind], asked[kind]) for kind in kinds}
    assert written == {kind: file.read_bytes() for kind, file in zip(kinds, files, strict=True)}
    assert {"start", "turn", "last"} <= set(kinds)


def test_every_raw_sample_is_told_of(sheet: Sheet) -> None:
    files = {file.stem.removeprefix("ussd-") for file in (SAMPLES / sheet.name).glob("*.http")}
    assert files == set(sheet.manner["reads"])


def test_a_turn_says_who_dialled_what_and_entered_what(sheet: Sheet) -> None:
    found = told(read(sheet, TURN))
    names = sheet.manner["told"]
    assert {name: found[name] for name in names} == {name: TURN[name] for name in names}
    assert read(sheet, TURN).channel == sheet.name == sheet.channel.name


def test_a_turn_without_what_is_essential_is_malformed(sheet: Sheet) -> None:
    for name in sheet.manner["essential"]:
        for fields in (without(TURN, name), {**TURN, name: ""}, {**TURN, name: "  "}):
            with pytest.raises(Malformed):
                sheet.channel.parse_turn(turn(sheet, fields))


def test_a_turn_without_the_rest_is_still_a_turn(sheet: Sheet) -> None:
    for name in set(sheet.names) - {*sheet.manner["essential"], "status"}:
        if not isinstance(sheet.names[name], int):
            read(sheet, without(TURN, name))


def test_fields_have_a_limit_and_the_text_is_left_to_the_dialogue(sheet: Sheet) -> None:
    for name in set(sheet.manner["told"]) - {"text", "phone"}:
        read(sheet, {**TURN, name: "7" * FIELD_CHARACTERS_MAX})
        with pytest.raises(Malformed):
            read(sheet, {**TURN, name: "7" * (FIELD_CHARACTERS_MAX + 1)})


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_whatever_was_entered_is_handed_on_unchanged(sheet: Sheet, text: str) -> None:
    assert entered(read(sheet, {**TURN, "text": text})) == text


@pytest.mark.parametrize("phone", [" 254700000001", "+254700000001"])
def test_a_number_has_its_plus(sheet: Sheet, phone: str) -> None:
    assert read(sheet, {**TURN, "phone": phone}).phone == PHONE


@pytest.mark.parametrize("text", ["*384*1#", "hello", "", "1", "*999*1*5#", TOKEN, f"1*{TOKEN}"])
def test_what_is_not_behind_our_code_is_no_input(sheet: Sheet, text: str) -> None:
    started = sheet.channel.parse_turn(
        sheet.inbound(sheet.written("start", {**TURN, "text": text, SEQUENCE: "1"}))
    )
    assert isinstance(started, UssdTurn)
    if isinstance(started.text, LastInput):
        assert started.text.is_start
        assert started.text.text == ""


def test_a_malformed_request_is_not_repeated_in_the_error(sheet: Sheet) -> None:
    with pytest.raises(Malformed) as raised:
        read(sheet, {**TURN, "session": TOKEN * 10, "text": TOKEN})
    assert TOKEN not in str(raised.value)


@pytest.mark.parametrize("body", JUNK, ids=range(len(JUNK)))
def test_junk_is_malformed_and_still_answered_in_the_channels_form(
    sheet: Sheet, body: bytes
) -> None:
    junk = Inbound("POST", {}, {}, body, path={"session": "S1", "verb": "response"})
    with pytest.raises(Malformed):
        sheet.channel.parse_turn(junk)
    for asked in (junk, NOTHING):
        assert sheet.shown(sheet.channel.render(UssdReply("Bye", ends=True), asked)) == (
            "Bye",
            True,
        )


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("screen", SCREENS)
def test_the_phone_shows_the_screen_as_it_was_written(
    sheet: Sheet, screen: str, ends: bool
) -> None:
    body = sheet.channel.render(UssdReply(screen, ends), turn(sheet, TURN))
    assert sheet.shown(body) == (screen, ends)


def test_the_same_reply_is_the_same_bytes_and_echoes_no_input(sheet: Sheet) -> None:
    asked = turn(sheet, {**TURN, "text": TOKEN})
    bodies = {sheet.channel.render(UssdReply(SCREENS[1], ends=False), asked) for _ in range(3)}
    assert len(bodies) == 1
    assert TOKEN.encode() not in bodies.pop()


def test_lines_are_parted_by_a_single_line_feed(sheet: Sheet) -> None:
    body = sheet.channel.render(UssdReply("a\r\nb\rc", ends=False), turn(sheet, TURN))
    assert sheet.shown(body) == ("a\nb\nc", False)


def test_the_content_type_names_the_encoding_and_the_budget_fits_a_phone(sheet: Sheet) -> None:
    assert "charset=utf-8" in sheet.channel.content_type
    assert 60 <= sheet.channel.septets_max <= 182
