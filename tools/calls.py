"""Which quick test calls which function of the product, and how long each test takes (JUD-02).

One run of the whole quick suite notes both, in a file. Later only the test files that changed since are run
again; whoever changed much of the product deletes the file. What a test gets from a cache, or from a fixture
that several tests share, counts as called by the test, and so does what a forked child calls. What another
program calls is not seen.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from mmap import mmap
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from tools.faults import Function, load_changed, outermost

OPTIONS = ("-q", "-m", "not slow and not postgres", "-p", "no:randomly", "--timeout", "120")


@dataclass(frozen=True, slots=True)
class TestRun:
    """A test without any fault. `seconds`: its processor time, with fixtures that it shares with others."""

    __test__ = False

    seconds: float
    is_passed: bool
    calls: frozenset[Function]


@dataclass(frozen=True, slots=True)
class Calls:
    """`files`: the digest of each test file when its tests were run. `runs`: by the test's name in pytest."""

    files: Mapping[str, str]
    runs: Mapping[str, TestRun]

    @classmethod
    def read(cls, path: Path) -> Calls:
        """Those of a file; none if it is not there."""
        if not path.exists():
            return cls({}, {})
        found = json.loads(path.read_text("utf-8"))
        functions = [Function(*function) for function in found["functions"]]
        return cls(found["files"], {
            name: TestRun(seconds, is_passed, frozenset(functions[index] for index in indexes))
            for name, (seconds, is_passed, indexes) in found["runs"].items()})

    def write(self, path: Path) -> None:
        """Write them to a file."""
        numbers: dict[Function, int] = defaultdict(lambda: len(numbers))
        runs = {name: (run.seconds, run.is_passed, sorted(numbers[function] for function in run.calls))
                for name, run in self.runs.items()}
        functions = [(function.path, function.name) for function in numbers]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"files": self.files, "functions": functions, "runs": runs}), "utf-8")

    def stale(self, digests: Mapping[str, str]) -> list[str]:
        """The test files that are new or changed."""
        return sorted(file for file, digest in digests.items() if self.files.get(file) != digest)

    def renewed(self, digests: Mapping[str, str], runs: Mapping[str, TestRun]) -> Calls:
        """These, with new runs for the tests of stale files, and without those of files that are gone."""
        sound = digests.keys() - self.stale(digests)
        kept = {name: run for name, run in self.runs.items() if file_of(name) in sound}
        return Calls(digests, kept | dict(runs))


def file_of(test: str) -> str:
    """The file of a test by its name in pytest."""
    return test.partition("::")[0]


def digests_of_tests() -> dict[str, str]:
    """By test file, the digest of what is in it."""
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in Path("tests").rglob("test_*.py")}


def watched_run(files: Sequence[str], paths: Sequence[str]) -> dict[str, TestRun]:
    """Run tests in this process, which has loaded nothing of the product, and watch the modules at `paths`.

    Raises RuntimeError if the tests cannot be loaded.
    """
    functions = [Function(path, name) for path in paths for name in _numbers(path, 0)]
    notes = _Notes(len(functions))
    for path in paths:
        first = next((number for number, function in enumerate(functions) if function.path == path), 0)
        load_changed(path, functools.partial(_watched, path, first))
    plugin = _Watch(notes)
    status = pytest.main([*OPTIONS, *files], [plugin])
    if status not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED}:
        raise RuntimeError(f"pytest ended with {status!r}")
    return {name: TestRun(seconds, name not in plugin.failed,
                          frozenset(functions[number] for number in notes.with_cached(numbers)))
            for name, (seconds, numbers) in plugin.runs.items()}


def _numbers(path: str, first: int) -> dict[str, int]:
    """A number for each function of a module."""
    names = dict.fromkeys(name for name, _ in outermost(ast.parse(Path(path).read_text("utf-8"))))
    return {name: first + index for index, name in enumerate(names)}


def _watched(path: str, first: int) -> ast.Module:
    """A module of which each function notes, before its own first statement, that it is called."""
    tree = ast.parse(Path(path).read_text("utf-8"))
    numbers = _numbers(path, first)
    for name, node in outermost(tree):
        has_docstring = ast.get_docstring(node, clean=False) is not None
        node.body.insert(int(has_docstring), ast.parse(f"{_Notes.NAME}[{numbers[name]}] = 1").body[0])
    return ast.fix_missing_locations(tree)


