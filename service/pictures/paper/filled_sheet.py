"""A sheet as a player might fill it in, for the welcome: the heading and one order of each kind, written by
hand (LET-08)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from service.letters.render import environment
from service.pictures.drawing.render import to_pdf, to_pngs

PNG_WIDTH = 720
"""Pixels across: as wide as a letter is read on a screen."""
_COLOURS = 16
"""Enough for the edges of one ink on paper."""


@lru_cache(maxsize=32)
def _drawn(heading: tuple[str, ...], orders: tuple[str, ...]) -> bytes:
    # Every player of a power, and each preview, gets the same picture.
    html = environment("pictures", markup=True).get_template("filled_sheet.html").render(
        heading=heading, orders=orders)
    return to_pngs(to_pdf(html, title="A filled sheet"), PNG_WIDTH, _COLOURS)[0]


def filled_sheet_picture(heading: Sequence[str], orders: Sequence[str]) -> bytes:
    """The sheet as PNG. `heading` are the lines on top: power, game, season with year and kind of orders;
    `orders` those below, at most some twenty."""
    return _drawn(tuple(heading), tuple(orders))
