"""The routes of the staff's pages as the application has them, each with an address to ask."""

import re
from dataclasses import dataclass

from flask import Flask

from gateway.people.staff.store import Role

_FIRST_OF, _ANY = re.compile(r"<any\((\w+)[^>]*>"), re.compile(r"<[^>]*>")
SOMETHING = "1"  # in the place of whatever an address names: there need not be one

EVERYBODY = {"/counter": (Role.CASHIER, Role.MANAGER), "/console": (Role.OPERATOR, Role.ADMIN)}


@dataclass(frozen=True, slots=True)
class Route:
    """One route with one method."""

    method: str
    path: str
    roles: tuple[Role, ...]  # empty: whoever comes
    area: str


def staff_routes(app: Flask) -> list[Route]:
    """Everything under /counter and /console, by address."""
    found = []
    for rule in app.url_map.iter_rules():
        area = "/" + rule.rule.split("/")[1]
        if area not in ("/counter", "/console"):
            continue
        path = _ANY.sub(SOMETHING, _FIRST_OF.sub(r"\1", rule.rule))
        roles: tuple[Role, ...] = vars(app.view_functions[rule.endpoint])["roles"]
        methods = (rule.methods or set()) - {"HEAD", "OPTIONS"}
        found += [Route(method, path, roles, area) for method in methods]
    return sorted(found, key=lambda route: (route.path, route.method))
