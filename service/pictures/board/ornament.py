"""Title, compass, scale and border in the manner of an engraved map of the time."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from service.facts import design
from service.pictures.drawing import fonts
from service.pictures.drawing.shapes import MapPaper
from service.pictures.drawing.svg import polygon, text
from service.pictures.drawing.values import Rect

INK, PAPER, PALE = (design.values()[name] for name in ("engraving", "parchment", "pale"))
RULE = f'fill="none" stroke="{INK}"'
MILE_KM = 1.609344
LONGEST_TITLE = 80


def panel(box: Rect) -> str:
    """A sheet laid on the map: paper, a heavy and a fine rule, corners cut."""
    outer, inner = _notched(box, 3.2), _notched(box.grown(-1.3), 2.6)
    return (
        polygon(outer, f'fill="{PALE}" stroke="{INK}" stroke-width="0.55"')
        + polygon(inner, f'{RULE} stroke-width="0.18"')
    )


def _notched(box: Rect, cut: float) -> list[tuple[float, float]]:
    """A rectangle whose corners are bitten out by quarter circles."""
    points: list[tuple[float, float]] = []
    for x, y, first in (
        (box.x0, box.y0, 90),
        (box.x1, box.y0, 180),
        (box.x1, box.y1, 270),
        (box.x0, box.y1, 0),
    ):
        points += [
            (x + cut * math.cos(math.radians(first - step)), y + cut * math.sin(math.radians(first - step)))
            for step in range(0, 91, 15)
        ]
    return points


def flourish(x: float, y: float, width: float) -> str:
    """A swelling rule with a lozenge in its middle."""
    half = width / 2
    return (
        f'<path d="M{x - half:.2f} {y:.2f}Q{x - half / 2:.2f} {y - 0.75:.2f} {x - 1.6:.2f} '
        f'{y:.2f}Q{x - half / 2:.2f} {y + 0.75:.2f} {x - half:.2f} {y:.2f}ZM{x + half:.2f} '
        f'{y:.2f}Q{x + half / 2:.2f} {y - 0.75:.2f} {x + 1.6:.2f} {y:.2f}Q{x + half / 2:.2f} {y + 0.75:.2f} '
        f'{x + half:.2f} {y:.2f}Z" fill="{INK}"/>'
        + polygon([(x - 1.1, y), (x, y - 1.1), (x + 1.1, y), (x, y + 1.1)], f'fill="{INK}"')
    )


def fitting_size(words: str, face: str, size: float, room: float) -> float:
    """The size at which a line fits into `room`, at most `size`."""
    return min(size, size * room / max(0.1, fonts.width(words, face, size)))


def cartouche(box: Rect, title: str, subtitle: str, motto: str) -> str:
    """The map's name on its panel: an overline, the title on one or two lines, the subtitle in italics."""
    x, room = (box.x0 + box.x1) / 2, box.width - 12
    lines = title_lines(title[:LONGEST_TITLE])
    size = min(fitting_size(line, "display", 9.2, room) for line in lines)
    # From the overline's foot to the subtitle's, in the middle of the panel.
    y = (box.y0 + box.y1 - 11.8 - len(lines) * size * 1.02) / 2 + 1.0
    parts = [panel(box)]
    if motto:
        parts.append(
            text(
                x,
                y,
                motto,
                "display-italic",
                fitting_size(motto, "display-italic", 3.3, room),
                f'fill="{INK}"',
            )
        )
    y += 1.2
    for line in lines:
        y += size * 1.02
        parts.append(text(x, y, line, "display", size, f'fill="{INK}"'))
    y += 4.6
    parts.append(flourish(x, y, box.width * 0.55))
    y += 6.0
    parts.append(
        text(
            x,
            y,
            subtitle,
            "display-italic",
            fitting_size(subtitle, "display-italic", 4.6, room),
            f'fill="{INK}"',
        )
    )
    return "".join(parts)


def title_lines(title: str) -> list[str]:
    """A long title on two lines, as even as can be."""
    words = title.split()
    if len(title) < 18 or len(words) < 3:
        return [title]
    # The break that leaves the longer of the two lines shortest.
    cut = min(
        range(1, len(words)),
        key=lambda cut_index: max(len(" ".join(words[:cut_index])), len(" ".join(words[cut_index:]))),
    )
    return [" ".join(words[:cut]), " ".join(words[cut:])]


