"""The console's pages of deposits: money in, what is in no books, and what is decided about it."""

from http import HTTPStatus
from typing import Final

from flask import Blueprint, Response, request
from sqlalchemy import Connection

from gateway.audit import store as audit
from gateway.audit.decisions.store import Approval
from gateway.audit.listing import store as asked
from gateway.deposits import store
from gateway.deposits.asking import NoWallet, account_of, known, lies_in_suspense
from gateway.deposits.book import BOOK
from gateway.deposits.confirm import CONFIRM, TXN_ID
from gateway.deposits.listing import store as listing
from gateway.deposits.listing.store import Shown
from gateway.deposits.states import State
from gateway.deposits.store import Deposit
from gateway.deposits.undo import RELEASE, REVERSE
from gateway.errors import BadInput
from gateway.formats import msisdn
from gateway.web.console.doing import By, Mistake, Work, done, has_asked, has_done, seen_of, typed
from gateway.web.console.parts import ConsoleParts
from gateway.web.console.people import named, repeatable
from gateway.web.console.reading import Page, page_of, read
from gateway.web.pages.answers import problem, sent_on
from gateway.web.pages.door import AT_CONSOLE, allowed

ROOT: Final = "/console/deposits"
CALLBACKS: Final = "callbacks"
TABS: Final = (
    (Shown.SUSPENSE.value, "In suspense", "No money waits for its owner."),
    (
        Shown.PARKED.value,
        "Parked",
        "No order is parked. One that its payment contradicts would be.",
    ),
    (CALLBACKS, "Conflicts and unmatched", "Every callback is in the books, and none contradicts."),
    (Shown.PENDING.value, "Pending", "No order waits for its payment."),
    (Shown.FAILED.value, "Failed", "No order has failed."),
    (Shown.ALL.value, "All", "No deposit was ordered or paid yet."),
)
LINES_MAX: Final = 100  # of one deposit's history
FOUND_MAX: Final = 50
KINDS: Final = (CONFIRM, RELEASE, REVERSE)


def routes(pages: Blueprint, parts: ConsoleParts) -> None:
    """`/console/deposits` and what is below it."""

    @pages.get("/deposits")
    @allowed(*AT_CONSOLE)
    def deposits() -> Response:
        """One of the lists."""
        return _list(parts)

    @pages.post("/deposits")
    @allowed(*AT_CONSOLE)
    def find_deposit() -> Response:
        """What a name finds: posted, so that no address keeps what was typed."""
        return _list(parts, typed("find"))

    @pages.get("/deposits/callbacks/<int:number>")
    @allowed(*AT_CONSOLE)
    def callback(number: int) -> Response:
        """One callback as it came, its tokens hidden."""
        with parts.database.snapshot() as connection:
            found = listing.callback(connection, number)
        if found is None:
            return problem(HTTPStatus.NOT_FOUND, "There is no callback with this number.")
        return read(parts, "console/callback.html", one=found)

    @pages.get("/deposits/book")
    @allowed(*AT_CONSOLE)
    def new_booking() -> Response:
        """The form to book what only a statement has."""
        return _form(parts)

    @pages.post("/deposits/book")
    @allowed(*AT_CONSOLE)
    def book_deposit() -> Response:
        """Ask a second operator to book it into suspense."""
        return _book(parts)

    @pages.get("/deposits/<reference>")
    @allowed(*AT_CONSOLE)
    def deposit(reference: str) -> Response:
        """One deposit, its callbacks, and what can be done."""
        return _one(parts, reference)

    _deeds(pages, parts)


def _deeds(pages: Blueprint, parts: ConsoleParts) -> None:
    @pages.post("/deposits/<reference>/confirm")
    @allowed(*AT_CONSOLE)
    def confirm_deposit(reference: str) -> Response:
        """Credit an order whose payment was seen at its provider."""

        def work(connection: Connection, by: By) -> str:
            args = (reference, typed("txn_id"), by.actor, by.reason, by.now)
            made = parts.deposits.confirm(connection, *args)
            found = known(connection, reference)
            return _way(found, "confirmed" if isinstance(made, Deposit) else "asked")

        return _do(parts, reference, "confirm", CONFIRM, work)

    @pages.post("/deposits/<reference>/release")
    @allowed(*AT_CONSOLE)
    def release_deposit(reference: str) -> Response:
        """Ask a second operator to give a wallet what lies in suspense."""

        def work(connection: Connection, by: By) -> str:
            phone, new = msisdn.parse(typed("phone"), parts.country), bool(typed("new"))
            args = (reference, phone, by.actor, by.reason, by.now)
            try:
                parts.deposits.release(connection, *args, new_wallet=new)
            except NoWallet as error:
                raise BadInput(
                    f"{error}: is the number right? Then tick that it gets one"
                ) from error
            return _way(known(connection, reference), "asked")

        return _do(parts, reference, "release", RELEASE, work)

    @pages.post("/deposits/<reference>/reverse")
    @allowed(*AT_CONSOLE)
    def reverse_deposit(reference: str) -> Response:
        """Ask a second operator to take it back."""

        def work(connection: Connection, by: By) -> str:
            parts.deposits.reverse(connection, reference, by.actor, by.reason, by.now)
            return _way(known(connection, reference), "asked")

        return _do(parts, reference, "reverse", REVERSE, work)


