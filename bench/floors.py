"""Hand-written Flask handlers with raw PyMySQL that send the product's kind of statements."""

import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from flask import Flask, Response, request

from bench import floor_topups, topups
from bench.floor_schema import Connection, Cursor, connect, lookup

T = TypeVar("T")
APPLICATION = "bench.floors:create_app()"
PATH = "/ussd"
URL_VARIABLE = "BENCH_FLOOR_DATABASE_URL"
OUTSTANDING_ACCOUNT = 0
ROOT = "CON Welcome\n1 Redeem token\n2 Send token\n3 My tokens\n4 My wallet\n5 Settings\n0 Exit"
ASK_TOKEN = "CON Enter your token\n0 Back"
REFUSED = "END This token is not valid."
CREDITED = "END You received {currency} {amount}. It is in your wallet now."


def create_app() -> Flask:
    """Build the floor: one connection a thread, kept open, no pool, nothing repeated."""
    app = Flask("floor")
    kept = threading.local()

    def thread_connection() -> Connection:
        if not hasattr(kept, "connection"):
            kept.connection = connect(os.environ[URL_VARIABLE])
        connection: Connection = kept.connection
        return connection

    def committed(work: Callable[[Cursor], T]) -> T:
        connection = thread_connection()
        try:
            with connection.cursor() as cursor:
                done = work(cursor)
            connection.commit()
        except BaseException:
            connection.rollback()
            raise
        return done

    @app.get("/hello")
    def hello() -> Response:
        return Response("hello", mimetype="text/plain")

    @app.post(PATH)
    def ussd() -> Response:
        form = request.form
        session_id, phone, text = form["sessionId"], form["phoneNumber"], form["text"]
        reply = committed(lambda cursor: answer(cursor, session_id, phone, text))
        return Response(reply, mimetype="text/plain")

    @app.post(topups.PATH)
    def webhook() -> Response:
        body, headers = request.get_data(), request.headers
        timestamp = headers.get("X-Webhook-Timestamp", "")
        if not floor_topups.is_signed(timestamp, headers.get("X-Webhook-Signature", ""), body):
            return Response("unauthorized", 401, mimetype="text/plain")
        committed(lambda cursor: floor_topups.take(cursor, body))
        return Response(topups.ACKNOWLEDGED, mimetype="application/json")

    return app


def answer(cursor: Cursor, session_id: str, phone: str, text: str) -> str:
    """Read the session, do the step, write session and step; the caller commits."""
    now = datetime.now(UTC).replace(tzinfo=None)
    cursor.execute("SELECT screen, turn FROM session WHERE session_id = %s", (session_id,))
    session = cursor.fetchone()
    if session is None:
        return _first_step(cursor, session_id, phone, text, now)
    screen, turn = session
    if screen == "ask_token":
        reply, screen = _redeem(cursor, phone, text.rpartition("*")[2], now), "end"
    else:
        reply, screen = ASK_TOKEN, "ask_token"
    cursor.execute(
        "UPDATE session SET screen = %s, accepted = %s, turn = %s, updated_at = %s"
        " WHERE session_id = %s",
        (screen, text, turn + 1, now, session_id),
    )
    _write_step(cursor, session_id, turn + 1, reply, now)
    return reply


def _first_step(cursor: Cursor, session_id: str, phone: str, text: str, now: datetime) -> str:
    cursor.execute(
        "INSERT INTO session (session_id, phone, screen, accepted, turn, updated_at)"
        " VALUES (%s, %s, 'root', %s, 1, %s)",
        (session_id, phone, text, now),
    )
    _write_step(cursor, session_id, 1, ROOT, now)
    return ROOT


def _write_step(cursor: Cursor, session_id: str, turn: int, reply: str, now: datetime) -> None:
    cursor.execute(
        "INSERT INTO step (session_id, turn, reply, created_at) VALUES (%s, %s, %s, %s)",
        (session_id, turn, reply, now),
    )


def _redeem(cursor: Cursor, phone: str, token: str, now: datetime) -> str:
    found_by = lookup(token)
    cursor.execute(
        "INSERT INTO guess (phone, tries) VALUES (%s, 1) ON DUPLICATE KEY UPDATE tries = tries + 1",
        (phone,),
    )
    claimed = cursor.execute(
        "UPDATE token SET state = 'redeemed', redeemed_at = %s, redeemed_by = %s"
        " WHERE lookup = %s AND state = 'issued' AND expires_at > %s",
        (now, phone, found_by, now),
    )
    if not claimed:
        return REFUSED
    cursor.execute("SELECT id, amount, currency FROM token WHERE lookup = %s", (found_by,))
    row = cursor.fetchone()
    if row is None:
        raise LookupError("a claimed token is gone")
    token_id, amount, currency = row
    credited = cursor.execute(
        "UPDATE wallet SET balance = balance + %s, id = LAST_INSERT_ID(id)"
        " WHERE phone = %s AND currency = %s AND status = 'active'",
        (amount, phone, currency),
    )
    if not credited:
        raise LookupError("the caller has no active wallet")
    _book(cursor, token_id, cursor.lastrowid, amount, now)
    return CREDITED.format(currency=currency, amount=amount)


def _book(cursor: Cursor, token_id: int, wallet_id: int, amount: object, now: datetime) -> None:
    cursor.execute(
        "INSERT INTO entry (token_id, account_id, amount, created_at)"
        " VALUES (%s, %s, -%s, %s), (%s, %s, %s, %s)",
        (token_id, OUTSTANDING_ACCOUNT, amount, now, token_id, wallet_id, amount, now),
    )
    cursor.execute(
        "INSERT INTO outbox (kind, subject_id, state, due_at) VALUES ('receipt', %s, 'due', %s)",
        (token_id, now),
    )
