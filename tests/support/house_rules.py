"""The house rules: each is a function that finds the places of one file where it is broken."""

import ast
import re
from collections.abc import Callable, Iterator

from tests.support.house import Finding, Source, of

Rule = Callable[[Source], Iterator[Finding]]

FUNCTION_LINES_MAX = 50
FILE_LINES_MAX = 300
COLUMNS_MAX = 100
TEST_NAME_WORDS_MIN = 3

CODE = (".py", ".sh", ".js", ".css", "Makefile", ".ci/run")
SQL_LIBRARIES = ("sqlalchemy", "alembic", "pymysql", "sqlite3")
CONNECTION_ONLY = ("sqlalchemy.Connection", "sqlalchemy.engine.Connection")
FLASK_LIBRARIES = ("flask", "werkzeug", "jinja2")
NETWORK_LIBRARIES = (
    *("requests", "urllib3", "socket", "urllib.request", "http.client", "smtplib"),
    "africastalking",
)
CLOCK_READS = re.compile(r"(^|\.)(datetime|date|dt)\.(now|utcnow|today)$|^time\.time(_ns)?$")
LEFT_TO_DO = re.compile(r"\b(TO[D]O|FIX[M]E|X[X]X)\b")
IGNORED_ROWS = re.compile(r"\b(insert|replace|update)\s+(or\s+)?ignore\b|^\s*ignore\s*$", re.I)
NOT_RUN = re.compile(r"^(pytest|unittest)\.(mark\.)?(skip\w*|xfail|importorskip)$")
DOCTEST_NOT_RUN = re.compile(r"doctest:\s*\+SK[I]P")
NOT_OF_THE_PROJECT = re.compile(
    r"py[p]i\.org|python[h]osted|npm[j]s\.|deb\.[d]ebian\.org|crates\.[i]o"  # package registries
    r"|(?<![\w.~-])/(wo[r]k|ro[o]t|tm[p]|ho[m]e)/|\.\./shar[e]d/"  # somebody's machine
)


# --- how it reads ------------------------------------------------------------------------------


def a_module_opens_with_a_sentence(source: Source) -> Iterator[Finding]:
    """A module's docstring opens with one sentence that says what it is for."""
    if source.is_python and source.text.strip():
        opening = (ast.get_docstring(source.tree) or "").split("\n\n")[0].strip()
        if not opening.endswith((".", "?")):
            yield Finding(1, opening or "no docstring")


def a_function_has_at_most_50_lines(source: Source) -> Iterator[Finding]:
    """A function fits on a screen."""
    for function in source.functions:
        if (function.end_lineno or 0) - function.lineno + 1 > FUNCTION_LINES_MAX:
            yield Finding(function.lineno, function.name)


def a_file_has_at_most_300_lines(source: Source) -> Iterator[Finding]:
    """A file of code is read in one go."""
    count = len(source.text.splitlines())
    if source.path.endswith((*CODE, ".html")) and count > FILE_LINES_MAX:
        yield Finding(count, "lines")


def a_line_has_at_most_100_columns(source: Source) -> Iterator[Finding]:
    """Two files of code stand side by side; markup may hold sentences and drawings."""
    if source.path.endswith(CODE):
        yield from (Finding(n, line[:40]) for n, line in source.lines if len(line) > COLUMNS_MAX)


def nothing_is_left_to_do(source: Source) -> Iterator[Finding]:
    """What is not done is an issue, not a comment."""
    for number, line in source.lines:
        yield from (Finding(number, found) for found in LEFT_TO_DO.findall(line))


def the_project_speaks_of_itself(source: Source) -> Iterator[Finding]:
    """No file names a package registry's host or a path of somebody's machine."""
    for number, line in source.lines:
        yield from (Finding(number, found[0]) for found in NOT_OF_THE_PROJECT.finditer(line))


# --- what lives where --------------------------------------------------------------------------


def sql_stays_in_the_stores(source: Source) -> Iterator[Finding]:
    """SQL stands in store.py, database/ and ussd/journal.py; others hand a Connection on."""
    name = source.path.removeprefix("gateway/")
    if not source.is_product or name.startswith("database/") or name == "ussd/journal.py":
        return
    if name.endswith("/store.py"):
        return
    for found in source.imports:
        if of(found.subject, SQL_LIBRARIES) and found.subject not in CONNECTION_ONLY:
            yield found
    for found in source.calls:
        if found.subject.endswith((".execute", ".exec_driver_sql")):
            yield found


