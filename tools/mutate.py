"""Small faults put into the product, one at a time, and whether its quick tests notice (JUD-02).

    .venv/bin/python -m tools.mutate [--sample N | --all] [--near] [--seed S] [--notes FILE] [--json FILE]
        [WHAT ...]

WHAT is an area (`judge`, `intake`, ...) or a module; without any, all areas but the judge. Each line is a
fault that was tried. The report at the end counts by area what was caught, what survived and what changes
nothing (`tools/equivalent_faults.py`), and lists each survivor with file, line and change.

A fault is tried in a forked child that has it in memory alone. Tests are loaded once for the faults of a
module: those of its slice, which are the tests of its name in the mirrored folder and those that import it.
A run without a fault notes which test calls which function, and a fault meets only those that call its
function. (A test that gets a value from a cache calls nothing; so look twice at a survivor in a cached
function.) What survives its slice is tried against the other tests of its area; with `--near` it is not. The
judge has one list of tests for all of its modules, and each fault meets all of them.

With `--notes FILE` a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path
from random import Random
from resource import RLIMIT_AS, RLIMIT_CPU, setrlimit
from time import perf_counter
from typing import NoReturn, TextIO

import pytest

from tools.equivalent_faults import EQUIVALENT
from tools.faults import CALLED, Fault, Function, faults, function_of, load_with, put_into_memory, watch_calls


@dataclass(frozen=True, slots=True)
class Area:
    """Modules that are reported together.

    `places`: their files and folders. `tests`: what each of them is tried against; if empty, each has its
    slice, and survivors are tried against `more`. `options`: more options of pytest.
    """

    places: tuple[str, ...]
    tests: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def modules(self) -> list[str]:
        """The paths of its modules, sorted."""
        return sorted(str(path) for place in map(Path, self.places)
                      for path in ([place] if place.suffix else place.rglob("*.py")))


JUDGE = "judge"
AREAS: Mapping[str, Area] = {
    JUDGE: Area(
        ("adjudicator/phases/convoys.py", "adjudicator/strength.py", "adjudicator/solver.py",
         "adjudicator/phases/legality.py", "adjudicator/phases/movement.py",
         "adjudicator/phases/adjustments.py"),
        # The sharpest first: most faults end a run within a second.
        tests=(
            "tests/adjudicator/test_solver_bounds.py", "tests/adjudicator/test_solver.py",
            "tests/property/test_judge_dense_seas.py", "tests/adjudicator/test_judge_cases.py",
            "tests/adjudicator/test_judge_datc.py", "tests/adjudicator/test_judge_sentences.py",
            "tests/adjudicator/phases/test_convoys.py", "tests/adjudicator/rules/test_w3k_readings.py",
            "tests/adjudicator/test_judge_unresolved.py", "tests/adjudicator/test_judge_traits.py"),
        # The fixtures of tests/conftest.py load the whole house, and these tests want none of them.
        options=("--noconftest",)),
    "intake": Area(("service/intake",), more=("tests/service/intake", "tests/features", "tests/whole_site")),
    "mail": Area(("service/mail",), more=("tests/service/mail", "tests/service/intake", "tests/whole_site")),
    "games": Area(("service/games",), more=("tests/service/games", "tests/service/desk", "tests/features")),
    "letters": Area(("service/letters",),
                    more=("tests/service/letters", "tests/service/notices", "tests/features")),
    "reading": Area(("reading",), more=("tests/reading", "tests/service/intake/sheets")),
    "grammar": Area(("grammar",), more=("tests/grammar", "tests/property", "tests/reading")),
}
SAMPLE = 200
SLICE_FILES = 8
"""The most test files in a slice, the nearest first."""
OPTIONS = ("-q", "-s", "-m", "not slow and not postgres", "-p", "no:randomly", "--timeout", "120")
SECONDS, MEMORY = 30, 6 << 30
"""A child that takes more processor time than three times its tests without a fault and `SECONDS`, or more
bytes, has noticed: the fault made a loop without end."""
NOT_TRIED = 3
"""Exit status of a child that could not put its fault into memory."""


def is_equivalent(fault: Fault) -> bool:
    """True if the fault is listed as one that changes nothing."""
    line = Path(fault.path).read_text("utf-8").splitlines()[fault.line - 1].strip()
    return (fault.path, line, fault.change) in EQUIVALENT


def slice_of(module: str) -> list[str]:
    """The test files of a module, the nearest first, at most `SLICE_FILES`.

    Those with its name in the mirrored folder and those that import it; where there are none, all that are in
    that folder.
    """
    path = Path(module)
    mirrored = Path("tests") / path.parent
    while not list(mirrored.glob("test_*.py")) and mirrored.parent != mirrored:
        mirrored = mirrored.parent
    named = sorted(mirrored.glob(f"test_{path.stem}*.py"))
    dotted = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    importing = sorted(file for file in _test_files() if dotted in _imported_by(file))
    importing.sort(key=lambda file: -len(Path(os.path.commonpath([file, mirrored])).parts))
    near = [*named, *importing] or sorted(mirrored.glob("test_*.py"))
    return list(dict.fromkeys(map(str, near)))[:SLICE_FILES]


@cache
def _test_files() -> tuple[Path, ...]:
    return tuple(sorted(Path("tests").rglob("test_*.py")))


@cache
def _imported_by(file: Path) -> frozenset[str]:
    """Every module, or name in one, that a test file imports."""
    names = set[str]()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(names)


@dataclass(frozen=True, slots=True)
class Trial:
    """Faults and the tests that each is tried against.

    If `by_calls`, a fault meets only the tests that call its function; else these come first.
    """

    faults: tuple[Fault, ...]
    tests: tuple[str, ...]
    options: tuple[str, ...] = ()
    by_calls: bool = False

    def run(self, workers: int, note: Callable[[Fault, bool], None]) -> tuple[str, ...]:
        """Try each fault and note whether a test noticed; the tests that fail without any fault, which are
        left out.

        Raises RuntimeError if the tests cannot be loaded.
        """
        broken: list[str] | None = None
        seconds = 0.0
        left = [fault for fault in self.faults if function_of(fault) is None]
        for line in _lines_of_child(lambda out: self._in_memory(workers, out)):
            answer = json.loads(line)
            if "broken" in answer:
                broken, seconds = answer["broken"], answer["seconds"]
            elif answer["is_noticed"] is None:
                left.append(self.faults[answer["fault"]])
            else:
                note(self.faults[answer["fault"]], answer["is_noticed"])
        if broken is None:
            raise RuntimeError(f"these tests cannot be loaded: {' '.join(self.tests)}")
        # A module's own lines run when it is loaded, so a child loads it anew.
        for fault in left:
            note(fault, self._is_noticed_anew(fault, broken, seconds))
        return tuple(broken)

    def _in_memory(self, workers: int, out: TextIO) -> None:
        inside = {number: fault for number, fault in enumerate(self.faults) if function_of(fault) is not None}
        with tempfile.TemporaryDirectory() as folder:
            plugin = _ManyRuns(inside, workers, self.by_calls, Path(folder), out)
            pytest.main([*OPTIONS, *self.options, *self.tests], [plugin])

    def _is_noticed_anew(self, fault: Fault, broken: Sequence[str], seconds: float) -> bool:
        """Whether a test notices a fault with which its module is loaded."""
        deselected = [word for name in broken for word in ("--deselect", name)]

        def run_all(out: TextIO) -> None:
            load_with(fault)
            _limit(seconds)
            with tempfile.TemporaryDirectory() as folder:
                _keep_files_in(Path(folder))
                status = pytest.main([*OPTIONS, *self.options, "-x", *deselected, *self.tests])
                print(int(status), file=out, flush=True)

        return [*_lines_of_child(run_all)] != ["0\n"]


def _lines_of_child(act: Callable[[TextIO], None]) -> Iterator[str]:
    """What `act` writes in a forked child that has loaded nothing of the product yet, line by line."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.setpgid(0, 0)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nowhere, standard)
        try:
            with os.fdopen(writing, "w", encoding="utf-8") as out:
                act(out)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as lines:
        yield from lines
    os.waitpid(child, 0)
    _end_group(child)


