"""The flat XML of bill payments: one element with texts in it, no declarations, no entities."""

import html
import re
from collections.abc import Mapping
from xml.etree import ElementTree

from gateway.errors import BadInput

ROOT = "COMMAND"
ELEMENTS_MAX = 200  # also bounds how deep they nest
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class InvalidXml(BadInput, ValueError):
    """These bytes are no command that can be relied upon; the message never repeats them."""


def texts(raw: bytes) -> dict[str, str]:
    """The texts of a command's elements by their names, exactly as they came.

    An element with others inside it has no text and is left out. A name that stands twice, a
    document type, an entity of one's own, a comment and anything but UTF-8 refuse.

    >>> texts(b"<COMMAND><TYPE>REQMFCI</TYPE><PIN/><NEW><A>1</A></NEW></COMMAND>")
    {'TYPE': 'REQMFCI', 'PIN': ''}
    >>> texts(b"<!DOCTYPE C [<!ENTITY a 'b'>]><COMMAND><TYPE>&a;</TYPE></COMMAND>")
    Traceback (most recent call last):
    gateway.providers.base.flat_xml.InvalidXml: a declaration
    >>> texts(b"<COMMAND><A>1</A><A>2</A></COMMAND>")
    Traceback (most recent call last):
    gateway.providers.base.flat_xml.InvalidXml: a name stands twice
    """
    root = _root(raw)
    found = {child.tag: child.text or "" for child in root if not len(child)}
    if len({child.tag for child in root}) != len(root):
        raise InvalidXml("a name stands twice")
    return found


def written(fields: Mapping[str, str]) -> bytes:
    """A command with these texts, in their order; what XML cannot hold is left out of them.

    >>> written({"TYPE": "REQMFCI", "SENDERNAME": "A & B\\x00"})
    b'<COMMAND><TYPE>REQMFCI</TYPE><SENDERNAME>A &amp; B</SENDERNAME></COMMAND>'
    """
    inner = "".join(
        f"<{name}>{html.escape(_UNWRITABLE.sub('', text), quote=False)}</{name}>"
        for name, text in fields.items()
    )
    return f"<{ROOT}>{inner}</{ROOT}>".encode()


def _root(raw: bytes) -> ElementTree.Element:
    """The command's element. Without `<!` there is no entity that could be expanded or fetched."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidXml("not UTF-8") from None
    if "<!" in text:
        raise InvalidXml("a declaration")
    if text.count("<") > 2 * ELEMENTS_MAX:
        raise InvalidXml("too many elements")
    try:
        # Handed over as text, whatever encoding its first line claims.
        root = ElementTree.fromstring(text)  # noqa: S314 - see above
    except (ElementTree.ParseError, ValueError):
        raise InvalidXml("not XML") from None
    if root.tag != ROOT:
        raise InvalidXml(f"not a {ROOT}")
    return root
