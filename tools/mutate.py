"""Small faults put into the product, one at a time, and whether its quick tests notice (JUD-02).

    .venv/bin/python -m tools.mutate [--sample N | --all] [--seed S] [--seconds T] [--notes FILE]
        [--calls FILE] [WHAT ...]

WHAT is an area (`judge`, `intake`, ...) or a module; without any, all areas but the judge. Each line is a
fault that was tried. The report at the end counts by area what was caught, what survived and what changes
nothing (`tools/equivalent_faults.py`), and lists each survivor with file, line and change.

A run without a fault, of the whole quick suite, comes first where the file of `--calls` is missing:
`tools/calls.py`. Then each fault is tried in a forked child that has it in memory alone, against the tests
that call its function: first those that take little time and have noticed faults before, up to T seconds of
processor time. A fault outside functions meets the tests that call a function of its module. A fault in what
another program runs (`APART`) is written into a copy of this folder, and meets the tests of its folder there.

With `--notes FILE` a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import entry_points
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from resource import RLIMIT_CPU, RLIMIT_DATA, setrlimit
from typing import TextIO

import pytest

from tools.calls import OPTIONS, Calls, TestRun, digests_of_tests, file_of, processor_time, watched_run
from tools.equivalent_faults import EQUIVALENT
from tools.faults import Fault, Memory, faults, function_of, load_changed

JUDGE = "judge"
AREAS: Mapping[str, tuple[str, ...]] = {
    JUDGE: ("adjudicator/phases/convoys.py", "adjudicator/strength.py", "adjudicator/solver.py",
            "adjudicator/phases/legality.py", "adjudicator/phases/movement.py",
            "adjudicator/phases/adjustments.py"),
    "intake": ("service/intake",),
    "mail": ("service/mail",),
    "games": ("service/games",),
    "letters": ("service/letters",),
    "reading": ("reading",),
    "grammar": ("grammar",),
}
"""The files and folders of modules that are reported together."""
APART: Collection[str] = frozenset((
    "service/intake/opening/jail.py", "service/intake/opening/opener.py",
    "service/intake/opening/sandbox_child.py", "service/intake/opening/probe.py"))
"""Modules that run in another program, which has nothing of a test's memory."""
SAMPLE = 200
SECONDS = 60
"""How much processor time a fault gets."""
SPARE_SECONDS, MEMORY = 60, 6 << 30
"""A child that takes so much processor time more than it may, or more bytes, has noticed: the fault made a
loop without end."""
NEAR = 8
"""How many times as long as others a test in the mirrored folder may take before it comes behind them."""
PASSED = "passed"
NOT_TRIED = 3
"""Exit status of a child that could not put its fault into memory."""
Items = Mapping[str, pytest.Item]


def modules_of(area: str) -> list[str]:
    """The paths of its modules, sorted."""
    return sorted(str(path) for place in map(Path, AREAS[area])
                  for path in ([place] if place.suffix else place.rglob("*.py")))


