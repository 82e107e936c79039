"""`galloper adjudicate`: faulty cases are answered one by one, and names may be written either way."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

import maps
from service.cli.adjudicate import case_lines, run_adjudicate

GOOD: dict[str, Any] = {
    "id": "x", "phase": "movement", "units": ["FRANCE A PAR"],
    "orders": [{"power": "FRANCE", "type": "A", "loc": "PAR", "order": "move", "to": "BUR"}],
}


def _run(*lines: str, variant: str = "standard") -> tuple[int, list[dict[str, Any]]]:
    out = io.StringIO()
    status = run_adjudicate(maps.load(variant), lines, out)
    return status, [json.loads(line) for line in out.getvalue().splitlines()]


def _order(**change: Any) -> dict[str, Any]:
    return {**GOOD, "orders": [{**GOOD["orders"][0], **change}]}


@pytest.mark.parametrize(
    ("case", "field"),
    [
        ({**GOOD, "phase": "lunch"}, "phase"),
        ({**GOOD, "phase": ["movement"]}, "phase"),
        ({k: v for k, v in GOOD.items() if k != "phase"}, "phase"),
        ({**GOOD, "season": ["Spring"]}, "season"),
        # A season of another phase.
        ({**GOOD, "season": "Winter"}, "season"),
        ({k: v for k, v in GOOD.items() if k != "orders"}, "orders"),
        ({**GOOD, "orders": None}, "orders"),
        ({**GOOD, "units": None}, "units"),
        (_order(power=None), "orders[0].power"),
        (_order(order=None), "orders[0].order"),
        (_order(order=["move"]), "orders[0].order"),
        (_order(loc=None), "orders[0].loc"),
        (_order(loc=7), "orders[0].loc"),
        (_order(to=None), "orders[0].to"),
        (_order(via_convoy="yes"), "orders[0].via_convoy"),
        (_order(order="build", type=None), "orders[0].type"),
        (_order(order="proxy"), "orders[0].to_power"),
        (_order(order="proxy", to_power="PRUSSIA"), "orders[0].to_power"),
        (_order(order="send_supply", to_power="GERMANY"), "orders[0].count"),
        # In Python True is the number 1.
        (_order(order="send_supply", to_power="GERMANY", count=True), "orders[0].count"),
        ({**GOOD, "memory": [1]}, "memory"),
        ({**GOOD, "memory": 0}, "memory"),
        ({**GOOD, "centres": []}, "centres"),
        ({**GOOD, "centres": {"PRUSSIA": []}}, "centres.PRUSSIA"),
        ({**GOOD, "centres": {"FRANCE": "PAR"}}, "centres.FRANCE"),
        ({**GOOD, "contested": ["ATLANTIS"]}, "contested[0]"),
        ({**GOOD, "dislodged": [{}]}, "dislodged[0].power"),
        (
            {**GOOD, "dislodged": [{"power": "FRANCE", "type": "A", "loc": "BUR"}]},
            "dislodged[0].attacker_from",
        ),
        (
            {**GOOD, "dislodged": [{"power": "FRANCE", "type": "F", "loc": "BUR", "attacker_from": "MUN"}]},
            "dislodged[0].loc",
        ),
        ({**GOOD, "season": "Monsoon"}, "season"),
        ({**GOOD, "year": "1901"}, "year"),
        ({k: v for k, v in GOOD.items() if k != "units"}, "units"),
        ({**GOOD, "units": "FRANCE A PAR"}, "units"),
        ({**GOOD, "units": ["FRANCE A PAR", "FRANCE A ATLANTIS"]}, "units[1]"),
        ({**GOOD, "units": ["FRANCE F PAR"]}, "units[0]"),
        ({**GOOD, "units": ["FRANCE A NTH"]}, "units[0]"),
        ({**GOOD, "units": ["FRANCE A PAR", "GERMANY A PAR"]}, "units[1]"),
        # Two coasts are one province, which holds one unit.
        ({**GOOD, "units": ["FRANCE F SPA/NC", "GERMANY F SPA/SC"]}, "units[1]"),
        ({**GOOD, "units": ["FRANCE F SPA"]}, "units[0]"),
        ({**GOOD, "units": ["FRANCE F SPA/XC"]}, "units[0]"),
        ({**GOOD, "units": ["PRUSSIA A PAR"]}, "units[0]"),
        ({**GOOD, "units": ["FRANCE X PAR"]}, "units[0]"),
        ({**GOOD, "units": [7]}, "units[0]"),
        (_order(to="ATLANTIS"), "orders[0].to"),
        (_order(loc="ATLANTIS"), "orders[0].loc"),
        (_order(to="SPA/XC"), "orders[0].to"),
        (_order(to="BUR/SC"), "orders[0].to"),
        (_order(power="PRUSSIA"), "orders[0].power"),
        (_order(type="Q"), "orders[0].type"),
        (_order(order="dance"), "orders[0].order"),
        (_order(order="support_hold"), "orders[0].from"),
        ({**GOOD, "orders": ["A PAR - BUR"]}, "orders[0]"),
        ({**GOOD, "centres": {"FRANCE": ["BUR"]}}, "centres.FRANCE"),
        ({**GOOD, "centres": {"FRANCE": ["PAR"], "GERMANY": ["PAR"]}}, "centres.GERMANY"),
        ({**GOOD, "lots": ["six"]}, "lots"),
        ({**GOOD, "memory": {"converting": ["FRANCE A ATLANTIS"]}}, "memory.converting[0]"),
    ],
)
def test_a_faulty_case_names_its_field_and_the_next_one_is_judged(case: dict[str, Any], field: str) -> None:
    status, results = _run(json.dumps({**case, "id": "bad"}), json.dumps(GOOD))
    assert status == 1
    assert set(results[0]) == {"id", "error"}
    assert results[0]["id"] == "bad"
    assert results[0]["error"].startswith(f"{field}: ")
    assert results[1]["positions"] == ["FRANCE A BUR"]


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "7",
        "null",
        "",
        "  \n",
        '{"id": NaN}',
        '{"id": "a\udcff"}',
        # Nesting beyond what Python's parser follows, and a number beyond the digits that it converts.
        "[" * 100_000,
        '{"id": [1]}',
        '{"id": 1.5}',
        "9" * 5000,
    ],
)
def test_a_line_that_is_no_case(line: str) -> None:
    status, results = _run(line, json.dumps(GOOD))
    assert (status, results[0]["id"], len(results)) == (1, None, 2)
    assert "error" in results[0]


def test_good_cases_end_well_and_keep_their_id() -> None:
    status, results = _run(
        json.dumps(GOOD), json.dumps({**GOOD, "id": 7}), json.dumps({k: GOOD[k] for k in GOOD if k != "id"})
    )
    assert (status, [answer["id"] for answer in results]) == (0, ["x", 7, None])


def test_a_byte_that_is_no_text_spoils_its_own_line_and_only_a_line_feed_ends_one() -> None:
    # U+2028 ends a line for str.splitlines and not for JSON lines.
    spoilt = json.dumps(GOOD).replace("FRANCE", "FR\u2028NCE").encode()
    lines = case_lines(b"\xef\xbb\xbf" + json.dumps(GOOD).encode() + b'\r\n{"id": "\xff"}\n' + spoilt + b"\n")
    status, results = _run(*lines)
    assert (status, len(results)) == (1, 3)
    assert results[0]["positions"] == ["FRANCE A BUR"]
    assert "UTF-8" in results[1]["error"]
    assert results[2]["error"].startswith("units[0]: ") or results[2]["error"].startswith("orders[0]")
    assert case_lines(b"") == []
    # Empty lines at the end of a file are not cases.
    assert case_lines(b'{"id": 1}\n\n  \r\n') == ['{"id": 1}']


def test_full_names_in_any_case_mean_the_same_as_codes() -> None:
    spelt = {
        **GOOD,
        "units": ["france a Paris"],
        "orders": [{**GOOD["orders"][0], "loc": "paris", "to": "Burgundy"}],
    }
    assert _run(json.dumps(spelt)) == _run(json.dumps(GOOD))


def test_lots_that_run_out_are_a_fault_of_the_case() -> None:
    case = {"id": "few", "phase": "adjustment", "season": "Winter", "year": 1644, "orders": [],
            "units": ["Argyll A Glasgow", "Argyll A Ayr"], "centres": {"Argyll": ["Fife"]}, "lots": []}
    status, results = _run(json.dumps(case), variant="w3k")
    assert (status, results[0]["error"].split(":")[0]) == (1, "lots")


def test_an_illegal_order_is_a_result_and_no_fault() -> None:
    status, results = _run(json.dumps(_order(to="MOS")))
    assert (status, results[0]["orders"][0]["result"], results[0]["orders"][0]["reason"]) == (
        0,
        "void",
        "illegal",
    )


@pytest.mark.parametrize(("case", "error"), [
    ({**GOOD, "units": ["The Protectorate A Kent"], "orders": []},
     "units[0]: there is no power 'The Protectorate'; the nearest is Protectorate; the powers are The Crown"),
    ({**GOOD, "units": ["Protectorate A Kint"], "orders": []},
     "units[0]: there is no region 'Kint'; the nearest is Kent"),
    ({**GOOD, "units": [], "orders": [{"power": "Prussia", "order": "hold", "type": "A", "loc": "Kent"}]},
     "orders[0].power: there is no power 'Prussia'; the powers are The Crown, Cumberland, "),
    # Nothing before the kind of unit, and no kind of unit at all.
    ({**GOOD, "units": ["A Kent"], "orders": []}, "units[0]: 'A Kent' is not a power, a unit type"),
    ({**GOOD, "units": ["The Protectorate"], "orders": []}, "units[0]: 'The Protectorate' is not a power, "),
])
def test_a_wrong_name_gets_the_near_one(case: dict[str, Any], error: str) -> None:
    """INS-05: "a wrong power names the powers and the near one"."""
    status, (reply,) = _run(json.dumps(case), variant="w3k")
    assert status == 1
    assert reply["error"].startswith(error)
