"""The console's front page: what needs somebody now."""

from flask import Blueprint, Response

from gateway.web.console.parts import ConsoleParts
from gateway.web.console.show import shown
from gateway.web.pages.door import AT_CONSOLE, allowed


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console`."""

    @pages.get("")
    @allowed(*AT_CONSOLE)
    def front() -> Response:
        """What waits for an operator."""
        return shown("console/front.html")
