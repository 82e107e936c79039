"""JSON Schemas against what they describe: files of the repository and what commands print; and against wrong
files of each kind (INS-08)."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import maps
from maps.faults import Faults
from maps.variant_file import read_variant_file
from service.cli import main
from service.cli.adjudicate import run_adjudicate
from service.cli.parse import run_parse
from service.config import ConfigError
from service.features.schemas.catalogue import SCHEMAS, NoSuchSchema, schema
from service.games.create import read_game_file
from tests.support.features import commands_of
from tests.support.toml_text import toml_text

ROOT = Path(__file__).parents[3]
BOARDS = sorted((ROOT / "maps").glob("*/variant.toml"))
GAME = """
name = "Powick Bridge"
variant = "w3k"
start = 2027-03-01
[[player]]
name = "Ada Byron"
mail = ["ada@example.org"]
[seats]
Montrose = "Ada Byron"
"""


def faults(name: str, document: Any) -> list[str]:
    """What a validator that is not ours states against a document."""
    return [error.message for error in jsonschema_rs.Draft202012Validator(schema(name)).iter_errors(document)]


def plain(toml: dict[str, Any]) -> Any:
    """A TOML file as JSON has it: a date is a text."""
    return json.loads(json.dumps(toml, default=str))


def cases() -> Iterator[dict[str, Any]]:
    folder = ROOT / "tests" / "data" / "datc"
    yield from json.loads((folder / "datc.json").read_text("utf-8"))["cases"]
    with gzip.open(folder / "random_public.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for line, _ in zip(lines, range(100), strict=False))
    for path in sorted((ROOT / "maps").glob("*/cases/*.toml")):
        yield from tomllib.loads(path.read_text("utf-8")).get("case", [])


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_one_of_draft_2020_12(name: str) -> None:
    """INS-08. A key that the draft does not know is not a fault to it; a wrong value of one it knows is."""
    jsonschema_rs.meta.validate(schema(name))
    assert schema(name)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_boards_and_tables_fit_their_schemas() -> None:
    """INS-08"""
    assert len(BOARDS) == len(maps.variants())
    for path in BOARDS:
        assert faults("board", tomllib.loads(path.read_text("utf-8"))) == [], path
        for table in ("provinces", "borders", "names", "setup"):
            rows = list(csv.DictReader(io.StringIO((path.parent / f"{table}.csv").read_text("utf-8-sig"))))
            assert [fault for row in rows for fault in faults(table, row)] == [], (path, table)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("title", 3),
        ("victory", "18"),
        ("middle", [14.0]),
        ("middle", [14.0, 151.0]),
        ("typo", "x"),
        ("calendar", {"steps": [["Spring", "moving"]], "start": ["Spring", 1901, "movement"]}),
        ("calendar", {"steps": [["Spring", "movement"]], "start": ["Spring", "1901", "movement"]}),
        ("units", {"A": {"moves": ["land"]}}),
        ("rules", {}),
        ("powers", [{"id": "FRANCE", "colour": "blue", "pattern": "dots", "letter": "F"}]),
    ],
)
def test_what_the_loader_refuses_in_a_board_its_schema_refuses(key: str, value: Any, tmp_path: Path) -> None:
    """INS-08. Both say no to the same wrong file, and yes to it before it was made wrong."""
    board = tomllib.loads((ROOT / "maps" / "standard" / "variant.toml").read_text("utf-8"))
    assert faults("board", board) == []
    board[key] = value
    assert faults("board", board) != []
    loader_faults = Faults()
    (tmp_path / "variant.toml").write_text(toml_text(board), "utf-8")
    read_variant_file(tmp_path, loader_faults)
    assert loader_faults.all(), "the loader takes it"


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("provinces", {"id": "", "name": "Kent", "terrain": "coastal"}),
        ("provinces", {"id": "Kent", "name": "Kent", "terrain": "hills"}),
        ("provinces", {"id": "Kent", "name": "Kent", "terrain": "coastal", "centre": "perhaps"}),
        ("borders", {"a": "Kent", "b": "Sussex", "kind": "river"}),
        ("borders", {"a": "Kent", "kind": "land"}),
        ("names", {"text": "Kent", "region": "Kent", "spelling": "nickname"}),
        ("setup", {"power": "Wessex", "region": "Kent"}),
    ],
)
def test_a_wrong_row_of_a_table_is_refused(table: str, row: dict[str, str]) -> None:
    """INS-08"""
    assert faults(table, row) != []


def test_a_game_file_fits_and_a_wrong_one_does_not(tmp_path: Path) -> None:
    """INS-08"""
    path = tmp_path / "game.toml"
    for old, new in (
        ("", ""),
        ("2027-03-01", '"soon"'),
        ('mail = ["ada@example.org"]', ""),
        ("start", "begin"),
    ):
        path.write_text(GAME.replace(old, new), "utf-8")
        document = plain(tomllib.loads(path.read_text("utf-8")))
        if old == "":
            assert faults("game", document) == []
            assert read_game_file(path).name == "Powick Bridge"
            continue
        with pytest.raises(ConfigError):
            read_game_file(path)
        # "date" is a format, which a validator may leave unchecked; ours for this test checks it.
        strict = jsonschema_rs.Draft202012Validator(schema("game"), validate_formats=True)
        assert not strict.is_valid(document), old


def test_cases_of_every_game_fit_and_so_do_the_answers_to_them() -> None:
    """INS-08: the DATC, positions that public engines agree on, and each game's own cases."""
    every_case = list(cases())
    assert len(every_case) > 500
    assert [(case["id"], fault) for case in every_case for fault in faults_of_case(case)] == []
    out = io.StringIO()
    for slug in ("standard", "brittania"):
        some = (
            tomllib.loads((ROOT / "maps" / slug / "cases" / "war.toml").read_text("utf-8"))["case"]
            if (slug == "brittania")
            else every_case[:40]
        )
        run_adjudicate(maps.load(slug), [json.dumps(case) for case in some] + ["no case"], out)
    replies = [json.loads(line) for line in out.getvalue().splitlines()]
    assert sum("error" in reply for reply in replies) == 2
    assert [fault for reply in replies for fault in faults("answer", reply)] == []
    for wrong in ({"id": 1}, {**replies[0], "orders": [{"result": "wins", "why": "it did"}]}, {"error": "x"}):
        assert faults("answer", wrong) != []


