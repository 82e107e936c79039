"""The faults that are put into the product (JUD-02). The run itself is `make mutations`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.equivalent_faults import EQUIVALENT
from tools.faults import faults
from tools.mutate import AREAS, is_equivalent, modules_of

ROOT = Path(__file__).parents[2]


def test_every_kind_of_fault_is_made_once(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    text = "def f(a, b):\n    if a < b and not a:\n        return 1 + b\n    return True\n"
    module.write_text(text, "utf-8")
    changes = sorted(fault.change for fault in faults(str(module)))
    assert changes == sorted([
        "a < b  ->  a <= b", "a < b  ->  a >= b",
        "a < b and (not a)  ->  a < b or not a",
        "a < b and (not a)  ->  without not a", "a < b and (not a)  ->  without a < b",
        "if a < b and (not a):     return 1 + b  ->  if not (a < b and (not a)):     return 1 + b",
        "not a  ->  +a", "1 + b  ->  1 - b", "1  ->  2", "True  ->  False",
    ])


def test_the_form_of_a_dataclass_is_no_fault(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("@dataclass(frozen=True, slots=True, order=True)\nclass A:\n    is_b: bool\n", "utf-8")
    assert [fault.line for fault in faults(str(module))] == [1]


def test_a_fault_is_named_where_it_is() -> None:
    first = next(faults("adjudicator/solver.py"))
    assert first.path == "adjudicator/solver.py"
    compile(first.tree, first.path, "exec")
    assert 0 < first.line <= len(Path(first.path).read_text("utf-8").splitlines())


@pytest.mark.parametrize("name", AREAS)
def test_the_modules_of_an_area_are_there(name: str) -> None:
    assert all(Path(place).exists() for place in AREAS[name])
    assert modules_of(name)


def test_what_is_listed_as_no_fault_is_still_tried_for() -> None:
    """A line that was changed since would leave its entry behind, and a new fault unseen."""
    paths = {path for path, _, _ in EQUIVALENT}
    listed = [fault for path in paths for fault in faults(path) if is_equivalent(fault)]
    assert {(fault.path, fault.change) for fault in listed} == {
        (path, change) for path, _, change in EQUIVALENT}


MODULE = """
import os
from functools import cache, cached_property

LIMIT = 3


def rate():
    return 5


@cache
def price(count):
    return rate() + count


class Till:
    @cached_property
    def size(self):
        return 4


TILL = Till()


def is_many(count):
    return count > LIMIT


def is_open(hour):
    return hour == 9


def ends_with(status):
    return status + 1


def is_seen_by_nobody(count):
    return count < 1
"""
APART = "import sys\nprint(int(sys.argv[1]) + 1)\n"
APART_TESTS = """
import subprocess
import sys


def test_another_program():
    assert subprocess.check_output([sys.executable, "-m", "made_up.apart", "4"]) == b"5\\n"
"""
TESTS = """
import os
import pytest
from made_up import shop


def test_many(): assert shop.is_many(4) and not shop.is_many(3)


def test_that_fills_the_caches(): assert shop.price(2) and shop.TILL.size


def test_price_from_a_cache(): assert shop.price(2) == 7


def test_size_from_a_cache(): assert shop.TILL.size == 4


@pytest.fixture(scope="module")
def answers(): return [shop.is_open(9), shop.is_open(8)]


def test_that_fills_the_fixture(answers): assert len(answers) == 2


def test_answers_of_a_fixture(answers): assert answers == [True, False]


def test_status_of_a_child():
    child = os.fork()
    if not child:
        os._exit(shop.ends_with(1))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2


def test_that_always_fails(): raise ValueError


BEFORE = []


def test_before(): BEFORE.append(1)


def test_that_needs_the_one_before(): assert BEFORE and shop.is_seen_by_nobody(0)
"""
NEW = """
from made_up.shop import is_seen_by_nobody


def test_new(): assert is_seen_by_nobody(0) and not is_seen_by_nobody(1)
"""
RUN = """
import sys
from tools import mutate
mutate.AREAS = {"shop": ("made_up",)}
mutate.APART = {"made_up/apart.py"}
sys.exit(mutate.main(sys.argv[1:]))
"""


def test_a_run_over_a_made_up_module(tmp_path: Path) -> None:
    files = {"made_up/shop.py": MODULE, "made_up/apart.py": APART, "tests/test_shop.py": TESTS,
             "tests/made_up/test_apart.py": APART_TESTS,
             "pytest.ini": "[pytest]\npythonpath = .\nmarkers =\n  slow: x\n  postgres: x\n"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")

    def run(*more: str) -> str:
        command = [sys.executable, "-c", RUN, "--all", *more, "shop"]
        done = subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
                              capture_output=True, text=True, check=False)
        assert done.returncode == 2, done.stdout + done.stderr
        return done.stdout

    made = sum(len([*faults(str(tmp_path / f"made_up/{name}.py"))]) for name in ("shop", "apart"))
    first = run("--notes", "notes")
    assert " ".join(first.split()).endswith(
        "Left out, as they fail without any fault: tests/test_shop.py::test_that_always_fails "
        "tests/test_shop.py::test_that_needs_the_one_before")
    survivors = sorted(re.findall(r"^survived\t[^:]+:\d+: (.*) \[", first, re.MULTILINE))
    assert survivors == ["1  ->  2", "count < 1  ->  count <= 1", "count < 1  ->  count >= 1"]
    assert f"{made - 3:5} caught    3 survived    0 equivalent" in first

    # With the notes of the first run nothing is tried again, and only a new file is run without a fault.
    (tmp_path / "tests/test_new.py").write_text(NEW, "utf-8")
    again = run("--notes", "notes")
    assert "1 passed" in again
    assert "caught\t" not in again
    assert f"{made - 3:5} caught    3 survived    0 equivalent" in again
    assert f"{made:5} caught    0 survived    0 equivalent" in run()
