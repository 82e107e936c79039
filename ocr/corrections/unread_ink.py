"""Ink that the recogniser said nothing about: a word blotted out, or two layers of writing that made no
letter.

A network that sees no letter in a muddle is often certain of it, so neither its score nor the cost of a
decoded order shows that a word was passed over. Here only ink and silence count.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ocr.corrections.strike_marks import EDGE, HEIGHT, Plane, body_rows
from ocr.page import Posteriors

SAID = 0.2  # probability, 0..1, of a letter from which a frame says one. By hand; no measurement on record

LEAST = 0.8
"""Row heights, 0..2, of ink without a letter from which a stretch counts. Of 364 live rows on 40 sheets
composed in the calibration fonts five had so much, all of them misread. Photographs: 0.65 or less in 34,642
stretches, more in three."""


def unread_stretches(ink: Plane, posteriors: Posteriors) -> tuple[tuple[float, float, float], ...]:
    """Stretches between one letter and the next: left and right as shares of the crop, and ink in row
    heights.

    The ink is LEAST or more. `ink`: soft ink of the crop that `posteriors` belong to.
    """
    frames, width = len(posteriors.log_probs), ink.shape[1]
    if not frames:
        return ()
    body = body_rows(ink)
    band = ink[max(EDGE, body.start - EDGE) : body.stop + EDGE // 2]
    inked = np.asarray((band > 0.5).any(axis=0), np.bool_)
    letter_frames = np.flatnonzero(posteriors.log_probs[:, 1:].max(axis=1) > np.log(SAID))
    edges = [0, *(int((frame + 0.5) * width / frames) for frame in letter_frames), width]
    widths = [float(inked[left:right].sum()) / HEIGHT for left, right in pairwise(edges)]
    return tuple(
        (round(left / width, 3), round(right / width, 3), ink_width)
        for (left, right), ink_width in zip(pairwise(edges), widths, strict=True)
        if ink_width >= LEAST
    )
