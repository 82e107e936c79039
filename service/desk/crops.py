"""Pictures for the desk: a line with its surroundings, a page at screen size. Always re-encoded."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image, ImageOps

MARGIN = 0.4
SMALLEST = 48
PAGE_WIDTH = 1400


def line_crop(upright: bytes, box: Sequence[tuple[float, float]], *, raw: bool = False) -> bytes:
    """The line's box and 40 % of its height around it, as JPEG, at least 48 px tall; contrast-stretched unless `raw`.

    `box` is corners in pixels of the upright picture.
    """
    with Image.open(io.BytesIO(upright)) as opened:
        page = opened.convert("RGB")
    xs, ys = [x for x, _ in box], [y for _, y in box]
    pad = max(12.0, MARGIN * (max(ys) - min(ys)))
    left, top = max(0, int(min(xs) - 2 * pad)), max(0, int(min(ys) - pad))
    right, bottom = min(page.width, int(max(xs) + 2 * pad)), min(page.height, int(max(ys) + pad))
    cut = page.crop((left, top, max(left + 1, right), max(top + 1, bottom)))
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
