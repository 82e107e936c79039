"""The orders of a phase drawn on a board: each kind of order and each fate in a form of its own, so that they
can be told apart without colour (BEY-01).

A move is a plain line with a full head; one that was turned back ends in two bars short of its goal. Supports
are dashed and end in a ring, convoys dotted and end in a square; what was cut or came to nothing has a cross
on it. A retreat is a broken line with an open head. What happens to a unit in its place is drawn around its
plate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import shapely
import shapely.ops
from numpy.typing import NDArray

from adjudicator.geo import Region
from adjudicator.orders import (
    Convert,
    Convoy,
    Move,
    Proxy,
    Retreat,
    SupportHold,
    SupportMove,
    UnitOrder,
)
from adjudicator.outcome import Outcome, Resolution, Result
from adjudicator.position import Position
from adjudicator.units import Unit
from maps.variant import Variant
from service.pictures.board.base_map import SEA_TONE, TONES
from service.pictures.board.centre_marks import LAND_TONE, attribute
from service.pictures.board.map_sheet import TINT, MapPlan, furniture_boxes
from service.pictures.board.ornament import INK, PALE
from service.pictures.board.town_lands import WASH
from service.pictures.board.unit_marks import unit_boxes
from service.pictures.drawing import curves
from service.pictures.drawing.contrast import darkened, laid_over
from service.pictures.drawing.curves import Line, Point
from service.pictures.drawing.svg import text
from service.pictures.drawing.values import Rect

WIDTH = 0.62
"""Millimetres of a move's line on A3; the others are parts of it."""
HEAD = 2.3
HALO = 0.9
"""Of paper on either side of a line, so that crossing lines can be followed."""
CASING, CASING_OPACITY = 0.4, 0.9
"""Millimetres of paper drawn on either side of a line, and how much of the ground it covers: the pattern of a
power's land is in the power's own ink."""
BENDS = (0.13, -0.13, 0.22, -0.22, 0.04, 0.33, -0.33)
"""How far a line may bow, in parts of its length; the first that costs least is taken. Never straight: two
units that attack each other would share one line."""
SHORT = 0.70
"""The part of its way that a move which was turned back is drawn."""
HELPED_AT = (0.35, 0.45, 0.55, 0.65, 0.75)
"""Where along a move the line of a support or convoy may end, in parts of its length."""
CLEAR = 2.0
"""Millimetres between a helper's plate and the end of its line, so that there is a line to be seen."""
HEAD_POINTS = 4
"""Points at the end of a line that its head covers."""


class ArrowKind(StrEnum):
    """What a line says."""

    MOVE = "move"
    CONVOYED = "convoyed move"
    SUPPORT = "support"
    CONVOY = "convoy"
    RETREAT = "retreat"


@dataclass(frozen=True, slots=True)
class Arrow:
    """One line: whose, from where along its curve, and whether what it stands for came about."""

    kind: ArrowKind
    power: str
    line: Line
    holds: bool


@dataclass(frozen=True, slots=True)
class UnitFate:
    """What happened to a unit in its place: `dislodged`, `gone` (disbanded, destroyed or removed), `built`,
    `converted`, or given in proxy to the power of the letter in `proxy`."""

    box: Rect
    dislodged: bool = False
    gone: bool = False
    built: bool = False
    converted: bool = False
    proxy: str = ""


@dataclass(frozen=True, slots=True)
class PhaseDrawing:
    """All that is drawn of a phase's orders."""

    arrows: tuple[Arrow, ...]
    fates: tuple[UnitFate, ...]


