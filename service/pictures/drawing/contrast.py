"""Contrast of colours as WCAG 2.2 measures it (success criterion 1.4.11), and a colour made dark enough.

A colour is "#rrggbb".
"""

from __future__ import annotations

from collections.abc import Iterable

LEAST = 3.1
"""Ratio that a line which says something must have to the ground beneath it: the guideline has 3.0, and
painters round."""
_DARKER = 0.96
"""Part of a colour's channels that is kept at each step towards black."""


def contrast(first: str, second: str) -> float:
    """The contrast ratio of two colours, from 1 (the same) to 21 (black on white)."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def laid_over(colour: str, opacity: float, ground: str) -> str:
    """The colour that is seen where one of an opacity from 0 to 1 is painted on a ground."""
    return _written(opacity * above + (1 - opacity) * below
                    for above, below in zip(_channels(colour), _channels(ground), strict=True))


def darkened(colour: str, grounds: Iterable[str], least: float = LEAST) -> str:
    """The colour, as much darker in its own hue as it must be for a contrast ratio of `least` to every
    ground; black where none is dark enough."""
    grounds = tuple(grounds)
    while colour != "#000000" and any(contrast(colour, ground) < least for ground in grounds):
        # Rounded down, so that it comes to black in the end.
        colour = _written(int(_DARKER * channel) for channel in _channels(colour))
    return colour


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[offset:offset + 2], 16) for offset in (1, 3, 5))


def _written(channels: Iterable[float]) -> str:
    return "#" + "".join(f"{round(channel):02x}" for channel in channels)


def _luminance(colour: str) -> float:
    """Relative luminance, 0 to 1, as WCAG 2.2 defines it."""
    red, green, blue = (
        level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4
        for level in (channel / 255 for channel in _channels(colour)))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
