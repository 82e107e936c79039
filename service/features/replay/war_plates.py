"""A phase of a game as a plate: the board with its units and their orders, and the key to the lines
(BEY-01)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.units import Unit
from maps.variant import Variant
from service.features.replay import order_arrows
from service.features.replay.order_arrows import Arrow, ArrowKind, PhaseDrawing
from service.features.replay.phase_drawing import drawing_of
from service.pictures.board.map_sheet import DrawnOrders, MapPlan, draw_map
from service.pictures.board.ornament import INK, PALE
from service.pictures.board.shipped_maps import board_plan
from service.pictures.drawing.svg import text
from service.pictures.drawing.values import A3, MapOptions, PaperSize, Rect

KEY: tuple[tuple[ArrowKind, bool, str], ...] = (
    (ArrowKind.MOVE, True, "a move"),
    (ArrowKind.MOVE, False, "turned back"),
    (ArrowKind.CONVOYED, True, "a move by convoy, past its fleets"),
    (ArrowKind.CONVOYED, False, "a move by convoy, turned back"),
    (ArrowKind.CONVOY, True, "a convoy, to the move that it carries"),
    (ArrowKind.CONVOY, False, "a convoy in vain"),
    (ArrowKind.SUPPORT, True, "support, to a move or a unit that stays"),
    (ArrowKind.SUPPORT, False, "support that was cut, or in vain"),
    (ArrowKind.RETREAT, True, "a retreat"),
    (ArrowKind.RETREAT, False, "a retreat that failed"),
)
FATES: tuple[tuple[dict[str, bool | str], str], ...] = (
    ({"dislodged": True}, "dislodged"),
    ({"gone": True}, "disbanded or removed"),
    ({"built": True}, "built"),
    ({"converted": True}, "converted"),
    ({"proxy": "G"}, "in proxy to the power of the letter"),
)
_ROW, _KEY_WIDE = 6.6, 96.0


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
    """The board with the units that stand on it, as SVG; those dislodged have a jagged ring. Raises
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
    """What each line and mark means, as SVG."""
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
