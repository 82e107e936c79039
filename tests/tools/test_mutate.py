"""The faults that are put into the product (JUD-02). The run itself is `make mutations`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools.equivalent_faults import EQUIVALENT
from tools.faults import faults
from tools.mutate import AREAS, is_equivalent, slice_of

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
def test_the_modules_and_tests_of_an_area_are_there(name: str) -> None:
    area = AREAS[name]
    assert all(Path(place).exists() for place in (*area.places, *area.tests, *area.more))
    assert area.modules


def test_a_slice_is_what_has_the_modules_name_or_imports_it_and_else_its_folder() -> None:
    tests = slice_of("service/mail/authentication/trust.py")
    assert tests[0] == "tests/service/mail/authentication/test_trust.py"
    assert all("service.mail.authentication.trust" in Path(test).read_text("utf-8") for test in tests)
    for module in (module for area in AREAS.values() for module in area.modules):
        assert slice_of(module), module


def test_what_is_listed_as_no_fault_is_still_tried_for() -> None:
    """A line that was changed since would leave its entry behind, and a new fault unseen."""
    paths = {path for path, _, _ in EQUIVALENT}
    listed = [fault for path in paths for fault in faults(path) if is_equivalent(fault)]
    assert {(fault.path, fault.change) for fault in listed} == {
        (path, change) for path, _, change in EQUIVALENT}


MODULE = """
from functools import cache

LIMIT = 3


class Till:
    @cache
    def price(self, count):
        return count + 5


def is_many(count):
    return count > LIMIT


def is_free(count):
    return count == 0


def is_seen_by_nobody(count):
    return count < 1


def is_seen_far_away(count):
    return count < 7
"""
SLICE = """
from made_up.shop import Till, is_free, is_many


def test_many(): assert is_many(4) and not is_many(3)


def test_price(): assert Till().price(2) == 7


def test_free(tmp_path):
    assert not is_free(2)


def test_that_always_fails(): raise ValueError
"""
FAR = """
from made_up.shop import is_seen_far_away


def test_far(): assert is_seen_far_away(6) and not is_seen_far_away(7)
"""
RUN = """
import sys
from tools import mutate
mutate.AREAS = {"shop": mutate.Area(("made_up",), more=("tests/far",))}
sys.exit(mutate.main(sys.argv[1:]))
"""


def test_a_run_over_a_made_up_module(tmp_path: Path) -> None:
    files = {
        "made_up/shop.py": MODULE, "tests/made_up/test_shop.py": SLICE, "tests/far/test_far.py": FAR,
        "pytest.ini": "[pytest]\npythonpath = .\nmarkers =\n  slow: x\n  postgres: x\n"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    command = [sys.executable, "-c", RUN, "--all", "--json", "report.json", "--notes", "notes", "shop"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stdout + done.stderr
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert report["failing_without_a_fault"] == ["tests/made_up/test_shop.py::test_that_always_fails"]
    survivors = sorted(survivor["change"] for survivor in report["survivors"])
    # `0 -> 1` too: nothing free is asked for.
    assert survivors == ["0  ->  1", "1  ->  2", "count < 1  ->  count <= 1", "count < 1  ->  count >= 1"]
    made = sum(1 for _ in faults(str(tmp_path / "made_up/shop.py")))
    assert report["areas"] == {"shop": {"caught": made - 4, "survived": 4, "equivalent": 0}}

    # With the notes of the first run nothing is tried again.
    again = subprocess.run([*command[:-1], "made_up/shop.py"], cwd=tmp_path, env=environment,
                           capture_output=True, text=True, check=False)
    assert again.returncode == 1, again.stdout + again.stderr
    assert "caught\t" not in again.stdout
