"""The GSM 7-bit alphabet (3GPP TS 23.038): what fits, how long it is, how to write the rest."""

import re
import unicodedata
from typing import Final

import gsm0338

from gateway.errors import BadInput

SMS_SEPTETS: Final = 160
SMS_SEPTETS_OF_A_PART: Final = 153  # a part of several carries a header
SMS_UCS2_UNITS: Final = 70
SMS_UCS2_UNITS_OF_A_PART: Final = 67

_ESCAPE: Final = 0x1B
_BASIC: Final[str] = gsm0338.Codec().decode(bytes(set(range(128)) - {_ESCAPE}))[0]
_EXTENSION: Final = "^{}\\[~]|€\f"  # sent as ESC and a second septet
_FOREIGN: Final = re.compile(f"[^{re.escape(_BASIC + _EXTENSION)}]")
_EXTENDED: Final = re.compile(f"[{re.escape(_EXTENSION)}]")
# In the alphabet, yet a return overwrites the line on some handsets and a feed clears the screen.
_UNSAFE_OR_FOREIGN: Final = re.compile(f"\r\n?|\f|{_FOREIGN.pattern}")

# The letters of our languages are written out. Of their marked vowels GSM-7 has à è é ì ò ù and É
# alone, so that a tone may be kept on one and lost on the next. Letters of other languages that
# fall apart into a GSM-7 letter and marks need no line.
_WRITTEN: Final[dict[str, str]] = {
    **dict(zip("ẹẸọỌṣṢ", "eEoOsS", strict=True)),  # Yoruba; ọ Igbo too
    **dict(zip("ịỊụỤṅṄ", "iIuUnN", strict=True)),  # Igbo
    **dict(zip("áÁíÍóÓúÚÀÈÌÒÙ", "aAiIoOuUAEIOU", strict=True)),  # tones
    **dict(zip("ńŃǹǸḿḾāĀēĒīĪōŌūŪ", "nNnNmMaAeEiIoOuU", strict=True)),  # tones
    **dict(zip("âÂêÊîÎôÔûÛëËïÏçÿŸ", "aAeEiIoOuUeEiIcyY", strict=True)),  # French
    **dict(zip("ɓƁɗƊƙƘƴƳɲƝ", "bBdDkKyYnN", strict=True)),  # Hausa, Fulfulde
    **dict(zip("ɛƐɔƆŋŊɖƉƒƑɣƔʋƲʒƷ", "eEoOnNdDfFgGvVzZ", strict=True)),  # Twi, Ewe, Ga, Fon
    **dict(zip("ɩƖʊƱǝƎəƏɨƗʉɄ", "iIuUeEeEiIuU", strict=True)),  # Kabiye, Dyula, Kanuri
    **dict(zip("łŁđĐðÐħĦıſ", "lLdDdDhHis", strict=True)),  # European names
    **dict.fromkeys("‐‑‒–—―−⁃•‣◦▪●", "-"),
    **dict.fromkeys("‘’‚‛′‹›`´ʻʼʹˈ", "'"),
    **dict.fromkeys("“”„‟″«»〝〞", '"'),
    **dict.fromkeys(("\r", "\r\n", "\x85", "\u2028", "\u2029"), "\n"),
    **dict.fromkeys("\t\v\f", " "),
    **dict(zip("₦¢₤₣·×÷⁄°ºªµ", "Nc£F.x//ooau", strict=True)),
    "₵": "GHS",
    "₹": "Rs",
    "œ": "oe",
    "Œ": "OE",
    "þ": "th",
    "Þ": "Th",
    "ẞ": "SS",
    "…": "...",
    "№": "No",
    "©": "(c)",
    "®": "(R)",
    "™": "TM",
    "≤": "<=",
    "≥": ">=",
    "→": "->",
    "←": "<-",
}


class NotGsm7(BadInput, ValueError):
    """This text has a character that the GSM 7-bit alphabet lacks."""


