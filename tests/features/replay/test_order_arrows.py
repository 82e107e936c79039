"""BEY-01: the orders of a phase as lines on the map; each kind and each fate in its own form."""

from __future__ import annotations

import base64
import io
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import pytest
import shapely
from fontTools.ttLib import TTFont

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.judge import judge
from adjudicator.orders import Convoy, Hold, Move, Order, Retreat, SupportHold, SupportMove
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.units import Unit, UnitRef
from maps.valid_moves import valid_moves
from maps.variant import Variant
from service.features.replay.order_arrows import Arrow, ArrowKind, PhaseDrawing, draw_orders
from service.features.replay.war_plates import KEY, drawing_of, key_svg, orders_plate
from service.pictures import board_plan, with_faces
from service.pictures.board.unit_marks import unit_boxes
from service.pictures.drawing.values import Rect
from service.pictures.drawing.vector_form import read_form

STANDARD = maps.load("standard")
SPRING = Phase(1901, "Spring", PhaseKind.MOVEMENT)


def _at(power: str, kind: str, place: str) -> Unit:
    return Unit(power, kind, Region(place))


def _ref(unit: Unit) -> UnitRef:
    return UnitRef(unit.kind, unit.region)


PAR, MUN, RUH = _at("FRANCE", "A", "PAR"), _at("GERMANY", "A", "MUN"), _at("GERMANY", "A", "RUH")
LON, NTH = _at("ENGLAND", "A", "LON"), _at("ENGLAND", "F", "NTH")
BUR, SPA = Region("BUR"), _at("FRANCE", "A", "SPA")
GAS = _at("ITALY", "A", "GAS")


def _phase(units: Sequence[Unit], orders: Sequence[Order]) -> tuple[Position, Resolution]:
    before = replace(STANDARD.start, units=frozenset(units), phase=SPRING)
    return before, judge(STANDARD.context(), STANDARD.rules, before, orders)


def _boxes(variant: Variant, before: Position) -> dict[Unit, Rect]:
    plan = board_plan(variant.slug)
    return unit_boxes(plan.sheet, plan.labels, before.units)


def _drawn(variant: Variant, before: Position, resolution: Resolution, boxes: Mapping[Unit, Rect]
           ) -> PhaseDrawing:
    return drawing_of(variant, board_plan(variant.slug), before, resolution, boxes)


@cache
def _battle() -> tuple[dict[tuple[str, str], Arrow], PhaseDrawing, dict[Unit, Rect]]:
    """Paris and Munich bounce in Burgundy; Ruhr supports Munich and is not cut; London goes to Holland by
    convoy; Gascony, which holds, is attacked by Spain with no help."""
    before, resolution = _phase([PAR, MUN, RUH, LON, NTH, SPA, GAS], [
        Move(power="FRANCE", unit=_ref(PAR), to=BUR),
        Move(power="GERMANY", unit=_ref(MUN), to=BUR),
        SupportHold(power="GERMANY", unit=_ref(RUH), target=_ref(MUN)),
        Move(power="ENGLAND", unit=_ref(LON), to=Region("HOL")),
        Convoy(power="ENGLAND", unit=_ref(NTH), target=_ref(LON), to=Region("HOL")),
        Move(power="FRANCE", unit=_ref(SPA), to=GAS.region), Hold(power="ITALY", unit=_ref(GAS))])
    boxes = _boxes(STANDARD, before)
    drawing = _drawn(STANDARD, before, resolution, boxes)
    return {(arrow.power, arrow.kind.value): arrow for arrow in drawing.arrows}, drawing, boxes


