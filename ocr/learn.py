"""Lines of a photograph that are known for certain, as a person's hand learns from them (`ocr.engines.hand`).

Only lines of one row are taken: of a wrapped line it is unknown which words are on which row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ocr.engines.hand import LearntLine
from ocr.engines.ppocr import PpOcr
from ocr.image.find_sheet import turn_sheet
from ocr.image.geometry import CROP_MARGIN, cut_quad, grow_quad, quad_size, transform_points
from ocr.image.illumination import even_light, without_rules
from ocr.image.narrow_hands import widened
from ocr.page import Box, Image
from ocr.read_line import sheet_of

TALL = 1.6
"""Heights of the page's median line from which a box is taken for two rows. By hand."""


@dataclass(frozen=True, slots=True)
class KnownLine:
    """A line's box, in pixels of the upright photograph, and what it states as it is written."""

    box: Box
    text: str


def learn(
    photo: Image, rotation: int, lines: Sequence[KnownLine], engines: Sequence[PpOcr]
) -> list[LearntLine]:
    """What each engine makes of the lines that have one row. `photo` and `rotation`: as for
    `ocr.read_line.read_line`."""
    learnt: list[LearntLine] = []
    if not lines:
        return learnt
    median = float(np.median([line.box.height for line in lines]))
    # The page is cleaned once: its lines lie on one sheet, as they were read from one.
    sheet = turn_sheet(sheet_of(photo, [line.box for line in lines]), rotation)
    clean, _ = without_rules(even_light(sheet.image))
    inverse = np.linalg.inv(sheet.to_photo).astype(np.float64)
    for line in lines:
        if line.box.height > TALL * median:
            continue
        quad = transform_points(inverse, line.box.corners)
        height = quad_size(quad)[1]
        crop = cut_quad(clean, grow_quad(quad, CROP_MARGIN[0] * height, CROP_MARGIN[1] * height))
        first = engines[0].learnt(crop, line.text)
        # As a page is read (`ocr.read`): the second opinion sees a narrow hand widened.
        shown = widened(crop, len(first.frames), len(line.text))
        learnt += [first, *(engine.learnt(shown, line.text) for engine in engines[1:])]
    return learnt