def _do(parts: ConsoleParts, reference: str, form: str, kind: str, work: Work) -> Response:
    def was_done(connection: Connection, by: By) -> str | None:
        found = store.by_reference(connection, reference.upper())
        if found is None:
            return None
        waits = has_asked(connection, by, kind, found.reference)
        if waits is not None and _is_same(parts, waits):
            return _way(found, "asked")
        alone = form == "confirm" and found.txn_id == typed("txn_id")
        if alone and has_done(connection, by, CONFIRM, found.reference):
            return _way(found, "confirmed")
        return None

    def again(mistake: Mistake) -> Response:
        return _one(parts, reference, mistake)

    return done(parts, form, work, again, was_done, about=reference.upper())


def _is_same(parts: ConsoleParts, waits: Approval) -> bool:
    """Whether what waits says what the form did: the same transaction, the same phone."""
    if waits.kind == CONFIRM:
        return waits.details[TXN_ID] == typed("txn_id")
    if waits.kind == RELEASE:
        try:
            return waits.details["to"] == msisdn.parse(typed("phone"), parts.country)
        except msisdn.InvalidMsisdn:
            return False
    return True


def _book(parts: ConsoleParts) -> Response:
    def work(connection: Connection, by: By) -> str:
        provider, txn_id = typed("provider"), typed("txn_id")
        if not txn_id:
            raise BadInput("a transaction's id is needed")
        args = (provider, txn_id, by.actor, by.reason, by.now)
        return f"/console/approvals/{parts.deposits.book(connection, *args)}?done=asked"

    def was_done(connection: Connection, by: By) -> str | None:
        waits = has_asked(connection, by, BOOK, typed("txn_id"))
        if waits is None or waits.details["provider"] != typed("provider"):
            return None
        return f"/console/approvals/{waits.id}?done=asked"

    return done(parts, "book", work, lambda mistake: _form(parts, mistake), was_done)


def _form(parts: ConsoleParts, mistake: Mistake | None = None) -> Response:
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    values = {
        "providers": [(name, name) for name in parts.statement_providers],
        "provider": request.args.get("provider", ""),
        "txn_id": request.args.get("txn_id", ""),
    }
    return read(parts, "console/deposit_book.html", status, mistake=mistake, **values)


def _list(parts: ConsoleParts, wanted: str = "") -> Response:
    tab = next((tab for tab in TABS if tab[0] == request.args.get("show")), TABS[0])
    with parts.database.snapshot() as connection:
        own = store.by_reference(connection, wanted.upper()) if wanted else None
        found = listing.found(connection, wanted, FOUND_MAX) if wanted and own is None else []
        counts = listing.counts(connection)
        told = _told(connection) if tab[0] == CALLBACKS else None
        page = _deposits(connection, tab[0]) if told is None else None
    if own is not None or len(found) == 1:
        return sent_on(f"{ROOT}/{(own or found[0]).reference}")
    if found:
        page, told = Page(found), None
    missed = f"There is no deposit {named(wanted)}." if wanted and not found else ""
    status = HTTPStatus.NOT_FOUND if missed else HTTPStatus.OK
    values = {"tabs": TABS, "tab": tab, "counts": counts, "page": page, "told": told}
    more = {"wanted": repeatable(wanted), "missed": missed, "is_search": bool(found)}
    return read(parts, "console/deposits.html", status, **values, **more)


def _deposits(connection: Connection, key: str) -> Page[Deposit]:
    return page_of(
        lambda before, rows_max: listing.page(connection, Shown(key), before, rows_max),
        lambda one: one.id,
    )


def _told(connection: Connection) -> Page[listing.Heard]:
    return page_of(
        lambda before, rows_max: listing.told(connection, before, rows_max), lambda one: one.id
    )


def _one(parts: ConsoleParts, reference: str, mistake: Mistake | None = None) -> Response:
    with parts.database.snapshot() as connection:
        found = store.by_reference(connection, reference.upper())
        if found is None:
            return problem(HTTPStatus.NOT_FOUND, "There is no deposit with this reference.")
        account = account_of(connection, found)
        values = {
            "one": found,
            "account": account,
            "heard": listing.callbacks_of(connection, found.id, LINES_MAX),
            "trail": audit.latest(connection, LINES_MAX, subject=found.reference),
            "seen": seen_of(connection, found.reference),
            "waits": asked.waiting_about(connection, KINDS, found.reference),
        }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if mistake else HTTPStatus.OK
    in_suspense = lies_in_suspense(found, account)
    may = _may(found, in_suspense)
    more = {"may": may, "in_suspense": in_suspense, "mistake": mistake}
    return read(parts, "console/deposit.html", status, **values, **more)


def _may(found: Deposit, in_suspense: bool) -> frozenset[str]:
    """Which forms a deposit has; what else stands against one, it says when it is sent."""
    may = set()
    lacks_its_payment = found.state == State.COMPLETED and found.txn_id is None
    if found.is_order and (found.is_open or lacks_its_payment):
        may.add("confirm")
    if in_suspense:
        may.add("release")
    if found.state == State.COMPLETED:
        may.add("reverse")
    return frozenset(may)


def _way(found: Deposit, word: str) -> str:
    return f"{ROOT}/{found.reference}?done={word}"
