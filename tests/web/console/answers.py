"""What tests read off an answer of the console: where it leads, what it refuses, what it shows."""

import html
import re
from typing import Final

from werkzeug.test import TestResponse

MARKUP: Final = "<script>alert(1)</script><b>Eve</b>"
_ALERT = re.compile(r'<p class="alert" role="alert">(.*?)</p>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def refusal(answer: TestResponse) -> str:
    """What a form was refused for: 422, and said once."""
    assert answer.status_code == 422, answer.text
    (said,) = _ALERT.findall(answer.text)
    return html.unescape(said)


def led_to(answer: TestResponse) -> str:
    """Where an answer sends the browser on to."""
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def text(answer: TestResponse) -> str:
    """What somebody reads on a page, its blanks folded; markup that was typed in stays visible."""
    assert answer.status_code in (200, 404, 422), answer.status
    body = answer.text.partition('<main id="content"')[2]
    assert MARKUP not in body
    return " ".join(html.unescape(_TAG.sub(" ", body)).split())
