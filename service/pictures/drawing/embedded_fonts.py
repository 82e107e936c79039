"""Faces cut down to the letters that a drawing uses, as objects of a PDF file (ISO 32000-1, 9.7)
and in an SVG: as a picture in a page it fetches no fonts, and few people have ours."""

from __future__ import annotations

import base64
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service.pictures.drawing import fonts

if TYPE_CHECKING:
    import pydyf

_CODES_AT_ONCE = 100
"""The most lines that one block of a character map may have (Adobe Technical Note 5014)."""

_TEXT = re.compile(r"<text ([^>]*)>([^<]*)</text>")
_FAMILY = re.compile(r"font-family=\"'([^']+)'")
# Longest first: the attributes of an italic begin with those of its roman.
_FACES = sorted(fonts.CSS, key=lambda face: -len(fonts.CSS[face]))


@dataclass(frozen=True, slots=True)
class CutFont:
    """A face with a few of its glyphs. `glyphs` and `widths` by letter: the number of its glyph, and its
    advance in thousandths of the size. `data` is the font file, `outlines` its PDF kind of outlines."""

    name: str
    data: bytes
    glyphs: Mapping[str, int]
    widths: Mapping[str, float]
    box: tuple[int, int, int, int]
    ascent: int
    descent: int
    outlines: str


@cache
def letters_of(face: str) -> frozenset[int]:
    """The code points that a face (a key of `fonts.FACES`) has letters for. Raises FontMissing."""
    from fontTools.ttLib import TTFont

    with TTFont(fonts.file_of(face), lazy=True) as font:
        return frozenset(font.getBestCmap())