def drawing_of(
    variant: Variant, plan: MapPlan, before: Position, resolution: Resolution, boxes: Mapping[Unit, Rect]
) -> PhaseDrawing:
    """What is drawn of a judged phase. `boxes`: the plates of its units, those built and those dislodged
    among them. Orders of units that have no plate are left out: they name no unit of the board."""
    plotter = _Plotter(plan, before, boxes)
    outcomes = [outcome for outcome in resolution.outcomes if isinstance(outcome.order, UnitOrder)]
    # Moves first: supports and convoys end on them.
    moves = {}
    for outcome in outcomes:
        if isinstance(outcome.order, Move | Retreat) and outcome.result is not Result.VOID:
            moves[outcome.order.unit.region.province] = plotter.move(outcome, outcomes)
    arrows = [arrow for arrow in moves.values() if arrow is not None]
    for outcome in resolution.outcomes:
        if not isinstance(outcome.order, UnitOrder) and outcome.result is not Result.VOID:
            way = variant.rules.journey(variant.context(), before, outcome.order)
            arrow = None if way is None else plotter.journey(outcome, *way)
            arrows += [] if arrow is None else [arrow]
    for outcome in outcomes:
        arrow = None if outcome.result is Result.VOID else plotter.help(outcome, moves)
        arrows += [] if arrow is None else [arrow]
    return PhaseDrawing(tuple(arrows), tuple(_fates(variant, before, resolution, outcomes, boxes)))


class _Plotter:
    """Lays lines one after the other, each off those before it."""

    def __init__(self, plan: MapPlan, before: Position, boxes: Mapping[Unit, Rect]) -> None:
        self._plan, self._sheet, self._boxes = plan, plan.sheet, boxes
        self._dislodged = {each.unit.region.province: boxes[each.unit] for each in before.dislodged
                           if each.unit in boxes}
        self._standing = {unit.region.province: box for unit, box in boxes.items()
                          if unit not in {each.unit for each in before.dislodged}}
        self._marks = shapely.union_all(
            [shapely.Point(place.seal).buffer(place.radius) for place in self._sheet.places.values()
             if place.seal])
        self._plates = shapely.union_all([shapely.box(box.x0, box.y0, box.x1, box.y1)
                                          for box in boxes.values()])
        self._pieces = shapely.union_all(
            [shapely.box(box.x0, box.y0, box.x1, box.y1) for box in furniture_boxes(plan)])
        self._names = shapely.union_all([shapely.box(box.x0, box.y0, box.x1, box.y1)
                                         for box in (label.box for label in plan.labels)])
        self._goals: dict[str, Point] = {}
        self._lines: list[shapely.LineString] = []

    def _goal(self, to: Region) -> Point:
        """Where a line to a province ends: at the plate that stands there, else where one would stand."""
        box = self._standing.get(to.province)
        if box is not None:
            return _middle(box)
        if to.province not in self._goals:
            guest = Unit("", "A", to)
            taken = [*furniture_boxes(self._plan), *self._boxes.values()]
            boxes = unit_boxes(self._sheet, self._plan.labels, [guest], taken)
            self._goals[to.province] = _middle(boxes[guest])
        return self._goals[to.province]

    def move(self, outcome: Outcome, outcomes: Sequence[Outcome]) -> Arrow | None:
        order = outcome.order
        assert isinstance(order, Move | Retreat)
        home = self._dislodged if isinstance(order, Retreat) else self._standing
        start = home.get(order.unit.region.province)
        if start is None or order.to.province not in self._sheet.places:
            return None
        holds = outcome.result is Result.SUCCEEDS
        fleets = _carriers(order, outcomes) if isinstance(order, Move) else ()
        stops = [_middle(self._standing[fleet]) for fleet in fleets if fleet in self._standing]
        kind = (ArrowKind.RETREAT if isinstance(order, Retreat)
                else ArrowKind.CONVOYED if stops else ArrowKind.MOVE)
        occupied = self._standing.get(order.to.province)
        line = self._curve(_middle(start), self._goal(order.to), stops, start, occupied)
        return None if line is None else Arrow(kind, order.power, line, holds)

    def journey(self, outcome: Outcome, start: str, goal: str) -> Arrow | None:
        """The line of an order that names no unit, from one province to another."""
        if start not in self._sheet.places or goal not in self._sheet.places:
            return None
        room, occupied = self._standing.get(start), self._standing.get(goal)
        begin = self._goal(Region(start))
        room = room or Rect(begin[0] - 0.5, begin[1] - 0.5, begin[0] + 0.5, begin[1] + 0.5)
        line = self._curve(begin, self._goal(Region(goal)), (), room, occupied)
        return None if line is None else Arrow(
            ArrowKind.MOVE, outcome.order.power, line, outcome.result is Result.SUCCEEDS)

    def help(self, outcome: Outcome, moves: Mapping[str, Arrow | None]) -> Arrow | None:
        """The line of a support or convoy, to the middle of the move that it is for, or to the plate of the
        unit that stays."""
        order = outcome.order
        if not isinstance(order, SupportHold | SupportMove | Convoy):
            return None
        start = self._standing.get(order.unit.region.province)
        target = self._standing.get(order.target.region.province)
        if start is None:
            return None
        helped = None if isinstance(order, SupportHold) else moves.get(order.target.region.province)
        if helped is not None:
            end, room = _helped_at(_shown(helped), start), None
        elif target is not None:
            end, room = _middle(target), target
        else:
            return None
        line = self._curve(_middle(start), end, (), start, room)
        kind = ArrowKind.CONVOY if isinstance(order, Convoy) else ArrowKind.SUPPORT
        return None if line is None else Arrow(
            kind, order.power, line, outcome.result is Result.SUCCEEDS)

    def _curve(
        self, start: Point, end: Point, stops: Sequence[Point], from_box: Rect, to_box: Rect | None
    ) -> Line | None:
        """The cheapest of the bows between two points, cut at the plates; None if the plates touch."""
        best, least = None, math.inf
        for bend in (0.0,) if stops else BENDS:
            whole = curves.through([start, *stops, end]) if stops else curves.bow(start, end, bend)
            line = curves.cut(whole, from_box.grown(0.35), None if to_box is None else to_box.grown(0.45))
            if line is None:
                continue
            cost = self._cost(line) + 4.0 * abs(bend)
            if cost < least:
                best, least = line, cost
        if best is not None:
            self._lines.append(shapely.LineString(best))
        return best

    def _cost(self, line: Line) -> float:
        """What a line runs over: other lines, marks of centres, and plates and furniture, which cover it."""
        drawn = shapely.LineString(line)
        room = drawn.buffer(HALO)
        cost = sum(2.0 * shapely.intersection(room, other).length for other in self._lines)
        return float(cost + 3.0 * drawn.intersection(self._plates).length
                     + 3.0 * drawn.intersection(self._pieces).length
                     + 1.5 * drawn.intersection(self._marks).length
                     + 0.7 * drawn.intersection(self._names).length
                     # A head below a name says nothing.
                     + 3.0 * shapely.LineString(line[-HEAD_POINTS:]).intersection(self._names).length)