_CASE = jsonschema_rs.Draft202012Validator(schema("case"))


def faults_of_case(case: dict[str, Any]) -> list[str]:
    return [error.message for error in _CASE.iter_errors(case)]


@pytest.mark.parametrize(
    "change",
    [
        {"phase": "moving"},
        {"units": ["FRANCE"]},
        {"units": "FRANCE A PAR"},
        {"orders": [{"power": "FRANCE", "loc": "PAR", "order": "move"}]},
        {"orders": [{"loc": "PAR", "order": "hold"}]},
        {"orders": [{"power": "FRANCE", "loc": "PAR", "order": "fly", "to": "BUR"}]},
        {"lots": ["three"]},
        {"year": "1901"},
    ],
)
def test_a_wrong_case_is_refused_by_schema_and_judge(change: dict[str, Any]) -> None:
    """INS-08"""
    good = {
        "id": 1,
        "phase": "movement",
        "units": ["FRANCE A PAR"],
        "orders": [{"power": "FRANCE", "type": "A", "loc": "PAR", "order": "move", "to": "BUR"}],
    }
    assert faults_of_case(good) == []
    wrong = deepcopy(good) | change
    assert faults_of_case(wrong) != []
    out = io.StringIO()
    assert run_adjudicate(maps.load("standard"), [json.dumps(wrong)], out) == 1


def test_what_parse_prints_fits(capsys: pytest.CaptureFixture[str]) -> None:
    """INS-08"""
    lines = [
        "Army London to Surrey",
        "F Lyme Bay S A Devon",
        "hello",
        "A London converts to F",
        "A London proxy Argyll",
    ]
    out = io.StringIO()
    assert run_parse(maps.load("w3k"), "movement", lines, True, out) == 0
    replies = [json.loads(line) for line in out.getvalue().splitlines()]
    assert len(replies) == len(lines)
    assert [fault for reply in replies for fault in faults("parse", reply)] == []
    for wrong in (
        {"parsed": {"order": "fly"}},
        {"complaint": {"code": "bad", "span": [0, 1], "message": "x"}},
        {"candidates": None},
    ):
        assert faults("parse", replies[0] | wrong) != []


@pytest.mark.slow
def test_what_intake_prints_fits(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """INS-08, with the mails that were written for the intake."""
    index = str(ROOT / "tests" / "data" / "mail" / "index.json")
    mails = [str(path) for path in sorted((ROOT / "tests" / "data" / "mail").glob("s0*.eml"))]
    monkeypatch.setattr(
        "sys.argv", ["galloper", "intake", "--context", index, "--index", index, "--json", *mails]
    )
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert not ended.value.code
    replies = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(replies) == len(mails)
    assert {reply["verdict"] for reply in replies} >= {"accepted"}
    assert [fault for reply in replies for fault in faults("intake", reply)] == []
    accepted = next(reply for reply in replies if reply["verdict"] == "accepted")
    for wrong in ({"reason": "late"}, {"verdict": "perhaps"}, {"game": None}, {"photos": -1}):
        assert faults("intake", accepted | wrong) != []


def test_the_contracts_example_of_read_fits() -> None:
    """INS-08: the object that docs/contract.md shows, and wrong ones next to it."""
    line: dict[str, Any] = {
        "box": [[0, 0], [9, 0], [9, 4], [0, 4]],
        "kind": "order",
        "struck": False,
        "text": "Army Derry to Isle of Man",
        "order": "A Londonderry - Isle of Man",
        "confidence": 0.97,
        "status": "auto",
        "candidates": [{"text": "...", "order": None, "score": 0.97}],
        "why_open": [],
    }
    photograph: dict[str, Any] = {
        "file": "a.jpg",
        "status": "read",
        "reason": None,
        "seconds": 1.9,
        "seconds_by_part": {"opening": 0.2, "recognizing": 0.9, "deciphering": 0.8},
        "pages": [{"page": 1, "rotation": 90, "skew_degrees": -1.4, "printed": None, "own_hand": [0],
                       "lines": [line]}],
    }
    assert faults("read", photograph) == []
    assert faults("read", photograph | {"status": "unusable", "reason": "blurred", "pages": []}) == []
    for wrong in (
        {"struck": True},
        {"confidence": 97},
        {"box": [[0, 0]]},
        {"status": "sure"},
        {"candidates": [line["candidates"][0]] * 6},
    ):
        page = photograph["pages"][0] | {"lines": [line | wrong]}
        assert faults("read", photograph | {"pages": [page]}) != [], wrong
    assert faults("read", photograph | {"status": "unusable"}) != []


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    """INS-08"""
    with pytest.raises(NoSuchSchema, match="settings, game, board"):
        schema("colours")


def test_it_adds_one_command() -> None:
    assert commands_of("schemas") == {"schema"}
