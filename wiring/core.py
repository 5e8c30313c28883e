"""What every subject stands on: settings, clock, database, keys, books, people."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.audit.approvals import Requests
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.errors import Misconfigured
from gateway.languages import Languages
from gateway.ledger.books import Books
from gateway.ledger.fees import Fees
from gateway.metrics.meters import Meters
from gateway.outlets.staffing import insist_workplace
from gateway.partners.endpoints import store as endpoints
from gateway.partners.repeats import store as repeats
from gateway.people.staff.roster import Roster
from gateway.people.staff.way_back import WayBack
from gateway.people.subscribers import Subscribers
from gateway.settings import Settings
from gateway.switches.board import Board
from gateway.tokens.keys.rings import LOOKUP, KeyRings
from wiring import caps
from wiring.people import People, people

T = TypeVar("T")
LOCALE = Path(__file__).parents[1] / "menus" / "locale"


@dataclass(frozen=True, slots=True)
class Core:
    """The parts that know no service yet."""

    settings: Settings
    clock: Clock
    database: Database
    rings: KeyRings
    books: Books
    fees: Fees
    languages: Languages
    subscribers: Subscribers
    board: Board
    people: People
    requests: Requests
    roster: Roster
    way_back: WayBack
    meters: Meters


def core(settings: Settings, clock: Clock) -> Core:
    """The parts. Raises `Misconfigured`, naming the setting."""
    keys = (settings.token_keys, settings.lookup_keys)
    database = _made("GATEWAY_DATABASE_URL", lambda: Database(settings.database_url))
    rings = _made("GATEWAY_TOKEN_KEYS and _LOOKUP_KEYS", lambda: KeyRings.parse(*keys))
    books = Books(caps.limits(settings))
    persons = people(settings, database, clock, books)
    requests = Requests()
    return Core(
        settings=settings,
        clock=clock,
        database=database,
        rings=replace(rings, others_need=_needed_by_partners(clock)),
        books=books,
        fees=caps.fees(settings),
        languages=Languages(LOCALE, settings.languages),
        subscribers=Subscribers(),
        board=Board(database),
        people=persons,
        requests=requests,
        roster=Roster(database, persons.hasher, clock, trail.record, requests, insist_workplace),
        way_back=WayBack(trail.record, requests),
        meters=Meters(),
    )


def _needed_by_partners(clock: Clock) -> Callable[[Connection, str, str], bool]:
    """What of partners hangs on a lookup key: remembered requests, and webhooks' secrets."""

    def is_needed(connection: Connection, purpose: str, kid: str) -> bool:
        return purpose == LOOKUP and (
            repeats.has_kid(connection, kid) or endpoints.has_kid(connection, kid, clock.now())
        )

    return is_needed


def _made(setting: str, make: Callable[[], T]) -> T:
    """What `make` gives; a refusal names the setting, never the secrets in it."""
    try:
        return make()
    except Misconfigured as error:
        raise Misconfigured(f"{setting}: {error}") from None
    except Exception as error:  # noqa: BLE001 - a library's own words may hold the password
        raise Misconfigured(f"{setting}: {type(error).__name__}") from None
