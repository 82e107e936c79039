"""The mark on every picture that we send (ARR-03): a small QR code in a strip below it. A picture that comes
back with it, copied, made smaller or encoded again, is ours and no sheet."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from grammar.headings.sheet_code import OWN_PICTURE, OWN_WORDS
from service.pictures.drawing.fonts import FACES
from service.pictures.drawing.qr_code import qr_modules

MODULES = (3, 5)
"""Least and most pixels of a module of the code: it can be read down to one and a half."""
PER_MODULE = 260
"""Pixels of a picture's width for each pixel of a module."""
QUIET = 4
"""Modules of the quiet zone about the code (ISO/IEC 18004, 5.3.8)."""
LIGHT = 200
"""Level, 0..255, of a paper on which the code can be read; the strip is white below a darker picture."""
_INK, _PAPER = (43, 33, 24), (255, 255, 255)


def strip_height(width: int) -> int:
    """Pixels of the strip below a picture of this width."""
    return _code(_module(width), _PAPER).height


def marked(picture: Image.Image) -> Image.Image:
    """The picture, RGB, with the mark in a strip below it; no pixel of it is covered."""
    module = _module(picture.width)
    paper = picture.getpixel((0, picture.height - 1))
    is_light = isinstance(paper, tuple) and min(paper) >= LIGHT
    code, size = _code(module, paper if is_light else _PAPER), 4 * module
    whole = (max(picture.width, code.width), picture.height + code.height)
    out = Image.new("RGB", whole, code.getpixel((0, 0)))
    out.paste(picture, (0, 0))
    out.paste(code, (out.width - code.width, picture.height))
    font = ImageFont.truetype(FACES["display"], size)
    place = (QUIET * module, picture.height + (code.height - size) // 2)
    if place[0] + font.getlength(OWN_WORDS[1]) < out.width - code.width:
        ImageDraw.Draw(out).text(place, OWN_WORDS[1], fill=_INK, font=font)
    return out


def marked_page(page: Image.Image) -> Image.Image:
    """A page of paper, RGB, with the mark in the strip at its foot: made a little smaller for it, so that it
    keeps its shape and can be printed."""
    height = page.height - strip_height(page.width)
    smaller = page.resize((round(page.width * height / page.height), height), Image.Resampling.LANCZOS)
    out = Image.new("RGB", (page.width, height), page.getpixel((0, 0)))
    out.paste(smaller, ((page.width - smaller.width) // 2, 0))
    return marked(out)


def _module(width: int) -> int:
    return min(max(width // PER_MODULE, MODULES[0]), MODULES[1])


@lru_cache(maxsize=16)
def _code(module: int, paper: tuple[int, ...]) -> Image.Image:
    is_black = np.kron(np.pad(np.array(qr_modules(OWN_PICTURE)), QUIET), np.ones((module, module), bool))
    return Image.fromarray(np.where(is_black[..., None], _INK, paper).astype(np.uint8))
