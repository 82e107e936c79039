"""The faults of a board's source are reported by file and line, all of it, and nothing is written."""

from __future__ import annotations

import io
import os
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

import maps
from adjudicator.geo import LAND, SEA
from service.features.importers.import_board import FolderFiles, run_import
from tests.support.foreign_maps import DECLARED

JUDGE = """Somewhere = som
Elsewhere = els
Water = wat
SOM is not a line
RED SOM
A SOM
BLUE ELS
F ELS
COAST SOM ABUTS ELS WAT
COAST ELS ABUTS SOM WAT
WATER WAT ABUTS SOM ELS
"""
SOUND = JUDGE.replace("SOM is not a line\n", "# nothing\n")


def _import(source: Path, folder: Path, **options: bool | str) -> tuple[int, list[str]]:
    out = io.StringIO()
    status = run_import(
        source, folder, name=str(options.get("name", "")), one_way=bool(options.get("one_way")), out=out
    )
    return status, out.getvalue().splitlines()


def _refused(source: Path, folder: Path) -> list[str]:
    status, messages = _import(source, folder)
    assert status == 1
    assert not folder.exists(), "nothing is written"
    return messages


def test_the_small_map_is_sound(tmp_path: Path) -> None:
    (tmp_path / "small.map").write_text(SOUND, "utf-8")
    status, messages = _import(tmp_path / "small.map", tmp_path / "board")
    assert (status, messages[0][:15]) == (0, "board: no fault")


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("# nothing", "COAS SOM ABUTS ELS", 4, "COAS is not a directive known here"),
        ("# nothing", "PAINT", 4, "PAINT is not a directive known here"),
        ("# nothing", "BEGIN SOMETIME 1901 MOVEMENT", 4, "BEGIN needs a season"),
        ("# nothing", "VICTORY many", 4, "VICTORY needs a number"),
        ("# nothing", "A SOM", 4, "A comes before any power"),
        ("# nothing", "USE other.map", 4, "uses other.map, which is not in the same folder"),
        # A board from a stranger must not read what is not next to it.
        ("# nothing", "USE ../../etc/passwd.map", 4, "is not the plain name of a file"),
        # A file that uses itself would be read for ever.
        ("# nothing", "USE small.map", 4, "small.map is used already"),
        ("# nothing", "Third = som", 4, ("the abbreviation SOM belongs to Somewhere already (small.map, line "
                                         "1)")),
        ("# nothing", "Third = t", 4, "'t' is no abbreviation"),
        ("# nothing", "Third = thi", 4, "Third (THI) has a name and no terrain"),
        ("# nothing", "LAND THI ABUTS SOM", 4, "THI has terrain and no name"),
        ("# nothing", "UNPLAYED GREEN", 4, "GREEN is not a power of this file"),
        ("= som", "= som elsewhere", 1, "'elsewhere' means ELS and SOM"),
        ("SOM ABUTS ELS WAT", "SOM ABUTS ELS WAT NOW", 9, "SOM abuts NOW, and no line gives its terrain"),
        ("SOM ABUTS ELS WAT", "SOM ABUTS ELS WAT ELS", 9, "SOM abuts ELS twice"),
        ("# nothing", "COAST som/nc ABUTS WAT", 11, "WAT abuts SOM, which has coasts"),
        ("SOM ABUTS ELS WAT", "SOM ABUTS ELS WAT SOM", 9, "SOM abuts itself"),
        ("SOM ABUTS ELS WAT", "SOM ABUTS ELS/NC WAT", 9, "SOM abuts ELS/NC, and ELS has no such coast"),
        ("SOM ABUTS ELS WAT", "SOM ELS WAT", 9, "after COAST SOM comes ABUTS, not 'ELS'"),
        # Mostly a slip of typing; `--one-way` states that it is meant.
        ("ELS ABUTS SOM WAT", "ELS ABUTS WAT", 9, ("an army goes from SOM to ELS and no line leads it "
                                                   "back")),
        ("F ELS", "F ELS - WAT", 8, "a unit is F and a place"),
        ("F ELS", "F NOW", 8, "a unit is in NOW"),
        ("F ELS", "F ELS/NC", 8, "ELS has no such coast"),
        ("BLUE ELS", "BLUE ELS SOM", 7, "SOM is a home of RED already"),
        ("BLUE ELS", "BLUE ELS NOW", 7, "NOW is a centre here, and no line gives its terrain"),
    ],
)
def test_a_fault_of_a_map_file_is_told_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, sentence: str
) -> None:
    assert old in SOUND
    (tmp_path / "small.map").write_text(SOUND.replace(old, new), "utf-8")
    messages = _refused(tmp_path / "small.map", tmp_path / "board")
    assert any(message.startswith(f"small.map, line {line}: ") and sentence in message
        for message in messages), messages


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    text = (
        SOUND.replace("# nothing", "VICTORY many")
        .replace("SOM ABUTS ELS WAT", "SOM ABUTS ELS WAT NOW")
        .replace("F ELS", "F NOW")
    )
    (tmp_path / "small.map").write_text(text, "utf-8")
    assert [message.partition(":")[0]
        for message in _refused(tmp_path / "small.map", tmp_path / "board")] == [
        "small.map, line 4", "small.map, line 8", "small.map, line 9"]


