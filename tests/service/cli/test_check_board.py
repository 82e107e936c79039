"""`galloper map check` and `galloper map moves` (MOVE-01, MOVE-02)."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import maps
from service.cli.check_board import run_check, run_moves

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
    folder = _copy("standard", tmp_path)
    out = io.StringIO()
    assert run_check(str(folder), out) == 0
    setup = folder / "setup.csv"
    setup.write_text(setup.read_text("utf-8").replace("ITALY,A,ROM", "ITALY,F,VIE"), "utf-8")
    out = io.StringIO()
    assert run_check(str(folder), out) == 1
    assert "setup.csv, row" in out.getvalue()
    assert "cannot be in VIE" in out.getvalue()
    assert "mine has" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wording", "row", "sentence"),
    [
        ('%extend movement_order: ring\nring: unit "rings" (\n', 2, "Expecting a value, at line 2"),
        ("// bells\n%extend movement_order: ring\n", 2, "Rule 'ring' used but not defined"),
        (('%extend movement_order: ring\nring: unit "a"\nring: unit '
          '"b"\n'), 3, "Rule 'ring' defined more than once"),
        ("%extend nosuch: hold\n", 1, "Can't extend rule nosuch"),
        ("// one\n\n%exten movement_order: hold\n", 3, "Unexpected input at line 3"),
    ],
)
def test_a_wording_that_does_not_fit_is_told_with_its_row(
    tmp_path: Path, wording: str, row: int, sentence: str
) -> None:
    """In every phase of the game, since the wording is part of each."""
    folder = _copy("standard", tmp_path)
    (folder / "orders.lark").write_text(wording, "utf-8")
    out = io.StringIO()
    assert run_check(str(folder), out) == 1
    lines = out.getvalue().splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"orders.lark, row {row}: the wording of "
                               f"the ") and sentence in line for line in lines)


def test_house_rules_that_fit_no_choice_are_told(tmp_path: Path) -> None:
    folder = _copy("standard", tmp_path)
    (folder / "rulings.md").write_text(("# Rulings\n\n## Play\n\n**Q-99, `toll`.** Who pays? `yes`: "
                                        "All.\n"), "utf-8")
    out = io.StringIO()
    assert run_check(str(folder), out) == 1
    assert out.getvalue() == "rulings.md: Q-99 is about 'toll', which these rules do not know\n"


def _copy(slug: str, to: Path) -> Path:
    folder = to / "mine"
    folder.mkdir()
    for path in maps.folder(slug).glob("*.*"):
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def test_a_board_that_is_not_there_is_answered_with_those_that_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_check("atlantis", io.StringIO()) == 1
    assert "bretwalda, britain1066, brittania, standard, w3k, war1648" in capsys.readouterr().err


def test_moves_of_the_printed_example() -> None:
    """G5a by way of the command."""
    (fleet,) = _moves(W3K, "Lyme Bay")
    assert fleet["unit"] == "F"
    assert fleet["moves"] == [
        "Alderney Race", "Devon/South Coast", "Dorset/West Coast", "Gulf of Mayo", "Hurd's Deep",
        "Les Sept-Isles and Eddystone Rocks", "Plymouth Sea Area", "Portland Sea Area",
        "The Isle of Portland",
    ]


def test_moves_by_land_and_by_each_coast() -> None:
    units = _moves(W3K, "Devon")
    assert [(unit["unit"], unit["region"]) for unit in units] == [
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
    assert [move["region"] for move in _moves(W3K, "Isle of Wight", "F")] == [
        "The Isle of Wight",
        "Wight Sea Area",
    ]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Stafordshire", "did you mean Staffordshire"),
        ("Devon/East Coast", "did you mean Devon/North Coast, Devon/South Coast?"),
        ("Kent/East Coast", "Kent, which has no named coasts"),
        ("xyzzy", "see the map and its list of names"),
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
    assert out.getvalue().splitlines()[1] == "  No fleet can be here."


def test_nothing_but_the_map_is_said() -> None:
    """MOVE-02: no units, no powers, no counsel."""
    out = io.StringIO()
    for province in W3K.board.provinces:
        run_moves(W3K, province, None, as_json=False, out=out)
    words = out.getvalue()
    for power in ("The Crown", "Manchester", "Protectorate", "Hamilton", "Argyll", "Ormond", "Confederacy"):
        assert power not in words
    assert "convoy" not in words.casefold()
