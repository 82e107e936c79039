"""Choosing a look: by chance, with whatever the caller has already decided left as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from typing import Any

import numpy as np

from training.handwriting.sheet import DeskSurface, InkColour, Look, PaperStyle
from training.handwriting.strike import STROKES

# Font size in millimetres that writes at an everyday height; other families take 6.6.
SIZES: Mapping[str, float] = {
    "architects-daughter": 5.6, "caveat": 8.2, "covered-by-your-grace": 7.8, "nanum-pen-script": 8.6,
    "reenie-beanie": 9.2, "mansalva": 6.0, "short-stack": 5.2, "delius": 5.8, "dancing-script": 7.0,
    "cedarville-cursive": 6.4, "indie-flower": 6.4, "the-girl-next-door": 6.2, "shadows-into-light": 7.2,
    "gochi-hand": 7.0,
}


def choose(decided: Mapping[str, Any], hands: Sequence[str], rng: np.random.Generator) -> Look:
    """A look from chance, overruled by `decided` (field names of Look). Raises ValueError for an unknown
    one."""
    unknown = set(decided) - {field.name for field in fields(Look)}
    if unknown:
        raise ValueError(f"no such part of a look: {', '.join(sorted(unknown))}")
    # Every part is drawn, even one that is decided: the others stay the same for a seed.
    parts = _drawn(hands, rng)
    parts.update(decided)
    # The size follows the hand, which may have been decided, so it is chosen last.
    if "size" not in decided:
        parts["size"] = SIZES.get(parts["hand"], 6.6)
    kinds = {"paper": PaperStyle, "ink": InkColour, "desk": DeskSurface}
    return Look(**{**parts, **{part: kind(parts[part]) for part, kind in kinds.items()}})


def _drawn(hands: Sequence[str], rng: np.random.Generator) -> dict[str, Any]:
    return {
        "hand": str(rng.choice(list(hands))),
        "paper": _pick(PaperStyle, rng),
        "ink": _pick(InkColour, rng),
        "desk": _pick(DeskSurface, rng),
        "tidy": round(float(rng.uniform(0.65, 1.0)), 2),
        "size": 0.0,
        "slant": round(float(rng.normal(0.04, 0.09)), 3),
        "strike": str(rng.choice(STROKES)),
        "folds": int(rng.choice([0, 0, 1, 2, 3])),
        "turn": round(float(rng.normal(0, 1.6)), 1),
        "tilt": round(float(rng.uniform(0.3, 1.2)), 2),
        "gloom": round(float(rng.choice([0.0, 0.2, 0.4, 0.7])), 1),
        "blur": round(float(rng.uniform(0.4, 0.9)), 2),
        "long_side": 2000,
        "quality": 80,
        "orientation": int(rng.choice([1, 1, 1, 6, 8])),
        "gps": bool(rng.random() < 0.3),
    }


def _pick(kinds: type[StrEnum], rng: np.random.Generator) -> str:
    return str(rng.choice([kind.value for kind in kinds]))
