"""A partner's own text of the SMS that carries a token: what it must hold, and fit into."""

import re
from collections.abc import Mapping

from gateway.errors import BadInput
from gateway.formats import gsm7
from gateway.sms import texts

NEEDED = ("token", "amount")  # nobody redeems a text without them
ALLOWED = tuple(texts.TIGHTEST)
_NAMED = re.compile(r"\{(\w*)\}", re.ASCII)
_SENDER_ID = re.compile(r"(?=.*[A-Za-z])[0-9A-Za-z][0-9A-Za-z ]{1,9}[0-9A-Za-z]", re.ASCII)


def checked(text: str, sample: Mapping[str, str] = texts.TIGHTEST) -> str:
    """The text, which fits one SMS whatever it is filled with. Raises `BadInput`.

    >>> checked("{sender} sends you {amount}: {token}")
    '{sender} sends you {amount}: {token}'
    >>> checked("Your {token}")
    Traceback (most recent call last):
    gateway.errors.BadInput: the text must hold {amount}
    """
    text = text.strip()
    names = set(_NAMED.findall(text))
    for name in NEEDED:
        if name not in names:
            raise BadInput(f"the text must hold {{{name}}}")
    unknown = sorted(names - set(ALLOWED))
    if unknown or set("{}") & set(_NAMED.sub("", text)):
        raise BadInput(f"braces stand only around {', '.join(ALLOWED)}")
    if not gsm7.is_gsm7(text) or not text.replace("\n", "").isprintable():
        raise BadInput(f"the text is not all GSM-7; it would read: {gsm7.transliterate(text)}")
    longest = texts.fit(texts.filled, text, dict(sample))
    most, septets = texts.SEGMENT_SEPTETS, gsm7.septets(longest)
    if septets > most:
        raise BadInput(f"the text takes {septets} septets with its longest values, {most} fit")
    return text


def sender_id(given: str) -> str:
    """What a phone shows as the sender: 3 to 11 letters, digits and blanks. Raises `BadInput`.

    >>> sender_id("Acme Stores"), sender_id("4ACME")
    ('Acme Stores', '4ACME')
    >>> sender_id("12345")
    Traceback (most recent call last):
    gateway.errors.BadInput: a sender ID is 3 to 11 letters, digits and blanks, with a letter
    """
    if not _SENDER_ID.fullmatch(given):
        raise BadInput("a sender ID is 3 to 11 letters, digits and blanks, with a letter")
    return given
