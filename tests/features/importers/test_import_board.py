"""`galloper map import`: the classic board from other programs' forms is the classic board, and is judged as
it is."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.geo import Region
from adjudicator.orders import Hold
from adjudicator.units import UnitRef
from grammar.print import canonical
from maps.names import normalize, regions_named
from maps.variant import Variant
from reading import vocabulary
from service.features.importers.import_board import run_import
from tests.adjudicator.expectation import disagreeing
from tests.support.features import commands_of
from tests.support.foreign_maps import as_jdip, as_judge_map

STANDARD = maps.load("standard")
DATC = json.loads(Path("tests/data/datc/datc.json").read_text("utf-8"))["cases"]
TABLES = ("provinces.csv", "borders.csv", "names.csv", "setup.csv")


def _import(source: Path, folder: Path, like: str = "standard") -> Variant:
    out = io.StringIO()
    assert run_import(source, folder, like=like, out=out) == 0, out.getvalue()
    assert out.getvalue().startswith(f"{folder.name}: no fault.")
    return maps.load_folder(folder)


def _judge_map(folder: Path) -> Path:
    (folder / "classic.map").write_text(as_judge_map(STANDARD), "utf-8")
    return folder / "classic.map"


def _jdip(folder: Path) -> Path:
    game, beside = as_jdip(STANDARD)
    (folder / "variants.xml").write_text(game, "utf-8")
    (folder / "own_adjacency.xml").write_text(beside, "utf-8")
    return folder


def _spreadsheet(folder: Path) -> Path:
    """Our tables as a spreadsheet saves them: semicolons, UTF-16, headings in large letters, no heading
    file."""
    for name in TABLES:
        rows = list(csv.reader((maps.folder("standard") / name).read_text("utf-8").splitlines()))
        lines = [
            ";".join(cell.upper() if number == 0 else _quoted(cell) for cell in row)
            for number, row in enumerate(rows)
        ]
        (folder / name).write_text("\r\n".join(lines) + "\r\n", "utf-16", newline="")
    return folder


def _quoted(cell: str) -> str:
    return f'"{cell}"' if ";" in cell else cell


def _same_board(imported: Variant, *, powers: Callable[[str], str] = str) -> None:
    ours = STANDARD.board
    assert {
        p.id: (normalize(p.name), p.terrain, p.centre, p.home, p.coasts)
        for p in imported.board.provinces.values()
    } == {
        p.id: (normalize(p.name), p.terrain, p.centre, p.home and powers(p.home), p.coasts)
        for p in ours.provinces.values()
    }
    assert imported.board.links == ours.links
    assert imported.start.units == STANDARD.start.units
    assert imported.start.centres == STANDARD.start.centres
    assert (imported.start.phase, imported.victory, imported.calendar) == (STANDARD.start.phase, 18,
        STANDARD.calendar)
    assert set(imported.powers) == set(STANDARD.powers)


@pytest.mark.parametrize("source", [_judge_map, _jdip, _spreadsheet])
def test_the_classic_board_comes_back_whole(tmp_path: Path, source: Callable[[Path], Path]) -> None:
    """Places, borders of each kind, coasts, centres, homes, opening units; and every DATC case has its
    outcome on it."""
    (tmp_path / "from").mkdir()
    imported = _import(source(tmp_path / "from"), tmp_path / "board")
    _same_board(imported)
    assert disagreeing(imported, DATC) == {}


def test_what_was_imported_can_be_imported_again(tmp_path: Path) -> None:
    """The tables come through unchanged, row for row, and so does the heading."""
    first = tmp_path / "first"
    _import(_judge_map(tmp_path), first)
    _import(first, tmp_path / "second")
    for name in (*TABLES, "variant.toml"):
        assert (tmp_path / "second" / name).read_bytes() == (first / name).read_bytes()


@pytest.mark.parametrize("slug", [
    slug if slug in {"bretwalda", "britain1066"} else pytest.param(slug, marks=pytest.mark.slow)
    for slug in maps.variants() if slug != "standard"])
def test_tables_alone_get_the_heading_of_the_board_they_are_like(tmp_path: Path, slug: str) -> None:
    """A referee types in the real board of a game: powers, units, rules and wording stay."""
    tables = tmp_path / "typed"
    tables.mkdir()
    for name in TABLES:
        (tables / name).write_bytes((maps.folder(slug) / name).read_bytes())
    imported, model = _import(tables, tmp_path / "mine", like=slug), maps.load(slug)
    assert (imported.powers, imported.kinds, imported.rules, imported.wording) == (
        model.powers,
        model.kinds,
        model.rules,
        model.wording,
    )
    assert imported.board.links == model.board.links
    assert imported.start == model.start


NAMES = """
Somewhere Else = els elsewhere some+where+else
Somewhere = som where?
Nowhere = now where? and
LAND SOM ABUTS ELS NOW
LAND ELS ABUTS SOM
LAND NOW ABUTS SOM
_MIDDLE-KING+DOM (Royal:K) SOM
A SOM
FOES (:Q) ELS
A ELS
"""


def test_names_and_powers_as_they_are_printed(tmp_path: Path) -> None:
    """A plus sign is a blank; a question mark means that the spelling may be another place's; a power's signs
    and letter."""
    (tmp_path / "small.map").write_text(NAMES, "utf-8")
    imported = _import(tmp_path / "small.map", tmp_path / "small")
    assert [r.province for r in regions_named(imported.names, "Some where else")] == ["ELS"]
    assert sorted(r.province for r in regions_named(imported.names, "Where")) == ["NOW", "SOM"]
    assert all(row.ambiguous for row in imported.names if normalize(row.text) == "where")
    king, foes = imported.powers["_MIDDLE-KING+DOM"], imported.powers["FOES"]
    assert (king.name, king.aliases, king.letter) == ("Middle-KingDom", ("Royal",), "K")
    assert (foes.name, foes.aliases, foes.letter) == ("Foes", (), "Q")
    assert imported.victory == 2, "more than half of the two centres"
    parsed = vocabulary.parse_typed(imported, PhaseKind.MOVEMENT, "FOES", "A And - Some where else")
    assert vocabulary.printed(parsed.orders, imported.board) == "A Nowhere - Somewhere Else"


CHANGED = """USE base.map
AMEND SOM ABUTS -NOW ISL
DROP NOW
Isle = isl
PORT ISL ABUTS Som
BEGIN FALL 1905 MOVEMENT
UNPLAYED FOES
UNOWNED ELS
RULE BUILD_ANY
"""


def test_a_map_that_changes_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """USE, AMEND, DROP and UNPLAYED; what is not part of a board is stated."""
    (tmp_path / "base.map").write_text(NAMES.replace("where?", "wherever"), "utf-8")
    text = (tmp_path / "base.map").read_text("utf-8").replace("now wherever and", "now")
    (tmp_path / "base.map").write_text(text, "utf-8")
    (tmp_path / "next.map").write_text(CHANGED, "utf-8")
    out = io.StringIO()
    run_import(tmp_path / "next.map", tmp_path / "next", one_way=True, out=out)
    board = maps.load_folder(tmp_path / "next")
    assert set(board.board.provinces) == {"SOM", "ELS", "ISL"}
    assert set(board.powers) == {"_MIDDLE-KING+DOM"}
    assert set(board.board.centres()) == {"SOM", "ELS"}
    assert str(board.start.phase) == "Autumn 1905 Movement"
    assert board.board.near("SOM", "land") == {"ELS", "ISL"}
    assert board.board.near("ISL", "land") == set(), "Som with one large letter: no army goes there"
    error = capsys.readouterr().err
    assert "next.map, line 9: RULE BUILD_ANY" in error
    assert "next.map, line 5: ISL is a port" in error


PACKAGE = find_spec("diplomacy")
FOREIGN = sorted(Path(next(iter(PACKAGE.submodule_search_locations)), "maps").glob("*.map")) if (
    PACKAGE and PACKAGE.submodule_search_locations) else []


@pytest.mark.slow
@pytest.mark.skipif(not FOREIGN, reason="the package diplomacy is not installed (make setup-bench)")
def test_the_classic_board_of_the_package_is_ours(tmp_path: Path) -> None:
    """The file that players have."""
    (source,) = [path for path in FOREIGN if path.stem == "standard"]
    imported = _import(source, tmp_path / "classic")
    _same_board(imported)
    assert disagreeing(imported, DATC) == {}


@pytest.mark.slow
@pytest.mark.skipif(not FOREIGN, reason="the package diplomacy is not installed (make setup-bench)")
@pytest.mark.parametrize("source", FOREIGN, ids=lambda path: str(path.stem))
def test_every_map_of_the_package_has_the_ways_that_its_own_reader_sees(tmp_path: Path, source: Path) -> None:
    """A second opinion on each map file there is. Its reader also looks for every crossing by convoy, which
    takes minutes on a large map and is not wanted, so only its tables are made."""
    engine = pytest.importorskip("diplomacy.engine.map").Map
    theirs = engine.__new__(engine, source.stem, use_cache=False)
    # Crossings by convoy are searched when the cache is built.
    engine.build_cache, build = (lambda _self: None), engine.build_cache
    try:
        theirs.__init__(source.stem, use_cache=False)
    finally:
        engine.build_cache = build
    imported = _import(source, tmp_path / source.stem)
    places = sorted({loc.upper() for loc in theirs.locs if theirs.area_type(loc) != "SHUT"})
    ways = {(kind, a, b) for kind in "AF" for a in places for b in places if theirs._abuts(kind, a, "-", b)}
    kinds = {"A": "land", "F": "sea"}
    assert ways == {(kind, str(origin), str(target)) for kind, movement in kinds.items()
                    for origin, others in imported.board.links[movement].items() for target in others}
    assert set(theirs.scs) == set(imported.board.centres())
    for place in imported.board.provinces.values():  # and its names can be written in orders
        order = Hold(power="x", unit=UnitRef("A", Region(place.id)))
        text = canonical(order, imported.board)
        assert vocabulary.parse_typed(imported, PhaseKind.MOVEMENT, "x", text).orders == (order,)
    units = {unit for listed in theirs.units.values() for unit in listed}
    assert units == {f"{unit.kind} {unit.region}" for unit in imported.start.units}


def test_its_commands() -> None:
    assert commands_of("importers") == {"map import"}