def test_a_fault_in_a_file_that_is_used_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "base.map").write_text(SOUND.replace("# nothing", "VICTORY many"), "utf-8")
    (tmp_path / "top.map").write_text("USE base\n", "utf-8")
    assert _refused(tmp_path / "top.map", tmp_path / "board") == [("base.map, line 4: VICTORY needs a number "
                                                                   "of centres")]


def test_a_way_without_return_can_be_meant(tmp_path: Path) -> None:
    """For armies only, here: a fleet comes back the way it went."""
    (tmp_path / "small.map").write_text(SOUND.replace("ELS ABUTS SOM WAT", "ELS ABUTS Som WAT"), "utf-8")
    status, _ = _import(tmp_path / "small.map", tmp_path / "board", one_way=True)
    assert status == 0
    board = maps.load_folder(tmp_path / "board").board
    assert [board.near(place, LAND) for place in ("SOM", "ELS")] == [{"ELS"}, set()]
    assert [board.near(place, SEA) for place in ("SOM", "ELS")] == [{"ELS", "WAT"}, {"SOM", "WAT"}]


# XML
# ----------------------------------------------------------------------------------------------------------

BESIDE = (
    DECLARED
    + """<PROVINCES>
<PROVINCE shortname="som" fullname="Somewhere"><ADJACENCY type="mv" refs="els"/>\
<ADJACENCY type="xc" refs="els wat"/></PROVINCE>
<PROVINCE shortname="els" fullname="Elsewhere">
<UNIQUENAME name="other"/>
<ADJACENCY refs="som"/>
<ADJACENCY type="xc" refs="som wat"/>
</PROVINCE>
<PROVINCE shortname="wat" fullname="Water"><ADJACENCY type="xc" refs="som other"/></PROVINCE>
</PROVINCES>
"""
)
GAME = """<VARIANTS>
<VARIANT name="Small" version="1.0">
<MAP adjacencyURI="beside.xml"/>
<POWER name="Red" adjective="Reddish"/>
<POWER name="Blue" adjective="Bluish" altnames="Azure"/>
<STARTINGTIME turn="Spring, 1901, Movement"/>
<SUPPLYCENTER province="som" homepower="red" owner="red"/>
<SUPPLYCENTER province="els" homepower="azure" owner="azure"/>
<INITIALSTATE province="som" power="red" unit="army"/>
</VARIANT>
</VARIANTS>
"""


def _xml(folder: Path, game: str = GAME, beside: str = BESIDE) -> Path:
    (folder / "variants.xml").write_text(game, "utf-8")
    (folder / "beside.xml").write_text(beside, "utf-8")
    return folder


def test_the_small_variant_is_sound(tmp_path: Path) -> None:
    status, messages = _import(_xml(tmp_path), tmp_path / "board")
    assert (status, messages[0][:15]) == (0, "board: no fault")