def is_equivalent(fault: Fault) -> bool:
    """True if the fault is listed as one that changes nothing."""
    line = Path(fault.path).read_text("utf-8").splitlines()[fault.line - 1].strip()
    return (fault.path, line, fault.change) in EQUIVALENT


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a test noticed a fault; `by`: which, or how many of those that call its function met it."""

    fault: Fault
    is_noticed: bool
    by: str

    def __str__(self) -> str:
        return f"{'caught' if self.is_noticed else 'survived'}\t{self.fault}\t{self.by}"


class Trials:
    """Faults and the tests that each meets. `unsound`: those that fail without any fault, and are left
    out."""

    def __init__(self, calls: Calls, seconds: float, workers: int) -> None:
        self.unsound = {name for name, run in calls.runs.items() if not run.is_passed}
        self._runs, self._seconds, self._workers = calls.runs, seconds, workers
        self._noticed = Counter[str]()
        """How many faults each test has noticed."""

    def run(self, tried: Sequence[Fault]) -> Iterator[Outcome]:
        """Try each fault.

        Raises RuntimeError if the tests cannot be loaded.
        """
        met = {number: fault for number, fault in enumerate(tried) if self.chosen(fault)}
        yield from (Outcome(fault, False, "no test") for fault in tried if fault not in met.values())
        apart = {number: fault for number, fault in met.items() if fault.path in APART}
        left = {number: fault for number, fault in met.items()
                if number not in apart and function_of(fault) is None}
        for are_kept in (True, False):
            keep_grammars(are_kept)
            inside = {number: fault for number, fault in met.items()
                      if number not in {*apart, *left} and are_kept is not fault.path.startswith("grammar/")}
            for line in lines_of_child(partial(self._in_memory, inside)):
                number, is_noticed, by, unsound = json.loads(line)
                self.unsound.update(unsound)
                if is_noticed is None:
                    left[number] = tried[number]
                else:
                    self._noticed[by] += is_noticed
                    yield Outcome(tried[number], is_noticed, by)
        # A module's own lines run when it is loaded, so a child loads it again.
        for fault in [*left.values(), *apart.values()]:
            put = _written_into_copy if fault.path in APART else _loaded_with
            *_, by = "loading", *lines_of_child(partial(self._anew, fault, put))
            yield Outcome(fault, not by.startswith(PASSED), by.strip())

    def chosen(self, fault: Fault) -> list[str]:
        """The tests that a fault meets, in order: those that call its function, else those that call one of
        its module, else of its folder. What another program calls is not known: there, those in the mirrored
        folder."""
        function, near = function_of(fault), f"tests/{fault.path.rpartition('/')[0]}/"
        runs = {name: run for name, run in self._runs.items() if name not in self.unsound}
        if fault.path in APART:
            calling = [name for name in runs if name.startswith(near)]
        else:
            calling = [name for name, run in runs.items() if function in run.calls]
        for place in (fault.path, fault.path.rpartition("/")[0] + "/"):
            calling = calling or [name for name, run in runs.items()
                                  if any(call.path.startswith(place) for call in run.calls)]
        return sorted(calling, key=lambda name: self._rank(name, is_near=name.startswith(near)))

    def _rank(self, name: str, *, is_near: bool) -> tuple[int, str, float]:
        """Tests of about the same price stand together by file, since they share what is set up. Those in the
        mirrored folder and those that have noticed faults are sharper, and come before others that take as
        long."""
        seconds = self._runs[name].seconds
        price = (seconds + .001) / (1 + self._noticed[name]) / (NEAR if is_near else 1)
        return math.frexp(price)[1], file_of(name), seconds

    def _in_memory(self, tried: Mapping[int, Fault], out: TextIO) -> None:
        files = {file_of(name) for fault in tried.values() for name in self.chosen(fault)}
        if files:
            _with_tests(files, lambda items: self._fork_for_each(tried, items, out))

    def _fork_for_each(self, tried: Mapping[int, Fault], items: Items, out: TextIO) -> None:
        """Try each fault in a forked child; to `out` goes a line for each: its number, whether a test
        noticed, null if it could not be put into memory, which test, and the tests that are unsound."""
        memory = Memory({fault.path for fault in tried.values()})
        waiting, running, sound = [*tried][::-1], dict[int, tuple[int, TextIO]](), set[str]()

        def meet(number: int, answer: TextIO) -> None:
            try:
                memory.put(tried[number])
            except ValueError:
                os._exit(NOT_TRIED)
            self._meet(self.chosen(tried[number]), items, answer)

        while running or waiting:
            while waiting and len(running) < self._workers:
                number = waiting.pop()
                answer: TextIO = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 closed below
                running[_fork(partial(meet, number, answer))] = number, answer
            child, status = os.wait()
            _end(child)
            number, answer = running.pop(child)
            with answer:
                answer.seek(0)
                *_, by = "no test", *answer.read().splitlines()
            is_noticed = None if os.waitstatus_to_exitcode(status) == NOT_TRIED else status != 0
            if is_noticed and by in items and by not in sound and not self._is_sound(by, items):
                self.unsound.add(by)
                waiting.append(number)
                continue
            sound.add(by)
            self._noticed[by] += bool(is_noticed)
            print(json.dumps([number, is_noticed, by, [*self.unsound]]), file=out, flush=True)

    def _is_sound(self, name: str, items: Items) -> bool:
        """Whether a test passes alone and without a fault."""
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            _, status = os.waitpid(child := _fork(lambda: self._meet([name], items, nowhere)), 0)
        _end(child)
        return status == 0

    def _anew(self, fault: Fault, put: Callable[[Fault], None], out: TextIO) -> None:
        """Put a fault where the module is loaded from, and let the tests meet it."""
        names = self.chosen(fault)
        put(fault)
        sums = accumulate(self._runs[name].seconds for name in names)
        most = sum(seconds < self._seconds for seconds in sums) or 1
        names = names[:most]
        _with_tests({file_of(name) for name in names}, lambda items: self._meet(names, items, out))

    def _meet(self, names: Sequence[str], items: Items, out: TextIO) -> None:
        """Run tests until one fails or the time is over. Each is written down before it is run, and at the
        end how many passed. Ends this process, with 0 if no test failed."""
        most = int(self._seconds + SPARE_SECONDS + 2 * max(self._runs[name].seconds for name in names))
        setrlimit(RLIMIT_CPU, (most, most))
        setrlimit(RLIMIT_DATA, (MEMORY, MEMORY))
        there = [items[name] for name in names if name in items]
        begun, passed = processor_time(), 0
        for item, following in pairwise([*there, None]):
            assert item is not None
            if processor_time() - begun > self._seconds:
                break
            print(item.nodeid, file=out, flush=True)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if item.session.testsfailed:
                os._exit(1)
            passed += 1
        print(f"{PASSED} {passed} of {len(names)} tests", file=out, flush=True)
        os._exit(0)


def _loaded_with(fault: Fault) -> None:
    """Have this process load the module with the fault."""
    load_changed(fault.path, lambda: fault.tree)


def _written_into_copy(fault: Fault) -> None:
    """Go into a copy of this folder that has the fault; it goes with this process."""
    text, copy = ast.unparse(fault.tree), _folder_of(os.getpid()) / "copy"
    shutil.copytree(".", copy, symlinks=True, ignore=shutil.ignore_patterns(".git", ".*_cache", "build"))
    os.chdir(copy)
    sys.path.insert(0, str(copy))
    os.environ["PYTHONPATH"] = str(copy)
    Path(fault.path).write_text(text, "utf-8")


def _with_tests(files: Collection[str], act: Callable[[Items], None]) -> None:
    """Collect the tests of files and act on them."""

    class Plugin:
        @staticmethod
        def pytest_runtestloop(session: pytest.Session) -> bool:
            act({item.nodeid: item for item in session.items})
            return True

    pytest.main([*OPTIONS, "-s", *sorted(files)], [Plugin()])


def _fork(act: Callable[[], None]) -> int:
    """A child that acts, with a folder of its own for files."""
    child = os.fork()
    if child:
        return child
    os.setpgid(0, 0)
    folder = _folder_of(os.getpid())
    folder.mkdir()
    os.environ["PYTEST_DEBUG_TEMPROOT"] = os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder)
    try:
        act()
    finally:
        # An exception of ours counts as noticed; a sound run has ended before.
        sys.stdout.flush()
        os._exit(1)


def _folder_of(child: int) -> Path:
    return Path(tempfile.gettempdir(), f"mutate-{child}")


def _end(child: int) -> None:
    """Remove what a child left: its files, and the servers of a test that it did not finish."""
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    shutil.rmtree(_folder_of(child), ignore_errors=True)


def lines_of_child(act: Callable[[TextIO], None]) -> Iterator[str]:
    """What `act` writes in a forked child that has loaded nothing of the product yet, line by line."""
    reading, writing = os.pipe()

    def write() -> None:
        os.close(reading)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nowhere, standard)
        with os.fdopen(writing, "w", encoding="utf-8") as out:
            act(out)

    child = _fork(write)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as lines:
        yield from lines
    os.waitpid(child, 0)
    _end(child)


def keep_grammars(are_kept: bool) -> None:
    """Whether grammars are kept on disk, which saves seconds for each child (`grammar.compose`). There they
    hide a fault in what makes them, and one made with a fault would be kept for later."""
    sys.dont_write_bytecode = not are_kept
    if not are_kept:
        for grammar in Path("grammar/__pycache__").glob("*.grammar"):
            grammar.unlink()


def noted_calls(path: Path, modules: Sequence[str], workers: int) -> Calls:
    """The calls in a file, after the tests that it lacks were run and noted.

    Raises RuntimeError if tests cannot be loaded.
    """
    calls, digests, runs = Calls.read(path), digests_of_tests(), dict[str, TestRun]()
    if stale := calls.stale(digests):
        keep_grammars(False)
        parts = {path.with_suffix(f".part{number}"): part for number in range(workers)
                 if (part := stale[number::workers])}
        for file in parts:
            file.unlink(missing_ok=True)
        for child in [_fork(partial(_note_runs, file, tests, modules)) for file, tests in parts.items()]:
            os.waitpid(child, 0)
            _end(child)
        for file, tests in parts.items():
            if not file.exists():
                raise RuntimeError(f"these tests cannot be loaded: {' '.join(tests)}")
            runs.update(Calls.read(file).runs)
            file.unlink()
        calls = calls.renewed(digests, runs)
        calls.write(path)
    return calls


def _note_runs(path: Path, files: Sequence[str], modules: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Calls({}, watched_run(files, modules)).write(path)


class Notes:
    """Facts about each fault, as a line of text, kept in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        text = path.read_text("utf-8") if path is not None and path.exists() else ""
        lines = (line.split("\t") for line in text.splitlines())
        self.is_noticed = {fault: word == "caught" for word, fault, _ in lines}

    def add(self, outcome: Outcome) -> None:
        """A fault was tried."""
        self.is_noticed[str(outcome.fault)] = outcome.is_noticed
        print(outcome, flush=True)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                print(outcome, file=file)


