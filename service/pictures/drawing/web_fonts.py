"""An SVG with its type in it: as a picture in a page it fetches no fonts, and few people have ours."""

from __future__ import annotations

import base64
import io
import re
from collections import defaultdict
from functools import lru_cache
from html import unescape

from service.pictures.drawing import fonts
from service.pictures.drawing.embedded_fonts import cut, letters_of

_TEXT = re.compile(r"<text ([^>]*)>([^<]*)</text>")
_FAMILY = re.compile(r"font-family=\"'([^']+)'")
# Longest first: the attributes of an italic begin with those of its roman.
_FACES = sorted(fonts.CSS, key=lambda face: -len(fonts.CSS[face]))


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
