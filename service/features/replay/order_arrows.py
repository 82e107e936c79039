"""The orders of a phase as lines on a board, as SVG: each kind of order and each fate in its own form,
so that they can be distinguished without colour (BEY-01).

A move is a plain line with a full head; one that was turned back ends in two bars short of its goal. Supports
are dashed and end in a ring, convoys dotted and end in a square; what was cut or came to nothing has a cross
on it. A retreat is a broken line with an open head. What happens to a unit in its place is drawn around its
plate. Where the lines run is chosen in `line_layout`.

A colour is made dark enough for its ground (WCAG 2.2, success criterion 1.4.11).

A colour is "#rrggbb".
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np
import shapely
import shapely.ops
from numpy.typing import NDArray

from maps.variant import Variant
from service.facts.design import contrast
from service.features.replay import curves
from service.features.replay.curves import Line, Point
from service.pictures.board.base_map import SEA_TONE, TONES
from service.pictures.board.centre_marks import LAND_TONE, attribute
from service.pictures.board.map_sheet import TINT
from service.pictures.board.ornament import INK, PALE
from service.pictures.board.town_lands import WASH
from service.pictures.board.unit_marks import HIGH, RING
from service.pictures.drawing.svg import text
from service.pictures.drawing.values import Rect

LEAST = 3.1
"""Ratio that a line which states something must have to the ground beneath it: the guideline has 3.0, and
painters round."""
_DARKER = 0.96
"""Part of a colour's channels that is stored at each step towards black."""


def laid_over(colour: str, opacity: float, ground: str) -> str:
    """The colour that is seen where one of an opacity from 0 to 1 is painted on a ground."""
    return _written(opacity * above + (1 - opacity) * below
                    for above, below in zip(_channels(colour), _channels(ground), strict=True))


def darkened(colour: str, grounds: Iterable[str], least: float = LEAST) -> str:
    """The colour, as much darker in its own hue as it must be for a contrast ratio of `least` to every
    ground; black where none is dark enough."""
    grounds = tuple(grounds)
    while colour != "#000000" and any(contrast(colour, ground) < least for ground in grounds):
        # Rounded down, so that it comes to black in the end.
        colour = _written(int(_DARKER * channel) for channel in _channels(colour))
    return colour


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[offset:offset + 2], 16) for offset in (1, 3, 5))


def _written(channels: Iterable[float]) -> str:
    return "#" + "".join(f"{round(channel):02x}" for channel in channels)


WIDTH = 0.62
"""Millimetres of a move's line on A3; the others are parts of it."""
HEAD = 2.3
BURST, BADGE = RING, 1.2
"""Millimetres that the ring of a dislodged unit, and the other signs of a fate, reach beyond its plate."""
BURST_NEAR, JAG = 0.45, 0.9
"""Millimetres between a plate and the inner corners of that ring, and between two corners of it."""
CASING, CASING_OPACITY = 0.4, 0.9
"""Millimetres of paper drawn on either side of a line, and how much of the ground it covers: the pattern of a
power's land is in the power's own ink."""


class ArrowKind(StrEnum):
    """The meaning of a line."""

    MOVE = "move"
    CONVOYED = "convoyed move"
    SUPPORT = "support"
    CONVOY = "convoy"
    RETREAT = "retreat"


@dataclass(frozen=True, slots=True)
class Arrow:
    """One line as it is drawn: whose, its curve, and whether what it represents came about."""

    kind: ArrowKind
    power: str
    line: Line
    holds: bool


@dataclass(frozen=True, slots=True)
class UnitFate:
    """The fate of a unit in its place: `dislodged`, `gone` (disbanded, destroyed or removed), `built`,
    `converted`, or given under the orders of the power with that letter in `proxy`."""

    box: Rect
    dislodged: bool = False
    gone: bool = False
    built: bool = False
    converted: bool = False
    proxy: str = ""


@dataclass(frozen=True, slots=True)
class PhaseDrawing:
    """All that is drawn of a phase's orders. `scale`: how large its lines are, 1 on A3."""

    arrows: tuple[Arrow, ...]
    fates: tuple[UnitFate, ...]
    scale: float = 1.0


def draw_orders(variant: Variant, drawing: PhaseDrawing) -> str:
    """The lines as SVG, to be laid below names and plates."""
    # Halos first: a line that crosses another is broken by none.
    arrows, scale = drawing.arrows, drawing.scale
    halos = "".join(_stroke(arrow.line, PALE, (WIDTH + 2 * CASING) * scale, opacity=CASING_OPACITY)
                    for arrow in arrows)
    pens = {power: _Pen(line_ink(variant, power), scale) for power in {arrow.power for arrow in arrows}}
    return halos + "".join(pens[arrow.power].arrow(arrow) for arrow in arrows)


