"""All 162 order lines of the sample sheets mean what their maker meant; headings and signatures give no
order."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from adjudicator.geo import Region
from adjudicator.orders import (
    Build,
    Convert,
    Convoy,
    Disband,
    Hold,
    Move,
    Order,
    Proxy,
    Remove,
    Retreat,
    SendSupply,
    SupportHold,
    SupportMove,
)
from adjudicator.units import UnitRef
from grammar.parse import LineKind, parse_page
from tests.grammar.boards import DATA, forms, lexicon, read

_ROWS = [
    json.loads(row) for row in Path(DATA, "sample_orders.jsonl").read_text(encoding="utf-8").splitlines()
]
_ORDERS = [row for row in _ROWS if row["kind"] == "order"]


def _unit(spec: dict[str, Any]) -> UnitRef:
    return UnitRef(spec["type"], Region(spec["at"], spec["coast"]))


def meant(spec: dict[str, Any]) -> Order:
    """The order a sheet's maker wrote down as the meaning of a line."""
    author: dict[str, Any] = {"power": "Montrose", "line": 7}
    if spec["order"] == "send_supply":
        return SendSupply(**author, to_power=_seat(spec["power"]), count=spec["count"])
    unit = _unit(spec["unit"])
    if spec["order"] == "build":
        return Build(**author, kind=spec["unit"]["type"], region=unit.region)
    author["unit"] = unit
    if "target" in spec:
        author["target"] = _unit(spec["target"])
    if "to" in spec:
        author["to"] = Region(spec["to"], spec["to_coast"])
    if "to_type" in spec:
        author["to_kind"] = spec["to_type"]
    if "power" in spec:
        author["to_power"] = _seat(spec["power"])
    classes: dict[str, type[Order]] = {
        "hold": Hold, "move": Move, "support_hold": SupportHold, "support_move": SupportMove,
        "convoy": Convoy,
        "convert": Convert, "proxy": Proxy, "retreat": Retreat, "disband": Disband, "remove": Remove,
    }
    return classes[spec["order"]](**author)


def _seat(name: str) -> str:
    return name if name == "The Crown" else name.removeprefix("The ")


@pytest.mark.parametrize("row", _ORDERS, ids=lambda row: f"{row['sheet']} {row['text']}")
def test_a_sample_line_means_what_was_meant(row: dict[str, Any]) -> None:
    line = read(row["text"], row["phase"])
    assert line.complaint is None, line.complaint
    assert line.orders == (meant(row["meaning"]),)


def test_pages_part_headings_orders_struck_lines_and_signatures() -> None:
    sheets = defaultdict(list)
    for row in _ROWS:
        sheets[row["sheet"]].append(row)
    assert len(sheets) == 20
    for rows in sheets.values():
        page = parse_page(
            [(r["text"], r["struck"]) for r in rows],
            lexicon=lexicon(),
            forms=forms(rows[0]["phase"]),
            power="Montrose",
        )
        expected = {"heading": LineKind.HEADING, "order": LineKind.ORDER, "signature": LineKind.OTHER}
        assert [line.kind for line in page.lines] == [
            LineKind.STRUCK if r["struck"] else expected[r["kind"]] for r in rows]
        assert len(page.orders) == sum(r["kind"] == "order" and not r["struck"] for r in rows)
        assert page.complaints == ()


@pytest.mark.parametrize("text", ["Build a thing somewhere", "Army London " * 40, "Army Kent dances"])
def test_a_first_line_that_begins_like_an_order_is_no_heading(text: str) -> None:
    page = parse_page(
        [(text, False), ("Army London holds", False)], lexicon=lexicon(), forms=forms(), power="Montrose"
    )
    expected_kind = LineKind.HEADING if len(text) > 400 else LineKind.ORDER
    assert page.lines[0].kind is expected_kind
    assert len(page.orders) == 1


def test_a_bad_line_does_not_discard_the_page() -> None:
    page = parse_page(
        [("Montrose", False), ("Army London holds", False), ("Army London quacks", False), ("", False),
         ("Army Kent holds", False), ("Montrose", False)],
        lexicon=lexicon(), forms=forms(), power="Montrose")
    assert [line.kind.value for line in page.lines] == [
        "heading",
        "order",
        "order",
        "blank",
        "order",
        "other",
    ]
    assert [order.line for order in page.orders] == [2, 5]
    assert [(c.line, c.code.value) for c in page.complaints] == [(3, "invalid")]
