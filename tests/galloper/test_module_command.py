"""`python -m galloper` is the program `galloper` (REL-07)."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version


def test_the_package_runs_as_a_module() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "galloper", "--version"], check=True, capture_output=True, text=True)
    assert answer.stdout.startswith(f"galloper {version('galloper')}, Python")
