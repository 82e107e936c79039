"""The board of w3k is the project's own, says so, and the real one can take its place (GAP-01)."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import maps
from adjudicator.geo import Region

W3K = maps.load("w3k")


def test_the_board_says_wherever_it_is_printed_that_it_is_our_own() -> None:
    """GAP-01: the note goes with every map of the board; the folder's licence states the same."""
    assert "Galloper's own reconstruction" in W3K.note
    assert "the handbook's map was not published" in W3K.note
    licence = (maps.folder("w3k") / "LICENCE.txt").read_text("utf-8")
    assert "this project's own reconstruction" in " ".join(licence.split())


def test_another_map_of_the_same_game_is_loaded_from_its_tables_alone(tmp_path: Path) -> None:
    """GAP-01: the loader takes the real one later. Here a contact more, a centre less and another name are
    such a map: tables are exchanged, and nothing else."""
    folder = tmp_path / "w3k"
    shutil.copytree(maps.folder("w3k"), folder)
    _append(folder / "borders.csv", {"a": "Londonderry", "b": "Lough Foyle & Swilly", "kind": "coast-touch"})
    _change(folder / "provinces.csv", "Cork", "name", "Corcaigh")
    _change(folder / "provinces.csv", _unowned_centre(), "centre", "")
    toml = (folder / "variant.toml").read_text("utf-8")
    # Two links more by sea: the lough, and by SEA-02 the primary region of its area.
    for was, now in (("centres = 109", "centres = 108"), ("sea_borders = 732", "sea_borders = 734")):
        assert was in toml
        toml = toml.replace(was, now)
    (folder / "variant.toml").write_text(toml, "utf-8")
    # The exchanged tables are sound: other figures in `[counts]` are all that the heading needed.
    assert maps.check_folder(folder) == []
    other = maps.load_folder(folder)
    port, lough = Region("Londonderry"), Region("Lough Foyle & Swilly")
    assert lough not in W3K.board.neighbours(port, "sea")
    assert lough in other.board.neighbours(port, "sea")
    assert other.board.provinces["Cork"].name == "Corcaigh"
    assert len(other.board.centres()) == len(W3K.board.centres()) - 1 == 108
    assert other.rules.values == W3K.rules.values


def _unowned_centre() -> str:
    owned = {centre for centres in W3K.start.centres.values() for centre in centres}
    return min(set(W3K.board.centres()) - owned)


def _append(path: Path, row: dict[str, str]) -> None:
    fields, rows = _rows(path)
    _write(path, fields, [*rows, row])


def _change(path: Path, key: str, column: str, value: str) -> None:
    fields, rows = _rows(path)
    (matching,) = [row for row in rows if row["id"] == key]
    matching[column] = value
    _write(path, fields, rows)


def _rows(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        return list(reader.fieldnames or ()), list(reader)


def _write(path: Path, fields: list[str], rows: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        writer.writerows(rows)