def rooms_of(drawing: PhaseDrawing) -> tuple[Rect, ...]:
    """The ground covered by lines and their ends, as small boxes."""
    around = 0.5 * WIDTH * drawing.scale
    return (*(Rect(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)).grown(around)
              for arrow in drawing.arrows for (x0, y0), (x1, y1) in pairwise(arrow.line)),
            *ends_of(drawing))


def ends_of(drawing: PhaseDrawing) -> tuple[Rect, ...]:
    """The ground covered by the ends of lines: heads, bars, rings and squares; and the signs of fates."""
    tip = 0.45 * HEAD * drawing.scale
    ends = [Rect(x, y, x, y).grown(tip) for arrow in drawing.arrows for x, y in arrow.line[-1:]]
    signs = [fate.box.grown((BURST if fate.dislodged else BADGE) * drawing.scale) for fate in drawing.fates]
    return (*ends, *signs)


def line_grounds(variant: Variant) -> frozenset[str]:
    """Every colour that a line may run over, as "#rrggbb": water, land that no one holds, and that of each
    power. Not the strokes of a pattern: a casing is between them and the line."""
    plain = {SEA_TONE, LAND_TONE, *TONES}
    held = {laid_over(power.colour, TINT, LAND_TONE) for power in variant.powers.values()}
    washed = {laid_over(power.colour, WASH, tone) for power in variant.powers.values() for tone in TONES}
    return frozenset(plain | held | washed)


def line_ink(variant: Variant, power: str) -> str:
    """The colour of a power's lines, as "#rrggbb": its own, so much darker that it shows on every ground of
    the board, the power's own tint too (WCAG 2.2, 1.4.11)."""
    return darkened(variant.powers[power].colour, line_grounds(variant))


def draw_fates(drawing: PhaseDrawing) -> str:
    """The surroundings of plates as SVG, to be laid above them."""
    return "".join(_fate(fate) for fate in drawing.fates)


