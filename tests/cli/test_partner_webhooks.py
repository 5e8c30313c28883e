"""`gateway partners webhook` and `webhook-secret`."""

from tests.cli.conftest import CommandLine

URL = "https://hooks.acme.example/in"
SHOWN = ("partners", "webhook", "acme")


def test_an_operator_sets_an_endpoint_and_gives_its_secret_on(command_line: CommandLine) -> None:
    command_line.json("partners", "create", "--name", "Acme")
    assert "give a --url first" in command_line.error(*SHOWN)
    made = command_line.json(*SHOWN, "--url", URL)
    assert (made["owner"], made["url"], made["state"]) == ("acme", URL, "on")
    assert made["secret"].startswith("whsec_")
    shown = command_line.json(*SHOWN)
    assert "secret" not in shown
    assert shown["failures"] == []
    fresh = command_line.json("partners", "webhook-secret", "acme")
    assert fresh["secret"] not in ("", made["secret"])
    test = command_line.json(*SHOWN, "--test", "--url", URL)
    assert test["owner"] == "acme:test"


def test_an_endpoint_is_switched_off_and_on_again(command_line: CommandLine) -> None:
    command_line.json("partners", "create", "--name", "Acme")
    command_line.json(*SHOWN, "--url", URL)
    off = command_line.json(*SHOWN, "--off")
    assert (off["state"], off["reason"]) == ("off", "switched off by an operator")
    assert "one of them" in command_line.error(*SHOWN, "--off", "--url", URL)
    again = command_line.json(*SHOWN, "--url", URL)
    assert (again["state"], "secret" in again) == ("on", False)


def test_a_url_with_a_password_or_without_tls_is_refused(command_line: CommandLine) -> None:
    command_line.json("partners", "create", "--name", "Acme")
    for url in ("https://me:pw@hooks.acme.example/", "ftp://hooks.acme.example/"):
        assert "webhook's URL" in command_line.error(*SHOWN, "--url", url)
    assert "no partner" in command_line.error("partners", "webhook", "nobody", "--url", URL)
