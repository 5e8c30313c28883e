"""The container file: what must stand in it, as it cannot be built in a test."""

import re

from tests.support.house import ROOT

TEXT = (ROOT / "deploy/Containerfile").read_text()
INSTRUCTIONS = re.findall(r"^([A-Z]+) ((?:.*\\\n)*.*)", TEXT, re.M)
LEFT_OUT = (ROOT / ".dockerignore").read_text().splitlines()
SECRET = re.compile(r"(KEY|SECRET|PEPPER|TOKEN|PASSWORD)S?=", re.I)


def of(name: str) -> list[str]:
    """What follows an instruction, each time it comes."""
    return [words for instruction, words in INSTRUCTIONS if instruction == name]


def test_it_is_slim_and_the_second_stage_takes_only_what_was_built() -> None:
    assert [words.split()[0] for words in of("FROM")] == ["python:3.11-slim-bookworm"] * 2
    last_stage = TEXT[TEXT.rindex("FROM ") :]
    assert "pip install" not in last_stage
    assert re.findall(r"^COPY (.*)", last_stage, re.M) == ["--from=build /opt/gateway /opt/gateway"]


def test_its_packages_are_the_locked_ones() -> None:
    assert "pip install -r requirements.lock" in TEXT
    assert "--no-deps" in TEXT


def test_it_does_not_run_as_root_and_can_be_asked_how_it_is() -> None:
    assert of("USER") == ["990"]
    assert TEXT.index("USER 990") < TEXT.index("\nCMD")
    (check,) = of("HEALTHCHECK")
    assert "/healthz" in check
    assert of("CMD")[-1] == '["gunicorn", "wsgi:application"]'


def test_no_secret_is_in_it_and_none_comes_along() -> None:
    assert not SECRET.search("\n".join(of("ENV") + of("ARG") + of("RUN")))
    for name in (".git", "var", "*.env", "*.db", ".venv", "tests"):
        assert name in LEFT_OUT
