"""The design sheet: the colours, sizes and spaces of pages, letters and papers.

Their one home is the style sheet `templates/desk/static/design.css`, which pages use as it is. Letters,
papers and maps have no style sheet of a site, so their templates get the values from this module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType

_BLOCK = re.compile(r"(?:@media ([^{]*)\{\s*)?:root \{([^}]*)\}")
_VALUE = re.compile(r"--([a-z-]+):\s*([^;]+);")


class Scheme(StrEnum):
    """The colour scheme of the reader's device: light or dark, and more contrast."""

    LIGHT = "light"
    DARK = "dark"
    CONTRAST = "more contrast"
    DARK_CONTRAST = "dark, more contrast"

    @property
    def is_dark(self) -> bool:
        """True for light words on dark ground."""
        return self in {Scheme.DARK, Scheme.DARK_CONTRAST}

    @property
    def is_contrast(self) -> bool:
        """True for black and white."""
        return self in {Scheme.CONTRAST, Scheme.DARK_CONTRAST}


@cache
def style_sheet() -> str:
    """The text of the style sheet."""
    return (files("templates") / "desk" / "static" / "design.css").read_text("utf-8")


@cache
def values(scheme: Scheme = Scheme.LIGHT) -> Mapping[str, str]:
    """Each value by its name, as CSS: colours are "#rrggbb", sizes and spaces in rem."""
    value_of: dict[str, str] = {}
    for condition, block in _BLOCK.findall(style_sheet()):
        # The blocks follow one another as in the cascade: a later one wins where its condition holds.
        if ("dark" in condition) <= scheme.is_dark and ("contrast" in condition) <= scheme.is_contrast:
            value_of.update(_VALUE.findall(block))
    return MappingProxyType(value_of)


def em(size: str) -> str:
    """A size of letters by its name, in units of the size of running text, as CSS: "1.2em"."""
    sizes = values()
    ratio = float(sizes[size].removesuffix("rem")) / float(sizes["text"].removesuffix("rem"))
    return f"{round(ratio, 2):g}em"


def contrast(first: str, second: str) -> float:
    """The contrast ratio of two colours "#rrggbb", from 1 (the same) to 21 (black on white), as WCAG 2.2
    defines it."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (
        level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4
        for level in (int(colour[start:start + 2], 16) / 255 for start in (1, 3, 5)))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
