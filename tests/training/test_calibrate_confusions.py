"""Counting misreadings over a folder of photographs: a table that is read again, and faults as sentences."""

from __future__ import annotations

import json
import shutil
from datetime import date
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from ocr.decoding.confusions import read_prices
from training.calibrate_confusions import main


@pytest.mark.slow
def test_a_folder_gives_prices_that_say_where_they_come_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sheet of the demo: most of its letters are counted, few are taken for others."""
    name = "winter-argyll-v1.jpg"
    with as_file(files("demo") / "data" / "w3k") as demo:
        shutil.copy(demo / name, tmp_path / name)
        truth = json.loads((demo / "truth.json").read_text(encoding="utf-8"))
    truth["sheets"] = [sheet for sheet in truth["sheets"] if sheet["file"] == name]
    (tmp_path / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
    out = tmp_path / "confusions.toml"
    assert main([str(tmp_path), "--out", str(out), "--made", "by hand"], date(2026, 11, 21)) == 0
    counted = read_prices(out.read_text(encoding="utf-8"), out.name).provenance
    assert (counted["made"], counted["sheets"], counted["day"]) == ("by hand", 1, "2026-11-21")
    letters, taken = counted["letters"], counted["taken"]
    assert isinstance(letters, int)
    assert isinstance(taken, int)
    written = sum(
        c.isalnum() for line in truth["sheets"][0]["lines"] if line["kind"] == "order" for c in line["text"]
    )
    assert written <= letters <= 2.4 * written  # by two opinions, with stops
    assert taken < letters / 5
    assert "1 of 1" in capsys.readouterr().err


def test_a_folder_without_truth_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path), "--out", str(tmp_path / "confusions.toml"), "--made", "by hand"]) == 1
    assert "truth.json cannot be read" in capsys.readouterr().err
    assert not (tmp_path / "confusions.toml").exists()


def test_rows_in_real_hands_are_counted_by_both_opinions(tmp_path: Path) -> None:
    names = tmp_path / "names.json"
    names.write_text(json.dumps([{"name": name, "kind": "inland", "aliases": []} for name in
                                 ("Kent", "Surrey", "Sussex", "Essex", "Dorset")]), encoding="utf-8")
    out = tmp_path / "confusions.toml"
    ink = Path(__file__).parents[1] / "data" / "ink"
    arguments = ["--ink", str(ink), "--names", str(names), "--rows", "2", "--out", str(out),
                 "--made", "by hand"]
    assert main(arguments, date(2026, 11, 26)) == 0
    counted = read_prices(out.read_text(encoding="utf-8"), out.name).provenance
    # Two orders of ten letters or more by each opinion, of the one person in the extract who serves for this.
    assert isinstance(counted["letters"], int)
    assert counted["letters"] >= 40


def test_nothing_to_count_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["--out", str(tmp_path / "confusions.toml"), "--made", "by hand"])
