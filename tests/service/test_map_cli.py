"""`galloper map check` and `galloper map moves` (MOVE-01, MOVE-02)."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import maps
from service.map_cli import run_check, run_moves

W3K = maps.load("w3k")
STANDARD = maps.load("standard")


def _moves(variant: maps.Variant, name: str, unit: str | None = None) -> list[dict[str, object]]:
    out = io.StringIO()
    assert run_moves(variant, name, unit, as_json=True, out=out) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("slug", ["w3k", "standard"])
def test_a_sound_board_says_so_in_one_line(slug: str) -> None:
    out = io.StringIO()
    assert run_check(slug, out) == 0
    assert out.getvalue().startswith(f"{slug}: no fault.")
    assert out.getvalue().count("\n") == 1


def test_a_folder_anywhere_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for path in maps.folder("standard").glob("*.*"):
        (folder / path.name).write_bytes(path.read_bytes())
    out = io.StringIO()
    assert run_check(str(folder), out) == 0
    setup = folder / "setup.csv"
    setup.write_text(setup.read_text("utf-8").replace("ITALY,A,ROM", "ITALY,F,VIE"), "utf-8")
    out = io.StringIO()
    assert run_check(str(folder), out) == 1
    assert "setup.csv, row" in out.getvalue()
    assert "cannot stand in VIE" in out.getvalue()
    assert "mine has" in capsys.readouterr().err


def test_a_board_that_is_not_there_is_answered_with_those_that_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_check("atlantis", io.StringIO()) == 1
    assert "bretwalda, britain1066, brittania, standard, w3k, war1648" in capsys.readouterr().err


def test_moves_of_the_printed_example() -> None:
    """G5a by way of the command."""
    (found,) = _moves(W3K, "Lyme Bay")
    assert found["unit"] == "F"
    assert found["moves"] == [
        "Alderney Race", "Devon/South Coast", "Dorset/West Coast", "Gulf of Mayo", "Hurd's Deep",
        "Les Sept-Isles and Eddystone Rocks", "Plymouth Sea Area", "Portland Sea Area", "The Isle of Portland",
    ]


def test_moves_by_land_and_by_each_coast() -> None:
    found = _moves(W3K, "Devon")
    assert [(one["unit"], one["region"]) for one in found] == [
        ("A", "Devon"), ("F", "Devon/North Coast"), ("F", "Devon/South Coast"),
    ]
    (south,) = _moves(W3K, "devon (south coast)")
    assert south["region"] == "Devon/South Coast"
    assert _moves(W3K, "Devon/South Coast", "f") == [south]


def test_ids_and_full_names_stand_side_by_side() -> None:
    (spain,) = _moves(STANDARD, "Spain/nc", "F")
    assert spain["name"] == "Spain/North Coast"
    assert spain["moves"] == ["GAS", "MAO", "POR"]
    assert spain["names"] == ["Gascony", "Mid-Atlantic Ocean", "Portugal"]


@pytest.mark.parametrize("name", ["Dublin and the Pale", "DUBLIN & THE PALE", "the pale", "Dublin", "dub"])
def test_spelling_is_forgiven(name: str) -> None:
    assert _moves(W3K, name, "A")[0]["region"] == "Dublin & the Pale"


def test_a_name_of_two_regions_prints_both() -> None:
    assert [one["region"] for one in _moves(W3K, "Isle of Wight", "F")] == ["The Isle of Wight", "Wight Sea Area"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Stafordshire", "did you mean Staffordshire"),
        ("Devon/East Coast", "did you mean Devon/North Coast, Devon/South Coast?"),
        ("Kent/East Coast", "Kent, which has no named coasts"),
        ("xyzzy", "the map and its list of names have them all"),
    ],
)
def test_an_unknown_name_is_answered_with_near_ones(
    name: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = io.StringIO()
    assert run_moves(W3K, name, None, as_json=False, out=out) == 1
    assert out.getvalue() == ""
    assert hint in capsys.readouterr().err


def test_an_unknown_kind_is_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_moves(W3K, "London", "X", as_json=False, out=io.StringIO()) == 2
    assert "write A or F" in capsys.readouterr().err


def test_text_for_people() -> None:
    out = io.StringIO()
    run_moves(W3K, "Surrey", None, as_json=False, out=out)
    lines = out.getvalue().splitlines()
    assert lines[0] == "Surrey (inland, England)"
    assert lines[1].startswith("  Army: ")
    assert "London" in lines[1]
    assert len(lines) == 2
    out = io.StringIO()
    run_moves(W3K, "Surrey", "F", as_json=False, out=out)
    assert out.getvalue().splitlines()[1] == "  No fleet can stand here."


def test_nothing_but_the_map_is_said() -> None:
    """MOVE-02: no units, no powers, no counsel."""
    out = io.StringIO()
    for province in W3K.board.provinces:
        run_moves(W3K, province, None, as_json=False, out=out)
    words = out.getvalue()
    for power in ("The Crown", "Manchester", "Protectorate", "Hamilton", "Argyll", "Ormond", "Confederacy"):
        assert power not in words
    assert "convoy" not in words.casefold()