@dataclass(frozen=True, slots=True)
class _Pen:
    """Draws the lines of one power, in its ink."""

    ink: str
    scale: float

    def arrow(self, arrow: Arrow) -> str:
        line, ink, width = arrow.line, self.ink, WIDTH * self.scale
        match arrow.kind:
            case ArrowKind.MOVE | ArrowKind.CONVOYED:
                shaft = self._before_head(line)
                body = _stroke(shaft if arrow.holds else line, ink, width)
                if arrow.kind is ArrowKind.CONVOYED:
                    body += _stroke(shaft, PALE, width / 3)
                body += self._head(line, is_open=False) if arrow.holds else self._bars(line)
            case ArrowKind.RETREAT:
                shaft = self._before_head(line) if arrow.holds else line
                body = _stroke(shaft, ink, width * 0.85, dashes=self._dashes(3.0, 1.1, 0.6, 1.1))
                body += self._head(line, is_open=True) if arrow.holds else self._bars(line)
            case ArrowKind.SUPPORT:
                body = _stroke(line, ink, width * 0.7, dashes=self._dashes(1.7, 0.9)) + self._ring(line)
            case ArrowKind.CONVOY:
                body = _stroke(line, ink, width * 1.1, dashes=self._dashes(0.01, 1.35)) + self._square(line)
        if not arrow.holds and arrow.kind in {ArrowKind.SUPPORT, ArrowKind.CONVOY}:
            body += self._cross(curves.along(line, 0.5))
        return (f'<g class="order" data-power="{attribute(arrow.power)}" '
                f'data-kind="{attribute(arrow.kind.value)}" '
                f'data-holds="{str(arrow.holds).lower()}">{body}</g>')

    def _dashes(self, *lengths: float) -> str:
        return " ".join(f"{length * self.scale:.3g}" for length in lengths)

    def _direction(self, line: Line) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The last point, and the direction in which the line comes there."""
        tip, head = line[-1], HEAD * self.scale
        back = next((point for point in line[::-1] if float(np.hypot(*(tip - point))) > head), line[0])
        way = tip - back
        return tip, way / max(float(np.hypot(*way)), 1e-9)

    def _before_head(self, line: Line) -> Line:
        """A line without the part that its head covers."""
        whole = shapely.LineString(line)
        end = max(0.3, whole.length - 0.8 * HEAD * self.scale)
        return shapely.get_coordinates(shapely.ops.substring(whole, 0.0, end))

    def _head(self, line: Line, *, is_open: bool) -> str:
        tip, way = self._direction(line)
        long, side = HEAD * self.scale, np.array([-way[1], way[0]])
        left, right = tip - long * way + 0.42 * long * side, tip - long * way - 0.42 * long * side
        points = f"M{_xy(left)}L{_xy(tip)}L{_xy(right)}"
        if is_open:
            return (f'<path d="{points}" fill="none" stroke="{self.ink}" '
                    f'stroke-width="{WIDTH * 0.85 * self.scale:.2f}" '
                    'stroke-linejoin="round" stroke-linecap="round"/>')
        return f'<path d="{points}Z" fill="{self.ink}" stroke="{PALE}" stroke-width="0.15"/>'

    def _bars(self, line: Line) -> str:
        """The end of a move that was turned back."""
        tip, way = self._direction(line)
        side, between = 1.35 * self.scale * np.array([-way[1], way[0]]), 0.85 * self.scale * way
        bars = "".join(f"M{_xy(middle + side)}L{_xy(middle - side)}" for middle in (tip, tip - between))
        return (f'<path d="{bars}" fill="none" stroke="{PALE}" '
                f'stroke-width="{(WIDTH + 0.5) * self.scale:.2f}"/>'
                f'<path d="{bars}" fill="none" stroke="{self.ink}" '
                f'stroke-width="{WIDTH * 0.8 * self.scale:.2f}" stroke-linecap="round"/>')

    def _ring(self, line: Line) -> str:
        x, y = line[-1]
        return (f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{0.75 * self.scale:.2f}" fill="{PALE}" '
                f'stroke="{self.ink}" stroke-width="{WIDTH * 0.7 * self.scale:.2f}"/>')

    def _square(self, line: Line) -> str:
        (x, y), half = line[-1], 0.7 * self.scale
        return (f'<rect x="{x - half:.2f}" y="{y - half:.2f}" width="{2 * half:.2f}" height="{2 * half:.2f}" '
                f'fill="{PALE}" stroke="{self.ink}" stroke-width="{WIDTH * 0.7 * self.scale:.2f}"/>')

    def _cross(self, point: Point) -> str:
        (x, y), half = point, 1.1 * self.scale
        left, top, right, bottom = x - half, y - half, x + half, y + half
        strokes = (f"M{left:.2f} {top:.2f}L{right:.2f} {bottom:.2f}"
                   f"M{left:.2f} {bottom:.2f}L{right:.2f} {top:.2f}")
        return (f'<path d="{strokes}" stroke="{PALE}" stroke-width="{(WIDTH + 0.6) * self.scale:.2f}" '
                f'stroke-linecap="round"/>'
                f'<path d="{strokes}" stroke="{self.ink}" stroke-width="{WIDTH * 0.85 * self.scale:.2f}" '
                'stroke-linecap="round"/>')


def _stroke(line: Line, ink: str, width: float, *, dashes: str = "", opacity: float = 1.0) -> str:
    points = " ".join(f"{x:.2f} {y:.2f}" for x, y in line[1:])
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    fade = "" if opacity == 1.0 else f' stroke-opacity="{opacity:g}"'
    return (f'<path d="M{line[0][0]:.2f} {line[0][1]:.2f}L{points}" fill="none" stroke="{ink}" '
            f'stroke-width="{width:.2f}" stroke-linecap="round"{dash}{fade}/>')


def _fate(fate: UnitFate) -> str:
    box, part = fate.box, fate.box.height / HIGH
    if abs(part - 1.0) < 0.01:
        return _fate_signs(fate, box)
    # A smaller plate has smaller signs.
    signs = _fate_signs(fate, Rect(0.0, 0.0, box.width / part, HIGH))
    return f'<g transform="translate({box.x0:.2f} {box.y0:.2f}) scale({part:g})">{signs}</g>'


def _fate_signs(fate: UnitFate, box: Rect) -> str:
    parts = []
    if fate.dislodged:
        parts.append(_burst(box))
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
    """A jagged ring around the plate of a unit that was dislodged, close to it: on a crowded board others
    are next to."""
    near, far = box.grown(BURST_NEAR), box.grown(BURST)
    across, down = 2 * round(near.width / JAG / 2), 2 * round(near.height / JAG / 2)
    sides = [(near.x0 + near.width * step / across, near.y0, 0, -1) for step in range(across)]
    sides += [(near.x1, near.y0 + near.height * step / down, 1, 0) for step in range(down)]
    sides += [(near.x1 - near.width * step / across, near.y1, 0, 1) for step in range(across)]
    sides += [(near.x0, near.y1 - near.height * step / down, -1, 0) for step in range(down)]
    out = far.x1 - near.x1
    points = " ".join(f"{x + out * right * (number % 2):.2f} {y + out * below * (number % 2):.2f}"
                      for number, (x, y, right, below) in enumerate(sides))
    return f'<path d="M{points}Z" fill="none" stroke="{INK}" stroke-width="0.32" stroke-linejoin="miter"/>'


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