def test_each_order_has_its_line_and_its_fate() -> None:
    """By hand, from the rules: a bounce of two, a convoy, a support in place of a unit that moves (which
    supports nothing, and so came to nothing), an attack that fails."""
    arrows, drawing, _ = _battle()
    assert [(arrow.power, arrow.kind, arrow.holds) for arrow in drawing.arrows] == [
        ("FRANCE", ArrowKind.MOVE, False), ("GERMANY", ArrowKind.MOVE, False),
        ("ENGLAND", ArrowKind.CONVOYED, True), ("FRANCE", ArrowKind.MOVE, False),
        ("GERMANY", ArrowKind.SUPPORT, False), ("ENGLAND", ArrowKind.CONVOY, True)]
    assert ("ITALY", "move") not in arrows


def test_a_line_leaves_its_units_plate_and_comes_to_its_goal() -> None:
    arrows, _, boxes = _battle()
    carried = arrows["ENGLAND", "convoyed move"].line
    start, goal = boxes[LON], board_plan("standard").sheet.places["HOL"].shape
    assert shapely.box(start.x0, start.y0, start.x1, start.y1).distance(shapely.Point(carried[0])) < 1.5
    assert goal.distance(shapely.Point(carried[-1])) < 1.0
    # It passes the fleet that carries it.
    fleet = boxes[NTH]
    assert shapely.LineString(carried).distance(
        shapely.box(fleet.x0, fleet.y0, fleet.x1, fleet.y1)) < 0.5


def test_two_units_that_attack_each_other_have_two_lines() -> None:
    """Each bows to its own right."""
    kiel, berlin = _at("GERMANY", "A", "KIE"), _at("RUSSIA", "A", "BER")
    before, resolution = _phase([kiel, berlin], [
        Move(power="GERMANY", unit=_ref(kiel), to=berlin.region),
        Move(power="RUSSIA", unit=_ref(berlin), to=kiel.region)])
    first_arrow, second_arrow = _drawn(STANDARD, before, resolution, _boxes(STANDARD, before)).arrows
    assert shapely.LineString(first_arrow.line).distance(shapely.LineString(second_arrow.line)) > 0.4


def test_a_dislodged_unit_has_a_ring_and_its_retreat_starts_at_its_own_plate() -> None:
    """It shares its province with the one that came."""
    gas, mar, par = _at("ITALY", "A", "GAS"), _at("FRANCE", "A", "MAR"), PAR
    before, resolution = _phase([gas, mar, par], [
        Move(power="FRANCE", unit=_ref(mar), to=gas.region),
        SupportMove(power="FRANCE", unit=_ref(par), target=_ref(mar), to=gas.region)])
    drawing = _drawn(STANDARD, before, resolution, _boxes(STANDARD, before))
    assert [fate.dislodged for fate in drawing.fates] == [True]
    (lost,) = resolution.dislodged
    position = replace(resolution.position, phase=replace(SPRING, kind=PhaseKind.RETREAT))
    retreat = judge(STANDARD.context(), STANDARD.rules, position, [
        Retreat(power="ITALY", unit=_ref(gas), to=Region("SPA"))])
    plan = board_plan("standard")
    boxes = unit_boxes(plan.sheet, plan.labels, {*position.units, lost.unit})
    drawing = drawing_of(STANDARD, plan, position, retreat, boxes)
    (arrow,), (ring,) = drawing.arrows, drawing.fates
    assert (ring.box, ring.dislodged) == (boxes[lost.unit], True)
    plate = boxes[lost.unit]
    assert (arrow.kind, arrow.holds) == (ArrowKind.RETREAT, True)
    assert shapely.box(plate.x0, plate.y0, plate.x1, plate.y1).distance(shapely.Point(arrow.line[0])) < 1.5


def test_every_form_is_told_apart_without_colour() -> None:
    """The same line, drawn as each entry of the key in one ink, is never the same drawing."""
    line = _battle()[0]["FRANCE", "move"].line
    drawings = [draw_orders(STANDARD, PhaseDrawing((Arrow(kind, "FRANCE", line, holds),), ()))
                for kind, holds, _ in KEY]
    bare = [re.sub(r'data-[a-z]+="[^"]*"', "", drawing) for drawing in drawings]
    assert len(set(bare)) == len(KEY)
    assert all(words in key_svg(STANDARD) for _, _, words in KEY)


