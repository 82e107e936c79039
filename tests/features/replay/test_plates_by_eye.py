"""BEY-01: on a finished plate arrows do not cover each other, and nothing hides a line, a mark or a name.

Measured on the SVG alone (`tests.features.replay.plate_faults`), by nothing that placed anything.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import LAND, SEA, Region
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.orders import Convoy, Move, Order, SupportHold, SupportMove
from adjudicator.units import Unit, UnitRef
from maps.valid_moves import valid_moves
from maps.variant import Variant
from service.features.replay.war_plates import orders_plate
from service.pictures import board_plan
from tests.features.replay.plate_faults import faults_of, names_of

STANDARD = maps.load("standard")
SPRING = Phase(1901, "Spring", PhaseKind.MOVEMENT)


def _ref(unit: Unit) -> UnitRef:
    return UnitRef(unit.kind, unit.region)


@cache
def _carried() -> str:
    """Two armies that three fleets carry, past each other, where two more units fight."""
    units = {name: Unit(power, kind, Region(name)) for power, kind, name in (
        ("ENGLAND", "A", "LON"), ("ENGLAND", "F", "NTH"), ("ENGLAND", "F", "NWG"), ("FRANCE", "A", "BEL"),
        ("FRANCE", "F", "ENG"), ("GERMANY", "F", "HOL"), ("FRANCE", "A", "PIC"))}

    def convoy(fleet: str, army: str, to: str) -> Convoy:
        return Convoy(power=units[fleet].power, unit=_ref(units[fleet]), target=_ref(units[army]),
                      to=Region(to))

    orders: list[Order] = [
        # The fleets are named in another order than the army passes them in.
        convoy("NWG", "LON", "CLY"), convoy("NTH", "LON", "CLY"), convoy("ENG", "BEL", "WAL"),
        Move(power="ENGLAND", unit=_ref(units["LON"]), to=Region("CLY")),
        Move(power="FRANCE", unit=_ref(units["BEL"]), to=Region("WAL")),
        Move(power="GERMANY", unit=_ref(units["HOL"]), to=Region("BEL")),
        Move(power="FRANCE", unit=_ref(units["PIC"]), to=Region("BEL"))]
    before = replace(STANDARD.start, units=frozenset(units.values()), phase=SPRING)
    return orders_plate(STANDARD, before, judge(STANDARD.context(), STANDARD.rules, before, orders), "A", "B")


def test_nothing_is_hidden_where_convoys_pass_each_other() -> None:
    svg = _carried()
    kinds = Counter(re.findall(r'class="order" data-power="[^"]+" data-kind="([^"]+)"', svg))
    assert kinds == {"convoyed move": 2, "convoy": 3, "move": 2}
    assert faults_of(svg).counts() == dict.fromkeys(faults_of(svg).counts(), 0)


def test_what_measures_a_plate_sees_what_is_wrong_with_it() -> None:
    """Lines and plates are put where they must not be, in the text of the same plate."""
    svg = _carried()
    (move,) = re.findall(r'<g class="order" data-power="GERMANY".*?</g>', svg)
    twice = svg.replace(move, move + move.replace('data-power="GERMANY"', 'data-power="FRANCE"'))
    assert len(faults_of(twice).along) == len(faults_of(twice).ends_together) == 1
    (x, y), = re.findall(r'class="seal" data-region="Paris"[^M]*M([\d.]+) ([\d.]+)L', svg)
    over = (f'<g class="unit" data-power="ITALY" data-kind="A" data-region="PAR"><rect '
            f'x="{float(x) - 2:.2f}" y="{float(y) - 1:.2f}" width="9" height="4"/></g></svg>')
    assert faults_of(svg.replace("</svg>", over)).plates_over
    start = re.search(r'd="M([\d.]+) ([\d.]+)L', move)
    assert start is not None
    across = (f'<g class="unit" data-power="ITALY" data-kind="A" data-region="HEL"><rect '
              f'x="{float(start[1]) - 4:.2f}" y="{float(start[2]) - 4:.2f}" width="8" height="8"/></g></svg>')
    assert faults_of(svg.replace("</svg>", across)).below_plates


def _crowd(variant: Variant, chance: random.Random, count: int) -> list[Unit]:
    """Units of four powers on neighbouring places."""
    board = variant.board
    queue = [chance.choice([name for name in sorted(board.provinces) if board.near(name, LAND)])]
    places: list[str] = []
    while queue and len(places) < count:
        place = queue.pop(0)
        if place not in places:
            places.append(place)
            near = sorted(board.near(place, LAND) | board.near(place, SEA))
            queue += chance.sample(near, len(near))
    powers, units = chance.sample(sorted(variant.powers), 4), []
    for place in places:
        kind = chance.choice([kind for kind in variant.kinds.values()
                              if any(board.regions(place, movement) for movement in kind.moves)])
        regions = {region for movement in kind.moves for region in board.regions(place, movement)}
        units.append(Unit(chance.choice(powers), kind.letter, chance.choice(sorted(regions, key=str))))
    return units


def _orders(variant: Variant, units: Sequence[Unit], chance: random.Random) -> list[Order]:
    """About half of them move, most into each other; the others support what they can reach."""
    reach = {unit: [to for moves in valid_moves(variant, Region(unit.region.province))
                    if (moves.kind, moves.region) == (unit.kind, unit.region) for to in moves.to]
             for unit in units}
    standing = {unit.region.province for unit in units}
    going = {unit: chance.choice([to for to in places if to.province in standing] or places)
             for unit, places in reach.items() if places and chance.random() < 0.5}
    orders: list[Order] = [Move(power=unit.power, unit=_ref(unit), to=to) for unit, to in going.items()]
    for unit in units:
        near = {to.province for to in reach[unit]}
        movers = [other for other, to in going.items() if to.province in near and other != unit]
        stayers = [other for other in units if other.region.province in near and other not in going]
        if unit not in going and movers:
            other = chance.choice(movers)
            orders.append(SupportMove(power=unit.power, unit=_ref(unit), target=_ref(other), to=going[other]))
        elif unit not in going and stayers:
            orders.append(SupportHold(power=unit.power, unit=_ref(unit), target=_ref(chance.choice(stayers))))
    return orders


def _battle(variant: Variant, seed: int) -> str:
    """The plate of a battle of eighteen neighbours."""
    season, kind = next(step for step in variant.calendar.steps if step[1] == PhaseKind.MOVEMENT)
    chance = random.Random(seed)
    units = _crowd(variant, chance, 18)
    before = replace(variant.start, units=frozenset(units),
                     phase=Phase(variant.start.phase.year, season, kind))
    orders = _orders(variant, units, chance)
    tape = Lots(tuple(chance.randrange(10**6) for _ in range(variant.rules.LOTS)))
    resolution = judge(variant.context(), variant.rules, before, orders, tape)
    return orders_plate(variant, before, resolution, "A battle", "of neighbours")


def _measured(battles: Sequence[tuple[str, int]]) -> tuple[int, Counter[str]]:
    """The lines of battles, and what is wrong with them. No plate is over a mark."""
    lines, faults = 0, Counter[str]()
    for slug, seed in battles:
        svg = _battle(maps.load(slug), seed)
        lines += svg.count('class="order"')
        measured = faults_of(svg)
        assert not [fault for fault, _ in measured.plates_over if "the mark of" in fault]
        faults += Counter(measured.counts())
    return lines, faults


def _hidden(faults: Counter[str]) -> int:
    return sum(faults[name] for name in ("hidden_ends", "over_marks", "below_plates", "ends_together"))


@pytest.mark.slow
def test_where_eighteen_units_fight_nearly_every_line_is_whole() -> None:
    """On three battles of neighbours of each board: no two lines run along each other, and of twenty lines at
    most one has its end hidden in part, crosses a letter of a mark, or lies below the plate of a third unit.
    More than that, and a reader would meet one on every plate. Names are over lines too, and both can be
    read: of five lines at most one is below a name."""
    boards = ("standard", "w3k", "war1648", "bretwalda", "britain1066")
    lines, faults = _measured([(slug, seed) for slug in boards for seed in (11, 12, 13)])
    assert lines > 150
    assert faults["along"] == 0
    assert _hidden(faults) <= lines / 20
    assert faults["below_names"] <= lines / 5


@pytest.mark.slow
def test_the_crowded_board_is_as_good_by_itself() -> None:
    """The Three Kingdoms have 287 places on the sheet on which the standard board has 75. Six battles that
    nothing was set by."""
    lines, faults = _measured([("w3k", seed) for seed in range(31, 37)])
    assert lines > 100
    assert faults["along"] == 0
    assert _hidden(faults) <= lines / 20
    assert faults["below_names"] <= lines / 5


def test_a_name_made_short_is_in_the_legend() -> None:
    """Where a name would cover what matters, and the legend has a line for it."""
    variant = maps.load("w3k")
    before = {label.region for label in board_plan("w3k").short()}
    svg = _battle(variant, 43)
    drawn = set(names_of(svg))
    short = [province for province in variant.board.provinces.values()
             if not province.is_sea and province.abbr.upper() in drawn
             and not drawn & {province.name, province.name.upper()}]
    assert {province.id for province in short} - before
    assert [province.name for province in short
            if f"{province.abbr.upper()}  {province.name}" not in svg] == []
