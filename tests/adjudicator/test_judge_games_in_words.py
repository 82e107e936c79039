"""Games played by hand for three years (`maps/<slug>/cases/game/*.toml`): each order as a player writes it,
each outcome, and the board as it was drawn again (1648: TYW-01 to TYW-14; 1066: D66-01 to D66-11)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import maps
from adjudicator.judge import judge
from adjudicator.orders import Order
from adjudicator.position import Position
from maps.variant import Variant
from reading.vocabulary import parse_typed

GAMES = [pytest.param(slug, path, id=f"{slug}-{path.stem}")
         for slug in maps.variants() for path in sorted(Path("maps", slug, "cases", "game").glob("*.toml"))]


def test_two_games_were_played_in_words() -> None:
    """The others are in `test_judge_played_games`."""
    assert {"britain1066-three_years", "war1648-three_years"} <= {game.id for game in GAMES}


@pytest.mark.parametrize(("slug", "path"), GAMES)
def test_every_outcome_and_every_board_is_as_worked_out_by_hand(slug: str, path: Path) -> None:
    variant, game = maps.load(slug), tomllib.loads(path.read_text("utf-8"))
    position = variant.start
    begun = position.phase
    notes: list[str] = []
    for phase in game["phase"]:
        now = position.phase
        assert f"{now.season} {now.year} {now.kind}" == phase["when"]
        orders, expected = _orders(variant, position, phase)
        resolution = judge(variant.context(), variant.rules, position, orders)
        assert [o.reason or o.result.value for o in resolution.outcomes] == [
            result for _, result in expected
        ], (phase["when"], [
            (text, o.why) for (text, _), o in zip(expected, resolution.outcomes, strict=True)])
        assert resolution.winner is None
        notes += resolution.notes
        position = resolution.position
        if "units" in phase:
            _compare(variant, position, phase)
    assert notes == game.get("told", [])
    assert position.phase.year - begun.year >= 3
    assert position.phase.season == begun.season, "whole years"


def _orders(
    variant: Variant, position: Position, phase: dict[str, Any]
) -> tuple[list[Order], list[tuple[str, str]]]:
    """The orders of a phase, and for each its line and what is to become of it."""
    orders: list[Order] = []
    expected_results: list[tuple[str, str]] = []
    for power, text, result in phase["orders"]:
        parsed = parse_typed(variant, position.phase.kind, power, text)
        assert parsed.orders, (phase["when"], text)
        orders += parsed.orders
        # One line may be several orders ("Armies London and Kent hold"), and they come to the same.
        expected_results += [(text, result)] * len(parsed.orders)
    return orders, expected_results


def _compare(variant: Variant, position: Position, phase: dict[str, Any]) -> None:
    """Who is where, and who holds what: which centres, or how many."""
    standing = {
        power: sorted(f"{u.kind} {u.region}" for u in position.units if u.power == power)
        for power in variant.powers
    }
    assert standing == {power: sorted(units) for power, units in phase["units"].items()}, phase["when"]
    for power in variant.powers:
        owned, expected = position.centres.get(power, frozenset()), phase["centres"][power]
        assert (len(owned) if isinstance(expected, int) else sorted(owned)) == expected, (
            phase["when"], power)
