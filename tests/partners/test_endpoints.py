"""Endpoints and their secrets: set by operators, sealed, rotated, and never a way inside."""

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from sqlalchemy import Connection, select

from gateway.errors import BadInput, KeyMissing, OutcomeUnknown, Unreachable
from gateway.partners.endpoints import addresses, manage, signing, store
from gateway.partners.endpoints.seal import Seal
from gateway.partners.endpoints.store import partner_secrets
from gateway.partners.webhook import Outside
from tests.emulators.provider import Fault, ProviderApi, Request, Said
from tests.emulators.receiver import Receiver, is_signed
from tests.partners.told import Told, told
from tests.support.clock import SteppedClock
from tests.support.log import Log, captured_log
from tests.support.wired import LOOKUP_KEY, Wired

NEW_KEY = bytes(range(64, 96)).hex()


@pytest.fixture
def acme(wired: Wired) -> Told:
    return told(wired)


@pytest.fixture
def log() -> Iterator[Log]:
    with captured_log() as written:
        yield written


def names(log: Log) -> set[str]:
    """What was logged since the last look."""
    return {line["event"] for line in log.lines()}


def rotated(acme: Told) -> str:
    """A new secret in the place of the one there is."""
    endpoints, now = acme.wired.gateway.money.events.endpoints, acme.wired.clock.now()
    made = acme.wired.run(lambda c: endpoints.rotate(c, "acme", False, "test", now))
    assert made.secret is not None
    return made.secret


def sealed(acme: Told) -> list[tuple[str, bytes]]:
    """Every secret as the database has it."""
    query = select(partner_secrets.c.kid, partner_secrets.c.sealed).order_by(partner_secrets.c.id)
    return acme.wired.run(lambda c: [(str(kid), bytes(raw)) for kid, raw in c.execute(query)])


def test_a_secret_is_shown_once_and_lies_sealed(acme: Told) -> None:
    with Receiver() as receiver:
        made, again = acme.endpoint(receiver), acme.endpoint(receiver)
    assert made.secret is not None
    assert again.secret is None
    secret = made.secret.removeprefix(signing.PREFIX).encode()
    ((kid, raw),) = sealed(acme)
    assert kid == "p1"
    assert secret not in raw


def test_both_secrets_sign_while_both_are_good(acme: Told, clock: SteppedClock) -> None:
    with Receiver(clock=acme.clocked()) as receiver:
        old = acme.endpoint(receiver).secret or ""
        new = rotated(acme)
        acme.ended()
        acme.turn()
        receiver.secret = new
        acme.ended()
        acme.turn()
        clock.advance(days=1)
        acme.ended()
        acme.turn()
        assert (receiver.seqs, receiver.refused) == ([1, 2, 3], [])
        counts = [hook.headers["webhook-signature"].count("v1,") for hook in receiver.hooks]
        assert counts == [2, 2, 1]
        assert not is_signed(receiver.hooks[-1].headers, b"", old)
    rotated(acme)
    assert len(sealed(acme)) == 2  # one that is over is forgotten


def test_a_secret_is_sealed_anew_under_the_key_that_is_written_with(
    acme: Told, log: Log, clock: SteppedClock
) -> None:
    with Receiver(clock=acme.clocked()) as receiver:
        acme.endpoint(receiver)
        url, old = acme.wired.gateway.settings.database_url, {"p1": bytes.fromhex(LOOKUP_KEY)}
        both = Wired(url, clock, lookup_keys=f"p1:{LOOKUP_KEY},p2:{NEW_KEY}")
        seal = Seal({**old, "p2": bytes.fromhex(NEW_KEY)}, lambda _, __: "p2")
        endpoints = manage.Endpoints(seal, loopback=True)
        assert endpoints.reseal(both.gateway.database, clock) == 1
        assert endpoints.reseal(both.gateway.database, clock) == 0
        assert [kid for kid, _ in sealed(acme)] == ["p2"]
        acme.ended()
        assert acme.turn() == 1  # this process lacks p2: it says so and waits
        assert "key_missing" in names(log)
        assert receiver.hooks == []
        clock.advance(minutes=6)
        Told(both, acme.acme).turn()
        assert receiver.seqs == [1]
        both.close()


