"""Powers are distinguished by everybody: with three kinds of colour blindness and on a grey print (MAP-02,
MAP-05).

What is compared are swatches as the map draws a held county: tint on paper under the power's strokes. Colours
are those of the simulation of Machado, Oliveira and Fernandes (IEEE TVCG 15(6), 2009, Table 1, severity 1.0),
differences are CIE 1976 ones. 2.3 is a just noticeable one (Mahy et al. 1994); twice that, averaged over the
swatch at the best of all shifts of one pattern against the other, is asked for.
"""

from __future__ import annotations

import io
import itertools
from functools import cache
from typing import Any

import numpy as np
import pypdfium2
import pytest
import shapely
from numpy.typing import NDArray
from PIL import Image

import maps
from maps.variant import Power
from service.pictures.board.centre_marks import LAND_TONE, ink_of
from service.pictures.board.map_sheet import GAP_LAND, TINT
from service.pictures.drawing.hatch import hatch
from service.pictures.drawing.render import to_pdf
from service.pictures.drawing.svg import path

Picture = NDArray[np.floating[Any]]
NOTICEABLE = 2.3
SIDE, PIXELS = 18.0, 108
"""Millimetres and pixels of a swatch: six pixels a millimetre, about what an eye distinguishes at reading
distance."""

EDGE = 24
"""Pixels around the part of a swatch that is compared: room for the largest shift."""

MACHADO = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
GREY = ((0.2126, 0.7152, 0.0722),) * 3
SIGHTS = {
    "all colours": np.eye(3),
    **{name: np.array(rows) for name, rows in MACHADO.items()},
    "grey": np.array(GREY),
}
BOARDS = [slug for slug in maps.variants() if maps.shapes(slug)]


@cache
def swatch(power: Power) -> Picture:
    """A held county of a power as linear light, rows by columns by red, green, blue."""
    shape = shapely.box(0, 0, SIDE, SIDE)
    area, strokes = path(shape), path(hatch(power.pattern, shape, GAP_LAND))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE}mm" height="{SIDE}mm" viewBox="0 0 {SIDE} '
        f'{SIDE}">'
        f'<path d="{area}" fill="{LAND_TONE}"/><path d="{area}" fill="{power.colour}" fill-opacity="{TINT}"/>'
        f'<path d="{strokes}" fill="none" stroke="{ink_of(power)}" '
        f'stroke-width="{0.15 * GAP_LAND + 0.04:.2f}"/></svg>'
    )
    document = pypdfium2.PdfDocument(io.BytesIO(to_pdf(svg)))
    page = document[0].render(scale=PIXELS / document[0].get_width()).to_pil().convert("RGB")
    levels = np.asarray(page.resize((PIXELS, PIXELS), Image.Resampling.BOX)).astype(float) / 255
    document.close()
    return np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)


def lab(linear: Picture) -> Picture:
    """CIE L*a*b* of linear sRGB light (D65)."""
    to_xyz = np.array(((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)))
    xyz = np.clip(linear, 0, 1) @ to_xyz.T / np.array((0.9505, 1.0, 1.089))
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack(
        [116 * root[..., 1] - 16, 500 * (root[..., 0] - root[..., 1]), 200 * (root[..., 1] - root[..., 2])],
        -1,
    )


@cache
def seen(power: Power, sight: str) -> Picture:
    """The swatch of a power as L*a*b*, as a person with that sight sees it."""
    # Single precision halves the time of `apart` and moves no difference by more than .00001.
    return lab(swatch(power) @ SIGHTS[sight].T).astype(np.float32)


def apart(first: Power, second: Power, sight: str) -> float:
    """The mean difference of two swatches as a person sees them, at the shift where they are most alike."""
    a, b = seen(first, sight), seen(second, sight)
    middle = a[EDGE:-EDGE, EDGE:-EDGE]
    side = PIXELS - 2 * EDGE
    shifted = (middle - b[down:down + side, right:right + side]
               for down in range(EDGE - 10, EDGE + 11, 2) for right in range(EDGE - 10, EDGE + 11, 2))
    return min(float(np.sqrt(np.einsum("ijk,ijk->ij", each, each)).mean()) for each in shifted)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("slug", BOARDS)
def test_any_two_powers_can_be_told_apart_however_one_sees(slug: str, sight: str) -> None:
    """MAP-02, MAP-05: any two may become neighbours, so all pairs are asked."""
    powers = maps.load(slug).powers.values()
    differences = {
        (left.name, right.name): apart(left, right, sight)
        for left, right in itertools.combinations(powers, 2)
    }
    worst = min(differences, key=lambda pair: differences[pair])
    assert differences[worst] >= 2 * NOTICEABLE, (worst, round(differences[worst], 1))


def test_a_swatch_is_no_different_from_itself_shifted_and_the_measure_sees_a_change() -> None:
    power = next(iter(maps.load("w3k").powers.values()))
    assert apart(power, power, "all colours") < 0.5
    white, black = np.ones((2, 2, 3)), np.zeros((2, 2, 3))
    assert np.abs(lab(white)[..., 0] - 100).max() < 0.1
    assert np.abs(lab(black)).max() < 0.1
