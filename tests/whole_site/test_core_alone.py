"""All features deleted, the core passes its own tests (HOM-05)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "build", "*.egg-info", "demo-site")
FEATURES = ("service/features", "templates/features")
TESTS = ("tests/galloper", "tests/service", "tests/whole_site", "tests/demo")
"""The pure packages import nothing of `service`, so nothing of a feature (pyproject.toml)."""


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_without_all_features_the_core_passes_its_tests(tmp_path: Path) -> None:
    copy = tmp_path / "core"
    shutil.copytree(ROOT, copy, ignore=NOT_COPIED)
    for folder in FEATURES:
        taken_out = [each for each in (copy / folder).iterdir() if each.is_dir()]
        assert taken_out
        for feature in taken_out:
            shutil.rmtree(feature)
    shutil.rmtree(copy / "tests/features")
    # Tests ask git for the files of the product.
    for words in (("init", "-q"), ("add", "--all")):
        subprocess.run(["git", *words], cwd=copy, check=True)
    tests = [*TESTS, *sorted(str(path.relative_to(copy)) for path in (copy / "tests").glob("test_*.py"))]

    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "-m", "not slow",
         "-p", "no:cacheprovider", *tests],
        cwd=copy, env={**os.environ, "PYTHONPATH": str(copy)}, capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stdout[-20_000:]
    passed = next(words.split()[0] for words in run.stdout.splitlines()[-1].split(", ") if "passed" in words)
    assert int(passed) > 4_000