def rhumbs(box: Rect, inside: Rect) -> str:
    """Thirty-two winds drawn across the water from the compass."""
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    reach = math.hypot(inside.width, inside.height)
    lines = "".join(
        f"M{x:.2f} {y:.2f}L{x + reach * math.sin(turn):.2f} {y - reach * math.cos(turn):.2f}"
        for turn in (math.pi * index / 16 for index in range(32))
    )
    return f'<path d="{lines}" {RULE} stroke-width="0.09" stroke-opacity="0.32"/>'


def compass(box: Rect) -> str:
    """A rose of sixteen points, north marked with a lily."""
    x, y, radius = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2 + 1.5, min(box.width, box.height) / 2 - 3.0
    parts = [
        (f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius * r:.2f}" fill="none" stroke="{INK}" '
         f'stroke-width="{w}"/>')
        for r, w in ((0.62, 0.3), (0.58, 0.12), (0.3, 0.12))
    ]
    for length, waist, first in ((0.72, 0.2, 1), (0.8, 0.2, 2), (1.0, 0.22, 4)):
        step = {1: 16, 2: 8, 4: 4}[first]
        for index in range(step):
            # A longer point is drawn here by one of the next turns.
            if first < 4 and (index * 16 // step) % (2 * (16 // step)) == 0:
                continue
            parts.append(_point(x, y, radius * length, radius * waist, 2 * math.pi * index / step))
    parts.append(_lily(x, y - radius, radius * 0.24))
    return "".join(parts)


def _point(x: float, y: float, length: float, waist: float, turn: float) -> str:
    tip = (x + length * math.sin(turn), y - length * math.cos(turn))
    halves = []
    for side, fill in ((-1, INK), (1, PALE)):
        shoulder = turn + side * math.pi / 8
        corner = (x + waist * math.sin(shoulder), y - waist * math.cos(shoulder))
        halves.append(polygon([(x, y), corner, tip], f'fill="{fill}" stroke="{INK}" stroke-width="0.12"'))
    return "".join(halves)


def _lily(x: float, y: float, size: float) -> str:
    s = size
    return (f'<path d="M{x} {y - 1.5 * s}C{x + 0.5 * s} {y - 0.9 * s} {x + 0.45 * s} {y - 0.4 * s} {x} '
            f'{y}C{x - 0.45 * s} {y - 0.4 * s} {x - 0.5 * s} {y - 0.9 * s} {x} {y - 1.5 * s}ZM{x + 0.15 * s} '
            f'{y - 0.1 * s}C{x + 0.5 * s} {y - 0.9 * s} {x + 1.2 * s} {y - 0.9 * s} {x + 0.85 * s} '
            f'{y - 0.25 * s}C{x + 0.8 * s} {y - 0.6 * s} {x + 0.5 * s} {y - 0.4 * s} {x + 0.15 * s} '
            f'{y - 0.1 * s}ZM{x - 0.15 * s} {y - 0.1 * s}C{x - 0.5 * s} {y - 0.9 * s} {x - 1.2 * s} '
            f'{y - 0.9 * s} {x - 0.85 * s} {y - 0.25 * s}C{x - 0.8 * s} {y - 0.6 * s} {x - 0.5 * s} '
            f'{y - 0.4 * s} {x - 0.15 * s} {y - 0.1 * s}Z" fill="{INK}"/>')


def scale_bar(box: Rect, kilometres: float) -> str:
    """Two bars, miles above and kilometres below; `kilometres` a millimetre of paper."""
    parts = []
    for row, (unit, size) in enumerate((("miles", MILE_KM), ("kilometres", 1.0))):
        y = box.y0 + 4.6 + row * 6.6
        # The smallest round step whose bar has at least 7 mm, which is room for the number above it.
        step = next(
            step for step in (10, 20, 25, 50, 100, 200, 250, 500, 1000) if step * size / kilometres >= 7
        )
        bar = step * size / kilometres
        count = max(1, int((box.width - 18) / bar))
        for index in range(count):
            x = box.x0 + 2 + index * bar
            fill = INK if index % 2 == 0 else PALE
            parts.append(
                f'<rect x="{x:.2f}" y="{y:.2f}" width="{bar:.2f}" height="1.1" fill="{fill}" stroke="{INK}" '
                f'stroke-width="0.15"/>'
            )
            parts.append(text(x, y - 0.7, str(index * step), "roman", 2.0, f'fill="{INK}"'))
        end = box.x0 + 2 + count * bar
        parts.append(text(end, y - 0.7, str(count * step), "roman", 2.0, f'fill="{INK}"'))
        parts.append(text(end + 2.2, y + 1.1, unit, "italic", 2.4, f'fill="{INK}"', anchor="start"))
    return "".join(parts)


def border(sheet: MapPaper) -> str:
    """The neat line with a scale of degrees around it, black and white by turns; a sketch has no degrees."""
    inside = sheet.inside
    parts = [
        (f'<rect x="{box.x0:.2f}" y="{box.y0:.2f}" width="{box.width:.2f}" height="{box.height:.2f}" {RULE} '
         f'stroke-width="{w}"/>')
        for box, w in (
            (inside, 0.35),
            (inside.grown(2.2), 0.35),
            (inside.grown(5.6), 0.3),
            (inside.grown(6.6), 0.9),
        )
    ]
    if sheet.is_sketch:
        return "".join(parts)
    for y, low in ((inside.y0, True), (inside.y1, False)):
        parts += _edge(sheet, y, low=low, across=True)
    for x, low in ((inside.x0, True), (inside.x1, False)):
        parts += _edge(sheet, x, low=low, across=False)
    return "".join(parts)


def _edge(sheet: MapPaper, fixed: float, *, low: bool, across: bool) -> list[str]:
    """One edge of the border: a black bar for every other step, a number at each whole step that has room."""
    inside = sheet.inside
    start, end = (inside.x0, inside.x1) if across else (inside.y0, inside.y1)
    ticks = _crossings(sheet, fixed, start, end, across=across)
    step = _degree_step([offset for _, offset in ticks])
    ticks = [(degree, offset) for degree, offset in ticks if degree % step == 0]
    parts = []
    bar = fixed - 1.65 if low else fixed + 0.55
    for (degree, a), (_, b) in pairwise(sorted(ticks, key=lambda tick: tick[1])):
        first, last = max(start, min(a, b)), min(end, max(a, b))
        if (degree // step) % 2 and last > first:
            box = (first, bar, last - first, 1.1) if across else (bar, first, 1.1, last - first)
            x, y, width, height = box
            parts.append(f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" '
                         f'fill="{INK}"/>')
    for degree, offset in ticks:
        if not start + 4 < offset < end - 4:
            continue
        words = _degree(degree, "E", "W") if across else _degree(degree, "N", "S")
        if across:
            parts.append(
                text(offset, fixed - 3.0 if low else fixed + 4.7, words, "roman", 2.2, f'fill="{INK}"')
            )
        else:
            x = fixed - 3.2 if low else fixed + 3.2
            number = text(x, offset + 0.6, words, "roman", 2.2, f'fill="{INK}"')
            parts.append(f'<g transform="rotate({-90 if low else 90} {x:.2f} {offset:.2f})">{number}</g>')
    return parts


def _degree_step(places: list[float]) -> int:
    """Degrees from one number to the next: as few as leave the numbers room."""
    apart = min((abs(b - a) for a, b in pairwise(places)), default=100.0)
    return next((step for step in (1, 2, 5, 10, 20) if step * apart >= 9.0), 30)


def _degree(number: int, plus: str, minus: str) -> str:
    return f"{abs(number)}°" + ("" if number == 0 else plus if number > 0 else minus)


def _crossings(
    sheet: MapPaper, fixed: float, start: float, end: float, *, across: bool
) -> list[tuple[int, float]]:
    """Whole degrees of longitude (or latitude) along one edge and where they meet it, a little beyond its
    ends too."""
    # A degree line may meet the edge just beyond its end and still belong to its corner.
    run = np.linspace(start - (end - start) / 10, end + (end - start) / 10, 481)
    still = np.full_like(run, fixed)
    paper_points = np.column_stack([run, still] if across else [still, run])
    kilometres = np.column_stack([
        sheet.west + (paper_points[:, 0] - sheet.inside.x0) * sheet.scale,
        sheet.north - (paper_points[:, 1] - sheet.inside.y0) * sheet.scale,
    ])
    values = sheet.projection.inverse(kilometres)[:, 0 if across else 1]
    return [
        (degree, float(a + (b - a) * (degree - u) / (v - u)))
        for (a, u), (b, v) in pairwise(zip(run, values, strict=True))
        for degree in range(math.ceil(min(u, v)), math.floor(max(u, v)) + 1)
    ]