def test_a_secret_that_cannot_be_opened_is_passed_over_with_an_alarm(
    acme: Told, log: Log, clock: SteppedClock
) -> None:
    with Receiver() as receiver:
        acme.endpoint(receiver)
    seal = Seal({"p2": bytes.fromhex(NEW_KEY)}, lambda _, __: "p2")
    assert manage.Endpoints(seal).reseal(acme.wired.gateway.database, clock) == 0
    assert "webhook_secret_not_opened" in names(log)

    def opened(connection: Connection) -> object:
        found = store.of_owner(connection, "acme")
        assert found is not None
        return manage.open_secrets(connection, seal, found, clock.now())

    with pytest.raises(KeyMissing):
        acme.wired.run(opened)


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.acme.example/",
        "ftp://hooks.acme.example/",
        "https://me:pw@hooks.acme.example/",
        "https://hooks.acme.example/#x",
        "https://",
        "https://hooks.acme.example:0/",
        "https://hooks.acme.example:99999/",
        "https://h" + "o" * 500,
        "https://hooks.acme.example/\r\nX: y",
        "hooks.acme.example",
    ],
)
def test_a_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(BadInput):
        addresses.parse(url)


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "[fe80::1]"]
)
def test_in_production_nothing_inside_is_called(host: str) -> None:
    with Receiver() as receiver:
        url = f"https://{host}:{receiver.port}/"
        with pytest.raises(Unreachable, match="not public"):
            Outside().post(url, {}, b"{}")
        with pytest.raises(Unreachable, match="https"):
            Outside().post(receiver.url, {}, b"{}")


@pytest.mark.parametrize(
    "address",
    [
        "64:ff9b::a00:1",
        "64:ff9b:1::a00:1",
        "fec0::1",
        "fc00::1",
        "::7f00:1",
        "::a00:1",
        "::ffff:10.0.0.1",
        "::ffff:0:a00:1",
        "2001:0:a00:1::1",
        "2001:db8::1",
        "2002:a00:1::",
        "3fff::1",
        "4000::1",
        "5f00::1",
        "ff0e::1",
        "2606:2800:21f::1%eth0",
        "168.63.129.16",
        "169.254.170.2",
        "100.100.100.200",
        "192.0.0.9",
        "192.88.99.1",
        "224.0.0.1",
        "0.0.0.0",  # noqa: S104
    ],
)
def test_inner_addresses_are_not_reached_by_other_names(address: str) -> None:
    assert not addresses.may_reach(addresses.parse("https://hooks.acme.example/"), address)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f::1", "2a00:1450:4001::8a"])
def test_public_addresses_are_reached(address: str) -> None:
    assert addresses.may_reach(addresses.parse("https://hooks.acme.example/"), address)


def test_a_demo_calls_this_machine_and_no_other_over_http() -> None:
    with pytest.raises(Unreachable, match="not public"):
        Outside(loopback=True).post("http://10.0.0.1/", {}, b"{}")
    with pytest.raises(Unreachable, match="not known"):
        Outside(loopback=True).post("https://no-such-name.invalid/", {}, b"{}")


def test_the_certificate_must_be_the_names_although_an_address_is_called(tmp_path: Path) -> None:
    serves, trust = certified(tmp_path, "localhost")
    outside, strict = Outside(loopback=True, trust=trust), Outside(loopback=True)
    with Receiver(secret=signing.shown(b"k"), tls=serves) as receiver:
        body, at = b'{"seq":1}', datetime.now(UTC)
        headers = signing.headers("evt_1", at, body, [b"k"])
        assert outside.post(f"https://localhost:{receiver.port}/", headers, body).status == 204
        with pytest.raises(Unreachable, match="SSLError"):
            outside.post(f"https://127.0.0.1:{receiver.port}/", headers, body)
        with pytest.raises(Unreachable, match="SSLError"):
            strict.post(f"https://localhost:{receiver.port}/", headers, body)
        assert receiver.seqs == [1]


def certified(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context with a certificate for a name, and a client's that believes it."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = folder / "both.pem"
    pem.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        + made.public_bytes(Encoding.PEM)
    )
    serves = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serves.load_cert_chain(pem)
    return serves, ssl.create_default_context(cadata=made.public_bytes(Encoding.PEM).decode())


def test_the_check_that_partners_are_shown_takes_ours_and_nothing_else() -> None:
    page = (Path(__file__).parents[2] / "docs" / "partners.md").read_text()
    code = page.split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {}
    exec(compile(code, "partners.md", "exec"), names)  # noqa: S102 - our own page
    body, secret, other = b'{"seq":1}', signing.shown(b"new"), signing.shown(b"other")
    headers = dict(signing.headers("evt_1", datetime.now(UTC), body, [b"new", b"old"]))
    assert names["is_ours"](headers, body, secret)
    assert names["is_ours"](headers, body, signing.shown(b"old"))
    late = dict(signing.headers("evt_1", datetime.now(UTC) - timedelta(hours=1), body, [b"new"]))
    for wrong in ((headers, body + b" ", secret), (headers, body, other), (late, body, secret)):
        assert not names["is_ours"](*wrong)


class Chatty(ProviderApi):
    """Answers with more than anybody wants to read."""

    def answer(self, request: Request) -> Said:
        return 200, b"x" * 5_000_000


def test_an_endless_answer_is_not_read_and_a_lost_one_is_unknown() -> None:
    with Chatty() as api:
        assert Outside(loopback=True).post(api.url, {}, b"{}").status == 200
        api.script(Fault(silent=True))
        with pytest.raises(OutcomeUnknown):
            Outside(loopback=True).post(api.url, {}, b"{}")