@pytest.mark.parametrize(
    ("old", "new", "where", "sentence"),
    [
        ('"els"/><ADJ', '"els now"/><ADJ', "beside.xml, line 6", "SOM touches 'now', which is not a"),
        ('"els wat"', '"els-nc wat"', "beside.xml, line 6", "SOM touches ELS/NC, and ELS has no such coast"),
        ('"els"/><ADJ', '"els wat"/><ADJ', "beside.xml, line 6", "by land SOM touches WAT, which is a sea"),
        (
            'refs="som"/>',
            'refs=""/>',
            "beside.xml, line 6",
            ("an army goes from SOM to ELS and no line leads it back"),
        ),
        (
            'type="xc" refs="som wat"',
            'type="uc" refs="som wat"',
            "beside.xml, line 7",
            "adjacency of type 'uc'",
        ),
        (
            'shortname="els"',
            'shortname="som"',
            "beside.xml, line 7",
            ("the abbreviation SOM belongs to Somewhere already (line 6)"),
        ),
        ('"other"/>', '"somewhere"/>', "beside.xml, line 8", "'somewhere' means SOM and ELS"),
        ("UNIQUENAME", "NICKNAME", "beside.xml, line 8", "PROVINCE has no element NICKNAME"),
        ("PROVINCES>\n<P", "COUNTIES>\n<P", "beside.xml, line 13", "mismatched tag"),
        (
            "<!ELEMENT PROVINCES (PROVINCE+)>",
            '<!ENTITY a "aaaa">',
            "beside.xml, line 2",
            "the entity a is declared",
        ),
        (
            "<!ELEMENT PROVINCES (PROVINCE+)>",
            '<!ENTITY % a SYSTEM "file:///etc/passwd">',
            "beside.xml, line 2",
            "the entity a is declared",
        ),
    ],
)
def test_a_fault_of_the_adjacency_is_told_with_its_line(
    tmp_path: Path, old: str, new: str, where: str, sentence: str
) -> None:
    assert old in BESIDE
    messages = _refused(_xml(tmp_path, beside=BESIDE.replace(old, new)), tmp_path / "board")
    assert any(message.startswith(where) and sentence in message for message in messages), messages


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("beside.xml", "gone.xml", 3, "the adjacency gone.xml is not in the same folder"),
        ("beside.xml", "/etc/passwd", 3, "is not the plain name of a file in the same folder"),
        ("beside.xml", "variants.xml", 1, ("its outermost element is VARIANTS; jDip's adjacency has "
                                           "PROVINCES")),
        ('name="Blue"', 'name="Red"', 5, "a POWER needs its own name"),
        ("Spring, 1901", "Maytime, 1901", 6, "the turn it begins with is 'Maytime, 1901, Movement'"),
        ('homepower="azure"', 'homepower="green"', 8, "homepower 'green' is not a POWER"),
        ('province="som" power', 'province="now" power', 9, "INITIALSTATE names 'now'"),
        ('unit="army"', 'unit="wing"', 9, "unit 'wing' is not known here"),
        ('unit="army"', 'unit="army" unitcoast="nc"', 9, "SOM has no coast NC"),
        ("<INITIALSTATE", "<STATE", 9, "VARIANT has no element STATE"),
        ("VARIANTS", "HOUSES", 1, "its outermost element is HOUSES"),
        ("VARIANT ", "GAME ", 10, "mismatched tag"),
    ],
)
def test_a_fault_of_the_variants_is_told_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, sentence: str
) -> None:
    assert old in GAME
    messages = _refused(_xml(tmp_path, game=GAME.replace(old, new)), tmp_path / "board")
    assert any(message.startswith(f"variants.xml, line {line}: ") and sentence in message
        for message in messages), messages


def test_a_file_outside_is_never_opened(tmp_path: Path) -> None:
    """An external entity of any kind is refused before it is looked for."""
    secret = tmp_path / "secret"
    secret.write_text("seen", "utf-8")
    game = f'<!DOCTYPE VARIANTS [<!ENTITY s SYSTEM "{secret.as_uri()}">]>\n' + GAME.replace("Reddish", "&s;")
    messages = _refused(_xml(tmp_path, game=game), tmp_path / "board")
    assert messages == [
        ("variants.xml, line 1: the entity s is declared; boards are read without entities, so "
                     "write its text out")]