def main(arguments: Sequence[str]) -> int:
    """Try a sample of faults and report; 1 if any survived, 2 if a test fails without a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", nargs="*", default=[name for name in AREAS if name != JUDGE])
    parser.add_argument("--sample", type=int, default=SAMPLE, help="how many faults, chosen by the seed")
    parser.add_argument("--all", action="store_true", help="every fault")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="processor time for a fault")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--notes", type=Path, help="a file of outcomes; what it has is not tried again")
    parser.add_argument("--calls", type=Path, default=Path("build/calls.json"),
                        help="a file of what each test calls")
    chosen = parser.parse_args(arguments)
    for plugin in entry_points(group="pytest11"):
        plugin.load()
    area_of = {path: name for name in AREAS for path in modules_of(name)}
    paths = [path for word in chosen.what for path in (modules_of(word) if word in AREAS else [word])]
    if unknown := [path for path in paths if path not in area_of]:
        parser.error(f"in no area: {' '.join(unknown)}")
    every = [fault for path in paths for fault in faults(path)]
    drawn = every if chosen.all else Random(chosen.seed).sample(every, min(chosen.sample, len(every)))
    equivalent = {fault for fault in drawn if is_equivalent(fault)}
    notes = Notes(chosen.notes)
    trials = Trials(noted_calls(chosen.calls, [*area_of], chosen.workers), chosen.seconds, chosen.workers)
    for outcome in trials.run([fault for fault in drawn
                               if fault not in equivalent and str(fault) not in notes.is_noticed]):
        notes.add(outcome)
    survivors = [fault for fault in drawn if notes.is_noticed.get(str(fault)) is False]
    print()
    for name in AREAS:
        of_area = [fault for fault in drawn if area_of[fault.path] == name]
        survived, unchanged = (sum(fault in group for fault in of_area) for group in (survivors, equivalent))
        if of_area:
            print(f"{name:8}{len(of_area) - survived - unchanged:5} caught{survived:5} survived"
                  f"{unchanged:5} equivalent")
    print("Survivors:", *survivors, sep="\n  ")
    print("Left out, as they fail without any fault:", *sorted(trials.unsound), sep="\n  ")
    return 2 if trials.unsound else 1 if survivors else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
