"""How wide type is on paper: measured with the Debian fonts that tools/setup installs, never copied; and
which letters no font of this machine has.

The latter is asked of the very library that lays out the paper (Pango, which WeasyPrint brings along): it
falls back from font to font by itself, and prints a box with a number where none is left.
"""

from __future__ import annotations

import ctypes
import unicodedata
from ctypes import c_char_p, c_int, c_void_p
from functools import cache

from PIL import ImageFont

from adjudicator.errors import UserFacingError

UNIT = 200
"""Size in pixels at which type is measured; widths are linear in size."""

_LIBRARIES = ("libpango-1.0.so.0", "libpangoft2-1.0.so.0", "libgobject-2.0.so.0")
SCRIPT_PACKAGES = "fonts-noto-core and fonts-noto-cjk"
"""Debian's packages with nearly every script (SIL Open Font License)."""


class FontMissing(UserFacingError, RuntimeError):
    """A font of tools/setup is not on this machine."""


FACES = {
    "roman": "EBGaramond08-Regular.otf",
    "italic": "EBGaramond08-Italic.otf",
    "display": "EBGaramond12-Regular.otf",
    "display-italic": "EBGaramond12-Italic.otf",
    "bold": "EBGaramond12-Bold.otf",
    "plain": "DejaVuSans.ttf",
}
PACKAGES = {name: "fonts-dejavu-core" if name == "plain" else "fonts-ebgaramond" for name in FACES}
"""Debian's package that brings each face."""

# In quotes: a name with a part that begins with a digit is not a name in CSS without them, and browsers then
# set everything in a face of their own.
_SMALL, _LARGE = (f"'EB Garamond {size}', 'EB Garamond', Georgia, serif" for size in ("08", "12"))
CSS = {
    "roman": f'font-family="{_SMALL}"',
    "italic": f'font-family="{_SMALL}" font-style="italic"',
    "display": f'font-family="{_LARGE}"',
    "display-italic": f'font-family="{_LARGE}" font-style="italic"',
    "bold": f'font-family="{_LARGE}" font-weight="bold"',
    "plain": """font-family="'DejaVu Sans', sans-serif\"""",
}
"""SVG attributes of each face; the small optical size for names, the larger one for titles."""


@cache
def _face(name: str) -> ImageFont.FreeTypeFont:
    try:
        return ImageFont.truetype(FACES[name], UNIT)
    except OSError as error:
        raise FontMissing(f"the font {FACES[name]} is missing; install {PACKAGES[name]} with "
                          f"tools/setup") from error


def file_of(face: str) -> str:
    """Where the file of a face lies on this machine. Raises FontMissing."""
    return str(_face(face).path)


@cache
def width(text: str, face: str, size: float, spacing: float = 0.0) -> float:
    """Width of one line in the unit of `size`; `spacing` is added after each letter, in parts of the size."""
    # As letter-spacing of CSS does, after the last letter too.
    return size * (_face(face).getlength(text) / UNIT + spacing * len(text))


def missing_letters(text: str) -> str:
    """The letters of a text that would be printed as boxes, each once, in their order; "" where all can be
    printed.

    A mark that combines with the letter before is looked at together with it. Raises OSError where the
    libraries are missing; no sheet can be drawn without them either.
    """
    if not _unknown_glyphs(text):
        return ""
    return "".join(dict.fromkeys(cluster for cluster in _clusters(text) if _unknown_glyphs(cluster)))


def _clusters(text: str) -> list[str]:
    clusters: list[str] = []
    for letter in text:
        if clusters and unicodedata.category(letter)[0] == "M":
            clusters[-1] += letter
        else:
            clusters.append(letter)
    return clusters


@cache
def _unknown_glyphs(text: str) -> int:
    """How many glyphs of a text no font has."""
    pango, _, gobject = _libraries()
    layout = pango.pango_layout_new(_pango_context())
    try:
        data = text.encode()
        pango.pango_layout_set_text(layout, data, len(data))
        return int(pango.pango_layout_get_unknown_glyphs_count(layout))
    finally:
        gobject.g_object_unref(layout)


@cache
def _pango_context() -> int:
    """A context for layouts; it lives as long as the process."""
    pango, pangoft2, _ = _libraries()
    context: int = pango.pango_font_map_create_context(pangoft2.pango_ft2_font_map_new())
    return context


@cache
def _libraries() -> tuple[ctypes.CDLL, ctypes.CDLL, ctypes.CDLL]:
    # WeasyPrint loads the same libraries, so this costs no memory. There is no Python package for these three
    # calls.
    pango, pangoft2, gobject = (ctypes.CDLL(name) for name in _LIBRARIES)
    pangoft2.pango_ft2_font_map_new.restype = c_void_p
    pango.pango_font_map_create_context.argtypes, pango.pango_font_map_create_context.restype = (
        [c_void_p],
        c_void_p,
    )
    pango.pango_layout_new.argtypes, pango.pango_layout_new.restype = [c_void_p], c_void_p
    pango.pango_layout_set_text.argtypes = [c_void_p, c_char_p, c_int]
    pango.pango_layout_get_unknown_glyphs_count.argtypes = [c_void_p]
    gobject.g_object_unref.argtypes = [c_void_p]
    return pango, pangoft2, gobject
