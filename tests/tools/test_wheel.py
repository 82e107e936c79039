"""`tools/wheel` in a clone that nothing was set up in (REL-08); `tests/test_wheel.py`
builds and runs wheels."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("python", ["", sys.executable])
def test_a_fresh_clone_is_advised_what_is_missing(python: str, tmp_path: Path) -> None:
    """REL-08: it builds nothing, or a wheel with a Python that has what it needs."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "wheel").write_bytes((ROOT / "tools" / "wheel").read_bytes())
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON"}
    built = subprocess.run(
        ["bash", str(tools / "wheel")], env=environment | ({"PYTHON": python} if python else {}),
        capture_output=True, text=True, check=False, cwd=tmp_path)
    assert built.returncode != 0
    assert ("make wheel sets up .venv" in built.stderr) == (not python)
    if not python:
        assert not any((tmp_path / "build" / "dist").iterdir())
