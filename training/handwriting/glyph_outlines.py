"""Letters of a font as distances to the edge of the stroke, so that a pen of any width can write them, bent
at will."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

Distances: TypeAlias = npt.NDArray[np.float32]
"""Height x width; pixels of the sheet from the stroke's edge, above 0 inside it."""

# Pixels of a glyph for each pixel of the sheet.
FINE = 2


@dataclass(frozen=True, slots=True)
class Glyph:
    """A letter: distances on a grid FINE times finer than the sheet, and where its origin lies on it (x,
    y)."""

    edge: Distances
    origin: tuple[float, float]
    inked: bool


@dataclass(slots=True)
class Face:
    """A font at the size whose small letters are `x_height` pixels high."""

    path: Path
    x_height: float
    size: float = field(init=False)
    stroke: float = field(init=False)
    _font: ImageFont.FreeTypeFont = field(init=False, repr=False)
    _outlines: dict[str, Glyph] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        trial = ImageFont.truetype(str(self.path), 200, layout_engine=ImageFont.Layout.BASIC)
        # Six letters without ascenders; in a handwriting font they differ in height.
        trial_x_height = float(np.median([-trial.getbbox(letter, anchor="ls")[1] for letter in "xnaeuo"]))
        self.size = 200 * self.x_height / max(trial_x_height, 20.0)
        self._font = ImageFont.truetype(
            str(self.path), round(self.size * FINE), layout_engine=ImageFont.Layout.BASIC
        )
        self.stroke = 1.7 * float(np.median([self.glyph(letter).edge.max() for letter in "nolitre"]))

    def advance(self, text: str, index: int) -> float:
        """How far the pen goes on after letter `index` of a text, kerned; pixels of the sheet."""
        following = text[index + 1 : index + 2]
        return float(self._font.getlength(text[index] + following) - self._font.getlength(following)) / FINE

    def glyph(self, letter: str) -> Glyph:
        """A letter, drawn once and cached."""
        if letter not in self._outlines:
            self._outlines[letter] = self._draw(letter)
        return self._outlines[letter]

    def _draw(self, letter: str) -> Glyph:
        left, top, right, bottom = (round(side) for side in self._font.getbbox(letter, anchor="ls"))
        # Room for the distances around the outline: a pen may be up to 3 pixels fatter at each side than the
        # font.
        pad = round(8 * FINE)
        size = (max(right - left, 1) + 2 * pad, max(bottom - top, 1) + 2 * pad)
        image = Image.new("L", size, 0)
        ImageDraw.Draw(image).text((pad - left, pad - top), letter, fill=255, font=self._font, anchor="ls")
        # Distance transforms take black and white; FINE times the size makes up for the lost edge.
        ink = (np.asarray(image) > 127).astype(np.uint8)
        inside = cv2.distanceTransform(ink, cv2.DIST_L2, 5)
        outside = cv2.distanceTransform(1 - ink, cv2.DIST_L2, 5)
        edge = ((inside - outside) / FINE).astype(np.float32)
        return Glyph(edge, (float(pad - left), float(pad - top)), bool(ink.any()))