def test_several_variants_are_chosen_among_by_name(tmp_path: Path) -> None:
    variant = GAME[GAME.index("<VARIANT "): GAME.index("</VARIANTS>")]
    _xml(tmp_path, game=GAME.replace("</VARIANTS>", variant.replace("Small", "Smaller") + "</VARIANTS>"))
    assert _refused(tmp_path, tmp_path / "board") == [
        "variants.xml, line 1: name the variant with --name; there are 'Small', 'Smaller'"]
    assert _import(tmp_path, tmp_path / "board", name="smaller")[0] == 0
    assert _import(tmp_path, tmp_path / "none", name="large")[1] == [
        "variants.xml, line 1: it has no variant called 'large'; there are 'Small', 'Smaller'"]


# Any source
# ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.map", b"", "a.map: the file is empty"),
        ("a.map", b" \n\n", "a.map: the file is empty"),
        # Latin-1, as older editors save it.
        ("a.map", b"# one\n# \xe9\n", ("a.map, line 2: the byte 0xe9 is not UTF-8; save the file as UTF-8 "
                                       "text")),
        ("a.map", b"# one\n\0\0", "a.map, line 2: there is a zero byte in it, so this is not a text file"),
        ("a.map", b"# nothing else\n", "a.map: it has no places, so it is not a board"),
        ("a.xml", b"<html><body/></html>", ("a.xml, line 1: its outermost element is html; jDip's variants "
                                            "have VARIANTS")),
        ("a.xml", b"\n<PROVINCES/>", ("a.xml, line 2: this is only the adjacency; import the variants.xml "
                                      "in the same folder, which names the powers")),
        ("a.xml", b"no XML", "a.xml, line 1: this is not valid XML: syntax error"),
        ("a.xml", b'<?xml version="1.0" encoding="klingon"?><VARIANTS/>', ("a.xml, line 1: its encoding is "
                                                                           "not known (unknown encoding: "
                                                                           "klingon); save it as UTF-8")),
        # Deep nesting would end in a RecursionError.
        ("a.xml", b"<VARIANTS>" + b"<a>" * 60, ("a.xml, line 1: more than 50 nested elements, which no "
                                                "board needs")),
        ("a.txt", b"words", ("a.txt: this is not a board: give a folder of our tables, a .map file, or "
                             "jDip's variants.xml")),
    ],
)
def test_what_is_no_board_is_said_in_one_sentence(tmp_path: Path, name: str, data: bytes,
        message: str) -> None:
    (tmp_path / name).write_bytes(data)
    assert _refused(tmp_path / name, tmp_path / "board") == [message]


def test_a_folder_without_a_board_and_one_with_two(tmp_path: Path) -> None:
    assert ("holds neither provinces.csv nor variants.xml nor a .map "
            "file") in _refused(tmp_path, tmp_path / "board")[0]
    for name in ("a.map", "b.map"):
        (tmp_path / name).write_text(SOUND, "utf-8")
    assert "it holds 2 .map files; give one" in _refused(tmp_path, tmp_path / "board")[0]
    assert _refused(tmp_path / "gone", tmp_path / "board") == ["gone: there is no such file or folder"]


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "small.map").write_text(SOUND, "utf-8")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine", "utf-8")
    assert _import(tmp_path / "small.map", tmp_path / "full") == (1, [])
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]
    assert "give a new folder" in capsys.readouterr().err


