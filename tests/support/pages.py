"""The project's pages of Markdown as the tests of docs/ see them: links, headings, commands."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from tests.support.house import ROOT, Source, sources

FENCED = re.compile(r"^(```+).*?^\1 *$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:\A|(?<=\n\n))(?: {4}[^\n]*(?:\n|\Z))+")  # else it goes on with a list
INLINE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$", re.MULTILINE)
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
OURS = re.compile(r"(?:\S*/)?gateway\Z")
PLACEHOLDER = re.compile(r"[A-Z0-9+*…<\"'$]")
ENDS = (";", "&&", "||", "|", ")")


@dataclass(frozen=True)
class Command:
    """A command line of ours that a page shows: its words, and the options among them."""

    words: tuple[str, ...]
    flags: tuple[str, ...]


def pages() -> list[Source]:
    """Every page."""
    return [source for source in sources() if source.path.endswith(".md")]


def prose(text: str) -> str:
    """A page without its blocks of code, its tables of commands included.

    >>> prose("See [x](y.md).\\n\\n```sh\\n[a](b)\\n```\\n\\n    [c](d)\\n")
    'See [x](y.md).\\n\\n\\n\\n'
    """
    return INDENTED.sub("", FENCED.sub("", text))


def links(text: str) -> list[str]:
    """Where a page's links lead, in order; code is no link.

    >>> links("[a](b.md) and `[c](d)`, ![e](f.png), [g][h]\\n\\n[h]: i.md")
    ['b.md', 'f.png', 'i.md']
    """
    found = LINK.findall(INLINE.sub("", prose(text)))
    return [within or defined for within, defined in found]


def anchors(text: str) -> set[str]:
    """What `#…` may name on a page, as GitHub makes it of the headings.

    >>> sorted(anchors("# What `/metrics` tells\\n\\n## To add …\\n"))
    ['to-add-', 'what-metrics-tells']
    """
    kept = (re.sub(r"[^\w\- ]", "", title.lower()) for title in HEADING.findall(prose(text)))
    return {title.replace(" ", "-") for title in kept}


def code(text: str) -> Iterator[str]:
    """Each line of code that a page shows, in blocks and within sentences.

    >>> list(code("Run `gateway\\nsweep`:\\n\\n    make run  # now\\n"))
    ['make run  # now', 'gateway sweep']
    """
    for block in (*FENCED.finditer(text), *INDENTED.finditer(FENCED.sub("", text))):
        joined = block.group().replace("\\\n", " ")
        yield from (line.strip() for line in joined.splitlines())
    for _, span in INLINE.findall(prose(text)):
        yield re.sub(r"\s+", " ", span)


def commands(line: str) -> Iterator[Command]:
    """The commands `gateway …` in a line of code.

    >>> list(commands("export A=b; .venv/bin/gateway tokens show K7 --json | cat  # x"))
    [Command(words=('tokens', 'show', 'K7'), flags=('--json',))]
    >>> [found.words for found in commands("gateway pause|resume WHAT")]
    [('pause', 'WHAT'), ('resume', 'WHAT')]
    >>> list(commands("gateway/tokens/store.py")), list(commands("the gateway is up"))
    ([], [])
    """
    words = _words(line)
    for place, word in enumerate(words):
        begins = place == 0 or words[place - 1] in ENDS or "=" in words[place - 1]
        if not (OURS.fullmatch(word) and begins):
            continue
        rest = words[place + 1 :]
        end = next((at for at, word in enumerate(rest) if word in ENDS), len(rest))
        said = [word.strip("[]") for word in rest[:end]]
        flags = tuple(word.partition("=")[0] for word in said if word.startswith("--"))
        plain = [word.split("|") for word in said if not word.startswith("-")]
        yield from (Command(one, flags) for one in product(*plain))


def is_placeholder(word: str) -> bool:
    """Whether a word stands for something that the reader puts there.

    >>> [is_placeholder(word) for word in ("SERIAL", "…", "500.00", "show")]
    [True, True, True, False]
    """
    return PLACEHOLDER.match(word) is not None


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&()")
    lexer.whitespace_split = True
    try:
        return [part for word in lexer for part in ("|",) * (word == "|") or (word,)]
    except ValueError:  # a quotation mark of a sentence's
        return line.split()


def exists(page: str, target: str) -> bool:
    """Whether a file that a page links to, or names from the root, is there."""
    return ((ROOT / page).parent / target).exists()