class _Notes:
    """A byte for each watched function, and behind these for each cache: 1 if it was called or asked.

    The bytes are shared with forked children.
    """

    NAME = "_noted_calls_"
    MOST_CACHES = 1000

    def __init__(self, functions: int) -> None:
        self._functions = functions
        self._bytes = mmap(-1, functions + self.MOST_CACHES)
        self._behind = defaultdict[int, set[int]](set)
        """What was called while a cached value was made, by the number of its cache."""
        self._caches = dict[tuple[str, str], int]()
        builtins = __builtins__ if isinstance(__builtins__, dict) else vars(__builtins__)
        builtins[self.NAME] = self._bytes
        self._watch_caches()

    @property
    def numbers(self) -> set[int]:
        """What is noted."""
        return {match.start() for match in re.finditer(b"\1", self._bytes)}

    @contextmanager
    def noting(self, numbers: set[int]) -> Iterator[None]:
        """Add what is called meanwhile to `numbers`, and keep what was noted before."""
        before = self.numbers
        self._bytes[:] = bytes(len(self._bytes))
        try:
            yield
        finally:
            numbers |= self.numbers
            for number in before:
                self._bytes[number] = 1

    def with_cached(self, numbers: Collection[int]) -> set[int]:
        """The numbers of functions, with those that made the cached values."""
        all_numbers, waiting = set(numbers), [*numbers]
        while waiting:
            new = self._behind[waiting.pop()] - all_numbers
            all_numbers |= new
            waiting += new
        return {number for number in all_numbers if number < self._functions}

    def _new_cache(self, function: FunctionType) -> tuple[int, Callable[..., Any]]:
        """Its number, and the function that notes what it calls."""
        key = (function.__code__.co_filename, function.__qualname__)
        number = self._functions + self._caches.setdefault(key, len(self._caches))

        @functools.wraps(function)
        def noting(*arguments: Any, **named: Any) -> Any:
            with self.noting(self._behind[number]):
                return function(*arguments, **named)

        return number, noting

    def _watch_caches(self) -> None:
        """Have the caches of our own functions, which are not in memory yet, note that they are asked."""
        plain = functools.lru_cache

        def decorated(function: Callable[..., Any], **settings: Any) -> Any:
            if not (isinstance(function, FunctionType) and _is_our_own(function)):
                return plain(**settings)(function)
            number, noting = self._new_cache(function)
            cached = plain(**settings)(noting)

            @functools.wraps(function)
            def asked(*arguments: Any, **named: Any) -> Any:
                self._bytes[number] = 1
                return cached(*arguments, **named)

            vars(asked).update(cache_clear=cached.cache_clear, cache_info=cached.cache_info)
            return asked

        def lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
            if callable(maxsize):
                return decorated(maxsize)
            return functools.partial(decorated, maxsize=maxsize, typed=typed)

        notes = self

        class CachedProperty(functools.cached_property[Any]):
            """With a `__set__`, so that Python asks it each time."""

            def __init__(self, function: FunctionType) -> None:
                self.number, noting = notes._new_cache(function)
                super().__init__(noting)

            def __get__(self, instance: Any, owner: Any = None) -> Any:
                notes._bytes[self.number] = 1
                name = self.attrname or ""
                if instance is not None and name in vars(instance):
                    return vars(instance)[name]
                return super().__get__(instance, owner)

            def __set__(self, instance: Any, value: Any) -> None:
                vars(instance)[self.attrname or ""] = value

        vars(functools).update(lru_cache=lru_cache, cache=functools.partial(decorated, maxsize=None),
                               cached_property=CachedProperty)


def _is_our_own(function: FunctionType) -> bool:
    path = Path(function.__code__.co_filename)
    return path.is_relative_to(Path.cwd()) and "site-packages" not in path.parts


class _Watch:
    """A plugin of pytest that notes calls and processor time."""

    def __init__(self, notes: _Notes) -> None:
        self.runs = dict[str, tuple[float, set[int]]]()
        self.failed = set[str]()
        self._notes = notes
        self._shared = defaultdict[object, tuple[float, set[int]]](lambda: (0.0, set()))
        self._new_seconds = 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """See pytest."""
        begun, self._new_seconds, numbers = processor_time(), 0.0, set[int]()
        with self._notes.noting(numbers):
            result = yield
        seconds = processor_time() - begun - self._new_seconds
        fixtures = getattr(item, "_fixtureinfo").name2fixturedefs.values()  # noqa: B009 private, and untyped
        for definition in {definition for definitions in fixtures for definition in definitions}:
            if definition in self._shared:
                seconds += self._shared[definition][0]
                numbers |= self._shared[definition][1]
        self.runs[item.nodeid] = (round(seconds, 3), numbers)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        """See pytest."""
        if fixturedef.scope == "function":
            return (yield)
        begun, numbers = processor_time(), set[int]()
        with self._notes.noting(numbers):
            result = yield
        seconds = processor_time() - begun
        self._new_seconds += seconds
        self._shared[fixturedef] = (seconds, self._shared[fixturedef][1] | numbers)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """See pytest."""
        if report.failed:
            self.failed.add(report.nodeid)


def processor_time() -> float:
    """Seconds of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
