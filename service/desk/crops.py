"""Pictures for the desk: a line with its surroundings, a page at screen size. Always re-encoded."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageOps

from ocr.geometry import crop
from ocr.page import Box

MARGIN = 0.4
SMALLEST = 48
PAGE_WIDTH = 1400


def line_crop(upright: bytes, box: Sequence[tuple[float, float]], *, raw: bool = False) -> bytes:
    """The line and 40 % of its height around it, upright as written, as JPEG at least 48 px tall.

    `box` is four corners in pixels of `upright`, clockwise from the top left of the writing. Contrast-stretched unless
    `raw`.
    """
    with Image.open(io.BytesIO(upright)) as opened:
        page = np.asarray(opened.convert("RGB"))
    a, b, c, d = box
    cut = Image.fromarray(crop(page, Box((a, b, c, d)), MARGIN))
    if cut.height < SMALLEST:
        cut = cut.resize((max(1, cut.width * SMALLEST // cut.height), SMALLEST))
    if not raw:
        cut = ImageOps.autocontrast(cut.convert("L"), cutoff=1).convert("RGB")
    return _jpeg(cut)


def page_picture(upright: bytes) -> bytes:
    """The whole page as JPEG, at most 1400 px wide."""
    with Image.open(io.BytesIO(upright)) as opened:
        page = opened.convert("RGB")
    page.thumbnail((PAGE_WIDTH, PAGE_WIDTH * 3))
    return _jpeg(page)


def _jpeg(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=85)
    return out.getvalue()
