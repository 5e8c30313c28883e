"""What a text asks for: one of our words, a token, several of them, or nothing we know."""

import re
import unicodedata
from dataclasses import dataclass, field
from enum import StrEnum

import phonenumbers
from phonenumbers import NumberParseException

from gateway.tokens import code, serials
from menus.keywords import found
from menus.keywords.words import Word, first_word

DIGITS_MIN = 6  # fewer digits than this are talk, not an attempt at a token
_DIGITS = re.compile(r"\d+")
_NAMES = re.compile(r"[A-Za-z0-9\uff10-\uff19]+")


class Other(StrEnum):
    """What a text is that begins with none of our words and offers no token."""

    SEVERAL = "several"  # two tokens: which one is meant cannot be known
    UNKNOWN = "unknown"
    EMPTY = "empty"  # neither a letter nor a digit: nobody asked for anything


@dataclass(frozen=True, slots=True)
class Wish:
    """What one text asks for, with what belongs to it: a token's entry, a PIN, a serial."""

    asked: Word | Other
    rest: str = field(default="", repr=False)
    language: str = ""  # of the word that asked; "" when none did


def read(text: str, country: str) -> Wish:
    """What a text asks for. A number to call in `country` is no token where there are words.

    >>> read("490750 293453 273258", "NG").asked, read("hello", "NG").asked.value
    (<Word.REDEEM: 'redeem'>, 'unknown')
    >>> read("call me on 08030000001", "NG").asked.value, read("?!", "NG").asked.value
    ('unknown', 'empty')
    """
    # What copied text carries unseen stands in the middle of words and numbers.
    seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
    named = first_word(seen)
    if named.word is Word.REDEEM:
        return _offered(named.rest, named.language)
    # Our own SMS, whose sender may call itself Help or Start.
    if found.dialled(seen) and named.word not in (Word.RESEND, Word.BALANCE):
        return _offered(seen)
    if named.word is not None:
        return Wish(named.word, named.rest, named.language)
    bare = code.compact(seen)
    if bare.isdigit() and len(bare) >= DIGITS_MIN:
        return _offered(seen)
    return _talk(seen, country)


def pin_in(rest: str) -> str:
    """What stands behind BAL as a PIN: the digits, else the first of them; "" when there are none.

    >>> pin_in("1234"), pin_in("12 34."), pin_in("my PIN is 1234 thanks"), pin_in("1234\\n10:30")
    ('1234', '1234', '1234', '1234')
    >>> pin_in("please"), pin_in("")
    ('', '')
    """
    groups = _DIGITS.findall(rest)
    only_digits = not re.search(r"[^\d\s.#*-]", rest) and "\n" not in rest.strip()
    return "".join(groups) if only_digits else (groups or [""])[0]


def serial_in(rest: str) -> str | None:
    """The serial behind RESEND; "" when there is none, None for what may be meant as one.

    >>> serial_in("k7m2-9qxd!"), serial_in("Ref K7M29QXD please"), serial_in("please")
    ('K7M29QXD', 'K7M29QXD', '')
    >>> serial_in("K7M29QX"), serial_in("490750293453273258")
    (None, None)
    """
    words = [code.compact(word) for word in _NAMES.findall(rest)]
    whole = serials.normalise("".join(words))
    named = [serial for serial in (whole, *map(serials.normalise, words)) if serial]
    if named:
        return named[0]
    return None if any(char.isdigit() for word in words for char in word) else ""


def _offered(text: str, language: str = "") -> Wish:
    tokens = found.all_in(text)
    if len(tokens) > 1:
        return Wish(Other.SEVERAL, language=language)
    return Wish(Word.REDEEM, tokens[0] if tokens else text.strip() or " ", language)


def _talk(text: str, country: str) -> Wish:
    tokens = [token for token in found.all_in(text) if not _is_phone(token, country)]
    if len(tokens) > 1:
        return Wish(Other.SEVERAL)
    near = [entry for entry in found.resembling(text) if not _is_phone(entry, country)]
    if tokens or near:
        return Wish(Word.REDEEM, (tokens or near)[0])
    return Wish(Other.UNKNOWN if re.search(r"[^\W_]", text) else Other.EMPTY)


def _is_phone(entry: str, country: str) -> bool:
    """Whether people of the country could call this number.

    >>> _is_phone("0803 000 0001", "NG"), _is_phone("00137033965", "NG")
    (True, False)
    """
    try:
        number = phonenumbers.parse(code.compact(entry), country)
    except NumberParseException:
        return False
    return phonenumbers.is_valid_number_for_region(number, country)
