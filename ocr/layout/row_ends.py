"""Ink that goes on past a row's box: the row is lengthened over it, or a person looks; and rows that run over
the edge of the photograph or of the sheet.

The finder may lose the second half of a sloping row. "A Cok S A Radnorshire - Roscommon" was read up to
Radnorshire, which made a support of a move a support of a hold, without any other sign. Lengths are in
heights of the row unless said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import Quad
from ocr.image.find_sheet import FlattenedSheet, photo_points
from ocr.image.geometry import cut_quad, grow_quad
from ocr.image.illumination import PAPER
from ocr.layout.lines import RowStrip
from ocr.page import Image

# Tuning values. "By hand": no measurement on record.
SIDE = 1200  # pixels, long side of the copy in which ink is looked for. By hand
DARK = 150  # grey, 0..255, below which a pixel of an evened sheet is ink. By hand
CLAIMED = (0.35, 0.15)  # how far next to and above a row's box ink is still the row's. By hand
LOW, HIGH = 0.3, 2.2  # heights of a piece of ink that may be letters: less are specks and dashes, more rules
# A hard shadow's edge is a long piece too; a row was lengthened over one and misread.
LONGEST, SUSPECT = 6.0, 12.0
"""Length of a piece, in row heights, up to which a row is lengthened over it, and up to which a person looks.
By hand: the longest names in a joined hand are 6 to 7 long."""
SOLID_FROM, SOLID = 1.5, 0.5
"""Length in row heights from which a piece that fills more of its box than the second, 0..1, is not writing.
By hand: letters fill a fifth to two fifths."""
NEXT = 1.6  # gap to the row's end, and between pieces, that a space between words or a dash may be. By hand
OFF_LINE = 0.45  # distance of a piece's middle from the row's own line. By hand
WORD = 1.0  # width in all from which pieces are a word, and no tail or blot. By hand
EDGE = 0.012  # share of the sheet's sides in which edges of paper are not ink. By hand

# Tuning values. "By hand": no measurement on record.
TOUCHES = 0.1
"""Row heights, 0..0.5: ink nearer to the sheet's edge runs over it. Photographs: one row -0.17, the others
0.22 or more."""
NEAR_RIM = 0.5
"""Row heights, 0..1: a row that ends nearer to the photograph's rim may continue beyond it, since a gap
between two words is that wide. Photographs: one row 0.0, the others 0.80 or more."""
INK = 0.5  # share of the row's full darkness, 0..1, from which a pixel is ink. By hand
LEAST_DARKNESS = 25.0  # 0..250: paler is paper even in a row without ink. By hand
FULL_DARKNESS = 98  # percentile, 90..100, of the darkness that counts as full. By hand
LEAST_INK = 2  # pixels, 1..5: fewer in a column or line of the crop are specks. By hand


@dataclass(frozen=True, slots=True)
class _Piece:
    """A connected piece of ink that no row has: left, top, right, foot in pixels of the sheet."""

    left: float
    top: float
    right: float
    foot: float


@dataclass(frozen=True, slots=True, eq=False)
class SheetInk:
    """The ink of a sheet in a copy at most SIDE long: uint8, 1 where it is dark, 0 along the edges.

    `scale`: pixels of the copy a pixel of the sheet. `edge`: columns at either side that are left out.
    """

    pixels: Image
    scale: float
    edge: int


def sheet_ink(clean: Image) -> SheetInk:
    """The ink of an evened sheet, RGB."""
    scale = min(1.0, SIDE / max(clean.shape[:2]))
    size = (max(1, round(clean.shape[1] * scale)), max(1, round(clean.shape[0] * scale)))
    grey = cv2.cvtColor(cv2.resize(clean, size, interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY)
    pixels = (np.asarray(grey) < DARK).astype(np.uint8)
    inset = [max(2, round(EDGE * side)) for side in pixels.shape]
    pixels[: inset[0]] = pixels[-inset[0] :] = 0
    pixels[:, : inset[1]] = pixels[:, -inset[1] :] = 0
    return SheetInk(pixels, scale, inset[1])


def lengthened(ink: SheetInk, strips: Sequence[RowStrip]) -> tuple[RowStrip, ...]:
    """The rows, each over the ink that goes on in its line and is in no other row's box."""
    pieces = _unclaimed(ink, strips, LONGEST)
    return tuple(_over(strip, pieces) for strip in strips) if pieces else tuple(strips)


def runs_on(ink: SheetInk, strips: Sequence[RowStrip]) -> tuple[bool, ...]:
    """For each row whether ink still goes on past its ends."""
    pieces = _unclaimed(ink, strips, SUSPECT)
    return tuple(any(_reach(strip, pieces, side) > 0 for side in (-1, 1)) for strip in strips)


