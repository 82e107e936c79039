"""Small faults in Python modules: every one that can be made, and how one gets into memory.

A fault is a comparison turned round or moved by one, `and` for `or`, a condition denied or dropped, a number
one higher, or `True` for `False`. No file is changed.
"""

from __future__ import annotations

import ast
import gc
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import _lru_cache_wrapper, cache
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, FunctionType
from typing import NamedTuple

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
    left_out = {part for annotation in annotations for part in ast.walk(annotation)}
    left_out |= {value for node in ast.walk(tree) for value in (*_forms_of_dataclasses(node), *_strict(node))}
    left_out |= {node for node in ast.walk(tree) if isinstance(node, ast.If)
                 and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"}
    for index, node in enumerate(ast.walk(tree)):
        for sort, number in () if node in left_out else _changes(node):
            copy = deepcopy(node)
            before = ast.unparse(copy)
            _apply(copy, sort, number)
            after = ast.unparse(copy)
            if before != after:
                if sort == "drop" and isinstance(node, ast.BoolOp):
                    after = f"without {ast.unparse(node.values[number])}"
                text = f"{before[:60]}  ->  {after[:60]}".replace("\n", " ")
                yield Fault(path, getattr(node, "lineno", 0), text, index, sort, number)


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    """A node about types, which is never run."""
    for field in ("annotation", "returns"):
        if (annotation := getattr(node, field, None)) is not None:
            yield annotation


def _forms_of_dataclasses(node: ast.AST) -> Iterator[ast.AST]:
    """The values of `frozen` and `slots` in decorators: a class that could be changed, or has a dictionary,
    does the same."""
    if isinstance(node, ast.ClassDef):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call):
                yield from (word.value for word in decorator.keywords if word.arg in {"frozen", "slots"})


def _strict(node: ast.AST) -> Iterator[ast.AST]:
    """A true `strict` of zip, an assertion: lists whose lengths differ are a fault already."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
        yield from (word.value for word in node.keywords
                    if word.arg == "strict" and ast.unparse(word.value) == "True")


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
            # What is left is alone twice, so that the node stays what it is.
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

    def __init__(self, name: str, path: str, tree: Callable[[], ast.Module]) -> None:
        super().__init__(name, str(Path(path).resolve()))
        self._tree = tree

    def get_code(self, fullname: str) -> CodeType:
        """See SourceLoader."""
        return compile(self._tree(), self.path, "exec")


class _Finder:
    """Finds a changed module before Python finds the module that is in the file."""

    def __init__(self, path: str, tree: Callable[[], ast.Module]) -> None:
        self._name, self._loader = module_name(path), _Loader(module_name(path), path, tree)

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """See importlib.abc.MetaPathFinder."""
        if name != self._name:
            return None
        return spec_from_file_location(name, self._loader.path, loader=self._loader)


def load_changed(path: str, tree: Callable[[], ast.Module]) -> None:
    """Have a module, which must not be in memory yet, loaded from a changed tree."""
    sys.meta_path.insert(0, _Finder(path, tree))


def module_name(path: str) -> str:
    """The dotted name of a module by its path."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


class Function(NamedTuple):
    """A function of a module or of its classes. `name` has the names of the classes."""

    path: str
    name: str


@cache
def function_of(fault: Fault) -> Function | None:
    """The function in whose body a fault is; None for a module's or a class's own lines."""
    tree = ast.parse(Path(fault.path).read_text("utf-8"))
    place = next(node for index, node in enumerate(ast.walk(tree)) if index == fault.node)
    for name, node in outermost(tree):
        if any(place is part for statement in node.body for part in ast.walk(statement)):
            return Function(fault.path, name)
    return None


def outermost(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The functions of a module and of its classes, by name with those of the classes."""
    waiting: list[tuple[str, ast.stmt]] = [("", child) for child in tree.body]
    while waiting:
        prefix, node = waiting.pop()
        if isinstance(node, ast.ClassDef):
            waiting += [(f"{prefix}{node.name}.", child) for child in node.body]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, node


class Memory:
    """The functions of some modules as they are in memory, where faults are put."""

    def __init__(self, paths: Iterable[str]) -> None:
        """Load the modules; empty every cache of this process."""
        resolved = {str(Path(path).resolve()): path for path in paths}
        for path in resolved.values():
            import_module(module_name(path))
        self._functions = defaultdict[str, list[FunctionType]](list)
        # What pytest froze after it collected the tests is not listed while it is frozen.
        gc.unfreeze()
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType) and thing.__code__.co_filename in resolved:
                self._functions[resolved[thing.__code__.co_filename]].append(thing)
            if isinstance(thing, _lru_cache_wrapper):
                thing.cache_clear()
        gc.freeze()

    def put(self, fault: Fault) -> None:
        """Give the functions of the module the code with the fault.

        Raises ValueError if the function around the fault is not in memory, or its faulty code does not fit.
        """
        place = function_of(fault)
        codes = {_key(code): code for code in _codes(compile(fault.tree, fault.path, "exec"))}
        is_put = False
        for function in self._functions[fault.path]:
            if (key := _key(function.__code__)) in codes:
                is_put |= place is not None and key[0] == place.name
                function.__code__ = codes[key]
        if not is_put:
            raise ValueError(f"{fault}: its function is not in memory")


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
