"""What posteriors say outside any grammar."""

from __future__ import annotations

import numpy as np

from ocr.engines import Recognition
from ocr.page import Posteriors

LEAST_PROB = 1e-12
"""Probability: lower ones count as this, so that logarithms stay finite."""


def best_path(posteriors: Posteriors) -> Recognition:
    """The text of the likeliest letter in each frame. The score is their mean probability where they
    begin."""
    best = posteriors.log_probs.argmax(axis=1)
    starts = np.flatnonzero((best != 0) & np.concatenate(([True], best[1:] != best[:-1])))
    text = "".join(posteriors.letters[best[k] - 1] for k in starts)
    score = float(np.exp(posteriors.log_probs[starts, best[starts]]).mean()) if len(starts) else 0.0
    return Recognition(" ".join(text.split()), min(1.0, score), posteriors)
