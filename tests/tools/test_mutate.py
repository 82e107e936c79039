"""The faults that are put into the judge (JUD-02). The run itself is `make mutations`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.equivalent_faults import EQUIVALENT
from tools.mutate import MODULES, TESTS, faults, is_equivalent


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


def test_a_fault_is_named_where_it_is() -> None:
    first = next(faults("adjudicator/solver.py"))
    assert first.path == "adjudicator/solver.py"
    compile(first.tree, first.path, "exec")
    assert 0 < first.line <= len(Path(first.path).read_text("utf-8").splitlines())


@pytest.mark.parametrize("path", [*MODULES, *TESTS])
def test_the_modules_and_tests_are_there(path: str) -> None:
    assert Path(path).exists()


def test_what_is_listed_as_no_fault_is_still_tried_for() -> None:
    """A line that was changed since would leave its entry behind, and a new fault unseen."""
    paths = {path for path, _, _ in EQUIVALENT}
    listed = [fault for path in paths for fault in faults(path) if is_equivalent(fault)]
    assert {(fault.path, fault.change) for fault in listed} == {
        (path, change) for path, _, change in EQUIVALENT}
