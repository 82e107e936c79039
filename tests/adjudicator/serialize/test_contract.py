"""`galloper adjudicate` as a program: exit status, lines out for lines in, and the keys that the contract
names."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import maps
from service.cli.adjudicate import run_adjudicate
from tests.adjudicator.expectation import Case, differences

CASES: list[Case] = [
    case
    for path in sorted(Path("maps/w3k/cases").glob("*.toml"))
    for case in tomllib.loads(path.read_text("utf-8"))["case"]
]
MOVEMENT = {"id", "orders", "positions", "dislodged", "contested", "memory"}
RETREAT = {"id", "orders", "positions", "disbanded", "memory"}
WINTER = {"id", "orders", "positions", "removed_by_lot", "lots_used", "memory"}
YEAR_END = {"centres", "winner", "draw_open_to"}


def _galloper(*words: str, text: bytes = b"") -> tuple[int, list[dict[str, Any]], str]:
    finished = subprocess.run(
        [sys.executable, "-m", "service.cli.main", "adjudicate", *words], input=text, capture_output=True,
        check=False)
    return finished.returncode, [json.loads(line)
        for line in finished.stdout.splitlines()], finished.stderr.decode()


def _one(**case: Any) -> dict[str, Any]:
    out = io.StringIO()
    run_adjudicate(maps.load("w3k"), [json.dumps({"id": "x", "year": 1643, "orders": [], **case})], out)
    answer: dict[str, Any] = json.loads(out.getvalue())
    assert "error" not in answer, answer
    return answer


def test_the_worked_cases_through_the_program(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps(case) + "\n" for case in CASES), "utf-8")
    code, answers, errors = _galloper("--variant", "w3k", str(file))
    assert (code, errors, len(answers)) == (0, "", len(CASES))
    assert [answer["id"] for answer in answers] == [case["id"] for case in CASES]
    assert {
        case["id"]: wrong
        for case, answer in zip(CASES, answers, strict=True)
        if (wrong := differences(case, answer))
    } == {}


def test_a_faulty_line_on_standard_input_ends_with_1_and_the_rest_is_judged() -> None:
    good = json.dumps(CASES[0]).encode()
    # An empty line, a byte that is not UTF-8, and a brace without its end, between two good cases.
    code, answers, errors = _galloper("--variant", "w3k", text=good + b"\n\n\xff\n{\n" + good)
    assert (code, errors) == (1, "")
    assert [set(answer) == {"id", "error"} for answer in answers] == [False, True, True, True, False]
    assert answers[0] == answers[4]


def test_no_lines_are_no_fault() -> None:
    assert _galloper("--variant", "standard")[:2] == (0, [])


@pytest.mark.parametrize(
    ("case", "keys"),
    [
        ({"phase": "movement", "season": "Summer", "units": []}, MOVEMENT),
        ({"phase": "movement", "season": "Autumn", "units": []}, MOVEMENT | YEAR_END),
        ({"phase": "retreat", "season": "Summer", "units": []}, RETREAT),
        ({"phase": "retreat", "season": "Autumn", "units": []}, RETREAT | YEAR_END),
        ({"phase": "adjustment", "season": "Winter", "units": []}, WINTER),
    ],
)
def test_the_keys_of_an_answer(case: dict[str, Any], keys: set[str]) -> None:
    assert set(_one(**case)) == keys


def test_an_autumn_with_somebody_to_retreat_does_not_end_the_year_yet() -> None:
    case = next(case for case in CASES if case["id"] == "OWN-01c")
    answer = _one(**{key: case[key] for key in ("phase", "season", "units", "orders", "centres")})
    assert set(answer) == {*MOVEMENT, "unordered"}


def test_where_an_attack_came_from_is_said_without_its_coast() -> None:
    units = ["Argyll F Devon/South Coast", "Argyll F Plymouth Sea Area", "Ormond F Lyme Bay"]
    orders = [
        {"power": "Argyll", "type": "F", "loc": "Devon/South Coast", "order": "move", "to": "Lyme Bay"},
        {
            "power": "Argyll",
            "type": "F",
            "loc": "Plymouth Sea Area",
            "order": "support_move",
            "from": "Devon",
            "to": "Lyme Bay",
        },
    ]
    dislodged = _one(phase="movement", season="Spring", units=units, orders=orders)["dislodged"]
    assert [(unit["loc"], unit["attacker_from"]) for unit in dislodged] == [("Lyme Bay", "Devon")]
    # The other coast of that province is barred too (DATC 6.H.15).
    assert not [place for place in dislodged[0]["may_retreat"] if place.startswith("Devon")]


def test_every_order_is_answered_with_a_result_and_a_sentence() -> None:
    """"why": one sentence, with the paragraph it rests on."""
    for case in CASES:
        answer = _one(
            **{key: case[key] for key in case if key not in {"id", "title", "source", "expect", "why"}}
        )
        assert len(answer["orders"]) == len(case["orders"])
        for order in answer["orders"]:
            assert order["result"] in {"succeeds", "fails", "void"}
            assert order["why"].endswith(")")
            assert "(handbook, " in order["why"] or "(house rules, " in order["why"]
