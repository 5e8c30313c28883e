"""The project's files as the style rules see them: their text, imports, calls and names."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
HIDDEN_FOLDERS_READ = (".ci", ".github")
MADE_FOLDERS = ("var", "build", "dist", "__pycache__")


class Finding(NamedTuple):
    """Where a rule is broken: the line, and the name of what breaks it."""

    line: int
    subject: str


@dataclass(frozen=True)
class Source:
    """One text file; `path` starts at the project's root and has forward slashes."""

    path: str
    text: str

    @property
    def is_python(self) -> bool:
        """Whether it is a Python module."""
        return self.path.endswith(".py")

    @property
    def is_product(self) -> bool:
        """Whether it is Python that runs in production: no tests, no bench."""
        return self.is_python and self.path.split("/")[0] in (
            ("gateway", "menus", "wiring", "app.py", "wsgi.py")
        )

    @property
    def is_test(self) -> bool:
        """Whether it is Python under tests/."""
        return self.is_python and self.path.startswith("tests/")

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree, which is empty for a file that is not Python."""
        return ast.parse(self.text if self.is_python else "")

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree."""
        return tuple(ast.walk(self.tree))

    @property
    def lines(self) -> Iterator[tuple[int, str]]:
        """Each line with its number."""
        return enumerate(self.text.splitlines(), 1)

    @property
    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Every function and method, nested ones too."""
        for node in self.nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node

    @property
    def imports(self) -> Iterator[Finding]:
        """What is imported, in full: `from a.b import c` is `a.b.c`; a relative one keeps its dots.

        >>> source = Source("x.py", "import a.b, c\\nfrom d.e import f, g as h\\nfrom .i import j")
        >>> [found.subject for found in source.imports]
        ['a.b', 'c', 'd.e.f', 'd.e.g', '.i.j']
        """
        for node in self.nodes:
            if isinstance(node, ast.Import):
                yield from (Finding(node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                module = "." * node.level + (node.module or "")
                for alias in node.names:
                    yield Finding(node.lineno, f"{module}.{alias.name}")

    @property
    def calls(self) -> Iterator[Finding]:
        """What is called, as written: `a.b()` is `a.b`, `a().b()` is `?.b`.

        >>> [found.subject for found in Source("x.py", "a.b(c())\\nd().e()").calls]
        ['a.b', '?.e', 'c', 'd']
        """
        for node in self.nodes:
            if isinstance(node, ast.Call):
                yield Finding(node.lineno, dotted(node.func))

    @property
    def names(self) -> Iterator[Finding]:
        """Every name and attribute that is used, as written."""
        for node in self.nodes:
            if isinstance(node, (ast.Name, ast.Attribute)):
                yield Finding(node.lineno, dotted(node))

    @property
    def strings(self) -> Iterator[Finding]:
        """Every string that is data, so no docstring; parts of an f-string each by itself."""
        docstrings = {id(node.value) for node in self.nodes if isinstance(node, ast.Expr)}
        for node in self.nodes:
            match node:
                case ast.Constant(value=str(text)) if id(node) not in docstrings:
                    yield Finding(node.lineno, text)


def dotted(node: ast.AST) -> str:
    """A name with its attributes as it is written; `?` for what is not a name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return "?"


def of(module: str, libraries: tuple[str, ...]) -> bool:
    """Whether a dotted import comes from one of the libraries.

    >>> of("flask.Flask", ("flask",)), of("flasks", ("flask",))
    (True, False)
    """
    return any(module == name or module.startswith(f"{name}.") for name in libraries)


def sources(folder: Path = ROOT) -> Iterator[Source]:
    """Every text file of the project; folders that are made or hidden are left out."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not _is_left_out(path.name):
            yield from sources(path)
        elif path.is_file():
            try:
                text = path.read_text("utf-8")
            except UnicodeDecodeError:
                continue  # a picture
            yield Source(path.relative_to(ROOT).as_posix(), text)


def _is_left_out(name: str) -> bool:
    hidden = name.startswith(".") and name not in HIDDEN_FOLDERS_READ
    return hidden or name in MADE_FOLDERS or name.endswith(".egg-info")
