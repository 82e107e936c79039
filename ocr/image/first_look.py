"""The faults of a photograph at first sight, before anything on it is read: so that its receipt can say
it while there is time for another."""

from __future__ import annotations

from enum import StrEnum

import cv2
import numpy as np

from ocr.image.find_sheet import find_sheets
from ocr.image.illumination import even_light, without_rules
from ocr.image.quality import FAINT, measure
from ocr.page import Image

# Tuning values. "By hand": no measurement on record.
SIDE = 1600  # pixels, long side at which a photograph is looked at. By definition of `quality.measure`
DIM = 80.0
"""Brightness of the lightest tenth, 0..255, below which a photograph is dark. By hand: 40 is refused where
too little is read, and photographs had 189 or more."""
SOFT = 0.13
"""`Quality.softest`, 0..1, below which edges are blurred. By hand: 0.12 is refused where too little is read,
and photographs had 0.16 or more."""
LIGHT_RIM = 0.8  # share of that brightness, 0..1, that a side has where paper reaches to the rim. By hand
RIM = 0.02  # share of a side, 0..1, that is looked at for that. By hand
LETTER = (0.006, 0.06)
"""Size of a letter, as shares of the long side: less is a speck, more a shadow. By hand. With this and
TOUCHING 42 of 44 cut-off and none of 22 whole photographs were instructed to be cut off."""
TOUCHING = 2  # letters that must touch one side: one may be a tail. By hand
WORD = 0.25  # length of a joined word at most, as a share of the long side: more is an edge or fold. By hand
FEWEST = 4
"""Letters or joined words, fewer of which do not make a sheet. By hand: one order has four words; of 67
sheets one had 8, with strokes that run into each other, and the others 29 or more; two meadows had none."""
INSET = 0.03  # share of a side, 0..0.1, at the edges of a sheet that is not looked at for that. By hand


class PhotoTrouble(StrEnum):
    """The faults of a photograph. The words are flags of the verdict on its mail."""

    DARK = "photo_dark"
    BLURRED = "photo_blurred"
    CUT_OFF = "photo_cut_off"
    NO_WRITING = "photo_no_writing"


def first_look(photo: Image) -> tuple[PhotoTrouble, ...]:
    """The faults of an upright RGB photograph; empty if there are none. A quarter of a second."""
    scale = min(1.0, SIDE / max(photo.shape[:2]))
    resized = cv2.resize(photo, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    small = np.asarray(resized, dtype=np.uint8)
    sheet = find_sheets(small)[0]
    evened = even_light(sheet.image)
    quality = measure(small, evened)
    is_dark = quality.light < DIM
    troubles = {
        PhotoTrouble.DARK: is_dark,
        PhotoTrouble.BLURRED: quality.depth > FAINT and quality.softest < SOFT,
        PhotoTrouble.CUT_OFF: _is_cut_off(small, quality.light),
        # In the dark no writing is to be seen, and that is stated already.
        PhotoTrouble.NO_WRITING: not is_dark and written_pieces(evened) < FEWEST,
    }
    return tuple(trouble for trouble, is_so in troubles.items() if is_so)


def written_pieces(evened: Image) -> int:
    """How many pieces of ink on an evened sheet are as large as letters or joined words. A picture that is no
    sheet may have many; a blank side, sky or a wall has hardly any."""
    clean, _ = without_rules(evened)
    grey = np.asarray(cv2.cvtColor(clean, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    inset = [max(2, round(INSET * side)) for side in grey.shape]
    ink = np.ascontiguousarray(grey[inset[0] : -inset[0], inset[1] : -inset[1]] < 150).astype(np.uint8)
    _, _, boxes, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    longest = max(grey.shape)
    return sum(
        LETTER[0] * longest <= max(width, height) <= WORD * longest
        for _, _, width, height, _ in boxes[1:].tolist()
    )


def _is_cut_off(photo: Image, light: float) -> bool:
    """True if writing runs over a side of the picture to which the paper reaches."""
    evened, _ = without_rules(even_light(photo))
    grey = np.asarray(cv2.cvtColor(evened, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    # Each side in turn on top.
    return any(
        _runs_over_top(np.rot90(grey, turns), np.rot90(photo, turns), light) for turns in range(4)
    )


def _runs_over_top(grey: Image, photo: Image, light: float) -> bool:
    rim = photo[: max(2, round(RIM * len(photo)))]
    if float(np.median(rim.max(axis=2))) < LIGHT_RIM * light:
        return False
    ink = np.ascontiguousarray(grey < 150).astype(np.uint8)
    _, _, boxes, _ = cv2.connectedComponentsWithStats(ink[: round(0.1 * len(ink))], connectivity=8)
    least, most = (share * max(grey.shape) for share in LETTER)
    touching = [
        box for box in boxes[1:].tolist()
        if box[1] <= 1 and least <= max(box[2], box[3]) and box[2] <= most and box[3] <= most
    ]
    return len(touching) >= TOUCHING
