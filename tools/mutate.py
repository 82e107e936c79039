"""Small faults put into the judge, one at a time, and whether its sharp tests notice (JUD-02).

    .venv/bin/python -m tools.mutate [--every N] [--seed S] [--notes FILE] [MODULE ...]

Each line it prints is a fault that no test noticed: file, line, what was changed. A fault is a comparison
turned round or moved by one, `and` for `or`, a condition denied or dropped, a number one higher, or `True`
for `False`. The tests are loaded once and run in a forked child for each fault, which has it in memory alone;
no file is changed. `make mutations` tries all, and `--every 20` tries a twentieth. With `--notes FILE` a run
that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from copy import deepcopy
from dataclasses import dataclass
from functools import _lru_cache_wrapper
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.metadata import entry_points
from importlib.util import spec_from_file_location
from multiprocessing.context import ForkProcess
from pathlib import Path
from random import Random
from resource import RLIMIT_AS, RLIMIT_CPU, setrlimit
from types import CodeType, FunctionType
from typing import NoReturn

import pytest

from tools.equivalent_faults import EQUIVALENT

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
    "tests/adjudicator/test_judge_unresolved.py", "tests/adjudicator/test_judge_traits.py",
)
"""The sharpest first: most faults end a run within a second."""
OPTIONS = ("--noconftest", "-q", "-s", "-m", "not slow", "-p", "no:randomly", "--timeout", "0")
"""The fixtures of tests/conftest.py load the whole house, and these tests want none of them."""
NOT_TRIED = 3
"""Exit status of a child that could not put its fault into memory."""
SECONDS, MEMORY = 30, 6 << 30
"""A child that takes more processor time or bytes is counted as noticed: the fault made a loop without end.
Without a fault it takes 8 s."""

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

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.change} [{self.node}.{self.sort}.{self.number}]"

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
    annotations = [annotation for node in ast.walk(tree) for annotation in _annotations(node)]
    types = {part for annotation in annotations for part in ast.walk(annotation)}
    for index, node in enumerate(ast.walk(tree)):
        for sort, number in () if node in types else _changes(node):
            copy = deepcopy(node)
            before = ast.unparse(copy)
            _apply(copy, sort, number)
            after = ast.unparse(copy)
            if before != after:
                if sort == "drop" and isinstance(node, ast.BoolOp):
                    after = f"without {ast.unparse(node.values[number])}"
                text = f"{before[:60]}  ->  {after[:60]}".replace("\n", " ")
                yield Fault(path, getattr(node, "lineno", 0), text, index, sort, number)


def is_equivalent(fault: Fault) -> bool:
    """True if the fault is listed as one that changes no verdict."""
    line = Path(fault.path).read_text("utf-8").splitlines()[fault.line - 1].strip()
    return (fault.path, line, fault.change) in EQUIVALENT


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    """What a node says of types, which is never run."""
    for field in ("annotation", "returns"):
        if (annotation := getattr(node, field, None)) is not None:
            yield annotation


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
    """In a child that has loaded nothing of the judge yet: end with 0 if no test fails."""
    if fault is not None:
        sys.meta_path.insert(0, _Finder(fault))
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        sys.stdout = sys.stderr = nowhere
        _limit()
        raise SystemExit(pytest.main([*OPTIONS, "-x", *TESTS]))


def is_noticed(fault: Fault | None) -> bool:
    """True if some test fails with the fault, or with none if it is None."""
    child = ForkProcess(target=_run_tests, args=(fault,))
    child.start()
    child.join()
    return child.exitcode != 0


def _limit() -> None:
    setrlimit(RLIMIT_CPU, (SECONDS, SECONDS))
    setrlimit(RLIMIT_AS, (MEMORY, MEMORY))


class Outcomes:
    """A plugin of pytest that runs its collected tests once for each fault, each time in a forked child.

    The child puts the faulty code into the functions that stand in memory, so that nothing is loaded or
    collected again. A test that noticed a fault is the first to try at the next. The first run is without a
    fault; if a test fails there, nothing is tried and `is_sound` is False.
    """

    def __init__(self, tried: Sequence[Fault], workers: int, note: Callable[[Fault, bool], None]) -> None:
        self.is_sound = True
        self._waiting: list[Fault | None] = [*reversed(tried), None]
        self._workers = workers
        self._note = note

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """See pytest."""
        items = list(session.items)
        running = dict[int, tuple[Fault | None, int]]()
        while running or (self._waiting and self.is_sound):
            while self._waiting and self.is_sound and len(running) < self._workers:
                fault = self._waiting.pop()
                reading, writing = os.pipe()
                child = os.fork()
                if not child:
                    _run_items(fault, items, writing)
                os.close(writing)
                running[child] = fault, reading
            child, status = os.wait()
            fault, reading = running.pop(child)
            with os.fdopen(reading, "rb") as pipe:
                name = pipe.read().decode()
            if os.waitstatus_to_exitcode(status) == NOT_TRIED:
                raise RuntimeError(f"{fault}: could not be put into memory")
            items.sort(key=lambda item: item.nodeid != name)
            if fault is None:
                self.is_sound = status == 0
            else:
                self._note(fault, status != 0)
        return True


def _run_items(fault: Fault | None, items: Sequence[pytest.Item], writing: int) -> NoReturn:
    """In a forked child: end with 0 if no test fails, else say which failed."""
    _limit()
    session = items[0].session
    try:
        if fault is not None:
            put_into_memory(fault)
    except Exception:
        os._exit(NOT_TRIED)
    try:
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                os.write(writing, item.nodeid.encode())
                os._exit(1)
    except BaseException:
        os._exit(1)
    os._exit(0)


def put_into_memory(fault: Fault) -> None:
    """Give the faulty code to the function that holds it, and let every cache forget what sound code said.

    Raises ValueError if the function is not to be had, our own fault: see `is_inside`.
    """
    name, line = _function_of(fault)
    code = next(code for code in _codes(compile(fault.tree, str(Path(fault.path).resolve()), "exec"))
                if (code.co_qualname, code.co_firstlineno) == (name, line))
    holders = [thing for thing in gc.get_objects() if isinstance(thing, FunctionType)
               and (thing.__code__.co_filename, thing.__code__.co_qualname, thing.__code__.co_firstlineno)
               == (code.co_filename, name, line)]
    if not holders:
        raise ValueError(f"no function {name} at {fault.path}:{line} is in memory")
    for holder in holders:
        holder.__code__ = code
    for thing in gc.get_objects():
        if isinstance(thing, _lru_cache_wrapper):
            thing.cache_clear()


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def is_inside(fault: Fault) -> bool:
    """True if the fault is in the body of a function, and not in a module's or a class's own lines."""
    return _function_of(fault) != ("", 0)


def _function_of(fault: Fault) -> tuple[str, int]:
    """Name, with those of its classes, and first line of the outermost function around a fault; ("", 0) for
    none."""
    tree = ast.parse(Path(fault.path).read_text("utf-8"))
    place = next(node for index, node in enumerate(ast.walk(tree)) if index == fault.node)
    above = [("", child) for child in tree.body]
    while above:
        name, node = above.pop()
        if isinstance(node, ast.ClassDef):
            above += [(f"{name}{node.name}.", child) for child in node.body]
        if isinstance(node, ast.FunctionDef) and any(
            place is part for statement in node.body for part in ast.walk(statement)
        ):
            first = node.decorator_list[0] if node.decorator_list else node
            return name + node.name, first.lineno
    return "", 0


class Notes:
    """What is known of each fault, as a line of text, kept in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._out = sys.stdout
        text = path.read_text("utf-8") if path is not None and path.exists() else ""
        lines = (line.partition("\t") for line in text.splitlines())
        self.noticed = {fault: word == "noticed" for word, _, fault in lines}

    def add(self, fault: Fault, noticed: bool) -> None:
        """A fault was tried."""
        self.noticed[str(fault)] = noticed
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"{'noticed' if noticed else 'missed'}\t{fault}\n")
        if not noticed:
            print(fault, file=self._out, flush=True)


