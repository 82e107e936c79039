"""The ways a region's name may be set, best first: faces by kind of ground, sizes, line breaks, short
forms."""

from __future__ import annotations

from dataclasses import dataclass

from service.pictures.drawing import fonts
from service.pictures.drawing.values import GroundKind, LabelPlace, NameVariant

LEADING = 1.02
ASCENT, DESCENT = 0.70, 0.25
CAPITALS_ASCENT, CAPITALS_DESCENT = 0.67, 0.06
"""Extent of the ink above and below the baseline, in parts of the size."""


@dataclass(frozen=True, slots=True)
class _Style:
    face: str
    sizes: tuple[float, ...]
    spacing: float
    capitals: bool = False
    turned: bool = False


_STYLES = {
    GroundKind.AREA: _Style("italic", (4.0, 3.4, 2.9, 2.5), 0.08, turned=True),
    GroundKind.SEA: _Style("italic", (2.45, 2.2, 1.95, 1.7, 1.5), 0.03, turned=True),
    GroundKind.LAND: _Style("roman", (2.1, 1.9, 1.7, 1.5), 0.05, capitals=True),
    GroundKind.TOWN: _Style("roman", (2.25, 2.05, 1.85), 0.0),
}
_LEAST_IN_BOX = 1.35
"""A size more for the name of a box next to the board, which must not run over its frame."""

# Costs of a name that is not set in its largest size on one line; set by hand.
_PER_LINE = 0.35  # a break
_PER_SIZE = 0.5  # the next smaller size
_TURNED = 1.6  # the name runs from bottom to top
COST_OF_SHORT = 5.0
"""What the short form costs: it is the last resort."""


def name_variants(place: LabelPlace) -> tuple[NameVariant, ...]:
    """Every way to set the name of a place, each with its cost."""
    style = _STYLES[place.ground]
    name = place.name.upper() if style.capitals else place.name
    variants = []
    sizes = (*style.sizes, _LEAST_IN_BOX) if place.is_box else style.sizes
    for step, size in enumerate(sizes):
        for lines in line_breaks(name):
            cost = _PER_SIZE * step + _PER_LINE * (len(lines) - 1)
            variants.append(NameVariant(lines, style.face, size, style.spacing, cost))
            if style.turned:
                variants.append(
                    NameVariant(lines, style.face, size, style.spacing, cost + _TURNED, upright=False)
                )
    if place.abbr and place.ground in {GroundKind.LAND, GroundKind.TOWN}:
        short = place.abbr.upper() if style.capitals else place.abbr
        variants.append(NameVariant((short,), style.face, style.sizes[-2], style.spacing, COST_OF_SHORT,
                                    short=True))
    return tuple(variants)


def line_breaks(name: str) -> list[tuple[str, ...]]:
    """A name on one line, and on two and three where it has the words; each break as even as can be."""
    words = name.split()
    line_breaks: list[tuple[str, ...]] = [(name,)]
    for count in (2, 3):
        if len(words) < count:
            break
        splits = _splits(words, count)
        line_breaks.append(
            # Of two breaks that are equally even, the one that leaves no "The" alone on a line.
            min(splits, key=lambda lines: (max(len(line) for line in lines), lines[0] in {"The", "THE"}))
        )
    return line_breaks


def _splits(words: list[str], count: int) -> list[tuple[str, ...]]:
    if count == 1:
        return [(" ".join(words),)]
    return [
        (" ".join(words[:index]), *rest)
        for index in range(1, len(words) - count + 2)
        for rest in _splits(words[index:], count - 1)
    ]


def extent(wording: NameVariant) -> tuple[float, float]:
    """Width and height of the ink of a name as set, on paper: a turned name is higher than wide."""
    width = max(
        # The space after the last letter is not ink.
        fonts.width(line, wording.face, wording.size, wording.spacing) - wording.spacing * wording.size
        for line in wording.lines
    )
    up, down = ink_extent(wording)
    height = wording.size * (up + down + LEADING * (len(wording.lines) - 1))
    return (width, height) if wording.upright else (height, width)


def ink_extent(wording: NameVariant) -> tuple[float, float]:
    """Extent above and below the baseline, in parts of the size."""
    if all(line == line.upper() for line in wording.lines):
        # Of capitals and their signs only these go below the baseline.
        return CAPITALS_ASCENT, CAPITALS_DESCENT + (
            0.12 if any(c in "Q,;" for c in "".join(wording.lines)) else 0
        )
    return ASCENT, DESCENT
