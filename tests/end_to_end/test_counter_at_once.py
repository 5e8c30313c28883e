"""One payment confirmed many times at once, over two sessions and two server processes."""

from collections import Counter
from decimal import Decimal

from sqlalchemy import create_engine, select

from gateway.ledger.store import movements
from gateway.outlets.payments.store import payments
from tests.emulators.africastalking import SmsApi
from tests.end_to_end.calls import books_are_sound
from tests.end_to_end.clerk import Clerk, Page
from tests.end_to_end.test_counter_day import CHIKA, PINS, Day
from tests.support.races import race
from tests.support.serving import Installed

AT_ONCE = 16


def stored(installed: Installed) -> tuple[list[str], int]:
    """What became of the payments, and how often a token was redeemed."""
    engine = create_engine(installed.env["GATEWAY_DATABASE_URL"])
    with engine.connect() as connection:
        states = connection.execute(select(payments.c.state)).scalars().all()
        redeemed = select(movements.c.id).where(movements.c.kind == "redeem")
        number = len(connection.execute(redeemed).all())
    engine.dispose()
    return list(states), number


def till(installed: Installed) -> Decimal:
    """What is owed to the till."""
    (found,) = installed.json("tills", "list")
    return Decimal(found["balance"])


def test_a_payment_confirmed_sixteen_times_at_once_from_two_sessions_is_paid_once(
    installed: Installed, api: SmsApi
) -> None:
    installed.command("db", "upgrade")
    with installed.web(processes=2) as web:
        assert len(web.children()) == 2
        day = Day(installed, api, web)
        day.set_up()
        day.open()
        token, second = day.token(), Clerk(web.url, "/counter")
        second.log_in(CHIKA, PINS[CHIKA])
        assert second.cookie != day.cashier.cookie
        found = day.cashier.post("/counter/payments", entry=token.digits)
        assert second.get(found.path).text.count("500.00") >= 1
        forms = [clerk.filled_in(f"{found.path}/confirm") for clerk in (day.cashier, second)]

        answers = race(AT_ONCE, lambda number: forms[number % 2]())

        said = Counter((one.status, one.path) for one in answers if isinstance(one, Page))
        once, again = (303, f"{found.path}?paid"), (303, f"{found.path}?again")
        assert said == {once: 1, again: AT_ONCE - 1}, answers
        for clerk in (day.cashier, second):
            assert "<h1>Paid</h1>" in clerk.get(found.path).text
        assert stored(installed) == (["paid"], 1)
        assert till(installed) == Decimal("500.00")
        assert day.cashier.send("/counter/payments", entry=token.digits).path.startswith(found.path)

        asked = second.get("/counter/close").text
        shift = asked.partition('name="shift" value="')[2].partition('"')[0]
        closed = second.send("/counter/close", shift=shift, counts="0", counted="1500.00")
        assert closed.status == 303
        assert (till(installed), stored(installed)) == (Decimal("0.00"), (["paid"], 1))
        (outlet,) = installed.json("outlets", "list")
        assert Decimal(outlet["balance"]) == Decimal("500.00")
    assert books_are_sound(installed)