def flask_stays_in_the_web(source: Source) -> Iterator[Finding]:
    """Flask is known in web/ and app.py alone."""
    if source.is_product and not source.path.startswith(("gateway/web/", "app.py")):
        yield from (found for found in source.imports if of(found.subject, FLASK_LIBRARIES))


def the_network_stays_at_the_edge(source: Source) -> Iterator[Finding]:
    """Only channels/, providers/ and partners/webhook.py speak to the outside."""
    edge = ("gateway/channels/", "gateway/providers/", "gateway/partners/webhook.py")
    if source.is_product and not source.path.startswith(edge):
        yield from (found for found in source.imports if of(found.subject, NETWORK_LIBRARIES))


def prometheus_stays_in_its_room(source: Source) -> Iterator[Finding]:
    """Its library is known in metrics/ alone; whoever counts is handed what counts."""
    if source.is_product and not source.path.startswith("gateway/metrics/"):
        yield from (found for found in source.imports if of(found.subject, ("prometheus_client",)))


def parts_are_handed_in(source: Source) -> Iterator[Finding]:
    """No global state: what a function needs it is given."""
    if source.is_product:
        for node in source.nodes:
            if isinstance(node, ast.Global):
                yield Finding(node.lineno, f"global {', '.join(node.names)}")
        yield from (found for found in source.imports if found.subject == "flask.current_app")


# --- what is never called ----------------------------------------------------------------------


def money_is_never_a_float(source: Source) -> Iterator[Finding]:
    """float() appears nowhere in the product."""
    if source.is_product:
        yield from (found for found in source.calls if found.subject == "float")


def digits_are_never_an_int(source: Source) -> Iterator[Finding]:
    """Token digits are text: int() would accept spaces, underscores and other scripts."""
    if source.path.startswith("gateway/tokens/code"):
        yield from (found for found in source.calls if found.subject == "int")


def only_the_command_line_prints(source: Source) -> Iterator[Finding]:
    """print() is for cli/; everything else logs."""
    if source.is_product and not source.path.startswith("gateway/cli/"):
        yield from (found for found in source.calls if found.subject == "print")


def time_comes_from_the_clock(source: Source) -> Iterator[Finding]:
    """Only clock.py reads the system's time."""
    if source.is_product and source.path != "gateway/clock.py":
        yield from (found for found in source.names if CLOCK_READS.search(found.subject))
        yield from (found for found in source.imports if found.subject in ("time.time",))


def chance_comes_from_the_system(source: Source) -> Iterator[Finding]:
    """random can be predicted: secrets or SystemRandom; database/engine.py's jitter may use it."""
    if not source.is_product or source.path == "gateway/database/engine.py":
        return
    for found in (*source.names, *source.imports):
        if of(found.subject, ("random",)) and found.subject not in (
            ("random", "random.SystemRandom")
        ):
            yield found


def no_row_is_ignored(source: Source) -> Iterator[Finding]:
    """INSERT IGNORE swallows cut amounts and missing parents as if they were duplicates."""
    if source.is_product:
        yield from (found for found in source.strings if IGNORED_ROWS.search(found.subject))


# --- how it is tested --------------------------------------------------------------------------


def every_test_runs(source: Source) -> Iterator[Finding]:
    """No test is skipped or expected to fail."""
    if source.is_test:
        yield from (found for found in source.names if NOT_RUN.search(found.subject))
        yield from (found for found in source.imports if NOT_RUN.search(found.subject))
    if source.is_python:
        for number, line in source.lines:
            yield from (Finding(number, found) for found in DOCTEST_NOT_RUN.findall(line))


def nothing_of_ours_is_mocked(source: Source) -> Iterator[Finding]:
    """Tests run the real code against real servers."""
    if source.is_test:
        yield from (found for found in source.imports if of(found.subject, ("unittest.mock",)))


def a_test_is_named_by_a_sentence(source: Source) -> Iterator[Finding]:
    """The list of tests reads as the specification."""
    if source.is_test:
        for function in source.functions:
            words = function.name.split("_")
            if words[0] == "test" and len(words) - 1 < TEST_NAME_WORDS_MIN:
                yield Finding(function.lineno, function.name)