def test_every_form_is_drawn_by_the_maps_own_pen() -> None:
    """A form that the pen does not know sends the whole plate to a slower renderer, which sets its type in
    another weight: crosses and conversions once did (BEY-01)."""
    assert read_form(key_svg(STANDARD)) is not None


def _random_orders(variant: Variant, before: Position, chance: random.Random) -> list[Order]:
    """Moves of about half of all units, and supports by others of what they can reach."""
    reach = {unit: [to for moves in valid_moves(variant, Region(unit.region.province))
                    if moves.kind == unit.kind for to in moves.to] for unit in sorted(before.units)}
    moves = {unit: chance.choice(places) for unit, places in reach.items()
             if places and chance.random() < 0.5}
    orders: list[Order] = [Move(power=unit.power, unit=_ref(unit), to=to) for unit, to in moves.items()]
    for unit, places in reach.items():
        near = {place.province for place in places}
        helped = [other for other, to in moves.items() if to.province in near and other != unit]
        if unit not in moves and helped:
            other = chance.choice(helped)
            orders.append(SupportMove(power=unit.power, unit=_ref(unit), target=_ref(other), to=moves[other]))
    return orders


@pytest.mark.parametrize("slug", ["standard", "w3k", "war1648", "britain1066"])
def test_lines_do_not_run_along_each_other(slug: str) -> None:
    """Of two lines no more than a third of the shorter lies within half a millimetre of the other, but for
    supports and convoys next to the move that they end on. Crossing is not a fault."""
    variant, chance = maps.load(slug), random.Random(7)
    season, kind = next(step for step in variant.calendar.steps if step[1] == PhaseKind.MOVEMENT)
    before = replace(variant.start, phase=Phase(variant.start.phase.year, season, kind))
    resolution = judge(variant.context(), variant.rules, before, _random_orders(variant, before, chance))
    drawing = _drawn(variant, before, resolution, _boxes(variant, before))
    assert len(drawing.arrows) > 5
    moves = [shapely.LineString(arrow.line) for arrow in drawing.arrows
             if arrow.kind in {ArrowKind.MOVE, ArrowKind.CONVOYED}]
    shared = [line.intersection(other.buffer(0.5)).length / min(line.length, other.length)
              for number, line in enumerate(moves) for other in moves[:number]]
    assert max(shared) < 1 / 3


def test_a_plate_is_small_enough_for_a_phone() -> None:
    """Two million bytes before it is packed: a page of a newspaper."""
    before, resolution = _phase([PAR, MUN], [Move(power="FRANCE", unit=_ref(PAR), to=BUR)])
    svg = orders_plate(STANDARD, before, resolution, "Powick Bridge", "Spring 1901")
    assert len(svg) < 2_000_000
    assert svg.index('class="order"') < svg.index('class="unit"')


def test_a_plate_carries_the_type_that_it_is_set_in() -> None:
    """A picture in a page fetches nothing, and few people have our fonts. What is carried has each letter."""
    before, resolution = _phase([PAR, MUN], [Move(power="FRANCE", unit=_ref(PAR), to=BUR)])
    svg = with_faces(orders_plate(STANDARD, before, resolution, "Powick Bridge & Co", "Spring 1901"))
    rules = re.findall(r"font-family:'([^']+)';font-style:(\w+);font-weight:(\w+);"
                       r"src:url\(data:font/woff;base64,([^)]+)", svg)
    faces = {(family, style, weight): base64.b64decode(data) for family, style, weight, data in rules}
    named = {(family, "italic" if "italic" in more else "normal", "bold" if "bold" in more else "normal")
             for family, more in re.findall(r"""font-family="'([^']+)'[^"]*"([^>]*)""", svg)}
    assert named <= faces.keys()
    title = TTFont(io.BytesIO(faces["EB Garamond 12", "normal", "normal"]))
    assert {ord(letter) for letter in "Powick Bridge & Co"} <= title.getBestCmap().keys()
