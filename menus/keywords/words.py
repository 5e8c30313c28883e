"""The words of SMS and what they ask for, in every language; a literal table."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gateway.formats import gsm7
from gateway.languages import ENGLISH


class Word(StrEnum):
    """What a word asks for."""

    REDEEM = "redeem"
    RESEND = "resend"
    BALANCE = "balance"
    HELP = "help"
    STOP = "stop"
    START = "start"


# Written as `folded` writes them: capitals without marks. Every word works for everybody, whatever
# language they chose; no word may stand twice. The first one of a line is the one to advertise.
WORDS: Mapping[str, Mapping[Word, tuple[str, ...]]] = {
    ENGLISH: {
        Word.REDEEM: ("REDEEM",),
        Word.RESEND: ("RESEND",),
        Word.BALANCE: ("BAL", "BALANCE"),
        Word.HELP: ("HELP",),
        Word.STOP: ("STOP", "STOPALL", "UNSUBSCRIBE"),
        Word.START: ("START", "UNSTOP", "SUBSCRIBE"),
    },
    "fr": {
        Word.REDEEM: ("ENCAISSER",),
        Word.RESEND: ("RENVOYER", "RENVOI"),
        Word.BALANCE: ("SOLDE",),
        Word.HELP: ("AIDE",),
        Word.STOP: ("ARRET", "ARRETER"),
        Word.START: ("REPRENDRE",),
    },
    "sw": {
        Word.REDEEM: ("KOMBOA",),
        Word.RESEND: ("TENA",),
        Word.BALANCE: ("SALIO",),
        Word.HELP: ("MSAADA",),
        Word.STOP: ("ACHA", "SITISHA"),
        Word.START: ("ANZA",),
    },
    "ha": {
        Word.REDEEM: ("KARBI", "KARBA"),
        Word.RESEND: ("SAKE",),
        Word.BALANCE: ("SAURA",),
        Word.HELP: ("TAIMAKO",),
        Word.STOP: ("TSAYA", "DAINA"),
        Word.START: ("FARA",),
    },
    "yo": {
        Word.REDEEM: ("GBA",),
        Word.RESEND: ("TUN",),
        Word.BALANCE: ("IYOKU",),
        Word.HELP: ("IRANLOWO",),
        Word.STOP: ("DURO",),
        Word.START: ("BERE",),
    },
    "ig": {
        Word.REDEEM: ("NATA", "NARA"),
        Word.RESEND: ("ZIGHACHI",),
        Word.BALANCE: ("FODURU", "ITULE"),
        Word.HELP: ("ENYEMAKA",),
        Word.STOP: ("KWUSI",),
        Word.START: ("MALITE",),
    },
}
_MEANINGS = {
    spelling: (word, language)
    for language, words in WORDS.items()
    for word, spellings in words.items()
    for spelling in spellings
}
# Letters with their marks, after whatever junk that is neither a letter nor a digit.
_FIRST = re.compile(r"[\W_]*((?:[^\W\d_][\u0300-\u036f]*)+)(.*)", re.DOTALL)
_JUNK = re.compile(r"\A[\W_]+")


@dataclass(frozen=True, slots=True)
class Named:
    """The word a text begins with, if it is one of ours, and what stands behind it."""

    word: Word | None = None
    language: str = ""  # whose word it is
    rest: str = field(default="", repr=False)  # may hold a token's digits or a PIN


NOTHING = Named()


def first_word(text: str) -> Named:
    """The word that a text begins with, in any case and with any junk around it.

    >>> first_word("bal.").word, first_word("\u201cHelp!!!").word, first_word("REDEEMED").word
    (<Word.BALANCE: 'balance'>, <Word.HELP: 'help'>, None)
    >>> first_word("Redeem: 4907-5029").rest, first_word("BAL1234").rest
    ('4907-5029', '1234')
    >>> first_word("Ìrànlọ́wọ́").language, first_word("Arrêt").word
    ('yo', <Word.STOP: 'stop'>)
    """
    found = _FIRST.match(text)
    meaning = _MEANINGS.get(folded(found[1])) if found else None
    if found is None or meaning is None:
        return NOTHING
    return Named(*meaning, _JUNK.sub("", found[2]))


def folded(word: str) -> str:
    """A word as the table writes it: capitals, no marks, full-width and hooked letters plain.

    >>> folded("Kwụsị"), folded("karɓa"), folded("\uff22al")
    ('KWUSI', 'KARBA', 'BAL')
    """
    apart = unicodedata.normalize("NFKD", word)
    plain = "".join(char for char in apart if unicodedata.category(char) != "Mn")
    return gsm7.transliterate(plain).upper()
