"""Marks of centres: a disc for a town, a shield for a county, a crown for a capital."""

from __future__ import annotations

import math
from functools import cache
from html import escape

import shapely
from shapely.geometry.base import BaseGeometry

from maps.variant import Power
from service.pictures.board import ornament
from service.pictures.board.ornament import INK
from service.pictures.drawing.hatch import hatch
from service.pictures.drawing.svg import path, text
from service.pictures.drawing.values import GroundKind, LabelPlace

LAND_TONE, TOWN_TONE = "#faf3e0", "#e2cda0"
GAP_TOWN = 0.62
DARK_ENOUGH = 0.55
"""Lightness, 0 to 1, that strokes on paper may have."""


def attribute(words: str) -> str:
    """Words safe inside a quoted attribute."""
    return escape(words, quote=True)


def ink_of(power: Power) -> str:
    """The colour of a power's strokes: its own, darker where it would not show on paper."""
    red, green, blue = (int(power.colour[offset : offset + 2], 16) for offset in (1, 3, 5))
    # Luma of ITU-R BT.601: green looks brightest to the eye, blue darkest.
    light = (0.299 * red + 0.587 * green + 0.114 * blue) / 255
    if light <= DARK_ENOUGH:
        return power.colour
    part = DARK_ENOUGH / light
    return f"#{round(red * part):02x}{round(green * part):02x}{round(blue * part):02x}"


@cache
def disc(x: float, y: float, radius: float) -> BaseGeometry:
    """A round mark."""
    return shapely.Point(x, y).buffer(radius, quad_segs=12)


def seal(place: LabelPlace, power: Power | None) -> str:
    """A centre's mark: the owner's letter on paper within a ring of the owner's colour and pattern; a black
    point where no one owns it. A town is a disc, the mark of a county's centre a shield. A capital wears a
    crown."""
    if place.seal is None:
        return ""
    x, y = place.seal
    town = place.ground is GroundKind.TOWN
    outline = _outline(place)
    tone = TOWN_TONE if town and power is None else ornament.PALE
    parts = [outline.format(f'fill="{tone}"')]
    if power is not None and town:
        strokes = path(hatch(power.pattern, disc(x, y, place.radius), GAP_TOWN))
        parts.append(outline.format(f'fill="{power.colour}" fill-opacity="0.45"'))
        parts.append(f'<path d="{strokes}" fill="none" stroke="{ink_of(power)}" stroke-width="0.16"/>')
    parts.append(outline.format(f'fill="none" stroke="{INK}" stroke-width="0.3"'))
    if place.capital:
        parts.append(
            f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{place.radius + 0.5:.2f}" fill="none" stroke="{INK}" '
            f'stroke-width="0.22"/>'
        )
        parts.append(crown(x, y - place.radius - 0.55))
    if power is not None:
        size = place.radius * 1.5
        if town:
            parts.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{place.radius * 0.72:.2f}" '
                         f'fill="{ornament.PALE}"/>')
        parts.append(text(x, y + size * 0.325, power.letter, "bold", size, f'class="owner" fill="{INK}"'))
    elif place.centre:
        parts.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="0.62" fill="{INK}"/>')
    owner = "" if power is None else f' data-power="{attribute(power.id)}"'
    return f'<g class="seal" data-region="{attribute(place.name)}"{owner}>{"".join(parts)}</g>'


def _outline(place: LabelPlace) -> str:
    """The edge of a mark, with room for its style."""
    x, y = place.seal or (0.0, 0.0)
    if place.ground is GroundKind.TOWN:
        return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{place.radius:.2f}" {{}}/>'
    return f'<path d="{path(shield(x, y, place.radius))}" {{}}/>'


def shield(x: float, y: float, radius: float) -> BaseGeometry:
    """A heater shield about a point, as wide as a disc of the radius."""
    r = radius
    sides = [(math.cos(math.radians(a)), math.sin(math.radians(a))) for a in range(0, 61, 12)]
    # Each side is an arc about the opposite shoulder, meeting the other at the point below.
    right = [(x - r * 0.92 + 1.84 * r * c, y - 0.15 * r + 1.84 * r * s * 0.78) for c, s in sides]
    left = [(2 * x - px, py) for px, py in reversed(right)]
    top = y - 1.0 * r
    return shapely.Polygon([(x - 0.92 * r, top), (x + 0.92 * r, top), *right, *left])


def crown(x: float, y: float) -> str:
    """A small crown standing on (x, y)."""
    return (f'<path d="M{x - 1.0:.2f} {y:.2f}L{x - 1.25:.2f} {y - 1.25:.2f}L{x - 0.55:.2f} '
            f'{y - 0.7:.2f}L{x:.2f} {y - 1.5:.2f}L{x + 0.55:.2f} {y - 0.7:.2f}L{x + 1.25:.2f} '
            f'{y - 1.25:.2f}L{x + 1.0:.2f} {y:.2f}Z" fill="{INK}"/>')
