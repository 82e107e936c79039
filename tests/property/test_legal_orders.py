"""LIB-03: the legal orders of every game, held against the judge and against what others list."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings, strategies as st

import galloper
import maps
from adjudicator.judge import judge
from adjudicator.legal_orders import MOST, LegalOrder, legal_orders
from adjudicator.orders import FieldKind, Order, order_fields
from adjudicator.outcome import Result
from adjudicator.position import Position
from bench.adjudicate.random_orders import lots, phase_orders
from maps.variant import Variant

SLUGS = maps.variants()
PUBLIC = Path(__file__).parents[1] / "data" / "datc" / "random_public.jsonl.gz"
seeds = st.integers(0, 2**32)
# A smaller seed is no simpler game, so nothing is shrunk.
FEW = settings(deadline=None, phases=[Phase.explicit, Phase.generate], max_examples=1)


def _played(variant: Variant, chance: Random, phases: int) -> Iterator[Position]:
    position = variant.start
    for _ in range(phases):
        yield position
        orders = phase_orders(variant, position, chance)
        position = judge(variant.context(), variant.rules, position, orders, lots()).position


def _is_void(variant: Variant, position: Position, order: Order) -> bool:
    (outcome,) = judge(variant.context(), variant.rules, position, [order], lots()).outcomes
    # Void as "unmatched" is for what the other side did not answer.
    return outcome.result is Result.VOID and outcome.reason != "unmatched"


def _key(order: Order) -> tuple[object, ...]:
    """What two spellings of one order have in common: its class and the provinces and powers that it names.
    Coasts, flags and optional parts are left out."""
    parts: list[object] = [type(order), order.power]
    for name, (kind, is_optional) in order_fields(type(order)).items():
        value: Any = getattr(order, name)
        if kind is FieldKind.UNIT:
            parts.append(value.region.province)
        elif kind is FieldKind.PLACE and not is_optional:
            parts.append(value.province)
        elif kind is FieldKind.POWER:
            parts.append(value)
    return tuple(parts)


def _counts(legal: LegalOrder) -> Iterator[Order]:
    """An order with the least and the most of its numbers."""
    if legal.counts is None:
        yield legal.order
    else:
        yield from (legal.with_count(count) for count in {legal.counts[0], legal.counts[-1]})


def _check(slug: str, seed: int, phases: int) -> None:
    variant, chance = maps.load(slug), Random(seed)
    for position in _played(variant, chance, phases):
        powers = chance.sample(sorted(variant.powers), 2)
        listed = {power: legal_orders(variant.context(), variant.rules, position, power) for power in powers}
        for power, legal in listed.items():
            for entry in chance.sample(legal, min(len(legal), 25)):
                for order in _counts(entry):
                    assert not _is_void(variant, position, order), order
                if entry.counts is not None and entry.counts[-1] < MOST:
                    assert _is_void(variant, position, _one_more(entry)), "the numbers end too early"
            known = {_key(entry.order) for entry in legal}
            for order in phase_orders(variant, position, chance):
                if order.power == power and not _is_void(variant, position, order):
                    assert _key(order) in known, (str(position.phase), order)


def _one_more(legal: LegalOrder) -> Order:
    assert legal.counts is not None
    wide = LegalOrder(legal.order, range(legal.counts[0], legal.counts[-1] + 2))
    return wide.with_count(legal.counts[-1] + 1)


@pytest.mark.parametrize("slug", SLUGS)
@FEW
@given(seed=seeds)
def test_what_is_listed_is_legal_and_what_is_legal_is_listed(slug: str, seed: int) -> None:
    _check(slug, seed, 4)


@pytest.mark.slow
@pytest.mark.parametrize("slug", SLUGS)
@settings(FEW, max_examples=20)
@given(seed=seeds)
def test_what_is_listed_is_legal_in_long_games(slug: str, seed: int) -> None:
    _check(slug, seed, 12)


def test_one_unit_and_one_power_agree() -> None:
    position = galloper.Position.opening("standard")
    listed = position.legal_orders("Turkey")
    (fleet,) = [unit for unit in position.units if str(unit) == "TURKEY F ANK"]
    assert [str(entry) for entry in position.legal_orders(fleet)] == [
        str(entry) for entry in listed if entry.order.to_json()["loc"] == "ANK"]
    with pytest.raises(galloper.PositionError, match="There is no unit FRANCE A ANK here"):
        position.legal_orders(galloper.Unit("FRANCE", "A", "ANK"))


def test_a_bound_leaves_long_convoys_out() -> None:
    """Four fleets from London to Tunis: over the North Sea or the Channel, the Mid-Atlantic, the Western
    Mediterranean."""
    position = galloper.Position.from_json("standard", {
        "phase": "movement", "season": "Spring", "year": 1905, "units": [
            "ENGLAND A LON", "ENGLAND F ENG", "ENGLAND F MAO", "ENGLAND F WES"]})

    def ends(fleets: int | None) -> set[str]:
        (army,) = [unit for unit in position.units if unit.kind == "A"]
        listed = position.legal_orders(army, longest_convoy=fleets)
        return {str(entry.order.to_json()["to"]) for entry in listed if entry.order.word == "move"}

    assert {"TUN", "NAF"} <= ends(None) == ends(3)
    # Over two fleets, the Channel and the Mid-Atlantic.
    assert ends(2) - ends(1) == {"GAS", "NAF", "POR", "SPA"}
    assert "TUN" not in ends(2)
    assert ends(0) == {"WAL", "YOR"}


def test_grain_comes_as_a_range() -> None:
    """Brittania: a power with 10 grain may spend 1 to 10 of it on its own state, and 5 or more on an
    alliance."""
    position = galloper.Position.from_json("brittania", {
        "phase": "turn", "year": 602, "units": ["Red K Essex", "Gold K Kent"],
        "centres": {"Red": ["Essex"], "Gold": ["Kent"]}, "state": {"grain": {"Red": 10, "Gold": 10}}})
    counts = {str(entry.order): entry.counts for entry in position.legal_orders("Red")}
    assert counts["1 Grain for Defense of Essex"] == range(1, 11)
    # What is written beyond the price is never taken, so that no number is too large (WSB-16).
    assert counts["5 Grain for Alliance with Gold"] == range(5, MOST + 1)
    (defence,) = [entry for entry in position.legal_orders("Red") if entry.order.word == "defend"]
    assert str(defence) == "1 Grain for Defense of Essex (up to 10)"
    assert str(defence.with_count(7)) == "7 Grain for Defense of Essex"
    with pytest.raises(galloper.OrderError, match="11 is not among the numbers"):
        defence.with_count(11)


@pytest.mark.slow
def test_the_classic_board_agrees_with_another_program() -> None:
    """Package `diplomacy`, `get_all_possible_orders`, for the movement positions of a public set: the same
    orders, but for VIA, which it writes behind every move by sea."""
    game_class = pytest.importorskip("diplomacy", reason="comes with the extra `bench`").Game
    lines = gzip.decompress(PUBLIC.read_bytes()).decode().splitlines()
    records = [record for record in map(json.loads, lines) if record["phase"] == "movement"]
    assert len(records) >= 900
    for record in records:
        units: dict[str, list[str]] = {}
        for text in record["units"]:
            power, _, unit = text.partition(" ")
            units.setdefault(power, []).append(unit)
        game = game_class()
        game.clear_units()
        for power, placed in units.items():
            game.set_units(power, placed)
        possible = game.get_all_possible_orders()
        position = galloper.Position.from_json("standard", record)
        for power in units:
            theirs = {_their_text(order) for place in game.get_orderable_locations(power)
                      for order in possible[place]}
            ours = {_our_text(entry.order.to_json()) for entry in position.legal_orders(power)}
            assert ours == theirs, (record["id"], power)


def _their_text(text: str) -> str:
    """An order without VIA, and a support without the coasts of what it supports."""
    unit, support, target = text.removesuffix(" VIA").partition(" S ")
    return unit + support + " - ".join(part.split("/")[0] for part in target.split(" - "))


def _our_text(order: dict[str, Any]) -> str:
    unit = f"{order['type']} {order['loc']}"
    target = f"{order.get('from_type')} {order.get('from', '')}"
    match order["order"]:
        case "move":
            return f"{unit} - {order['to']}"
        case "support_hold":
            return _their_text(f"{unit} S {target}")
        case "support_move":
            return _their_text(f"{unit} S {target} - {order['to']}")
        case "convoy":
            return f"{unit} C {target} - {order['to']}"
        case _:
            return f"{unit} H"