def _end_group(group: int) -> None:
    """End what a child left running: servers of tests that it did not finish."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _limit(seconds: float) -> None:
    """Let this process end after so much processor time more than `SECONDS`, three times over, or at too much
    memory."""
    most = SECONDS + int(3 * seconds)
    setrlimit(RLIMIT_CPU, (most, most))
    setrlimit(RLIMIT_AS, (MEMORY, MEMORY))


def _keep_files_in(folder: Path) -> None:
    """Have temporary folders of tests, and what hypothesis remembers, in a folder."""
    os.environ["PYTEST_DEBUG_TEMPROOT"] = os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder)


@dataclass(slots=True)
class _ManyRuns:
    """A plugin of pytest that runs the collected tests once without a fault and once for each fault, each
    time in a forked child.

    The child puts the faulty code into the functions that are in memory, so that nothing is loaded or
    collected again. A test that noticed a fault is the first to try at the next. To `out` goes a line of JSON
    for each run: first `broken`, the tests that fail without a fault, and the processor time of all, then for
    each fault its number and `is_noticed`, null if it could not be put into memory.
    """

    faults: Mapping[int, Fault]
    workers: int
    by_calls: bool
    folder: Path
    out: TextIO
    _calls: dict[str, set[Function]] = field(default_factory=dict)
    _seconds: dict[str, float] = field(default_factory=dict)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """See pytest."""
        items = self._sound(session.items)
        waiting = [*self.faults][::-1]
        running = dict[int, int]()
        while running or waiting:
            while waiting and len(running) < self.workers:
                number = waiting.pop()
                chosen = self._chosen(self.faults[number], items)
                if chosen:
                    running[self._fork(partial(self._run_with, number, chosen))] = number
                else:
                    self._tell(fault=number, is_noticed=False)
            if not running:
                continue
            child, status = os.wait()
            number = running.pop(child)
            _end_group(child)
            name = self.folder / f"noticed-{number}"
            if name.exists():
                first = name.read_text("utf-8")
                items.sort(key=lambda item: item.nodeid != first)
            is_tried = os.waitstatus_to_exitcode(status) != NOT_TRIED
            self._tell(fault=number, is_noticed=status != 0 if is_tried else None)
        return True

    def _sound(self, items: Sequence[pytest.Item]) -> list[pytest.Item]:
        """Run all tests without a fault; those that pass."""
        os.waitpid(child := self._fork(lambda: self._run_without(items)), 0)
        _end_group(child)
        report = json.loads((self.folder / "report").read_text("utf-8"))
        for row in report:
            self._calls[row["test"]] = {Function(*function) for function in row["calls"]}
            self._seconds[row["test"]] = row["seconds"]
        broken = [row["test"] for row in report if not row["is_passed"]]
        self._tell(broken=broken, seconds=sum(self._seconds.values()))
        return [item for item in items if item.nodeid not in broken]

    def _chosen(self, fault: Fault, items: Sequence[pytest.Item]) -> list[pytest.Item]:
        """The tests for a fault: those that call its function first, others only if not `by_calls`."""
        function = function_of(fault)
        calling = [item for item in items if function in self._calls[item.nodeid]]
        return calling if self.by_calls else calling + [item for item in items if item not in calling]

    def _fork(self, act: Callable[[], None]) -> int:
        child = os.fork()
        if child:
            return child
        os.setpgid(0, 0)
        folder = self.folder / str(os.getpid())
        folder.mkdir()
        _keep_files_in(folder)
        try:
            act()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            # An exception of ours counts as noticed; a sound run has ended before.
            os._exit(1)

    def _run_without(self, items: Sequence[pytest.Item]) -> NoReturn:
        for path in {fault.path for fault in self.faults.values()}:
            import_module(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        watched = {function for fault in self.faults.values() if (function := function_of(fault))}
        with suppress(ValueError):
            watch_calls(watched)
        report = list[dict[str, object]]()
        for item, following in pairwise([*items, None]):
            assert item is not None
            failed, before = item.session.testsfailed, _processor_time()
            CALLED.clear()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            calls = [(function.path, function.name, function.line) for function in CALLED]
            report.append({
                "test": item.nodeid, "calls": calls, "seconds": round(_processor_time() - before, 3),
                "is_passed": item.session.testsfailed == failed})
        (self.folder / "report").write_text(json.dumps(report), "utf-8")
        os._exit(0)

    def _run_with(self, number: int, items: Sequence[pytest.Item]) -> NoReturn:
        """End with 0 if no test fails, else leave the name of the first that does."""
        _limit(sum(self._seconds[item.nodeid] for item in items))
        try:
            path = self.faults[number].path
            import_module(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
            put_into_memory(self.faults[number])
        except Exception:
            os._exit(NOT_TRIED)
        for item, following in pairwise([*items, None]):
            assert item is not None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if item.session.testsfailed:
                (self.folder / f"noticed-{number}").write_text(item.nodeid, "utf-8")
                os._exit(1)
        os._exit(0)

    def _tell(self, **answer: object) -> None:
        print(json.dumps(answer), file=self.out, flush=True)


def _processor_time() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Notes:
    """What is known of each fault, as a line of text, kept in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        text = path.read_text("utf-8") if path is not None and path.exists() else ""
        lines = (line.partition("\t") for line in text.splitlines())
        self.is_noticed = {fault: word == "caught" for word, _, fault in lines}

    def add(self, fault: Fault, is_noticed: bool) -> None:
        """A fault was tried."""
        self.is_noticed[str(fault)] = is_noticed
        line = f"{'caught' if is_noticed else 'survived'}\t{fault}"
        print(line, flush=True)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                print(line, file=file)


