"""INS-04: the judge with its six boards needs the standard library only; the rest shows what is missing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
# Names of packages outside the standard library are refused, wherever they may lie.
REFUSE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in OURS:
            raise ModuleNotFoundError(f"No module named {top!r}", name=top)

sys.path.insert(0, FOLDER)
sys.meta_path.insert(0, Refuse())
"""
JUDGE = """
import json
import galloper

told = {}
for name in galloper.boards():
    game = galloper.Game(name)
    phases = set()
    while len(game.phases) < 12:
        phases.add(game.phase.kind.value)
        unit = game.position.units[0] if game.position.units else None
        if unit and game.phase.kind == "movement":
            game.set_orders(unit.power, [{"order": "hold", "type": unit.kind, "loc": unit.region}])
        game.judge()
    game.save(FOLDER + "/game.json")
    again = galloper.Game.load(FOLDER + "/game.json")
    assert again.to_json() == game.to_json()
    form = "diplomacy" if name == "standard" else "cases"
    assert galloper.export_game(game, form=form, lossy=True).data
    told[name] = {"phases": sorted(phases), "replay": len(again.replay()), "text": str(again)}
print(json.dumps(told))
"""
REST = """
import json
import galloper

told = []
game = galloper.Game("standard")
for call in (
    lambda: game.set_orders("France", "A Par - Bur"),
    lambda: galloper.read_sheet(b"", board="w3k"),
    lambda: galloper.draw_map(game),
):
    try:
        call()
    except galloper.MissingLibraryError as error:
        told.append(str(error))
print(json.dumps(told))
"""


def _run(folder: Path, packages: list[str], code: str) -> Any:
    """What a program prints in an interpreter without site packages, on a folder with these packages."""
    for package in packages:
        (folder / package).symlink_to(ROOT / package)
    head = REFUSE.replace("OURS", repr(set(packages))).replace("FOLDER", repr(str(folder)))
    finished = subprocess.run(
        [sys.executable, "-I", "-S", "-c", head + code.replace("FOLDER", repr(str(folder)))],
        capture_output=True, text=True, check=False, cwd=folder)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def test_six_boards_are_judged_saved_and_loaded_by_the_standard_library(tmp_path: Path) -> None:
    told = _run(tmp_path, ["galloper", "adjudicator", "maps", "grammar"], JUDGE)
    assert set(told) == {"bretwalda", "britain1066", "brittania", "standard", "w3k", "war1648"}
    for name, game in told.items():
        assert game["replay"] == 0, name
        assert game["text"], name
    assert told["standard"]["phases"] == ["adjustment", "movement"]
    assert told["brittania"]["phases"] == ["turn"]


def test_what_is_missing_is_named_in_a_sentence(tmp_path: Path) -> None:
    """As after `pip install --no-deps galloper`."""
    packages = ["galloper", "adjudicator", "maps", "grammar", "reading", "ocr", "service", "templates"]
    parsing, reading, drawing = _run(tmp_path, packages, REST)
    assert re.match("Parsing an order needs the package (lark|rapidfuzz), which is not installed", parsing)
    assert reading.startswith("Reading a sheet needs the package ")
    assert drawing.startswith("Drawing a map needs the package ")
    assert all("pip install galloper" in sentence for sentence in (parsing, reading, drawing))


def test_without_the_other_packages_a_sentence_says_so(tmp_path: Path) -> None:
    sentences = _run(tmp_path, ["galloper", "adjudicator", "maps", "grammar"], REST)
    assert len(sentences) == 3
    assert all("needs all of Galloper" in sentence for sentence in sentences)
