"""Who lives in the demo: callers with a phone, and staff whose PINs are made once and kept."""

import os
import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path

from gateway.people.pins import rules
from gateway.people.staff.store import Role

KEPT = "demo-staff.env"
PIN_DIGITS = 6
OUTLET = "IKEJA"


@dataclass(frozen=True, slots=True)
class Worker:
    """One of the staff; `outlet` is where cashiers and managers work."""

    name: str
    msisdn: str
    role: Role
    outlet: str | None = None


CALLERS = (("+2348030000001", "Ada"), ("+2348030000002", "Bello"), ("+2348030000003", "Chidi"))
STAFF = (
    Worker("Ife", "+2348030000004", Role.CASHIER, OUTLET),
    Worker("Musa", "+2348030000005", Role.MANAGER, OUTLET),
    Worker("Ngozi", "+2348030000006", Role.OPERATOR),
    Worker("Sade", "+2348030000007", Role.ADMIN),
)
AT_COUNTER = tuple(worker for worker in STAFF if worker.outlet)
AT_CONSOLE = tuple(worker for worker in STAFF if not worker.outlet)
# The phones in the browser, with the names of their keepers.
PHONES = (*CALLERS, *((one.msisdn, f"{one.name}, {one.role}") for one in AT_COUNTER))


def kept_pins(var: Path) -> dict[str, str]:
    """The PINs of the staff by their phones, as far as they are kept."""
    path = var / KEPT
    lines = path.read_text().splitlines() if path.exists() else []
    return dict(line.split("=", 1) for line in lines if "=" in line)


def pins(var: Path) -> dict[str, str]:
    """The same of everybody; made at random where one is missing, in a file for its owner alone."""
    kept = kept_pins(var)
    missing = [worker.msisdn for worker in STAFF if worker.msisdn not in kept]
    if not missing:
        return kept
    kept |= {msisdn: _made(msisdn) for msisdn in missing}
    with tempfile.NamedTemporaryFile("w", dir=var, prefix=KEPT, delete=False) as fresh:
        fresh.write("".join(f"{msisdn}={pin}\n" for msisdn, pin in kept.items()))
    os.replace(fresh.name, var / KEPT)  # with the 0600 that such files are made with
    return kept


def _made(msisdn: str) -> str:
    while True:
        pin = f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}}"
        if rules.unfit(pin, msisdn) is None:
            return pin