def test_tables_with_faults_are_written_and_their_rows_told(tmp_path: Path) -> None:
    """A typed board is corrected in its tables, so its faults are those of `map check`, row for row as in the
    source."""
    tables = tmp_path / "typed"
    tables.mkdir()
    (tables / "provinces.csv").write_text(
        "id;name;terrain;centre\nSom;Somewhere;inland;yes\n\nEls;Elsewhere;hilly;\n", "utf-8"
    )
    (tables / "borders.csv").write_text("a;b;kind\nSom;Els;land\n", "utf-8")
    (tables / "setup.csv").write_text("power;unit;region\nRed;A;Som\nRed;A;Now\n", "utf-8")
    status, messages = _import(tables, tmp_path / "board")
    assert status == 1
    assert messages == [
        "borders.csv, row 2: 'Els' is not a province of this board",
        "provinces.csv, row 4: Els has the terrain 'hilly'; known are inland, coastal, sea",
        "setup.csv, row 3: 'Now' is not a province of this board",
    ]


def test_a_table_that_is_no_text_is_told_with_its_line(tmp_path: Path) -> None:
    tables = tmp_path / "typed"
    tables.mkdir()
    (tables / "provinces.csv").write_bytes("id,name,terrain\nIle,\xcele,inland\n".encode("latin-1"))
    messages = _refused(tables, tmp_path / "board")
    assert messages == ["borders.csv: the file cannot be read (No such file or directory)",
                    "provinces.csv, line 2: the byte 0xce is not UTF-8; save the file as UTF-8 text"]


# Anything at all
# -----------------------------------------------------------------------------------------------------

WORDS = [
    "SOM", "ELS", "WAT", "som", "Som", "SOM/NC", "som/nc", "A", "F", "ABUTS", "COAST", "LAND", "WATER",
    "SHUT", "PORT", "AMEND", "DROP", "UNOWNED", "CENTERS", "OWNS", "HOME", "UNITS", "UNPLAYED", "ALL",
    "EXCEPT", "RED", "-SOM", "=", "(x:Y)", "VICTORY", "3", "BEGIN", "USE", "MAP", "small.map", "DUMMY", "+",
    "?", "x?", "#",
]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 11), st.lists(st.sampled_from(WORDS), max_size=6)), max_size=4))
def test_any_lines_in_a_map_file_are_answered(inserted_lines: list[tuple[int, list[str]]]) -> None:
    lines = SOUND.splitlines()
    for line_number, words in inserted_lines:
        lines.insert(line_number, " ".join(words))
    _answered("small.map", "\n".join(lines).encode())


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, len(GAME)),
    st.integers(0, 40),
    st.sampled_from(["", "<", ">", '"', "&amp;", "els", "none", 'x="y"', "<POWER/>", "<MAP/>"]),
)
def test_a_variants_file_that_is_torn_or_overwritten_is_answered(
    start: int, length: int, inserted: str
) -> None:
    _answered("variants.xml", (GAME[:start] + inserted + GAME[start + length:]).encode(), BESIDE.encode())


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, len(BESIDE)),
    st.integers(0, 40),
    st.sampled_from(["", "<", ">", '"', "&x;", "els", "mv", 'type="nc"', "<PROVINCE/>"]),
)
def test_an_adjacency_that_is_torn_or_overwritten_is_answered(start: int, length: int, inserted: str) -> None:
    _answered("variants.xml", GAME.encode(), (BESIDE[:start] + inserted + BESIDE[start + length:]).encode())


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(["small.map", "variants.xml", "provinces.csv"]), st.binary(max_size=60))
def test_any_bytes_are_answered(name: str, data: bytes) -> None:
    _answered(name, data)


def _answered(name: str, data: bytes, beside: bytes = b"") -> None:
    """Either a board is written, whose faults its rows tell, or each fault by file and line."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "from"
        source.mkdir()
        (source / name).write_bytes(data)
        (source / "beside.xml").write_bytes(beside)
        status, messages = _import(source, Path(folder) / "board")
        assert status == (0 if messages[0].startswith("board: no fault") else 1)
        for line in messages:
            assert re.match(r"[\w.]+(, (line|row) \d+)?: \S", line), line


def test_a_file_without_end_is_never_read(tmp_path: Path) -> None:
    """A board's folder with a pipe or a device under a name that an importer requests (SEC-05)."""
    (tmp_path / "small.map").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "small.info")
    files = FolderFiles(tmp_path)
    for name in ("small.map", "small.info"):
        assert (files[name].data, files[name].problem) == (b"", "it is not a regular file")