def _unclaimed(ink: SheetInk, strips: Sequence[RowStrip], longest: float) -> list[_Piece]:
    """Pieces of ink like letters that lie in no row's box, up to `longest` row heights long."""
    if not strips:
        return []
    pixels, scale = ink.pixels.copy(), ink.scale
    for strip in strips:
        claimed = grow_quad(strip.quad, CLAIMED[0] * strip.height, CLAIMED[1] * strip.height) * scale
        cv2.fillConvexPoly(pixels, np.round(claimed).astype(np.int32), 0)
    height = float(np.median([strip.height for strip in strips]))
    boxes = np.asarray(cv2.connectedComponentsWithStats(pixels, connectivity=8)[2])
    # What begins at the edge of the sheet is its edge, or the shadow's.
    end = pixels.shape[1] - ink.edge
    return [
        _Piece(left / scale, top / scale, (left + width) / scale, (top + tall) / scale)
        for left, top, width, tall, area in boxes[1:].tolist()
        if LOW * height <= tall / scale <= HIGH * height
        and width / scale <= longest * height
        and (width / scale <= SOLID_FROM * height or area <= SOLID * width * tall)
        and ink.edge < left and left + width < end
    ]


def _over(strip: RowStrip, pieces: Sequence[_Piece]) -> RowStrip:
    """A row lengthened over the pieces that go on from its ends."""
    for side in (-1, 1):
        reach = _reach(strip, pieces, side)
        if reach > 0:
            strip = _longer(strip, side, reach)
    return strip


def _reach(strip: RowStrip, pieces: Sequence[_Piece], side: int) -> float:
    """How far, in pixels, a word goes on to the right (`side` 1) or to the left (-1) of a row; 0 if none
    does."""
    quad = strip.quad.astype(np.float64)
    start, end = (quad[0] + quad[3]) / 2, (quad[1] + quad[2]) / 2
    along = (end - start) / max(1.0, float(np.linalg.norm(end - start))) * side
    origin, across = end if side > 0 else start, np.array([-along[1], along[0]])
    spans: list[tuple[float, float]] = []
    for piece in pieces:
        corners = np.array([
            [piece.left, piece.top], [piece.right, piece.top],
            [piece.right, piece.foot], [piece.left, piece.foot],
        ]) - origin
        if abs(float((corners @ across).mean())) < OFF_LINE * strip.height:
            places = corners @ along
            spans.append((float(places.min()), float(places.max())))
    far, inked = 0.0, 0.0
    for near, end_of_piece in sorted(span for span in spans if span[1] > 0):
        if near > far + NEXT * strip.height:
            break
        inked += end_of_piece - max(near, far)
        far = max(far, end_of_piece)
    return far if inked >= WORD * strip.height else 0.0


def _longer(strip: RowStrip, side: int, reach: float) -> RowStrip:
    quad: Quad = strip.quad.copy()
    along = (quad[1] - quad[0]) / max(1.0, float(np.linalg.norm(quad[1] - quad[0]))) * np.float32(reach)
    if side > 0:
        quad[[1, 2]] += along
        return replace(strip, quad=quad, right=strip.right + reach)
    quad[[0, 3]] -= along
    return replace(strip, quad=quad, left=strip.left - reach)


def is_cut_off(sheet: FlattenedSheet, clean: Image, strip: RowStrip, photo_size: tuple[int, int]) -> bool:
    """True if a row may have lost letters to the edge of the sheet or of the photograph.

    `clean`: the evened sheet. `photo_size`: the photograph's height and width in pixels. A row that ends in a
    gap between words far from the rim cannot be distinguished from a whole one.
    """
    ink = _ink_quad(clean, strip)
    if ink is None:
        return False
    margin = TOUCHES * strip.height
    if _leaves(grow_quad(ink, margin, margin), *clean.shape[:2]):
        return True
    return _leaves(photo_points(sheet, grow_quad(ink, NEAR_RIM * strip.height, margin)), *photo_size)


def _ink_quad(clean: Image, strip: RowStrip) -> Quad | None:
    """The corners of the row's ink on the sheet; None if the box holds none."""
    grey = np.asarray(cv2.cvtColor(cut_quad(clean, strip.quad), cv2.COLOR_RGB2GRAY), dtype=np.float32)
    darkness = PAPER - grey
    ink = darkness > max(LEAST_DARKNESS, INK * float(np.percentile(darkness, FULL_DARKNESS)))
    columns = np.flatnonzero(ink.sum(axis=0) >= LEAST_INK)
    lines = np.flatnonzero(ink.sum(axis=1) >= LEAST_INK)
    if not len(columns) or not len(lines):
        return None
    left, right = columns[0] / ink.shape[1], (columns[-1] + 1) / ink.shape[1]
    top, bottom = lines[0] / ink.shape[0], (lines[-1] + 1) / ink.shape[0]
    shares = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype=np.float32)
    across, down = strip.quad[1] - strip.quad[0], strip.quad[3] - strip.quad[0]
    return np.asarray(strip.quad[0] + shares[:, :1] * across + shares[:, 1:] * down, dtype=np.float32)


def _leaves(points: npt.NDArray[np.float32], height: float, width: float) -> bool:
    """True if any point (x, y) lies outside an image of that size."""
    return bool((points < 0).any() or (points > np.array([width, height], dtype=np.float32)).any())
