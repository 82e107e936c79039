"""Small faults put into the judge, one at a time, and whether its sharp tests notice (JUD-02).

    .venv/bin/python -m tools.mutate_judge [--every N] [--seed S] [MODULE ...]

Each line it prints is a fault that no test noticed: file, line, what was changed. A fault is a comparison
turned round or moved by one, `and` for `or`, a condition denied or dropped, a number one higher, or `True`
for `False`. The tests run in a child process, over a copy of the module that only that child sees; no file is
changed. `make mutations` tries all: 700 faults take an hour on two cores, and `--every 20` tries a twentieth.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from random import Random
from types import CodeType

MODULES = (
    "adjudicator/phases/convoys.py", "adjudicator/strength.py", "adjudicator/solver.py",
    "adjudicator/phases/legality.py", "adjudicator/phases/movement.py",
    "adjudicator/phases/supply_sent.py",
)
TESTS = (
    "tests/adjudicator/test_solver_bounds.py", "tests/adjudicator/test_solver.py",
    "tests/property/test_judge_dense_seas.py", "tests/adjudicator/test_judge_cases.py",
    "tests/adjudicator/test_judge_datc.py", "tests/adjudicator/test_judge_sentences.py",
    "tests/adjudicator/phases/test_convoys.py", "tests/adjudicator/rules/test_w3k_readings.py",
)
"""The sharpest first: most faults end a run within a second."""
EQUIVALENT: Mapping[tuple[str, str, str], str] = {
    ("adjudicator/strength.py", "NOBODY: Final = -1", "1  ->  2"): "any number that no unit has will do",
    ("adjudicator/strength.py", "while waiting and not visited & goal:",
     "waiting and (not visited & goal)  ->  waiting and waiting"):
        "the search goes on after the goal is reached, and has reached it all the same",
    ("adjudicator/phases/convoys.py", "patience -= 1", "1  ->  2"):
        "half as many arms are tried before a fleet is let be, and no board comes near either number",
    ("adjudicator/phases/movement.py",
     "return named is None or end is None or end.coast is None or pick_coast(sheet, (end,), named) == end",
     ("named is None or end is None or end.coast is None or (pick_c  ->  "
      "end is None or end.coast is None or pick_coast(sheet, (end,)")):
        "a support that names no coast was matched before this is asked",
}
"""Faults that change no verdict, by module, line and change, with the reason. They are not tried."""
SECONDS = 600
"""A child that takes longer is counted as noticed: the fault made a loop without end."""

_TURNED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}
_SWAPPED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One changed place: in a node of the module's tree, by its number, which change of which sort."""

    path: str
    line: int
    change: str
    node: int
    sort: str
    number: int

    @property
    def tree(self) -> ast.Module:
        """The whole module with the change in it."""
        tree = ast.parse(Path(self.path).read_text("utf-8"))
        place = next(node for index, node in enumerate(ast.walk(tree)) if index == self.node)
        _apply(place, self.sort, self.number)
        return ast.fix_missing_locations(tree)


def faults(path: str) -> Iterator[Fault]:
    """Every small fault that can be put into a module."""
    tree = ast.parse(Path(path).read_text("utf-8"))
    for index, node in enumerate(ast.walk(tree)):
        for sort, number in _changes(node):
            copy = deepcopy(node)
            before = ast.unparse(copy)
            _apply(copy, sort, number)
            after = ast.unparse(copy)
            if before != after:
                text = f"{before[:60]}  ->  {after[:60]}".replace("\n", " ")
                yield Fault(path, getattr(node, "lineno", 0), text, index, sort, number)


def is_equivalent(fault: Fault) -> bool:
    """True if the fault is listed as one that changes no verdict."""
    line = Path(fault.path).read_text("utf-8").splitlines()[fault.line - 1].strip()
    return (fault.path, line, fault.change) in EQUIVALENT


def _changes(node: ast.AST) -> Iterator[tuple[str, int]]:
    """The changes that a node allows, each with which of several it is."""
    match node:
        case ast.Compare(ops=[op]):
            yield from (("turn", number) for number in range(len(_TURNED[type(op)])))
        case ast.BoolOp():
            yield "swap", 0
            yield from (("drop", number) for number in range(len(node.values)))
        case ast.BinOp() if type(node.op) in _SWAPPED:
            yield "operator", 0
        case ast.If() | ast.While() | ast.IfExp():
            yield "deny", 0
        case ast.Constant() if isinstance(node.value, bool) or type(node.value) is int:
            yield "constant", 0
        case ast.UnaryOp(op=ast.Not()):
            yield "affirm", 0


def _apply(node: ast.AST, change: str, number: int) -> None:
    match node:
        case ast.Compare():
            node.ops = [_TURNED[type(node.ops[0])][number]()]
        case ast.BoolOp() if change == "swap":
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.BoolOp():
            # What is left stands alone twice, so that the node stays what it is.
            remaining = [value for index, value in enumerate(node.values) if index != number]
            node.values = remaining if len(remaining) > 1 else remaining * 2
        case ast.BinOp():
            node.op = _SWAPPED[type(node.op)]()
        case ast.If() | ast.While() | ast.IfExp():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.Constant():
            node.value = not node.value if isinstance(node.value, bool) else _one_more(node.value)
        case ast.UnaryOp():
            node.op = ast.UAdd()


def _one_more(number: object) -> int:
    assert isinstance(number, int)
    return number + 1


class _Loader(SourceFileLoader):
    """Loads one module from a changed tree."""

    def __init__(self, name: str, fault: Fault) -> None:
        super().__init__(name, fault.path)
        self._fault = fault

    def get_code(self, fullname: str) -> CodeType:
        """See SourceLoader."""
        return compile(self._fault.tree, self._fault.path, "exec")


class _Finder:
    """Finds the faulty module before Python finds the sound one."""

    def __init__(self, fault: Fault) -> None:
        self._fault = fault
        self._name = fault.path.removesuffix(".py").replace("/", ".")

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """See importlib.abc.MetaPathFinder."""
        if name != self._name:
            return None
        return spec_from_file_location(name, self._fault.path, loader=_Loader(name, self._fault))


def _run_tests(fault: Fault | None) -> None:
    """In a child: end with 0 if no test fails."""
    import os

    import pytest

    sys.stdout = sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if fault is not None:
        sys.meta_path.insert(0, _Finder(fault))
    raise SystemExit(pytest.main(["-q", "-x", "-m", "not slow", "-p", "no:randomly", *TESTS]))


def is_noticed(fault: Fault | None) -> bool:
    """True if some test fails with the fault, or with none if it is None."""
    child = multiprocessing.get_context("spawn").Process(target=_run_tests, args=(fault,))
    child.start()
    child.join(SECONDS)
    if child.is_alive():
        child.kill()
        child.join()
    return child.exitcode != 0


def main(arguments: Sequence[str]) -> int:
    """Try the faults of the modules; 1 if any was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("modules", nargs="*", default=MODULES)
    parser.add_argument("--every", type=int, default=1, help="try one fault in so many, chosen by the seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args(arguments)
    if is_noticed(None):
        print("The tests fail without any fault.")
        return 2
    tried = [fault for path in chosen.modules for fault in faults(path) if not is_equivalent(fault)]
    tried = Random(chosen.seed).sample(tried, len(tried) // chosen.every)
    missed = 0
    with ThreadPoolExecutor(chosen.workers) as pool:
        for fault, noticed in zip(tried, pool.map(is_noticed, tried), strict=True):
            if not noticed:
                missed += 1
                print(f"{fault.path}:{fault.line}: {fault.change}", flush=True)
    print(f"{len(tried)} faults, {missed} missed.")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
