"""LIB-06: a script of one's own with `maps.py` or `service/` next to it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import galloper
from galloper.own_names import PACKAGES

ROOT = Path(__file__).parents[2]
SCRIPT = """
import pickle
import galloper
game = galloper.Game("w3k")
game.set_orders("The Crown", "A Raglan Castle - Herefordshire")
print(game.judge())
assert pickle.loads(pickle.dumps(game.position)) == game.position
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a module or a package of each of our names."""
    (tmp_path / "maps.py").write_text('print("mine")\n')
    for name in {*PACKAGES, "migrations"} - {"maps"}:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text('print("mine")\n')
    return tmp_path


def _run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    (folder / "play.py").write_text(script)
    # As where it is installed: behind the script's own folder.
    return subprocess.run(
        [sys.executable, folder / "play.py"], cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True,
        text=True, check=False)


def test_the_package_works_beside_a_user_s_own_names(folder: Path) -> None:
    done = _run(folder, SCRIPT)
    game = galloper.Game("w3k")
    game.set_orders("The Crown", "A Raglan Castle - Herefordshire")
    assert (done.returncode, done.stderr) == (0, "")
    # None of the user's modules was run.
    assert done.stdout == f"{game.judge()}\n"


@pytest.mark.parametrize("first", ["import maps", "import galloper"])
def test_the_names_stay_the_user_s_whatever_is_imported_first(folder: Path, first: str) -> None:
    done = _run(
        folder, f"{first}\nimport galloper, maps\nprint(maps.__file__, galloper.Game('standard').phase)")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"mine\n{folder / 'maps.py'} Spring 1901 Movement\n"


def test_without_such_names_our_packages_are_loaded_once(tmp_path: Path) -> None:
    done = _run(tmp_path, "import galloper, maps, sys\n"
                          "print(maps.load('standard') is galloper.load_board('standard').inner, "
                          "[name for name in sys.modules if name.startswith('galloper.ours')])")
    assert (done.returncode, done.stdout, done.stderr) == (0, "True []\n", "")
