"""How wide type is on paper: measured with the Debian fonts that tools/setup installs, never copied."""

from __future__ import annotations

from functools import cache

from PIL import ImageFont

from adjudicator.errors import UserFacingError

UNIT = 200
"""Size in pixels at which type is measured; widths are linear in size."""


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

# In quotes: a name with a part that begins with a digit is no name in CSS without them, and browsers then set
# everything in a face of their own.
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
