"""`galloper parse`: the contract's JSON, one object a line."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

import maps
from service.cli.parse import run_parse


def answers(lines: str, phase: str = "movement", slug: str = "w3k") -> list[dict[str, Any]]:
    out = io.StringIO()
    assert run_parse(maps.load(slug), phase, io.StringIO(lines), as_json=True, out=out) == 0
    return [json.loads(row) for row in out.getvalue().splitlines()]


def test_a_line_gives_the_contracts_object() -> None:
    (row,) = answers("Army Caernarfonshire moves to Dublin & the Pale.\n")
    assert row == {
        "text": "Army Caernarfonshire moves to Dublin & the Pale.",
        "order": "A Caernarfonshire - Dublin & the Pale",
        "parsed": {"order": "move", "type": "A", "loc": "Caernarfonshire", "to": "Dublin & the Pale"},
        "complaint": None,
        "candidates": [{"text": "A Caernarfonshire - Dublin & the Pale",
                        "order": "A Caernarfonshire - Dublin & the Pale", "score": 1.0}],
    }


def test_a_line_that_is_no_order_gives_a_complaint() -> None:
    (row,) = answers("Army London to Surrey or Kent\n")
    assert (row["order"], row["parsed"]) == (None, None)
    assert row["complaint"]["code"] == "invalid"
    assert row["complaint"]["span"] == [22, 24]
    assert "or" in row["complaint"]["message"]


# the keys are those of a case of `galloper adjudicate`
@pytest.mark.parametrize(
    ("line", "phase", "slug", "parsed"),
    [
        (
            "F STP/NC - NWY",
            "movement",
            "standard",
            {"order": "move", "type": "F", "loc": "STP/NC", "to": "NWY"},
        ),
        (
            "A PAR S A MAR - BUR",
            "movement",
            "standard",
            {
                "order": "support_move",
                "type": "A",
                "loc": "PAR",
                "from": "MAR",
                "from_type": "A",
                "to": "BUR",
            },
        ),
        (
            "A Northumberland S Eskdale",
            "movement",
            "w3k",
            {"order": "support_hold", "type": "A", "loc": "Northumberland", "from": "Eskdale"},
        ),
        (
            "Convert Army Devon to Fleet South Coast",
            "movement",
            "w3k",
            {"order": "convert", "type": "A", "loc": "Devon", "to_type": "F", "coast": "South Coast"},
        ),
        (
            "Army London is under the orders of the Crown",
            "movement",
            "w3k",
            {"order": "proxy", "type": "A", "loc": "London", "to_power": "The Crown"},
        ),
        (
            "A London - Holland via convoy",
            "movement",
            "w3k",
            {"order": "move", "type": "A", "loc": "London", "to": "Holland", "via_convoy": True},
        ),
        ("A London disbands", "retreat", "w3k", {"order": "disband", "type": "A", "loc": "London"}),
        (
            "Build a Fleet in Devon SC",
            "adjustment",
            "w3k",
            {"order": "build", "type": "F", "loc": "Devon/South Coast"},
        ),
        (
            "Send 2 units' supply to Argyll",
            "adjustment",
            "w3k",
            {"order": "send_supply", "to_power": "Argyll", "count": 2},
        ),
    ],
)
def test_parsed_is_an_order_of_adjudicate(line: str, phase: str, slug: str, parsed: dict[str, Any]) -> None:
    (row,) = answers(line, phase, slug)
    assert row["parsed"] == parsed


def test_what_is_printed_is_taken_back() -> None:
    text = "Armies London and Kent hold\nA Lon - Sur\nF Iri C A Cae - Dub\n"
    first = answers(text)
    again = answers("\n".join(row["order"] for row in first))
    assert [row["order"] for row in again] == [row["order"] for row in first]
    # One sentence may hold several orders.
    assert first[0]["order"] == "A London H; A Kent H"
    assert [order["loc"] for order in first[0]["parsed"]["orders"]] == ["London", "Kent"]


def test_plain_text_is_for_people_and_blank_lines_are_passed_over() -> None:
    out = io.StringIO()
    lines = ["\n", "A Lon - Sur\n", "nonsense\r\n"]
    assert run_parse(maps.load("w3k"), "movement", lines, as_json=False, out=out) == 0
    assert out.getvalue().splitlines() == [
        "A London - Surrey", "? nonsense (No word of this line belongs to an order.)"]


@pytest.mark.parametrize("phase", ["turn", "spring"])
def test_a_phase_the_variant_lacks_is_bad_usage(phase: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_parse(maps.load("w3k"), phase, [], as_json=True, out=io.StringIO()) == 2
    assert "adjustment, movement, retreat" in capsys.readouterr().err