@lru_cache(maxsize=32)
def cut(face: str, letters: frozenset[str]) -> CutFont:
    """A face with these letters alone, all of which it has. Raises FontMissing."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    font = TTFont(fonts.file_of(face), lazy=True)
    # Each letter is set by itself, so that no table about letters side by side is needed; reading them would
    # take longer than all the rest.
    for table in ("GSUB", "GPOS", "GDEF", "kern", "BASE", "FFTM"):
        if table in font:
            del font[table]
    options = Options(hinting=False, layout_features=[], name_IDs=[], notdef_outline=True)
    subsetter = Subsetter(options)
    subsetter.populate(text="".join(letters))
    subsetter.subset(font)
    out = io.BytesIO()
    font.save(out)
    names = font.getBestCmap()
    part = 1000 / font["head"].unitsPerEm
    head, across = font["head"], font["hhea"]
    return CutFont(
        # Six capitals before the name mark a face that is not whole (ISO 32000-1, 9.6.4).
        f"{_mark(face, letters)}+{Path(fonts.FACES[face]).stem}",
        out.getvalue(),
        {letter: font.getGlyphID(names[ord(letter)]) for letter in letters},
        {letter: part * font["hmtx"][names[ord(letter)]][0] for letter in letters},
        (round(part * head.xMin), round(part * head.yMin), round(part * head.xMax), round(part * head.yMax)),
        round(part * across.ascent),
        round(part * across.descent),
        "CIDFontType0" if "CFF " in font else "CIDFontType2",
    )


def _mark(face: str, letters: Iterable[str]) -> str:
    import hashlib

    digest = hashlib.sha256((face + "".join(sorted(letters))).encode()).digest()
    return "".join(chr(ord("A") + byte % 26) for byte in digest[:6])


def embed(font: CutFont, pdf: pydyf.PDF) -> bytes:
    """Put a font into a PDF file; its reference there."""
    import pydyf

    file: dict[str, Any] = {"Subtype": "/OpenType"} if font.outlines == "CIDFontType0" else {}
    data = _add(pdf, pydyf.Stream([font.data], file, compress=True))
    descriptor = _add(pdf, pydyf.Dictionary({
        "Type": "/FontDescriptor", "FontName": f"/{font.name}", "Flags": 4,
        "FontBBox": pydyf.Array(font.box), "ItalicAngle": 0, "Ascent": font.ascent, "Descent": font.descent,
        "CapHeight": font.box[3], "StemV": 80,
        "FontFile3" if font.outlines == "CIDFontType0" else "FontFile2": data}))
    by_glyph = sorted((glyph, letter) for letter, glyph in font.glyphs.items())
    widths = pydyf.Array()
    for glyph, letter in by_glyph:
        widths.extend((glyph, pydyf.Array([round(font.widths[letter], 2)])))
    system = pydyf.Dictionary({
        "Registry": pydyf.String("Adobe"), "Ordering": pydyf.String("Identity"), "Supplement": 0})
    descendant = {
        "Type": "/Font", "Subtype": f"/{font.outlines}", "BaseFont": f"/{font.name}",
        "CIDSystemInfo": system, "FontDescriptor": descriptor, "W": widths}
    if font.outlines == "CIDFontType2":
        descendant["CIDToGIDMap"] = "/Identity"
    return _add(pdf, pydyf.Dictionary({
        "Type": "/Font", "Subtype": "/Type0", "BaseFont": f"/{font.name}", "Encoding": "/Identity-H",
        "DescendantFonts": pydyf.Array([_add(pdf, pydyf.Dictionary(descendant))]),
        "ToUnicode": _add(pdf, pydyf.Stream([_character_map(by_glyph)], compress=True))}))


def _character_map(by_glyph: list[tuple[int, str]]) -> bytes:
    """From glyphs back to letters, so that words can be copied, searched and read aloud."""
    lines = [f"<{glyph:04x}> <{letter.encode('utf-16-be').hex()}>" for glyph, letter in by_glyph]
    blocks = [lines[start : start + _CODES_AT_ONCE] for start in range(0, len(lines), _CODES_AT_ONCE)]
    return "\n".join([
        "/CIDInit /ProcSet findresource begin", "12 dict begin", "begincmap",
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
        "/CMapName /Adobe-Identity-UCS def", "/CMapType 2 def",
        "1 begincodespacerange", "<0000> <ffff>", "endcodespacerange",
        *(line for block in blocks for line in (f"{len(block)} beginbfchar", *block, "endbfchar")),
        "endcmap", "CMapName currentdict /CMap defineresource pop", "end", "end",
    ]).encode()


def _add(pdf: pydyf.PDF, thing: pydyf.Object) -> bytes:
    pdf.add_object(thing)
    reference: bytes = thing.reference
    return reference


def with_faces(svg: str) -> str:
    """The SVG with each face that it names cut down to the letters that are set in it. Raises FontMissing."""
    letters: dict[str, set[str]] = defaultdict(set)
    for attributes, words in _TEXT.findall(svg):
        face = next((face for face in _FACES if fonts.CSS[face] in attributes), None)
        if face is not None:
            letters[face] |= set(unescape(words))
    rules = "".join(_rule(face, frozenset(used)) for face, used in sorted(letters.items()))
    head, rest = svg.split(">", 1)
    return f"{head}><style>{rules}</style>{rest}"


def _rule(face: str, used: frozenset[str]) -> str:
    family = _FAMILY.match(fonts.CSS[face])
    assert family is not None
    style = "italic" if "italic" in fonts.CSS[face] else "normal"
    weight = "bold" if "bold" in fonts.CSS[face] else "normal"
    known = frozenset(letter for letter in used if ord(letter) in letters_of(face))
    return (f"@font-face{{font-family:'{family[1]}';font-style:{style};font-weight:{weight};"
            f"src:url(data:font/woff;base64,{_packed(face, known)})}}")


@lru_cache(maxsize=32)
def _packed(face: str, letters: frozenset[str]) -> str:
    from fontTools.ttLib import TTFont

    font, out = TTFont(io.BytesIO(cut(face, letters).data)), io.BytesIO()
    font.flavor = "woff"
    font.save(out)
    return base64.b64encode(out.getvalue()).decode()
