"""A broken board is refused with every fault it has, each with file and row."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import maps
from adjudicator.geo import LAND, Board, Province, Region, Terrain
from maps import checks
from maps.faults import Fault, Faults
from maps.provinces import Borders, Touch

TOML = """title = "Tiny"
victory = 1

[calendar]
steps = [["Spring", "movement"], ["Spring", "retreat"]]
start = ["Spring", 1, "movement"]

[units.A]
name = "Army"
moves = ["land"]
carried = true

[units.F]
name = "Fleet"
moves = ["sea"]
carries = true

[capitals]
North = ["Port"]

[rules]
module = "standard"

[counts]
provinces = 5
centres = 1
units = 2

[[powers]]
id = "Red"
colour = "#aa0000"
pattern = "dots"
letter = "R"
kingdom = "North"

[[powers]]
id = "Blue"
colour = "#0000aa"
pattern = "grid"
letter = "B"
"""
PROVINCES = """id,name,abbr,terrain,centre,area,role,home,coasts
Port,Port,Por,coastal,yes,North,,Red,
Cape,Cape,Cap,coastal,,North,,,North Coast; South Coast
Moor,Moor,Moo,inland,,North,,,
Gulf,Gulf,Gul,sea,,Deep,primary,,
Bay,Bay,Bay,sea,,Deep,local,,
"""
BORDERS = """a,b,kind
Port,Cape,land
Port,Moor,land
Port,Cape/North Coast,shore
Port,Bay,coast-touch
Cape/South Coast,Gulf,coast-touch
Cape/North Coast,Bay,coast-touch
Bay,Gulf,sea-touch
"""
SETUP = """power,unit,region
Red,A,Port
Red,centre,Port
Blue,F,Cape/North Coast
"""
NAMES = """text,region,spelling,ambiguous
The Moor,Moor,alias,
Water,Bay,alias,yes
Water,Gulf,alias,yes
Cape (north),Cape/North Coast,alias,
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A small board without fault."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    for name, text in {
        "variant.toml": TOML, "provinces.csv": PROVINCES, "borders.csv": BORDERS, "setup.csv": SETUP,
        "names.csv": NAMES,
    }.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def test_the_tiny_board_is_sound(tiny: Path) -> None:
    assert maps.check_folder(tiny) == []
    board = maps.load_folder(tiny)
    assert board.slug == "tiny"
    assert board.board.near("Port", "sea") == {"Cape", "Bay", "Gulf"}
    assert board.wording == ""


def test_wording_of_its_own_comes_with_the_board(tiny: Path) -> None:
    (tiny / "orders.lark").write_text('hold: unit "H"\n', "utf-8")
    assert maps.load_folder(tiny).wording == 'hold: unit "H"\n'


def _append(line: str) -> Callable[[str], str]:
    return lambda text: text + line + "\n"


