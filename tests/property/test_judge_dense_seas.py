"""The judge against a second opinion that shares nothing with it, on seas full of fleets (JUD-01, JUD-02).

The second opinion reads the boards' tables itself, finds routes by trying every simple way, and resolves by
trying every set of moves that succeed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.geo import LAND, SEA
from adjudicator.judge import judge
from adjudicator.orders import Convoy, Move, UnitOrder
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.units import Unit
from tests.adjudicator import dense_seas
from tests.adjudicator.brute_routes import BruteLegality, turned
from tests.adjudicator.chart import Chart
from tests.adjudicator.naive import Naive, NoOpinion
from tests.adjudicator.naive_legality import waters

SLUGS = ("standard", "w3k", "bretwalda", "britain1066", "war1648")
"""Every board with fleets; Brittania's turns have `test_judge_brittania`."""
VARIANTS = {slug: maps.load(slug) for slug in SLUGS}
CHARTS: dict[str, Any] = {slug: Chart(slug) for slug in maps.variants()}
"""A chart is where the naive resolvers take a board."""
WATERS = {slug: waters(CHARTS[slug]) for slug in SLUGS}
SEASONS = {"standard": "Spring", "w3k": "Summer", "bretwalda": "Spring", "britain1066": "May",
           "war1648": "April"}
"""A movement season without frost, hidden fleets or an end of the year."""
BY_MAP = {"w3k"}
"""Where words that name a way overseas are a move without fleets on it (Q-17)."""
STANDS = {"bretwalda"}
"""Where a move whose convoy no one ordered is not a move (BRE-17)."""
MOVES_AT_MOST = 8
SCENES = (dense_seas.dense, dense_seas.chain, dense_seas.islands, dense_seas.chain, dense_seas.straits)


def test_the_tables_say_what_the_loader_says() -> None:
    """The second opinion's own chart and the board agree, so that a difference below is the judge's."""
    for slug, chart in CHARTS.items():
        board = maps.load(slug).board
        for province, place in chart.provinces.items():
            assert place.is_sea == board.provinces[province].is_sea
            for movement in (LAND, SEA):
                near = {p for p in board.near(province, movement) if p in chart.provinces}
                assert near == chart.near(province, movement), (slug, province)
                for region in chart.regions(province, movement):
                    ends = {r for r in board.neighbours(region, movement) if r.province in chart.provinces}
                    assert ends == chart.neighbours(region, movement), (slug, region)


def dense_scene(slug: str, seed: int) -> tuple[list[Unit], list[UnitOrder]]:
    """Units and orders of a position on one board."""
    chance = Random(f"{slug} {seed}")
    powers = list(VARIANTS[slug].powers)[: chance.choice([1, 2, 3, 4])]
    return SCENES[seed % len(SCENES)](CHARTS[slug], chance, powers)


def _turned_scene(units: list[Unit], orders: list[UnitOrder]) -> tuple[list[Unit], list[UnitOrder]] | None:
    """The first army overseas on its way back, if no one is where it wanted to go."""
    held = {unit.region.province for unit in units}
    for order in orders:
        if not isinstance(order, Move) or order.unit.kind != "A" or order.to.province in held:
            continue
        start, goal = order.unit.region, order.to
        army = next(unit for unit in units if unit.region == start)
        back = replace(order, unit=replace(order.unit, region=goal), to=start)
        others = [o for o in orders if o is not order]
        return (
            [replace(army, region=goal) if unit is army else unit for unit in units],
            [back, *turned(others, start.province, goal.province)],
        )
    return None


def _compare(slug: str, units: list[Unit], orders: list[UnitOrder], counts: Counter[str | None]) -> bool:
    """Judge one position both ways. False where the second opinion has none."""
    variant, chart = VARIANTS[slug], CHARTS[slug]
    if sum(isinstance(order, Move) for order in orders) > MOVES_AT_MOST:
        return False
    legality = BruteLegality(
        chart, WATERS[slug], units, overseas_by_map=slug in BY_MAP,
        stands_uncarried=slug in STANDS)
    try:
        opinion = Naive(chart, units, legality.legal(orders)).solve()
    except NoOpinion:
        return False
    phase = replace(variant.start.phase, season=SEASONS[slug], kind=PhaseKind.MOVEMENT)
    resolution = judge(variant.context(), variant.rules, Position(phase, frozenset(units)), orders)
    detail = f"{slug}\n" + "\n".join(f"{o.order} {o.result} {o.reason} {o.why}" for o in resolution.outcomes)
    reasons = _reasons(slug, resolution)
    assert reasons == {p: r for p, r in opinion.reasons.items() if p in reasons}, detail
    illegal = {o.order.unit.region.province for o in resolution.outcomes if isinstance(o.order, UnitOrder)}
    assert illegal - set(reasons) == illegal - set(opinion.reasons), detail
    assert resolution.position.units == opinion.standing, detail
    assert {d.unit: d.may_retreat for d in resolution.dislodged} == opinion.dislodged, detail
    assert resolution.contested == opinion.contested, detail
    counts.update(reasons.values())
    counts["convoyed"] += sum(o.why.startswith("carried") for o in resolution.outcomes)
    return True


def _reasons(slug: str, resolution: Resolution) -> dict[str, str | None]:
    """What legal orders came to, by place."""
    return {
        o.order.unit.region.province: o.reason for o in resolution.outcomes
        if isinstance(o.order, UnitOrder) and o.reason != "illegal"
        and not (slug in STANDS and o.why.startswith("stands"))
    }


def _run(slug: str, seeds: range) -> int:
    """Compare scenes, and those with a free landing also the other way. How many positions were judged."""
    counts: Counter[str | None] = Counter()
    judged = 0
    for seed in seeds:
        units, orders = dense_scene(slug, seed)
        judged += _compare(slug, units, orders, counts)
        back = _turned_scene(units, orders)
        if back is not None:
            judged += _compare(slug, *back, counts)
    assert {None, "bounced", "cut", "dislodged", "no_convoy", "unmatched"} <= set(counts)
    assert counts["convoyed"] > len(seeds) / 10
    return judged


@pytest.mark.parametrize("slug", SLUGS)
def test_a_second_opinion_agrees_on_dense_seas(slug: str) -> None:
    """JUD-02."""
    assert _run(slug, range(120)) > 120


LONGEST = {"standard": 8, "w3k": 16, "bretwalda": 13, "britain1066": 7, "war1648": 12}
"""Fleets in a chain of which none can be spared. Searches of 20,000 ways ended at 9, 22, 18, 8 and 16."""


@pytest.mark.parametrize("slug", SLUGS)
def test_a_second_opinion_agrees_on_the_longest_chains(slug: str) -> None:
    """JUD-02: both ways, with idle fleets of several powers next to them."""
    counts: Counter[str | None] = Counter()
    fleets = 0
    for seed in range(12):
        chance = Random(f"longest {slug} {seed}")
        powers = list(VARIANTS[slug].powers)[: chance.choice([1, 3])]
        units, orders = dense_seas.chain(CHARTS[slug], chance, powers, tries=60, longest=99)
        fleets = max(fleets, sum(isinstance(order, Convoy) for order in orders))
        _compare(slug, units, orders, counts)
        back = _turned_scene(units, orders)
        if back is not None:
            _compare(slug, *back, counts)
    assert fleets >= LONGEST[slug]
    assert counts["convoyed"] >= 3


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("slug", SLUGS)
def test_a_second_opinion_agrees_on_many_more_dense_seas(slug: str) -> None:
    """JUD-02: at least 50,000 positions over the boards."""
    assert _run(slug, range(1_000, 7_500)) >= 10_000
