"""Forms as a browser keeps them that has their page open: sent later, and again."""

import re
from typing import Final

from werkzeug.test import TestResponse

from tests.web.staffed import Visitor

_FORM: Final = re.compile(r'<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>', re.DOTALL)
_FIELD: Final = re.compile(r'<input[^>]*name="([^"]*)"[^>]*?value="([^"]*)"')
Form = tuple[str, dict[str, str]]


def forms(visitor: Visitor, page: str) -> dict[str, dict[str, str]]:
    """What each form of a page would send, by its address."""
    found = _FORM.finditer(visitor.get(page).text)
    return {one[1]: dict(_FIELD.findall(one[2])) for one in found}


def kept(visitor: Visitor, page: str, action: str) -> Form:
    """One of them."""
    return action, forms(visitor, page)[action]


def send(visitor: Visitor, form: Form, **more: str) -> TestResponse:
    """Send it as the page had it, with what is typed into it."""
    return visitor.client.post(form[0], data={**form[1], **more})
