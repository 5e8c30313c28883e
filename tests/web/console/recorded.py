"""Every action that the code writes into the audit trail, read from the code itself."""

import ast
import importlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from gateway.disputes.states import State
from gateway.ledger import operate
from gateway.ledger.store import OUTLET, TILL
from gateway.outlets import manage
from gateway.partners.store import ACTIVE, SUSPENDED

ROOT = Path(__file__).parents[3]
ROOMS = ("gateway", "menus", "wiring")
CONNECTIONS = ("connection", "c", "visit.connection")
PLACE = 2  # of the action among what a record is given
RESOLVED = (State.REFUNDED, State.RELEASED, State.REJECTED)
# Where the action is put together or handed in: the expression, and all that it can be.
MADE: Mapping[tuple[str, str], Sequence[str]] = {
    ("gateway.disputes.resolve", "f'dispute.{end.value}'"): [f"dispute.{s}" for s in RESOLVED],
    ("gateway.disputes.refund", "f'{payer.kind}.refund'"): [f"{k}.refund" for k in (TILL, OUTLET)],
    ("gateway.partners.profiles", "f'partner.{change[1]}'"): [
        f"partner.{state}" for state in (ACTIVE, SUSPENDED)
    ],
    ("gateway.ledger.operate", "action"): [
        *(operate.FREEZE, operate.UNFREEZE, operate.TIER, operate.VERIFY),
    ],
    ("gateway.outlets.manage", "action"): [
        *(manage.FREEZE_TILL, manage.UNFREEZE_TILL, manage.CLOSE_TILL),
        *(manage.FREEZE_OUTLET, manage.UNFREEZE_OUTLET, manage.CLOSE_OUTLET),
    ],
}


def recorded() -> Iterator[tuple[str, str]]:
    """Each module with an action that it records; one that cannot be read stands as its source."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if "migrations" not in path.parts:
                yield from _in_module(path)


def _in_module(path: Path) -> Iterator[tuple[str, str]]:
    tree = ast.parse(path.read_text())
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
            if _records(call, own):
                module = importlib.import_module(name)
                for action in _values(call.args[PLACE], function, module):
                    yield name, action


def _records(call: ast.Call, own: set[str]) -> bool:
    """Whether a call appends to the trail, and is none of a function of that module's own."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    called = call.func.id if isinstance(call.func, ast.Name) else called
    if called not in ("record", "_record") or called in own or len(call.args) <= PLACE:
        return False
    return ast.unparse(call.args[0]) in CONNECTIONS


def _values(node: ast.expr, function: ast.FunctionDef, module: ModuleType) -> Iterator[str]:
    known = MADE.get((module.__name__, ast.unparse(node)))
    if known is not None:
        yield from known
    elif isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.IfExp):
        yield from _values(node.body, function, module)
        yield from _values(node.orelse, function, module)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield str(getattr(getattr(module, node.value.id), node.attr))
    elif isinstance(node, ast.Name):
        yield from _named(node, function, module)
    else:
        yield ast.unparse(node)


def _named(node: ast.Name, function: ast.FunctionDef, module: ModuleType) -> Iterator[str]:
    """What a name stands for: given in the function, else in the module."""
    given = [
        one.value
        for one in ast.walk(function)
        if isinstance(one, ast.Assign) and [ast.unparse(t) for t in one.targets] == [node.id]
    ]
    if given:
        for value in given:
            yield from _values(value, function, module)
    else:
        yield str(getattr(module, node.id, ast.unparse(node)))
