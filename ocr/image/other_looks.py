"""A row looked at otherwise: the same ink leaned, trimmed or stretched, where the network errs elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from ocr.engines import LetterEngine
from ocr.image.narrow_hands import widened
from ocr.page import Image, Posteriors


@dataclass(frozen=True, slots=True)
class Look:
    """How a crop is changed before it is read. `stretch`: factor of its width. `lean`: share of its height,
    -0.5..0.5, by which its top moves to the right against its foot. `trim`: share of its height, -0.3..0.3,
    cut off at the top and at the foot; below 0 as much paper is added."""

    stretch: float = 1.0
    lean: float = 0.0
    trim: float = 0.0

    def of(self, crop: Image) -> Image:
        """The crop so changed; paper beyond its edges is made of its outermost pixels."""
        height, width = crop.shape[:2]
        cut = round(self.trim * height)
        room = abs(self.lean) * height
        matrix = np.array([
            [self.stretch, -self.lean, max(0.0, self.lean * height)],
            [0.0, 1.0, -cut],
        ], np.float32)
        size = (max(1, round(width * self.stretch + room)), max(1, height - 2 * cut))
        changed = cv2.warpAffine(crop, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(changed, dtype=np.uint8)


LOOKS: tuple[Look, ...] = (Look(stretch=1.23), Look(trim=0.07), Look(stretch=0.77, trim=-0.12))
"""The looks at a row that is read again. Of six tried on 114 waiting lines of writers for calibration these
three let as many pass as all together."""


@dataclass(frozen=True, slots=True, eq=False)
class CropLooks:
    """The looks of one row's crop by one engine. `frames` and `letters`: of its first reading."""

    crop: Image
    engine: LetterEngine
    frames: int
    letters: int

    def posteriors(self) -> tuple[Posteriors, ...]:
        """What the engine reads in each of LOOKS; empty if it gives no posteriors."""
        # Squeezed letters of a narrow hand run together.
        crops = [
            look.of(widened(self.crop, self.frames, self.letters) if look.stretch < 1.0 else self.crop)
            for look in LOOKS
        ]
        readings = self.engine.read_letters(crops)
        posteriors = tuple(reading.posteriors for reading in readings if reading.posteriors is not None)
        return posteriors if len(posteriors) == len(LOOKS) else ()