def _swap(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return change


# What is done to which file, the row at fault (0: the file as a whole) and words of the sentence.
BROKEN: list[tuple[str, Callable[[str], str], int, str]] = [
    # tables
    ("provinces.csv", _swap("terrain", "ground"), 1, "the column 'terrain' is missing"),
    ("provinces.csv", _swap("home,coasts", "home,coasts,depth"), 1, "the column 'depth' is not known"),
    (
        "names.csv",
        _swap("text,region,spelling,ambiguous", "text,region,spelling,text"),
        1,
        "'text' occurs twice",
    ),
    ("setup.csv", _append("Red,A"), 5, "2 cells where the heading has 3"),
    # provinces
    (
        "provinces.csv",
        _append("Port,Harbour,,coastal,,North,,,"),
        7,
        ("'Port' is the id of an earlier province"),
    ),
    ("provinces.csv", _append("Quay,Port,,coastal,,North,,,"), 7, "Quay and Port have one name, 'Port'"),
    (
        "provinces.csv",
        _swap("Moor,Moor,Moo", "Moor,Moor,POR"),
        4,
        ("Moor and Port have one abbreviation, 'POR'"),
    ),
    ("provinces.csv", _swap("Moo,inland", "Moo,hilly"), 4, "Moor has the terrain 'hilly'"),
    ("provinces.csv", _swap("Por,coastal,yes", "Por,coastal,y"), 2, "Port has 'y' for centre"),
    ("provinces.csv", _swap("Deep,local", "Deep,shallow"), 6, "Bay has the role 'shallow'"),
    (
        "provinces.csv",
        _swap("Moo,inland,,North,", "Moo,inland,,North,local"),
        4,
        "Moor has a role and is not a sea",
    ),
    (
        "provinces.csv",
        _swap("Deep,local", "Deep,primary"),
        6,
        ("Deep needs exactly one primary region and has Gulf, Bay"),
    ),
    (
        "provinces.csv",
        _swap("Deep,primary", "Deep,local"),
        6,
        ("Deep needs exactly one primary region and has none"),
    ),
    ("provinces.csv", _swap("; South Coast", ""), 3, "Cape names one coast"),
    ("provinces.csv", _swap("; South Coast", "; North Coast"), 3, "Cape has one coast twice"),
    (
        "provinces.csv",
        _swap("Moor,Moor,Moo,inland,,North,,,", "Moor,Moor,Moo,inland,,North,,,East; West"),
        4,
        "Moor has coasts and is inland",
    ),
    ("provinces.csv", _append("Lea/Down,Lea,,inland,,North,,,"), 7, "holds a stroke"),
    ("provinces.csv", _append(",Lea,,inland,,North,,,"), 7, "needs an id and a name"),
    (
        "provinces.csv",
        _swap("North,,Red,", "North,,Green,"),
        2,
        ("Port is the home of 'Green', which is not a power"),
    ),
    # No border names it, and no one could ever get there.
    ("provinces.csv", _append("Lone,Lone,,inland,,North,,,"), 7, "Lone cannot be reached from Port"),
    ("provinces.csv", _swap("Moo,inland", "Moo,coastal"), 4, "Moor is coastal and no fleet can reach it"),
    # borders
    ("borders.csv", _append("Port,Atlantis,land"), 9, "'Atlantis' is not a province of this board"),
    ("borders.csv", _append("Port,Cape/East Coast,shore"), 9, "Cape has no coast 'East Coast'"),
    (
        "borders.csv",
        _append("Port,Cape,shore"),
        9,
        ("Cape has several coasts; name one, as in Cape/North Coast"),
    ),
    ("borders.csv", _append("Cape/North Coast,Moor,land"), 9, "Cape/North Coast names a coast"),
    ("borders.csv", _append("Port,Moor,road"), 9, "the kind 'road' is not known"),
    ("borders.csv", _append("Port,Port,land"), 9, "Port cannot border itself"),
    # In either order it is the same border.
    ("borders.csv", _append("Moor,Port,land"), 9, "Moor and Port are in row 3 already"),
    (
        "borders.csv",
        _append("Port,Gulf,land"),
        9,
        ("a row of kind land cannot join Port (coastal) and Gulf (sea)"),
    ),
    ("borders.csv", _append("Moor,Port,shore"), 9, "a row of kind shore cannot join Moor (inland)"),
    (
        "borders.csv",
        _append("Moor,Bay,coast-touch"),
        9,
        ("a row of kind coast-touch cannot join Moor (inland)"),
    ),
    ("borders.csv", _append("Port,Gulf,sea-touch"), 9, "a row of kind sea-touch cannot join Port (coastal)"),
    # setup
    ("setup.csv", _append("Green,A,Moor"), 5, "'Green' is not a power of this game"),
    ("setup.csv", _append("Red,X,Moor"), 5, "'X' is not a kind of unit; known are A, F, centre"),
    ("setup.csv", _append("Red,F,Moor"), 5, "a unit of kind Fleet cannot be in Moor, which is inland"),
    ("setup.csv", _append("Red,A,Gulf"), 5, "a unit of kind Army cannot be in Gulf, which is sea"),
    ("setup.csv", _append("Red,F,Cape"), 5, "Cape has several coasts"),
    ("setup.csv", _append("Red,A,Nowhere"), 5, "'Nowhere' is not a province"),
    # Another coast of the same province is the same place.
    ("setup.csv", _append("Red,A,Cape"), 5, "Cape holds Blue F Cape/North Coast already"),
    ("setup.csv", _append("Red,centre,Moor"), 5, "Moor is not a supply centre"),
    ("setup.csv", _append("Blue,centre,Port"), 5, "Port belongs to Red already"),
    ("setup.csv", _append("Blue,centre,Nowhere"), 5, "'Nowhere' is not a province"),
    # names
    ("names.csv", _append("Harbour,Atlantis,alias,"), 6, "'Atlantis' is not a province"),
    ("names.csv", _append("Cape,Port,alias,"), 6, "'cape' means Cape and Port; mark it ambiguous"),
    # Compared as a reader compares: case and full stop make no difference.
    ("names.csv", _append("MOO.,Cape/South Coast,abbreviation,"), 6, "'moo' means Moor and Cape/South Coast"),
    (
        "names.csv",
        _append("Heath,Moor,alias,yes"),
        6,
        ("'heath' is marked ambiguous and means one region only"),
    ),
    ("names.csv", _append("Heath,Moor,nickname,"), 6, "the spelling 'nickname' is not known"),
    ("names.csv", _append("the moor,Moor,alias,"), 6, "'the moor' for Moor is in row 2 already"),
    ("names.csv", _append("...,Moor,alias,"), 6, "holds no letter or figure"),
    ("names.csv", _append("Heath,Moor,alias,no"), 6, "ambiguous is 'no'"),
    # variant.toml
    # A misspelt key is two faults: what is missing has no row, what is unknown has one.
    ("variant.toml", _swap('title = "Tiny"', 'titel = "Tiny"'), 0, "title is missing"),
    ("variant.toml", _swap('title = "Tiny"', 'titel = "Tiny"'), 1, "titel is not a key of a board"),
    ("variant.toml", _swap("carries = true", "carries = 1"), 16, "units.F.carries must be true or false"),
    ("variant.toml", _swap("carries = true", "swims = true"), 16, "units.F.swims is not a key"),
    ("variant.toml", _swap('["sea"]', '["air"]'), 15, "units.F.moves has 'air'; borders know land, sea"),
    ("variant.toml", _swap('["sea"]', "[]"), 15, "units.F.moves is empty"),
    ("variant.toml", _swap('["sea"]', "[1]"), 15, "units.F.moves must be a list of texts"),
    ("variant.toml", _swap("victory = 1", 'victory = "1"'), 2, "victory must be a whole number"),
    ("variant.toml", _swap("victory = 1", "victory = 9"), 2, "victory needs 9 centres and the board has 1"),
    (
        "variant.toml",
        _swap('["Spring", "retreat"]', '["Spring", "rest"]'),
        5,
        "calendar.steps has ['Spring', 'rest']",
    ),
    (
        "variant.toml",
        _swap('["Spring", "retreat"]', '["Spring", "movement"]'),
        5,
        "calendar.steps has a phase twice",
    ),
    (
        "variant.toml",
        _swap('start = ["Spring"', 'start = ["Summer"'),
        6,
        ("calendar.start is Summer 1 Movement, which is not"),
    ),
    (
        "variant.toml",
        _swap(', 1, "movement"]', ', "movement"]'),
        6,
        ("calendar.start must be a season, a year and a kind"),
    ),
    ("variant.toml", _swap("centres = 1", "centres = 2"), 26, "counts.centres is 2 and the tables have 1"),
    ("variant.toml", _swap("centres = 1", "hills = 1"), 26, "counts.hills is not known"),
    (
        "variant.toml",
        _swap('North = ["Port"]', 'North = ["Moor"]'),
        19,
        ("capitals.North names 'Moor', which is not a supply centre"),
    ),
    (
        "variant.toml",
        _swap('North = ["Port"]', 'South = ["Port"]'),
        19,
        ("capitals.South: no province lies in that area"),
    ),
    ("variant.toml", _swap('kingdom = "North"', 'kingdom = "South"'), 34, "the power Red belongs to 'South'"),
    ("variant.toml", _swap('"#0000aa"', '"blue"'), 38, "powers[2].colour is 'blue'"),
    ("variant.toml", _swap('"#0000aa"', '"#aa0000"'), 38, "gives Blue the colour '#aa0000' of Red"),
    (
        "variant.toml",
        _swap('id = "Blue"', 'id = "Red"'),
        37,
        ("powers[2].id is 'Red', which is the id of an earlier power"),
    ),
    ("variant.toml", _swap('module = "standard"', ""), 21, "rules.module is missing"),
    (
        "variant.toml",
        _swap('module = "standard"', 'module = "house"'),
        22,
        ("there is no rule set called 'house'"),
    ),
    (
        "variant.toml",
        _swap('module = "standard"', 'module = "standard"\n[rules.values]\nfog = "yes"'),
        24,
        "rules.values.fog: rule set 'standard' has no such choice",
    ),
    (
        "variant.toml",
        _swap('module = "standard"', 'module = "w3k"\n[rules.values]\ndraw = "never"'),
        24,
        "rules.values.draw: 'never' is not one of on_request, at_once",
    ),
    (
        "variant.toml",
        _swap('module = "standard"', 'module = "w3k"\n[rules.values]\ndraw = ["never"]'),
        24,
        "rules.values.draw: ['never'] is not one of",
    ),
    (
        "variant.toml",
        _swap('module = "standard"', ('module = "standard"\n[rules.citations]\nfog = "page 4"')),
        24,
        "rules.citations.fog: rule set 'standard' has no such sentence or reason",
    ),
    (
        "variant.toml",
        _swap('module = "standard"', 'module = "standard"\n[rules.citations]\ncut = 4'),
        24,
        "rules.citations.cut: 4 is not a text",
    ),
    (
        "variant.toml",
        _swap("victory = 1", "victory = 1\nmiddle = [4, 99]"),
        3,
        ("middle must be a longitude and a latitude"),
    ),
    ("variant.toml", _swap("[calendar]", "[calendar"), 4, "the file cannot be read"),
]


@pytest.mark.parametrize(("file", "change", "row", "words"), BROKEN, ids=[f"{b[0]}: {b[3]}" for b in BROKEN])
def test_a_fault_is_found_where_it_is(
    tiny: Path, file: str, change: Callable[[str], str], row: int, words: str
) -> None:
    path = tiny / file
    path.write_text(change(path.read_text("utf-8")), "utf-8")
    faults = maps.check_folder(tiny)
    assert any(fault.file == file and fault.row == row and words in fault.message for fault in faults), faults
    with pytest.raises(maps.MapError):
        maps.load_folder(tiny)


def test_a_coast_without_a_border_is_found(tiny: Path) -> None:
    (tiny / "borders.csv").write_text(BORDERS.replace("Cape/South Coast,Gulf,coast-touch\n", ""), "utf-8")
    assert maps.check_folder(tiny) == [
        Fault("provinces.csv", 3, "nothing reaches Cape/South Coast: no border names it")
    ]


@pytest.mark.parametrize("file", ["variant.toml", "provinces.csv", "borders.csv", "setup.csv", "names.csv"])
def test_a_missing_file_is_named(tiny: Path, file: str) -> None:
    (tiny / file).unlink()
    assert Fault(file, 0, "the file is missing") in maps.check_folder(tiny)


@pytest.mark.parametrize("file", ["variant.toml", "provinces.csv"])
def test_a_file_in_another_encoding_is_named(tiny: Path, file: str) -> None:
    original = (tiny / file).read_bytes()
    # What Excel saves as plain "CSV" on a western machine.
    (tiny / file).write_bytes(original[: original.index(b"\n") + 1] + "Île,Île".encode("latin-1"))
    assert any(fault.file == file and fault.row == 2 and "cannot be read" in fault.message
               for fault in maps.check_folder(tiny))


def test_a_missing_folder_is_one_fault(tmp_path: Path) -> None:
    assert [str(fault) for fault in maps.check_folder(tmp_path / "none")] == ["none: there is no such folder"]


def test_every_fault_is_reported_at_once(tiny: Path) -> None:
    for file, change in (
        ("provinces.csv", _append("Quay,Port,,coastal,,North,,,")),
        ("borders.csv", _append("Port,Atlantis,land")),
        ("setup.csv", _append("Red,F,Moor")),
        ("names.csv", _append("Cape,Port,alias,")),
        ("variant.toml", _swap("victory = 1", "victory = 9")),
    ):
        path = tiny / file
        path.write_text(change(path.read_text("utf-8")), "utf-8")
    with pytest.raises(maps.MapError) as caught:
        maps.load_folder(tiny)
    error = caught.value
    assert {fault.file for fault in error.faults} == {
        "provinces.csv", "borders.csv", "setup.csv", "names.csv", "variant.toml",
    }
    assert "borders.csv, row 9: 'Atlantis' is not a province of this board" in str(error)
    # The exception and the check say the same, in the same order.
    assert list(error.faults) == maps.check_folder(tiny)


def test_a_link_that_leads_one_way_must_be_meant(tiny: Path) -> None:
    """Off-board boxes may be left and never entered; the row says so, and `[counts]` shows how many such
    rows."""
    text = (
        BORDERS.replace("a,b,kind", "a,b,kind,one_way")
        .replace("touch\n", "touch,\n")
        .replace("shore\n", "shore,\n")
    )
    text = text.replace("Port,Cape,land", "Port,Cape,land,").replace("Port,Moor,land", "Moor,Port,land,yes")
    (tiny / "borders.csv").write_text(text, "utf-8")
    assert [fault.message for fault in maps.check_folder(tiny)] == [("counts.one_way is 0 and the tables "
                                                                     "have 1")]
    (tiny / "variant.toml").write_text(TOML.replace("units = 2", "units = 2\none_way = 1"), "utf-8")
    board = maps.load_folder(tiny).board
    assert Region("Port") in board.neighbours(Region("Moor"), LAND)
    assert Region("Moor") not in board.neighbours(Region("Port"), LAND)
    (tiny / "borders.csv").write_text(text.replace("yes", "maybe"), "utf-8")
    assert any("one_way is yes or blank" in fault.message for fault in maps.check_folder(tiny))


def test_a_board_put_together_lopsided_is_found() -> None:
    """Tables cannot say it by accident; a board made in code could."""
    first, second = Region("A"), Region("B")
    provinces = {name: Province(name, name, Terrain.INLAND) for name in "AB"}
    board = Board(provinces, {LAND: {first: frozenset({second}), second: frozenset()}})
    faults = Faults()
    checks.check_symmetry(board, Borders({}), faults)
    assert [fault.message for fault in faults.all()] == ["by land A borders B and B does not border A"]
    faults_when_meant = Faults()
    checks.check_symmetry(board, Borders({}, frozenset({(Touch.LAND, first, second)})), faults_when_meant)
    # A link that is stated to lead one way is not a fault.
    assert faults_when_meant.all() == ()


def test_a_drawn_shape_that_is_missing_is_found(tiny: Path) -> None:
    square = [[0, 0], [1, 0], [1, 1], [0, 0]]
    features = [
        {
            "properties": {"id": name, "label": [0.5, 0.2]},
            "geometry": {"type": "Polygon", "coordinates": [square]},
        }
        for name in ("Port", "Cape", "Moor", "Gulf")
    ]
    (tiny / "partition.geojson").write_text(json.dumps({"features": features}), "utf-8")
    assert maps.check_folder(tiny) == [Fault("partition.geojson", 0, "Bay has no shape")]


@pytest.mark.parametrize("slug", ["w3k", "standard"])
def test_a_wrong_name_in_a_shipped_board_is_found(slug: str, tmp_path: Path) -> None:
    """One misspelt name in the real tables, in the middle of a thousand rows."""
    folder = tmp_path / slug
    folder.mkdir()
    for path in maps.folder(slug).glob("*.*"):
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    assert maps.check_folder(folder) == []
    with (folder / "borders.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    # Row 101 of the file: the heading is row 1.
    rows[100][0] += "x"
    with (folder / "borders.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    faults = maps.check_folder(folder)
    assert any(f.file == "borders.csv" and f.row == 101 and rows[100][0] in f.message for f in faults)


FILES = {
    "variant.toml": TOML,
    "provinces.csv": PROVINCES,
    "borders.csv": BORDERS,
    "setup.csv": SETUP,
    "names.csv": NAMES,
}
SCRAPS = st.sampled_from(
    ["", ",", "\n", '"', "/", "=", "[", "]", "Port", "yes", "9", "é", "#", "sea", "A", "\x00", ";"]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    file=st.sampled_from(sorted(FILES)),
    wounds=st.lists(st.tuples(st.integers(0, 600), st.integers(0, 12), SCRAPS), min_size=1, max_size=4),
)
def test_whatever_is_in_a_file_the_answer_is_a_list_of_faults(
    tiny: Path, file: str, wounds: list[tuple[int, int, str]]
) -> None:
    """Cutting and pasting at random never brings the loader down, and what it lets pass can be loaded."""
    text = FILES[file]
    for position, length, scrap in wounds:
        start = position % (len(text) + 1)
        text = text[:start] + scrap + text[start + length :]
    (tiny / file).write_text(text, "utf-8")
    try:
        faults = maps.check_folder(tiny)
        if faults:
            with pytest.raises(maps.MapError) as caught:
                maps.load_folder(tiny)
            assert list(caught.value.faults) == faults
        else:
            maps.load_folder(tiny)
    finally:
        # The folder is shared by all examples of this test, so each leaves it whole.
        (tiny / file).write_text(FILES[file], "utf-8")


def _brackets(path: Path) -> None:
    path.write_text(("x = " if path.suffix == ".toml" else "") + "[" * 200_000 + "]" * 200_000, "utf-8")


def _pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def _without_end(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")


def _huge(path: Path) -> None:
    path.unlink(missing_ok=True)
    with path.open("wb") as file:
        file.truncate(40_000_000)


@pytest.mark.parametrize(
    ("name", "spoil", "words"),
    [
        ("variant.toml", _brackets, "brackets within brackets"),
        ("partition.geojson", _brackets, "brackets within brackets"),
        ("variant.toml", _pipe, "not a regular file"), ("names.csv", _pipe, "not a regular file"),
        ("setup.csv", _without_end, "not a regular file"),
        ("borders.csv", _huge, "more than 16,000,000 bytes"),
    ],
)
def test_a_hostile_file_of_a_board_is_one_sentence(
    tiny: Path, name: str, spoil: Callable[[Path], None], words: str
) -> None:
    """Boards are handed on (SEC-05): one of brackets was a fault of ours, one that is a pipe was read for
    ever."""
    spoil(tiny / name)
    sentences = [str(fault) for fault in maps.check_folder(tiny) if fault.file == name]
    assert len(sentences) == 1
    assert words in sentences[0]
