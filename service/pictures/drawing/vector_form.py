"""Our SVG as the operators of a PDF page (ISO 32000-1, 8 and 9), for the few elements that maps are made of.

WeasyPrint draws any SVG, number by number and letter by letter, and takes most of the time of a map. What is
not known here is refused, never guessed at, and then WeasyPrint draws it.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from service.pictures.drawing import fonts
from service.pictures.drawing.embedded_fonts import cut, embed, letters_of

if TYPE_CHECKING:
    import pydyf

SVG = "{http://www.w3.org/2000/svg}"
QUARTER = 4 / 3 * (math.sqrt(2) - 1)
"""How far the two inner points of a curve stand that draws a quarter of a circle of radius 1."""

_INHERITED = frozenset({
    "fill", "stroke", "stroke-width", "stroke-linejoin", "stroke-linecap", "stroke-dasharray", "fill-opacity",
    "stroke-opacity", "fill-rule", "font-family", "font-style", "font-weight", "font-size", "text-anchor",
    "letter-spacing",
})
_GEOMETRY = {
    "svg": {"width", "height", "viewBox"}, "g": {"transform", "clip-path"}, "path": {"d"}, "text": {"x", "y"},
    "rect": {"x", "y", "width", "height", "rx"}, "circle": {"cx", "cy", "r"}, "clipPath": {"id"},
}
_JOIN, _CAP = {"miter": 0, "round": 1, "bevel": 2}, {"butt": 0, "round": 1, "square": 2}

Style = dict[str, str]


class _Unknown(Exception):
    """Something that this module does not draw."""


@dataclass(frozen=True, slots=True)
class VectorForm:
    """A drawing: its size in its own units, its operators, the letters set in each face, and the pairs of
    opacity (of filling, of strokes) that it uses, by the name of each."""

    width: float
    height: float
    operators: bytes
    letters: Mapping[str, frozenset[str]]
    opacities: Mapping[str, tuple[str, str]]


def read_form(svg: str) -> VectorForm | None:
    """The drawing of an SVG; None where it has anything that is not known here, or letters that the faces of
    maps lack. Raises FontMissing."""
    try:
        root = ET.fromstring(svg)  # noqa: S314  (we wrote it ourselves)
        x0, y0, width, height = _numbers(root.get("viewBox", ""), 4)
        if x0 or y0 or root.tag != f"{SVG}svg":
            return None
        texts = _texts(root)
        pen = _Pen({face: cut(face, letters).glyphs for face, letters in texts.items()},
                   {face: cut(face, letters).widths for face, letters in texts.items()})
        pen.draw(root, {})
    except (_Unknown, ET.ParseError):
        return None
    return VectorForm(width, height, "\n".join(pen.out).encode(), texts, pen.opacities)


def embed_form(form: VectorForm, pdf: pydyf.PDF, number: int) -> None:
    """Put a drawing in the place of a picture, which is object `number` of a PDF file: a picture is one unit
    wide and high, and so is the drawing then."""
    import pydyf

    resources = pydyf.Dictionary({
        "Font": pydyf.Dictionary({face: embed(cut(face, letters), pdf)
                                  for face, letters in form.letters.items()}),
        "ExtGState": pydyf.Dictionary({
            name: pydyf.Dictionary({"ca": filling, "CA": strokes})
            for name, (filling, strokes) in form.opacities.items()}),
    })
    stream = pydyf.Stream([zlib.compress(form.operators)], {
        "Type": "/XObject", "Subtype": "/Form", "Filter": "/FlateDecode", "Resources": resources,
        "BBox": pydyf.Array([0, 0, form.width, form.height]),
        # SVG counts downwards, PDF upwards.
        "Matrix": pydyf.Array([1 / form.width, 0, 0, -1 / form.height, 0, 1])})
    stream.number = number
    pdf.objects[number] = stream


def _texts(root: ET.Element) -> dict[str, frozenset[str]]:
    """The letters that are set in each face."""
    letters: dict[str, set[str]] = {}
    for node in root.iter(f"{SVG}text"):
        words, face = node.text or "", _face(node.attrib)
        if not {ord(letter) for letter in words} <= letters_of(face) or len(node):
            raise _Unknown(words)
        letters.setdefault(face, set()).update(words)
    return {face: frozenset(group) for face, group in letters.items()}


def _face(style: Mapping[str, str]) -> str:
    try:
        return _faces()[
            style["font-family"], style.get("font-style", "normal"), style.get("font-weight", "normal")]
    except KeyError:
        raise _Unknown(str(style)) from None


@cache
def _faces() -> dict[tuple[str, str, str], str]:
    """Each face by the attributes that ask for it."""
    faces = {}
    for name, words in fonts.CSS.items():
        style = dict(re.findall(r'([\w-]+)="([^"]*)"', words))
        key = (style["font-family"], style.get("font-style", "normal"), style.get("font-weight", "normal"))
        faces[key] = name
    return faces


@dataclass(slots=True)
class _Pen:
    """Writes operators. `clips` are the rectangles that later elements may be cut to."""

    glyphs: Mapping[str, Mapping[str, int]]
    widths: Mapping[str, Mapping[str, float]]
    out: list[str] = field(default_factory=list)
    opacities: dict[str, tuple[str, str]] = field(default_factory=dict)
    clips: dict[str, str] = field(default_factory=dict)
    state: dict[str, str] = field(default_factory=dict)

    def draw(self, node: ET.Element, style: Style) -> None:
        """Draw an element and all within it. Raises _Unknown."""
        name = node.tag.removeprefix(SVG)
        known = _GEOMETRY.get(name)
        if known is None:
            raise _Unknown(name)
        own = dict(style)
        for key, value in node.attrib.items():
            if key in _INHERITED:
                own[key] = value
            elif key not in known and key != "class" and not key.startswith("data-"):
                raise _Unknown(key)
        if name in {"svg", "g"}:
            self._group(node, own)
        elif name == "clipPath":
            (rect,) = node
            self.clips[f"url(#{node.get('id')})"] = _SHAPES["rect"](rect)
        elif name == "text":
            self._text(node, own)
        else:
            self._paint(_SHAPES[name](node), own)

    def _group(self, node: ET.Element, style: Style) -> None:
        moved, clip = node.get("transform"), node.get("clip-path")
        before = dict(self.state)
        if moved or clip:
            self.out.append("q")
        if moved:
            self.out += [f"{' '.join(f'{n:.6f}' for n in matrix)} cm" for matrix in _matrices(moved)]
        if clip:
            if clip not in self.clips:
                raise _Unknown(clip)
            self.out.append(f"{self.clips[clip]} W n")
        for child in node:
            self.draw(child, style)
        if moved or clip:
            self.out.append("Q")
            self.state = before

    def _paint(self, shape: str, style: Style) -> None:
        fill, stroke = self._style(style)
        if not shape or not (fill or stroke):
            return
        rule = "*" if style.get("fill-rule") == "evenodd" else ""
        self.out.append(f"{shape} {('B' if stroke else 'f') + rule if fill else 'S'}")

    def _text(self, node: ET.Element, style: Style) -> None:
        words, face = node.text or "", _face(style)
        fill, stroke = self._style(style)
        size, x, y = _numbers(f'{style.get("font-size", "")} {node.get("x", "")} {node.get("y", "")}', 3)
        spacing = float(style.get("letter-spacing", 0))
        # As CSS has it, spacing follows the last letter too.
        length = size * sum(self.widths[face][letter] for letter in words) / 1000 + spacing * len(words)
        start = x - length * {"start": 0.0, "middle": 0.5, "end": 1.0}[style.get("text-anchor", "start")]
        codes = "".join(f"{self.glyphs[face][letter]:04x}" for letter in words)
        self._set("spacing", f"{spacing:.3f} Tc")
        self._set("rendering", f"{(2 if fill else 1) if stroke else 0 if fill else 3} Tr")
        self.out.append(f"BT /{face} {size:g} Tf 1 0 0 -1 {start:.3f} {y:.3f} Tm <{codes}> Tj ET")

    def _style(self, style: Style) -> tuple[bool, bool]:
        """Set colours and strokes where they change; whether to fill, and whether to stroke."""
        fill, stroke = style.get("fill", "#000000"), style.get("stroke", "none")
        opacity = (style.get("fill-opacity", "1"), style.get("stroke-opacity", "1"))
        name = f"o{'-'.join(opacity)}"
        self.opacities[name] = opacity
        self._set("opacity", f"/{name} gs")
        if fill != "none":
            self._set("fill", f"{_colour(fill)} rg")
        if stroke != "none":
            self._set("stroke", f"{_colour(stroke)} RG")
            self._set("width", f"{style.get('stroke-width', '1')} w")
            self._set("join", f"{_JOIN[style.get('stroke-linejoin', 'miter')]} j")
            self._set("cap", f"{_CAP[style.get('stroke-linecap', 'butt')]} J")
            # SVG cuts a sharp corner at 4 times the width, PDF at 10.
            self._set("miter", "4 M")
            self._set("dashes", f"[{style.get('stroke-dasharray', '')}] 0 d")
        return fill != "none", stroke != "none"

    def _set(self, key: str, operator: str) -> None:
        if self.state.get(key) != operator:
            self.state[key] = operator
            self.out.append(operator)


def _numbers(words: str, count: int) -> list[float]:
    try:
        numbers = [float(word) for word in words.split()]
    except ValueError:
        raise _Unknown(words) from None
    if len(numbers) != count:
        raise _Unknown(words)
    return numbers


@cache
def _colour(words: str) -> str:
    if not re.fullmatch("#[0-9a-fA-F]{6}", words):
        raise _Unknown(words)
    return " ".join(f"{int(words[start : start + 2], 16) / 255:.4f}" for start in (1, 3, 5))


def _matrices(words: str) -> Iterable[tuple[float, ...]]:
    """The matrices of a `transform`, in their order."""
    if not re.fullmatch(r"(\s*(translate|scale|rotate)\([-\d. ]+\))+\s*", words):
        raise _Unknown(words)
    for name, values in re.findall(r"(\w+)\(([^)]*)\)", words):
        numbers = [float(value) for value in values.split()]
        if name == "translate" and len(numbers) == 2:
            yield 1.0, 0.0, 0.0, 1.0, numbers[0], numbers[1]
        elif name == "scale" and len(numbers) == 1:
            yield numbers[0], 0.0, 0.0, numbers[0], 0.0, 0.0
        elif name == "rotate" and len(numbers) == 3:
            turn, x, y = math.radians(numbers[0]), numbers[1], numbers[2]
            c, s = math.cos(turn), math.sin(turn)
            yield c, s, -s, c, x - c * x + s * y, y - s * x - c * y
        else:
            raise _Unknown(words)


def _path(node: ET.Element) -> str:
    """Operators of a path of whole commands; the numbers are passed on as they are written."""
    words = node.get("d", "")
    if not re.fullmatch(r"[MLQCZ\d\s.\-]*", words):
        raise _Unknown(words[:40])
    parts: list[str] = []
    last = ""
    for letter, rest in re.findall(r"([MLQCZ])([^MLQCZ]*)", words):
        numbers = rest.split()
        if letter == "Z":
            parts.append("h")
            continue
        if len(numbers) % {"M": 2, "L": 2, "Q": 4, "C": 6}[letter] or not numbers:
            raise _Unknown(rest)
        points = [f"{x} {y}" for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
        if letter == "M":
            parts.append(f"{points[0]} m")
            # Further points after the first are lines (SVG 1.1, 8.3.2).
            parts += [f"{point} l" for point in points[1:]]
        elif letter == "L":
            parts += [f"{point} l" for point in points]
        elif letter == "C":
            parts += [f"{' '.join(points[start : start + 3])} c" for start in range(0, len(points), 3)]
        else:
            for control, end in zip(points[::2], points[1::2], strict=True):
                parts.append(_quadratic(last, control, end))
                last = end
        last = points[-1]
    return "\n".join(parts)


def _quadratic(start: str, control: str, end: str) -> str:
    """A curve of three points as one of four."""
    (x0, y0), (x1, y1), (x2, y2) = (_numbers(point, 2) for point in (start, control, end))
    return (f"{(x0 + 2 * x1) / 3:.3f} {(y0 + 2 * y1) / 3:.3f} {(x2 + 2 * x1) / 3:.3f} "
            f"{(y2 + 2 * y1) / 3:.3f} {end} c")


def _rectangle(node: ET.Element) -> str:
    x, y, width, height, radius = (
        float(node.get(name, 0)) for name in ("x", "y", "width", "height", "rx"))
    if not radius:
        return f"{x:.3f} {y:.3f} {width:.3f} {height:.3f} re"
    radius = min(radius, width / 2, height / 2)
    # From corner to corner, each by the point before its curve, the corner itself, and the point behind it.
    corners = (
        (x + width - radius, y, x + width, y, x + width, y + radius),
        (x + width, y + height - radius, x + width, y + height, x + width - radius, y + height),
        (x + radius, y + height, x, y + height, x, y + height - radius),
        (x, y + radius, x, y, x + radius, y),
    )
    parts = [f"{x + radius:.3f} {y:.3f} m"]
    for ax, ay, cx, cy, bx, by in corners:
        parts.append(f"{ax:.3f} {ay:.3f} l {ax + QUARTER * (cx - ax):.3f} {ay + QUARTER * (cy - ay):.3f} "
                     f"{bx + QUARTER * (cx - bx):.3f} {by + QUARTER * (cy - by):.3f} {bx:.3f} {by:.3f} c")
    return "\n".join((*parts, "h"))


def _circle(node: ET.Element) -> str:
    x, y, radius = (float(node.get(name, 0)) for name in ("cx", "cy", "r"))
    square = ET.Element("rect", {
        "x": str(x - radius), "y": str(y - radius), "width": str(2 * radius), "height": str(2 * radius),
        "rx": str(radius)})
    return _rectangle(square)


_SHAPES: dict[str, Callable[[ET.Element], str]] = {"path": _path, "rect": _rectangle, "circle": _circle}
