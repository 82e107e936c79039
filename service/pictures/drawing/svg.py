"""Small words for writing SVG: paths of geometries, text set line by line. Every name goes through
`escape`."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from shapely import get_coordinates, get_parts
from shapely.geometry import LinearRing, LineString, Polygon
from shapely.geometry.base import BaseGeometry

from service.pictures.drawing import fonts
from service.pictures.drawing.name_variants import LEADING, ink_extent
from service.pictures.drawing.values import Label

Coordinates = Iterable[tuple[float, float]]


def path(geometry: BaseGeometry) -> str:
    """The `d` of a path for any geometry, hundredths of a millimetre."""
    pieces: list[str] = []
    for part in get_parts(geometry):
        if isinstance(part, Polygon):
            pieces += [_run(ring) + "Z" for ring in (part.exterior, *part.interiors)]
        elif isinstance(part, LineString | LinearRing):
            pieces.append(_run(part))
    return "".join(pieces)


def _run(line: BaseGeometry) -> str:
    # Hundredths of a millimetre: a dot at 600 to the inch is four of them.
    points = [f"{x:.2f} {y:.2f}" for x, y in get_coordinates(line)]
    return f"M{points[0]}L{' '.join(points[1:])}" if len(points) > 1 else ""


def polygon(points: Coordinates, style: str) -> str:
    """A closed polygon with attributes `style`."""
    return f'<path d="M{" ".join(f"{x:.2f} {y:.2f}" for x, y in points)}Z" {style}/>'


def text(
    x: float, y: float, words: str, face: str, size: float, style: str = "", anchor: str = "middle"
) -> str:
    """One line of type: baseline at `y`, size in millimetres."""
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" {fonts.CSS[face]} font-size="{size:.2f}" text-anchor="{anchor}" '
        f'{style}>'
        f"{escape(words)}</text>"
    )


def label(name_label: Label, colour: str, halo: str) -> str:
    """A name with a halo of the paper's colour behind it, so that lines under it do not cut the letters."""
    way, box = name_label.wording, name_label.box
    up, down = ink_extent(way)
    middle = ((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)
    height = way.size * (up + down + LEADING * (len(way.lines) - 1))
    top = middle[1] - height / 2 + up * way.size
    spacing = way.spacing * way.size
    turn = "" if way.upright else f' transform="rotate(-90 {middle[0]:.2f} {middle[1]:.2f})"'
    lines = [
        # Letter spacing follows the last letter too: half of it is taken back to keep the line in the middle.
        text(middle[0] + spacing / 2, top + index * LEADING * way.size, line, way.face, way.size,
             f'letter-spacing="{spacing:.3f}"' if spacing else "")
        for index, line in enumerate(way.lines)
    ]
    body = "".join(lines)
    under = (
        f'<g fill="{halo}" stroke="{halo}" stroke-width="0.55" stroke-linejoin="round" '
        f'stroke-opacity="0.85">{body}</g>'
    )
    return f'<g{turn}>{under}<g fill="{colour}">{body}</g></g>'
