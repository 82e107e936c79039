"""Print an order and parse it: the order comes back, whatever the board, the phase and the places."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings, strategies as st

from adjudicator.geo import SEA, Region
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
from grammar.nearest_orders import nearest_orders
from grammar.print import canonical, prose
from tests.grammar.boards import board, forms, lexicon, loses_to_another_place, read

_POWERS = {"w3k": ["The Crown", "Cumberland", "Montrose", "Newcastle", "Confederacy"],
           "standard": ["ENGLAND", "FRANCE", "TURKEY"]}
_SHEET: dict[str, Any] = {"power": "Montrose", "line": 7}


@st.composite
def _regions(draw: st.DrawFn, slug: str) -> Region:
    province = board(slug).provinces[draw(st.sampled_from(sorted(board(slug).provinces)))]
    return Region(province.id, draw(st.sampled_from([None, *(c.id for c in province.coasts)])))


@st.composite
def _units(draw: st.DrawFn, slug: str, *, kindless: bool = True) -> UnitRef:
    kinds = [*lexicon(slug).kinds, *([None] if kindless else [])]
    return UnitRef(draw(st.sampled_from(kinds)), draw(_regions(slug)))


@st.composite
def _converts(draw: st.DrawFn, slug: str) -> Convert:
    """The conversions a player can mean: a floating unit has its coast with it, another names its future
    coast."""
    unit = draw(_units(slug, kindless=False))
    floats = SEA in lexicon(slug).kinds[unit.kind or ""].moves
    coast = None if floats else unit.region.coast
    where = unit.region if floats else Region(unit.region.province)
    to_kind = draw(st.sampled_from([None, *lexicon(slug).kinds]))
    return Convert(**_SHEET, unit=UnitRef(unit.kind, where), to_kind=to_kind, coast=coast)


def _orders(slug: str, phase: str) -> st.SearchStrategy[Order]:
    sheet = {name: st.just(value) for name, value in _SHEET.items()}
    unit, to, power = _units(slug), _regions(slug), st.sampled_from(_POWERS[slug])
    kinds = st.sampled_from(sorted(lexicon(slug).kinds))
    every: dict[str, list[st.SearchStrategy[Any]]] = {
        "movement": [
            st.builds(Hold, **sheet, unit=unit),
            st.builds(Move, **sheet, unit=unit, to=to, via_convoy=st.booleans()),
            st.builds(SupportHold, **sheet, unit=unit, target=unit),
            st.builds(SupportMove, **sheet, unit=unit, target=unit, to=to),
            st.builds(Convoy, **sheet, unit=unit, target=unit, to=to),
            st.builds(Proxy, **sheet, unit=unit, to_power=power),
            _converts(slug),
        ],
        "retreat": [st.builds(Retreat, **sheet, unit=unit, to=to), st.builds(Disband, **sheet, unit=unit)],
        "adjustment": [
            st.builds(Build, **sheet, kind=kinds, region=to),
            st.builds(Remove, **sheet, unit=unit),
            st.builds(SendSupply, **sheet, to_power=power, count=st.integers(1, 99)),
        ],
    }
    return st.one_of(every[phase])


_CASES = [(slug, phase) for slug in ("w3k", "standard") for phase in ("movement", "retreat", "adjustment")]
_RULES = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(("slug", "phase"), _CASES)
@_RULES
@given(data=st.data())
def test_canonical_text_gives_the_order_back(slug: str, phase: str, data: st.DataObject) -> None:
    order = data.draw(_orders(slug, phase))
    assume(not loses_to_another_place(order, lexicon(slug)))
    line = read(canonical(order, board(slug)), phase, slug)
    assert line.orders == (order,)


@pytest.mark.parametrize(("slug", "phase"), _CASES)
@_RULES
@given(data=st.data())
def test_prose_gives_the_order_back(slug: str, phase: str, data: st.DataObject) -> None:
    order = data.draw(_orders(slug, phase))
    assume(not loses_to_another_place(order, lexicon(slug)))
    line = read(f"{prose(order, board(slug), lexicon(slug).kinds)}.", phase, slug)
    assert line.orders == (order,)


@pytest.mark.parametrize(("slug", "phase"), _CASES)
@_RULES
@given(data=st.data())
def test_several_orders_of_one_line_come_back_in_order(slug: str, phase: str, data: st.DataObject) -> None:
    orders = data.draw(st.lists(_orders(slug, phase), min_size=2, max_size=3))
    assume(not any(loses_to_another_place(order, lexicon(slug)) for order in orders))
    line = read("; ".join(canonical(order, board(slug)) for order in orders), phase, slug)
    assert line.orders == tuple(orders)


@settings(_RULES, max_examples=40)
@given(data=st.data())
def test_a_clean_line_snaps_to_itself(data: st.DataObject) -> None:
    order = data.draw(_orders("w3k", "movement"))
    assume(not loses_to_another_place(order, lexicon()))
    nearest = nearest_orders(
        canonical(order, board()), lexicon=lexicon(), forms=forms(), power="Montrose", line=7
    )
    assert nearest.candidates[0].orders == (order,)


@_RULES
@given(text=st.text(max_size=450))
@example(text="'")  # A sign alone, of which no word is left.
def test_any_text_is_answered(text: str) -> None:
    line = read(text)
    assert bool(line.orders) != bool(line.complaint)


@_RULES
@given(
    words=st.lists(
        st.sampled_from(
            [
                "army",
                "fleet",
                "a",
                "f",
                "london",
                "kent",
                "surrey",
                "isle",
                "of",
                "man",
                "the",
                "crown",
                "montrose",
                "holds",
                "h",
                "moves",
                "to",
                "-",
                "s",
                "supports",
                "c",
                "convoys",
                "and",
                ",",
                ".",
                "(",
                ")",
                "/",
                "south",
                "coast",
                "converts",
                "is",
                "under",
                "orders",
                "command",
                "offered",
                "not",
                "if",
                "or",
            ]
        ),
        max_size=12,
    )
)
def test_any_words_in_any_order_are_answered(words: list[str]) -> None:
    line = read(" ".join(words))
    assert bool(line.orders) != bool(line.complaint)
    if line.orders and {"not", "if", "or"} & set(words):
        # only as a name's own letters: "Not" is Nottingham Castle's abbreviation
        assert "(" in words or "not" in words
