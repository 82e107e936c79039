"""The faults of a finished plate, measured on its SVG alone: lines that run along each other, ends of
lines that something hides, lines below plates of other units, plates over names and marks.

Nothing here is shared with the drawing: elements are read from the text, type is measured by its font file.
Lengths are millimetres on paper. Insets are left out: they repeat a part of the map.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import shapely
import shapely.affinity
from fontTools.ttLib import TTFont
from PIL import ImageFont
from shapely.geometry.base import BaseGeometry

SVG = "{http://www.w3.org/2000/svg}"
NEAR = 0.5
"""Two lines closer than this look like one."""
ALONG = 3.0
"""So much of a line close to another is not a crossing: two lines that cross at 20 degrees share this."""
AT_END = 2.4
"""About the end of a help's line: it ends on the line that it helps."""


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line of an order: its curve, and the shape of its end (head, bars, ring or square)."""

    kind: str
    power: str
    line: BaseGeometry
    end: BaseGeometry


@dataclass(frozen=True, slots=True)
class PlateFaults:
    """Each list names what is wrong, with how much of it."""

    along: list[tuple[str, float]]
    """Pairs of lines that run along each other, and for how long."""
    hidden_ends: list[tuple[str, float]]
    """Ends of lines below names or plates, and which part of them."""
    below_plates: list[tuple[str, float]]
    """Lines below the plate of a third unit, and for how long."""
    below_names: list[tuple[str, float]]
    """Lines below names, and for how long."""
    ends_together: list[tuple[str, float]]
    """Ends of lines over each other, and which part of the smaller."""
    over_marks: list[tuple[str, float]]
    """Lines over the inner part of a centre's mark, where its letter is, and for how long."""
    plates_over: list[tuple[str, float]]
    """Names, marks, crowns and plates below plates, and which part of them."""

    def counts(self) -> dict[str, int]:
        return {name: len(getattr(self, name)) for name in self.__slots__}


def faults_of(svg: str) -> PlateFaults:
    """Measure a plate."""
    root = ET.fromstring(svg)
    lines = [_line(group) for group in _marked(root, "order")]
    boxes = {_unit_name(group): _rect(group.find(f"{SVG}rect")) for group in _marked(root, "unit")}
    names = list(_names(root))
    name_tree = shapely.STRtree([box for _, box in names])
    marks = list(_marks(root))
    along, hidden, below_plates, below_names, together, over_marks, over = [], [], [], [], [], [], []
    for first, second in combinations(lines, 2):
        shared = _shared(first, second)
        if shared > ALONG:
            along.append((f"{_called(first)} / {_called(second)}", round(shared, 1)))
        if first.end.intersects(second.end):
            part = first.end.intersection(second.end).area / min(first.end.area, second.end.area)
            if part > 0.2:
                together.append((f"{_called(first)} / {_called(second)}", round(part, 2)))
    plates = shapely.union_all(list(boxes.values()))
    for line in lines:
        under = line.end.intersection(plates).area
        near = [names[index] for index in name_tree.query(line.line.envelope.union(line.end).envelope)]
        under += line.end.intersection(shapely.union_all([box for _, box in near])).area
        if under / line.end.area > 0.25:
            words = ", ".join(name for name, box in near if box.intersects(line.end))
            hidden.append((f"{_called(line)} below {words or 'a plate'}", round(under / line.end.area, 2)))
        for mark, shape in marks:
            length = line.line.intersection(shape.buffer(-0.5)).length
            if length > 0.3:
                over_marks.append((f"{_called(line)} over {mark}", round(length, 1)))
        for unit, box in boxes.items():
            # What is carried passes the fleets that carry it, from which the lines of their convoys come.
            carries = line.kind == "convoyed move" and any(
                other.kind == "convoy" and shapely.Point(other.line.coords[0]).distance(box) < 1.2
                for other in lines)
            length = line.line.intersection(box).length
            if length > 0.6 and not carries:
                below_plates.append((f"{_called(line)} below {unit}", round(length, 1)))
        for name, box in near:
            length = line.line.intersection(box).length
            if length > 1.0:
                below_names.append((f"{_called(line)} below {name}", round(length, 1)))
    for unit, box in boxes.items():
        for covered, shape in [*names, *marks]:
            if (part := shape.intersection(box).area / shape.area) > 0.03:
                over.append((f"{unit} over {covered}", round(part, 2)))
    for (unit, box), (other, other_box) in combinations(boxes.items(), 2):
        if (part := box.intersection(other_box).area / box.area) > 0.03:
            over.append((f"{unit} over {other}", round(part, 2)))
    return PlateFaults(along, hidden, below_plates, below_names, together, over_marks, over)


def names_of(svg: str) -> list[str]:
    """The names of places on a plate, as they are written."""
    return [name for name, _ in _names(ET.fromstring(svg))]


# Reading the SVG
# ----------------------------------------------------------------------------------------------------------


def _elements(root: ET.Element) -> Iterator[ET.Element]:
    """All elements of the map itself, outermost first."""
    for child in root:
        if child.get("class") != "inset":
            yield child
            yield from _elements(child)


def _marked(root: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in _elements(root) if element.get("class") == name]