def try_all(tried: Sequence[Fault], workers: int, note: Callable[[Fault, bool], None]) -> bool:
    """Try faults and note each; False if the tests fail without any."""
    inside, outside = list[Fault](), list[Fault]()
    for fault in tried:
        (inside if is_inside(fault) else outside).append(fault)
    # A module's own lines run when it is loaded, so a child loads it anew. This comes first: what follows
    # loads it in this process.
    if outside and is_noticed(None):
        return False
    for fault in outside:
        note(fault, is_noticed(fault))
    outcomes = Outcomes(inside, workers, note)
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        pytest.main([*OPTIONS, *TESTS], [outcomes])
    return outcomes.is_sound


def main(arguments: Sequence[str]) -> int:
    """Try the faults of the modules; 1 if any was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("modules", nargs="*", default=MODULES)
    parser.add_argument("--every", type=int, default=1, help="try one fault in so many, chosen by the seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--notes", type=Path, help="a file of outcomes; what it has is not tried again")
    chosen = parser.parse_args(arguments)
    for plugin in entry_points(group="pytest11"):
        plugin.load()
    tried = [fault for path in chosen.modules for fault in faults(path) if not is_equivalent(fault)]
    tried = Random(chosen.seed).sample(tried, len(tried) // chosen.every)
    notes = Notes(chosen.notes)
    new = [fault for fault in tried if str(fault) not in notes.noticed]
    for fault in tried:
        if notes.noticed.get(str(fault)) is False:
            print(fault, flush=True)
    if new and not try_all(new, chosen.workers, notes.add):
        print("The tests fail without any fault.")
        return 2
    missed = sum(not notes.noticed[str(fault)] for fault in tried)
    print(f"{len(tried)} faults, {missed} missed.")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