def _carriers(move: Move, outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """The provinces of the fleets that carried an army, nearest to it first as they were ordered."""
    return tuple(
        outcome.order.unit.region.province for outcome in outcomes
        if isinstance(outcome.order, Convoy) and outcome.result is Result.SUCCEEDS
        and outcome.order.target.region.province == move.unit.region.province
        and outcome.order.to.province == move.to.province)


def _fates(
    variant: Variant, before: Position, resolution: Resolution, outcomes: Iterable[Outcome],
    boxes: Mapping[Unit, Rect]
) -> Iterator[UnitFate]:
    gone = {*resolution.disbanded, *resolution.removed, *resolution.removed_by_lot,
            *resolution.removed_by_disorder}
    dislodged = {each.unit.region.province for each in resolution.dislodged}
    proxies = {outcome.order.unit.region.province: outcome.order.to_power for outcome in outcomes
               if isinstance(outcome.order, Proxy) and outcome.result is Result.SUCCEEDS}
    turned = {outcome.order.unit.region.province for outcome in outcomes
              if isinstance(outcome.order, Convert) and outcome.result is Result.SUCCEEDS}
    stood = {unit.region.province for unit in before.units}
    out = {each.unit for each in before.dislodged}
    for unit, box in boxes.items():
        province = unit.region.province
        power = variant.powers.get(proxies.get(province, ""))
        fate = UnitFate(
            box, dislodged=unit in out or (province in dislodged and province in stood), gone=unit in gone,
            built=unit in resolution.built, converted=province in turned,
            proxy="" if power is None else power.letter)
        if fate != UnitFate(box):
            yield fate


# Places
# ----------------------------------------------------------------------------------------------------------


def _middle(box: Rect) -> Point:
    return (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2


def _helped_at(line: Line, helper: Rect) -> Point:
    """Where the line of a helper ends on the line of a move as it is shown: where it is nearest, but beside
    neither end, where plates and heads are, and clear of the helper's own plate."""
    length = float(shapely.LineString(line).length)
    points = [curves.along(line, part) for part in HELPED_AT if part * length < length - HEAD - 1.0]
    points = points or [curves.along(line, HELPED_AT[0])]
    # A fleet lies on the line of the army that it carries.
    plate = shapely.box(helper.x0, helper.y0, helper.x1, helper.y1)
    clear = [point for point in points if plate.distance(shapely.Point(point)) > CLEAR]
    return min(clear or points[-1:], key=lambda point: math.dist(point, _middle(helper)))


# SVG
# ----------------------------------------------------------------------------------------------------------


def draw_orders(variant: Variant, drawing: PhaseDrawing) -> str:
    """The lines as SVG, to be laid below names and plates."""
    # Halos first: a line that crosses another is broken by none.
    arrows = drawing.arrows
    halos = "".join(_stroke(_shown(arrow), PALE, WIDTH + 2 * CASING, opacity=CASING_OPACITY)
                    for arrow in arrows)
    inks = {power: line_ink(variant, power) for power in {arrow.power for arrow in arrows}}
    return halos + "".join(_arrow(arrow, inks[arrow.power]) for arrow in arrows)


def line_grounds(variant: Variant) -> frozenset[str]:
    """Every colour that a line may run over, as "#rrggbb": water, land that nobody holds, and that of each
    power. Not the strokes of a pattern: a casing stands between them and the line."""
    plain = {SEA_TONE, LAND_TONE, *TONES}
    held = {laid_over(power.colour, TINT, LAND_TONE) for power in variant.powers.values()}
    washed = {laid_over(power.colour, WASH, tone) for power in variant.powers.values() for tone in TONES}
    return frozenset(plain | held | washed)


def line_ink(variant: Variant, power: str) -> str:
    """The colour of a power's lines, as "#rrggbb": its own, so much darker that it shows on every ground of
    the board, the power's own tint too (WCAG 2.2, 1.4.11)."""
    return darkened(variant.powers[power].colour, line_grounds(variant))


def draw_fates(drawing: PhaseDrawing) -> str:
    """What stands around plates as SVG, to be laid above them."""
    return "".join(_fate(fate) for fate in drawing.fates)


def _shown(arrow: Arrow) -> Line:
    is_stopped = arrow.kind in {ArrowKind.MOVE, ArrowKind.CONVOYED, ArrowKind.RETREAT} and not arrow.holds
    return curves.shortened(arrow.line, SHORT) if is_stopped else arrow.line


def _arrow(arrow: Arrow, ink: str) -> str:
    line = _shown(arrow)
    match arrow.kind:
        case ArrowKind.MOVE | ArrowKind.CONVOYED:
            body = _stroke(_before_head(line) if arrow.holds else line, ink, WIDTH)
            if arrow.kind is ArrowKind.CONVOYED:
                body += _stroke(_before_head(line), PALE, WIDTH / 3)
            body += _head(line, ink, is_open=False) if arrow.holds else _bar(line, ink)
        case ArrowKind.RETREAT:
            shaft = _before_head(line) if arrow.holds else line
            body = _stroke(shaft, ink, WIDTH * 0.85, dashes="3 1.1 0.6 1.1")
            body += _head(line, ink, is_open=True) if arrow.holds else _bar(line, ink)
        case ArrowKind.SUPPORT:
            body = _stroke(line, ink, WIDTH * 0.7, dashes="1.7 0.9") + _ring(line, ink)
        case ArrowKind.CONVOY:
            body = _stroke(line, ink, WIDTH * 1.1, dashes="0.01 1.35") + _square(line, ink)
    if not arrow.holds and arrow.kind in {ArrowKind.SUPPORT, ArrowKind.CONVOY}:
        body += _cross(curves.along(line, 0.5), ink)
    return (f'<g class="order" data-power="{attribute(arrow.power)}" '
            f'data-kind="{attribute(arrow.kind.value)}" '
            f'data-holds="{str(arrow.holds).lower()}">{body}</g>')


def _stroke(line: Line, ink: str, width: float, *, dashes: str = "", opacity: float = 1.0) -> str:
    points = " ".join(f"{x:.2f} {y:.2f}" for x, y in line[1:])
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    fade = "" if opacity == 1.0 else f' stroke-opacity="{opacity:g}"'
    return (f'<path d="M{line[0][0]:.2f} {line[0][1]:.2f}L{points}" fill="none" stroke="{ink}" '
            f'stroke-width="{width:.2f}" stroke-linecap="round"{dash}{fade}/>')


def _direction(line: Line) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The last point, and the direction in which the line comes there."""
    tip = line[-1]
    back = next((point for point in line[::-1] if float(np.hypot(*(tip - point))) > HEAD), line[0])
    way = tip - back
    return tip, way / max(float(np.hypot(*way)), 1e-9)


def _before_head(line: Line) -> Line:
    """A line without the part that its head covers."""
    whole = shapely.LineString(line)
    return shapely.get_coordinates(shapely.ops.substring(whole, 0.0, max(0.3, whole.length - 0.8 * HEAD)))


def _head(line: Line, ink: str, *, is_open: bool) -> str:
    tip, way = _direction(line)
    side = np.array([-way[1], way[0]])
    left, right = tip - HEAD * way + 0.42 * HEAD * side, tip - HEAD * way - 0.42 * HEAD * side
    points = f"M{_xy(left)}L{_xy(tip)}L{_xy(right)}"
    if is_open:
        return (f'<path d="{points}" fill="none" stroke="{ink}" stroke-width="{WIDTH * 0.85:.2f}" '
                'stroke-linejoin="round" stroke-linecap="round"/>')
    return f'<path d="{points}Z" fill="{ink}" stroke="{PALE}" stroke-width="0.15"/>'


def _bar(line: Line, ink: str) -> str:
    """The end of a move that was turned back."""
    tip, way = _direction(line)
    side = np.array([-way[1], way[0]])
    bars = "".join(f"M{_xy(tip - back * way + 1.35 * side)}L{_xy(tip - back * way - 1.35 * side)}"
                   for back in (0.0, 0.85))
    return (f'<path d="{bars}" fill="none" stroke="{PALE}" stroke-width="{WIDTH + 0.5:.2f}"/>'
            f'<path d="{bars}" fill="none" stroke="{ink}" stroke-width="{WIDTH * 0.8:.2f}" '
            'stroke-linecap="round"/>')


def _ring(line: Line, ink: str) -> str:
    x, y = line[-1]
    return (f'<circle cx="{x:.2f}" cy="{y:.2f}" r="0.75" fill="{PALE}" stroke="{ink}" '
            f'stroke-width="{WIDTH * 0.7:.2f}"/>')


def _square(line: Line, ink: str) -> str:
    x, y = line[-1]
    return (f'<rect x="{x - 0.7:.2f}" y="{y - 0.7:.2f}" width="1.4" height="1.4" fill="{PALE}" '
            f'stroke="{ink}" stroke-width="{WIDTH * 0.7:.2f}"/>')


def _cross(point: Point, ink: str) -> str:
    x, y = point
    left, top, right, bottom = x - 1.1, y - 1.1, x + 1.1, y + 1.1
    strokes = f"M{left:.2f} {top:.2f}L{right:.2f} {bottom:.2f}M{left:.2f} {bottom:.2f}L{right:.2f} {top:.2f}"
    return (f'<path d="{strokes}" stroke="{PALE}" stroke-width="{WIDTH + 0.6:.2f}" stroke-linecap="round"/>'
            f'<path d="{strokes}" stroke="{ink}" stroke-width="{WIDTH * 0.85:.2f}" stroke-linecap="round"/>')


def _fate(fate: UnitFate) -> str:
    box, parts = fate.box, []
    if fate.dislodged:
        parts.append(_burst(box.grown(0.5)))
    if fate.gone:
        parts.append(
            f'<path d="M{box.x0 - 0.5:.2f} {box.y0 - 0.5:.2f}L{box.x1 + 0.5:.2f} {box.y1 + 0.5:.2f}'
            f'M{box.x0 - 0.5:.2f} {box.y1 + 0.5:.2f}L{box.x1 + 0.5:.2f} {box.y0 - 0.5:.2f}" '
            f'stroke="{INK}" stroke-width="0.5" stroke-linecap="round"/>')
    if fate.built:
        parts.append(_badge(box.x1, box.y0, "") + _plus(box.x1, box.y0))
    if fate.converted:
        parts.append(_badge(box.x1, box.y1, "") + _turn(box.x1, box.y1))
    if fate.proxy:
        parts.append(_badge(box.x0, box.y0, fate.proxy))
    return "".join(parts)


def _burst(box: Rect) -> str:
    """A jagged ring around the plate of a unit that was dislodged."""
    (x, y), points = _middle(box), []
    for number in range(24):
        angle = math.tau * number / 24
        far = 0.95 if number % 2 else 1.2
        points.append((x + far * 0.7 * box.width * math.cos(angle),
                       y + far * 0.8 * box.height * math.sin(angle)))
    outline = " ".join(f"{px:.2f} {py:.2f}" for px, py in points)
    return f'<path d="M{outline}Z" fill="none" stroke="{INK}" stroke-width="0.32" stroke-linejoin="miter"/>'


def _badge(x: float, y: float, letters: str) -> str:
    words = text(x, y + 0.66, letters, "bold", 1.9, f'fill="{INK}"') if letters else ""
    return (f'<circle cx="{x:.2f}" cy="{y:.2f}" r="1.15" fill="{PALE}" stroke="{INK}" stroke-width="0.2"/>'
            + words)


def _plus(x: float, y: float) -> str:
    return (f'<path d="M{x - 0.65:.2f} {y:.2f}L{x + 0.65:.2f} {y:.2f}M{x:.2f} {y - 0.65:.2f}'
            f'L{x:.2f} {y + 0.65:.2f}" fill="none" stroke="{INK}" stroke-width="0.32"/>')


def _turn(x: float, y: float) -> str:
    """An arrow that runs around a point, for a unit that became another kind. Drawn: the map's faces have no
    such letter, and a letter that they lack would make a slower renderer set the whole map."""
    radius = 0.62
    angles = np.linspace(0.25 * math.pi, 1.8 * math.pi, 16)
    points = [f"{x + radius * math.cos(angle):.2f} {y + radius * math.sin(angle):.2f}" for angle in angles]
    tip_x, tip_y = x + radius * math.cos(angles[-1]), y + radius * math.sin(angles[-1])
    head = (f"M{tip_x - 0.42:.2f} {tip_y - 0.14:.2f}L{tip_x + 0.26:.2f} {tip_y - 0.2:.2f}"
            f"L{tip_x + 0.1:.2f} {tip_y + 0.5:.2f}Z")
    return (f'<path d="M{points[0]}L{" ".join(points[1:])}" fill="none" stroke="{INK}" stroke-width="0.24" '
            f'stroke-linecap="round"/><path d="{head}" fill="{INK}"/>')


def _xy(point: NDArray[np.float64]) -> str:
    return f"{point[0]:.2f} {point[1]:.2f}"
