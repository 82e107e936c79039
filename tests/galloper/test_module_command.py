"""`python -m galloper` is the program `galloper`, and names the commit that it was made from (REL-07)."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from service import version as program_version


def test_the_package_runs_as_a_module() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "galloper", "--version"], check=True, capture_output=True, text=True)
    number = re.escape(version("galloper"))
    assert re.match(rf"galloper {number}( \([0-9a-f]{{12}}\))?, Python", answer.stdout)


def test_a_wheel_keeps_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "commit.txt"
    file.write_text("0123456789ab\n")
    monkeypatch.setattr(program_version, "COMMIT_FILE", file)
    assert program_version.commit() == "0123456789ab"
