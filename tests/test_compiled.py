"""The judge compiled (docs/adr/0019): the same results as the Python source, and never unless asked for."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import adjudicator
from adjudicator import strength

ROOT = Path(__file__).parents[1]
SETUP = runpy.run_path(str(ROOT / "setup.py"))

# Judges some thousand positions of every game, and prints one digest of all that came of them.
DIGEST = """
import gzip, hashlib, json, sys
from random import Random
import maps
from adjudicator import strength
from adjudicator.judge import judge
from adjudicator.serialize import codec
from adjudicator.serialize.cases import CaseReader
from bench.adjudicate.random_orders import lots, phase_orders

digest = hashlib.sha256()
def add(resolution):
    digest.update(json.dumps(codec.dump_resolution(resolution), sort_keys=True).encode())
for slug in maps.variants():
    variant = maps.load(slug)
    for seed in range(60):
        chance, position = Random(f"{slug} {seed}"), variant.start
        for _ in range(10):
            orders = phase_orders(variant, position, chance)
            resolution = judge(variant.context(), variant.rules, position, orders, lots())
            add(resolution)
            position = resolution.position
variant = maps.load("standard")
reader = CaseReader(variant.context(), variant.rules, 1901)
with gzip.open("tests/data/datc/random_public.jsonl.gz", "rt") as lines:
    for line in lines:
        case = reader.read(json.loads(line))
        add(judge(variant.context(), variant.rules, case.position, case.orders, case.lots))
print(strength.__file__.rpartition(".")[2], digest.hexdigest())
"""


def test_nothing_is_compiled_unless_the_environment_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """INS-03: `pip install` never needs a compiler."""
    monkeypatch.delenv("GALLOPER_COMPILED", raising=False)
    assert SETUP["extensions"]() == []


def test_no_value_class_is_among_the_modules_to_compile() -> None:
    """Rule sets derive from the value classes, and nothing but Python may derive from a compiled class."""
    assert all((ROOT / path).exists() for path in SETUP["COMPILED"])
    values = {"orders", "units", "geo", "position", "outcome", "ruleset", "explain", "lots", "context"}
    assert not values & {Path(path).stem for path in SETUP["COMPILED"]}


def test_these_tests_run_the_source() -> None:
    """A compiled module next to the source would go on running after the source was changed."""
    assert not list(Path(adjudicator.__path__[0]).rglob("*.so"))
    assert strength.__file__.endswith(".py")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compiled")
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1760000000", "PYTHON": sys.executable}
    subprocess.run(["tools/compiled", folder], cwd=ROOT, env=environment, check=True)
    return folder


def _digest(first: Path) -> list[str]:
    # Sets of units are walked in the order of their hashes, so that chance makes the same orders in both.
    environment = {**os.environ, "PYTHONPATH": f"{first}:{ROOT}", "PYTHONHASHSEED": "1642",
                   "PYTHONSAFEPATH": "1"}
    answer = subprocess.run([sys.executable, "-c", DIGEST], cwd=ROOT, env=environment, check=True,
                            capture_output=True, text=True)
    return answer.stdout.split()


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_source_and_compiled_judge_come_to_the_same(compiled: Path) -> None:
    """INS-03, LIB-02: 600 phases of each game and 1,000 public positions, sentences included."""
    (source_kind, source), (compiled_kind, compiled_digest) = _digest(ROOT), _digest(compiled)
    assert (source_kind, compiled_kind) == ("py", "so")
    assert source == compiled_digest


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_judges_own_tests_pass_compiled(compiled: Path) -> None:
    """Every case of every game, DATC, the traps, and dense seas against the second opinion."""
    script = (f"import sys; sys.path[:0] = [{str(compiled)!r}, {str(ROOT)!r}]; "
              "import adjudicator.strength as s; assert s.__file__.endswith('.so'); "
              "import pytest; sys.exit(pytest.main(sys.argv[1:]))")
    # One test puts a separate function in the place of the solver's, which compiled code calls directly.
    tests = ["tests/adjudicator", "--ignore=tests/adjudicator/test_judge_unresolved.py",
             "tests/property/test_judge_dense_seas.py", "tests/property/test_judge_naive.py",
             "tests/property/test_judge_properties.py"]
    answer = subprocess.run(
        [sys.executable, "-P", "-c", script, "-q", "-m", "not slow", "-o", f"pythonpath={compiled} .",
         *tests], cwd=ROOT, check=False, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout[-3000:] + answer.stderr[-1000:]