def try_all(
    area: Area, tried: Sequence[Fault], workers: int, note: Callable[[Fault, bool], None], *,
    is_near: bool = False
) -> set[str]:
    """Try faults of an area and note each; the tests that fail without any fault, which were left out.

    If `is_near`, survivors of their slice are not tried against more.
    """
    if area.tests:
        return set(Trial(tuple(tried), area.tests, area.options).run(workers, note))
    broken, survivors = set[str](), list[Fault]()

    def note_first(fault: Fault, is_noticed: bool) -> None:
        if is_noticed:
            note(fault, is_noticed)
        else:
            survivors.append(fault)

    by_module = defaultdict[str, list[Fault]](list)
    for fault in tried:
        by_module[fault.path].append(fault)
    for module, of_module in by_module.items():
        near = Trial(tuple(of_module), tuple(slice_of(module)), area.options, by_calls=True)
        broken.update(near.run(workers, note if is_near else note_first))
    if survivors:
        wide = Trial(tuple(survivors), area.more, area.options, by_calls=True)
        broken.update(wide.run(workers, note))
    return broken


def main(arguments: Sequence[str]) -> int:
    """Try a sample of faults and report; 1 if any survived, 2 if a test fails without a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", nargs="*", default=[name for name in AREAS if name != JUDGE])
    parser.add_argument("--sample", type=int, default=SAMPLE, help="how many faults, chosen by the seed")
    parser.add_argument("--all", action="store_true", help="every fault")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--near", action="store_true", help="the tests of each module's slice alone")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--notes", type=Path, help="a file of outcomes; what it has is not tried again")
    parser.add_argument("--json", type=Path, help="a file for the report")
    chosen = parser.parse_args(arguments)
    for plugin in entry_points(group="pytest11"):
        plugin.load()
    begun = perf_counter()
    area_of = {path: name for name, area in AREAS.items() for path in area.modules}
    paths = [path for word in chosen.what for path in (AREAS[word].modules if word in AREAS else [word])]
    if unknown := [path for path in paths if path not in area_of]:
        parser.error(f"in no area: {' '.join(unknown)}")
    every = [fault for path in paths for fault in faults(path)]
    drawn = every if chosen.all else Random(chosen.seed).sample(every, min(chosen.sample, len(every)))
    equivalent = {str(fault) for fault in drawn if is_equivalent(fault)}
    notes = Notes(chosen.notes)
    broken = set[str]()
    for name, area in AREAS.items():
        new = [fault for fault in drawn if area_of[fault.path] == name
               and str(fault) not in equivalent | notes.is_noticed.keys()]
        if new:
            broken |= try_all(area, new, chosen.workers, notes.add, is_near=chosen.near)
    survivors = [fault for fault in drawn if notes.is_noticed.get(str(fault)) is False]
    counts = {name: _count([fault for fault in drawn if area_of[fault.path] == name], equivalent, notes)
              for name in AREAS if any(area_of[path] == name for path in paths)}
    _print_report(counts, survivors, broken)
    if chosen.json:
        chosen.json.write_text(json.dumps({
            "seed": chosen.seed, "of": len(every), "seconds": round(perf_counter() - begun), "areas": counts,
            "survivors": [{"path": fault.path, "line": fault.line, "change": fault.change}
                          for fault in survivors],
            "failing_without_a_fault": sorted(broken)}, indent=2) + "\n", "utf-8")
    return 2 if broken else 1 if survivors else 0


def _count(drawn: Collection[Fault], equivalent: Collection[str], notes: Notes) -> dict[str, int]:
    tried = [notes.is_noticed[str(fault)] for fault in drawn if str(fault) not in equivalent]
    return {"caught": sum(tried), "survived": len(tried) - sum(tried), "equivalent": len(drawn) - len(tried)}


def _print_report(
    counts: Mapping[str, Mapping[str, int]], survivors: Sequence[Fault], broken: Collection[str]
) -> None:
    print()
    for name, count in counts.items():
        print(f"{name:8}", *(f"{number:4} {word}" for word, number in count.items()))
    if survivors:
        print("Survivors:", *survivors, sep="\n  ")
    if broken:
        print("Left out, as they fail without any fault:", *sorted(broken), sep="\n  ")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
