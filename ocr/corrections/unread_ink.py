"""Ink that the recogniser said nothing about: a word blotted out, or two layers of writing that made no
letter.

A network that sees no letter in a muddle is often certain of it, so that neither its score nor the cost of a
decoded order tells that a word was passed over. Here only ink and silence count.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ocr.corrections.strike_marks import EDGE, HEIGHT, Plane, body_rows
from ocr.page import Posteriors

SAID = 0.2
"""Chance of a letter from which a frame says one."""

LEAST = 0.8
"""Row heights of ink without a letter from which a stretch counts. Of 364 live rows on 40 sheets composed in
the fonts for calibration five had as much, all of them misread."""


def unread_stretches(ink: Plane, posteriors: Posteriors) -> tuple[tuple[float, float, float], ...]:
    """Stretches between one letter said and the next: left and right as shares of the crop, and the ink's
    width in row heights, LEAST or more. `ink`: soft ink of the crop that `posteriors` are of."""
    frames, wide = len(posteriors.log_probs), ink.shape[1]
    if not frames:
        return ()
    body = body_rows(ink)
    band = ink[max(EDGE, body.start - EDGE) : body.stop + EDGE // 2]
    inked = np.asarray((band > 0.5).any(axis=0), np.bool_)
    said = np.flatnonzero(posteriors.log_probs[:, 1:].max(axis=1) > np.log(SAID))
    edges = [0, *(int((frame + 0.5) * wide / frames) for frame in said), wide]
    widths = [float(inked[a:b].sum()) / HEIGHT for a, b in pairwise(edges)]
    return tuple(
        (round(a / wide, 3), round(b / wide, 3), width)
        for (a, b), width in zip(pairwise(edges), widths, strict=True) if width >= LEAST
    )
