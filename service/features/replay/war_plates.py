"""A phase of a game as a plate: the board with its units and their orders, and the key to the lines
(BEY-01)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.geo import SEA, Region
from adjudicator.orders import Convert, Convoy, Move, Proxy, Retreat, SupportHold, SupportMove, UnitOrder
from adjudicator.outcome import Outcome, Resolution, Result
from adjudicator.position import Position
from adjudicator.units import Unit
from maps.variant import Variant
from service.features.replay import order_arrows
from service.features.replay.curves import Point
from service.features.replay.line_layout import Goal, LineLayout, LineWish
from service.features.replay.order_arrows import Arrow, ArrowKind, PhaseDrawing, UnitFate
from service.pictures.board.map_sheet import DrawnOrders, MapPlan, draw_map, furniture_boxes
from service.pictures.board.ornament import INK, PALE
from service.pictures.board.shipped_maps import board_plan
from service.pictures.board.unit_marks import LEAST
from service.pictures.drawing.svg import text
from service.pictures.drawing.values import A3, GroundKind, MapOptions, PaperSize, Rect

KEY: tuple[tuple[ArrowKind, bool, str], ...] = (
    (ArrowKind.MOVE, True, "a move"),
    (ArrowKind.MOVE, False, "turned back"),
    (ArrowKind.CONVOYED, True, "a move by convoy, past its fleets"),
    (ArrowKind.CONVOYED, False, "a move by convoy, turned back"),
    (ArrowKind.CONVOY, True, "a convoy, drawn to the move it carries"),
    (ArrowKind.CONVOY, False, "a failed convoy"),
    (ArrowKind.SUPPORT, True, "support, to a move or a unit that stays"),
    (ArrowKind.SUPPORT, False, "support that was cut or failed"),
    (ArrowKind.RETREAT, True, "a retreat"),
    (ArrowKind.RETREAT, False, "a retreat that failed"),
)
FATES: tuple[tuple[dict[str, bool | str], str], ...] = (
    ({"dislodged": True}, "dislodged"),
    ({"gone": True}, "disbanded or removed"),
    ({"built": True}, "built"),
    ({"converted": True}, "converted"),
    ({"proxy": "G"}, "under the orders of the power with that letter"),
)
_ROW, _KEY_WIDE = 6.6, 96.0

HEAD_ON = 0.44
"""The part of its way that a move is drawn which met another head-on: their bars stand apart."""
SHORT_BY = 2.0
"""Millimetres between the bars of a move that was turned back and its goal, on A3."""


def orders_plate(
    variant: Variant, before: Position, resolution: Resolution, title: str, subtitle: str,
    paper: PaperSize = A3
) -> str:
    """The board before a phase with the orders of it and what became of them, as SVG. Raises NoShapes."""
    # Some rules let orders choose where a unit begins; it is drawn there.
    if before.phase.kind is PhaseKind.MOVEMENT:
        before = variant.rules.initial_deployment(
            variant.context(), before, [outcome.order for outcome in resolution.outcomes])
    units = {*before.units, *(each.unit for each in before.dislodged), *resolution.built}

    out = frozenset(each.unit for each in (*before.dislodged, *resolution.dislodged))

    def orders(plan: MapPlan, boxes: Mapping[Unit, Rect]) -> DrawnOrders:
        drawing = drawing_of(variant, plan, before, resolution, boxes)
        return DrawnOrders(order_arrows.draw_orders(variant, drawing), order_arrows.draw_fates(drawing),
                           order_arrows.rooms_of(drawing), order_arrows.ends_of(drawing))

    return draw_map(variant, maps.shapes(variant.slug), before.centres, title, subtitle,
                    MapOptions(paper, units=frozenset(units), ringed=out), board_plan(variant.slug, paper),
                    orders)


def board_plate(
    variant: Variant, position: Position, title: str, subtitle: str, paper: PaperSize = A3
) -> str:
    """The board with the units that are on it, as SVG; those dislodged have a jagged ring. Raises
    NoShapes."""
    dislodged = frozenset(each.unit for each in position.dislodged)

    def fates(_plan: MapPlan, boxes: Mapping[Unit, Rect]) -> DrawnOrders:
        drawing = PhaseDrawing((), tuple(
            order_arrows.UnitFate(box, dislodged=True) for unit, box in boxes.items() if unit in dislodged))
        return DrawnOrders(above=order_arrows.draw_fates(drawing))

    return draw_map(variant, maps.shapes(variant.slug), position.centres, title, subtitle,
                    MapOptions(paper, units=frozenset({*position.units, *dislodged}), ringed=dislodged),
                    board_plan(variant.slug, paper), fates)


def key_svg(variant: Variant) -> str:
    """The meaning of each line and mark, as SVG."""
    power = next(iter(variant.powers.values()))
    parts, y = [], _ROW
    for kind, holds, words in KEY:
        line = np.column_stack([np.linspace(6.0, 24.0, 25), np.full(25, y)])
        arrow = Arrow(kind, power.id, line, holds)
        parts.append(order_arrows.draw_orders(variant, PhaseDrawing((arrow,), ())) + _words(words, y))
        y += _ROW
    for marks, words in FATES:
        box = Rect(12.8, y - 1.35, 17.2, y + 1.35)
        fate = order_arrows.UnitFate(box, **marks)  # type: ignore[arg-type]
        plate = (f'<rect x="{box.x0}" y="{box.y0:.2f}" width="4.4" height="2.7" rx="0.35" fill="{PALE}" '
                 f'stroke="{INK}" stroke-width="0.3"/>')
        parts.append(plate + order_arrows.draw_fates(PhaseDrawing((), (fate,))) + _words(words, y))
        y += _ROW
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_KEY_WIDE:g}mm" height="{y:g}mm" '
            f'viewBox="0 0 {_KEY_WIDE:g} {y:g}">{"".join(parts)}</svg>')


def _words(words: str, y: float) -> str:
    return text(29.0, y + 1.2, words, "roman", 3.6, f'fill="{INK}"', "start")


def drawing_of(
    variant: Variant, plan: MapPlan, before: Position, resolution: Resolution, boxes: Mapping[Unit, Rect]
) -> PhaseDrawing:
    """The drawing of a judged phase. `boxes`: the plates of its units, those built and those dislodged
    among them. Orders of units that have no plate are left out: they name no unit of the board."""
    outcomes = [outcome for outcome in resolution.outcomes if isinstance(outcome.order, UnitOrder)]
    scale = max(LEAST, plan.sheet.paper.furniture)
    wishes = _Wishes(variant, plan, before, boxes, outcomes, scale)
    # Moves first: supports and convoys end on them.
    for outcome in outcomes:
        if isinstance(outcome.order, Move | Retreat) and outcome.result is not Result.VOID:
            wishes.move(outcome)
    for outcome in resolution.outcomes:
        if not isinstance(outcome.order, UnitOrder) and outcome.result is not Result.VOID:
            way = variant.rules.journey(variant.context(), before, outcome.order)
            if way is not None:
                wishes.journey(outcome, *way)
    for outcome in outcomes:
        if outcome.result is not Result.VOID:
            wishes.help(outcome)
    lines = wishes.layout.place([each.wish for each in wishes.lines])
    arrows = tuple(Arrow(each.kind, each.power, line, each.holds)
                   for each, line in zip(wishes.lines, lines, strict=True) if line is not None)
    return PhaseDrawing(arrows, tuple(_fates(variant, before, resolution, outcomes, boxes)), scale)


@dataclass(frozen=True, slots=True)
class _WishedLine:
    """A line that is to be placed, and what it states."""

    kind: ArrowKind
    power: str
    holds: bool
    wish: LineWish


class _Wishes:
    """The lines of a phase before they have a place."""

    def __init__(
        self, variant: Variant, plan: MapPlan, before: Position, boxes: Mapping[Unit, Rect],
        outcomes: Sequence[Outcome], scale: float
    ) -> None:
        self._variant, self._sheet, self._outcomes = variant, plan.sheet, outcomes
        self._dislodged = {each.unit.region.province: boxes[each.unit] for each in before.dislodged
                           if each.unit in boxes}
        self._standing = {unit.region.province: box for unit, box in boxes.items()
                          if unit not in {each.unit for each in before.dislodged}}
        marks = [(place.seal, place.radius) for place in plan.sheet.places.values() if place.seal]
        solid = [box for name, box in plan.pieces.items()
                 if name in {"title", "legend"} or (name == "inset" and plan.insets)]
        # Lines may run over a ship, but better do not.
        light = [box for box in furniture_boxes(plan) if box not in solid]
        names = [*(label.box for label in plan.labels), *light]
        stuck = [label.box for label in plan.labels if label.region in plan.stuck]
        self.layout = LineLayout(plan.sheet.inside, names, marks, boxes.values(), solid, scale, stuck,
                                 is_draft=plan.is_draft)
        self.lines: list[_WishedLine] = []
        self._moves: dict[str, int] = {}
        self._goals_of: dict[str, tuple[Goal, ...]] = {}

    def _goals(self, to: Region) -> tuple[Goal, ...]:
        """Where a line to a province may end: at the plate that is there, else at a town's mark, else in
        the open ground of the province."""
        box = self._standing.get(to.province)
        if box is not None:
            return (Goal(_middle(box), box),)
        if to.province not in self._goals_of:
            place = self._sheet.places[to.province]
            if place.ground is GroundKind.TOWN and place.seal is not None:
                (x, y), r = place.seal, place.radius
                goals: tuple[Goal, ...] = (Goal(place.seal, Rect(x - r, y - r, x + r, y + r)),)
            else:
                goals = tuple(map(Goal, self.layout.points_in(place.shape, place.seal or place.home)))
            self._goals_of[to.province] = goals
        return self._goals_of[to.province]

    def move(self, outcome: Outcome) -> None:
        order = outcome.order
        assert isinstance(order, Move | Retreat)
        home = self._dislodged if isinstance(order, Retreat) else self._standing
        province = order.unit.region.province
        start = home.get(province)
        if start is None or order.to.province not in self._sheet.places:
            return
        holds = outcome.result is Result.SUCCEEDS
        fleets = self._carriers(order) if isinstance(order, Move) else ()
        stops = tuple(_middle(self._standing[fleet]) for fleet in fleets if fleet in self._standing)
        kind = (ArrowKind.RETREAT if isinstance(order, Retreat)
                else ArrowKind.CONVOYED if stops else ArrowKind.MOVE)
        shown = HEAD_ON if not holds and not stops and self._meets_head_on(order) else 1.0
        if isinstance(order, Move):
            self._moves[province] = len(self.lines)
        self.lines.append(_WishedLine(kind, order.power, holds, LineWish(
            start, self._goals(order.to), stops, None, shown, 0.0 if holds else SHORT_BY)))

    def _meets_head_on(self, order: UnitOrder) -> bool:
        """Whether the unit at a move's goal was ordered to where the move comes from."""
        return isinstance(order, Move) and any(
            isinstance(other.order, Move) and other.result is not Result.VOID
            and other.order.unit.region.province == order.to.province
            and other.order.to.province == order.unit.region.province for other in self._outcomes)

    def journey(self, outcome: Outcome, start: str, goal: str) -> None:
        """The line of an order that names no unit, from one province to another."""
        if start not in self._sheet.places or goal not in self._sheet.places:
            return
        x, y = self._goals(Region(start))[0].point
        room = self._standing.get(start) or Rect(x, y, x, y).grown(0.5)
        holds = outcome.result is Result.SUCCEEDS
        self.lines.append(_WishedLine(ArrowKind.MOVE, outcome.order.power, holds, LineWish(
            room, self._goals(Region(goal)), short_by=0.0 if holds else SHORT_BY)))

    def help(self, outcome: Outcome) -> None:
        """The line of a support or convoy, onto the move that it is for, or to the plate of the unit that
        stays."""
        order = outcome.order
        if not isinstance(order, SupportHold | SupportMove | Convoy):
            return
        start = self._standing.get(order.unit.region.province)
        target = self._standing.get(order.target.region.province)
        if start is None:
            return
        helped = None if isinstance(order, SupportHold) else self._moves.get(order.target.region.province)
        if helped is None and target is None:
            return
        # The plate of the unit itself, where the line of its move cannot be drawn.
        goals = () if target is None else tuple(Goal(point, target) for point in _over(target))
        kind = ArrowKind.CONVOY if isinstance(order, Convoy) else ArrowKind.SUPPORT
        self.lines.append(_WishedLine(
            kind, order.power, outcome.result is Result.SUCCEEDS, LineWish(
                start, goals, helps=helped, is_convoy=kind is ArrowKind.CONVOY)))

    def _carriers(self, move: Move) -> tuple[str, ...]:
        """The provinces of the fleets that were to carry an army, in the order in which it passes them: the
        shortest way over those that carried it, or else over those that were ordered to; () if there is
        none."""
        convoys = [
            outcome for outcome in self._outcomes
            if isinstance(outcome.order, Convoy) and outcome.result is not Result.VOID
            and outcome.order.target.region.province == move.unit.region.province
            and outcome.order.to.province == move.to.province]
        for wanted in ({Result.SUCCEEDS}, {Result.SUCCEEDS, Result.FAILS}):
            fleets = [outcome.order.unit.region.province for outcome in convoys
                      if isinstance(outcome.order, Convoy) and outcome.result in wanted]
            way = self._shortest(move.unit.region.province, move.to.province, fleets)
            if way:
                return way
        return ()

    def _shortest(self, start: str, goal: str, fleets: Sequence[str]) -> tuple[str, ...]:
        board = self._variant.board
        ways: list[tuple[str, ...]] = [(fleet,) for fleet in fleets if fleet in board.near(start, SEA)]
        for way in ways:
            if goal in board.near(way[-1], SEA):
                return way
            ways += [(*way, fleet) for fleet in fleets
                     if fleet not in way and fleet in board.near(way[-1], SEA)]
        return ()


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


def _over(box: Rect) -> tuple[Point, ...]:
    """The middle of a plate, and points to its sides, so that lines that end at one plate may stand apart."""
    (x, y), across, down = _middle(box), 0.35 * box.width, 0.35 * box.height
    return (x, y), (x - across, y), (x + across, y), (x, y - down), (x, y + down)


def _middle(box: Rect) -> Point:
    return (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