def is_gsm7(text: str) -> bool:
    """Whether the text can be sent in the GSM 7-bit alphabet as it stands.

    >>> is_gsm7("Café: 5 €"), is_gsm7("₦500"), is_gsm7("ç"), is_gsm7(chr(27))
    (True, False, False, False)
    """
    return not _FOREIGN.search(text)


def septets(text: str) -> int:
    """Length in septets; `^ { } \\ [ ~ ] | €` and the form feed take two. Raises NotGsm7.

    >>> septets("NGN 500.00"), septets("[1]"), septets("")
    (10, 5, 0)
    >>> septets("₦500")
    Traceback (most recent call last):
    gateway.formats.gsm7.NotGsm7: U+20A6 at 0 is not in the GSM 7-bit alphabet
    """
    foreign = _FOREIGN.search(text)
    if foreign:
        code = f"U+{ord(foreign[0]):04X}"
        raise NotGsm7(f"{code} at {foreign.start()} is not in the GSM 7-bit alphabet")
    return len(text) + len(_EXTENDED.findall(text))


def transliterate(text: str) -> str:
    """The nearest text in the GSM 7-bit alphabet; ASCII digits always stay as they are.

    A letter loses its marks, the table above writes out what has none; symbols (emoji) and
    invisible characters vanish, as they only decorate; any other letter, digit or sign becomes
    `?`, so that a reader sees that something was there. Doing it twice changes nothing more.

    >>> transliterate("Café “Lagos” – ₦ Shop 😀")
    'Café "Lagos" - N Shop '
    >>> transliterate("Ẹ kú àárọ̀, Ƙarin ɗaki, français, ŋɔ…")
    'E ku àaro, Karin daki, francais, no...'
    >>> transliterate("Bẹẹni, ṣé o ti san án? Ọjà"), transliterate("Ị kwụọla ụgwọ? Ṅụọ, Ọrụ")
    ('Beeni, sé o ti san an? Ojà', 'I kwuola ugwo? Nuo, Oru')
    >>> transliterate("Ɓoye, ɗaya, ƙari, 'ya'ya, ƴan’uwa"), transliterate("déjà payé, ça va, où")
    ("Boye, daya, kari, 'ya'ya, yan'uwa", 'déjà payé, ca va, où')
    >>> transliterate("電 ٣ ³")
    '? ? ?'
    """
    if not _UNSAFE_OR_FOREIGN.search(text):
        return text
    composed = unicodedata.normalize(
        "NFC", text
    )  # é typed as two characters is one of the alphabet
    return _UNSAFE_OR_FOREIGN.sub(_nearest, composed)


def _nearest(found: re.Match[str]) -> str:
    written = _WRITTEN.get(found[0])
    if written is not None:
        return written
    base = unicodedata.normalize("NFD", found[0])[0]
    if base != found[0]:
        return transliterate(base)
    category = unicodedata.category(base)
    if category == "Zs":
        return " "
    # Marks, controls and formats, emoji and their skin tones; Cn is what came after this Python.
    if category[0] in "MC" or category in ("So", "Sk"):
        return ""
    return "?"


def segments(text: str) -> int:
    """How many SMS the text is billed as, sent in GSM-7 where it can be, else in UCS-2.

    An extension character is not cut in two by the end of a part, nor is a surrogate pair, so
    that a part may stay a unit short. An empty text is sent, and billed, as one.

    >>> segments("a" * 160), segments("a" * 159 + "€"), segments("a" * 152 + "€" + "a" * 152)
    (1, 2, 3)
    >>> segments("Я" * 70), segments("Я" * 71)
    (1, 2)
    """
    if is_gsm7(text):
        if septets(text) <= SMS_SEPTETS:
            return 1
        return _parts([2 if char in _EXTENSION else 1 for char in text], SMS_SEPTETS_OF_A_PART)
    units = [2 if char > "\uffff" else 1 for char in text]
    return 1 if sum(units) <= SMS_UCS2_UNITS else _parts(units, SMS_UCS2_UNITS_OF_A_PART)


def _parts(widths: list[int], room: int) -> int:
    parts, used = 1, 0
    for width in widths:
        if used + width > room:
            parts, used = parts + 1, 0
        used += width
    return parts