def _numbers(path: str) -> BaseGeometry:
    runs = [part for part in path.replace("Z", "").split("M") if part.strip()]
    shapes = []
    for run in runs:
        values = np.array([float(value) for value in run.replace("L", " ").replace(",", " ").split()])
        shapes.append(shapely.LineString(values.reshape(-1, 2)))
    return shapely.union_all(shapes) if len(shapes) > 1 else shapes[0]


def _line(group: ET.Element) -> DrawnLine:
    """The first path is the line; what follows and is not part of it is its end."""
    first, *others = list(group)
    line = _numbers(first.get("d", ""))
    ends = []
    for other in others:
        if other.tag == f"{SVG}circle":
            x, y, r = (float(other.get(key, "")) for key in ("cx", "cy", "r"))
            ends.append(shapely.Point(x, y).buffer(r + 0.2))
        elif other.tag == f"{SVG}rect":
            ends.append(_rect(other))
        elif other.tag == f"{SVG}path":
            shape = _numbers(other.get("d", ""))
            # The white middle of a convoyed move is not an end; the cross of a help lies on its middle.
            tip = shapely.Point(line.coords[-1])
            if shape.length < 12.0 and shape.distance(tip) < 2.0:
                ends.append(shape.convex_hull.buffer(0.15))
    end = shapely.union_all(ends) if ends else shapely.Point(line.coords[-1]).buffer(0.4)
    return DrawnLine(group.get("data-kind", ""), group.get("data-power", ""), line, end)


def _rect(element: ET.Element | None) -> shapely.Polygon:
    assert element is not None
    x, y, width, height = (float(element.get(key, "0")) for key in ("x", "y", "width", "height"))
    return shapely.box(x, y, x + width, y + height)


def _unit_name(group: ET.Element) -> str:
    return f"{group.get('data-power')} {group.get('data-kind')} {group.get('data-region')}"


def _called(line: DrawnLine) -> str:
    x, y = line.line.coords[0]
    return f"{line.power} {line.kind} at {x:.0f},{y:.0f}"


def _names(root: ET.Element) -> Iterator[tuple[str, BaseGeometry]]:
    """Every name of a place with the box of its ink. A name is drawn twice in its own group: its halo,
    then its letters."""
    for group in root:
        parts = list(group)
        if group.tag != f"{SVG}g" or group.get("class") or len(parts) != 2:
            continue
        halo, letters = parts
        if halo.get("stroke") is None or letters.get("stroke") is not None:
            continue
        texts = letters.findall(f"{SVG}text")
        if not texts or len(texts) != len(list(letters)):
            continue
        shapes = [_ink(text) for text in texts]
        box = shapely.union_all(shapes).envelope
        turn = group.get("transform", "")
        if turn:
            angle, x, y = (float(value) for value in turn[len("rotate("):-1].split())
            box = shapely.affinity.rotate(box, angle, origin=(x, y))
        yield " ".join(text.text or "" for text in texts), box


def _ink(text: ET.Element) -> shapely.Polygon:
    size, spacing = float(text.get("font-size", "")), float(text.get("letter-spacing", "0"))
    words = text.text or ""
    font = _font(text.get("font-family", ""), text.get("font-style", ""), text.get("font-weight", ""))
    _, top, _, bottom = font.getbbox(words, anchor="ls")
    scale = size / font.size
    width = font.getlength(words) * scale + spacing * len(words)
    x, y = float(text.get("x", "")) - width / 2, float(text.get("y", ""))
    return shapely.box(x, y + top * scale, x + width - spacing, y + bottom * scale)


@cache
def _font(family: str, style: str, weight: str) -> ImageFont.FreeTypeFont:
    size = "12" if "12" in family else "08"
    kind = "Italic" if style == "italic" else "Bold" if weight == "bold" else "Regular"
    font = ImageFont.truetype(f"EBGaramond{size}-{kind}.otf", 400)
    # What is measured is the font that the SVG names.
    assert TTFont(font.path)["name"].getDebugName(1).startswith("EB Garamond")
    return font


def _marks(root: ET.Element) -> Iterator[tuple[str, BaseGeometry]]:
    for group in _marked(root, "seal"):
        region = group.get("data-region", "")
        first, shapes = group[0], list(group)
        if first.tag == f"{SVG}circle":
            x, y, r = (float(first.get(key, "")) for key in ("cx", "cy", "r"))
            mark: BaseGeometry = shapely.Point(x, y).buffer(r)
        else:
            mark = _numbers(first.get("d", "")).convex_hull
        yield f"the mark of {region}", mark
        for shape in shapes[1:]:
            if shape.tag == f"{SVG}path" and shape.get("fill") not in {"none", None} and shape is not first:
                outline = _numbers(shape.get("d", "")).convex_hull
                if outline.centroid.y < mark.bounds[1]:
                    yield f"the crown of {region}", outline


# Measuring
# ----------------------------------------------------------------------------------------------------------


def _shared(first: DrawnLine, second: DrawnLine) -> float:
    """How long one line runs close to the other, about the end of a help left out."""
    a, b = first.line, second.line
    if a.distance(b) > NEAR:
        return 0.0
    part = a.intersection(b.buffer(NEAR, cap_style="flat"))
    for line in (first, second):
        if line.kind in {"support", "convoy"}:
            part = part.difference(shapely.Point(line.line.coords[-1]).buffer(AT_END))
    return max((float(piece.length) for piece in shapely.get_parts(part)), default=0.0)
