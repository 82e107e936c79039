"""Evidence that writing was crossed out: long level strokes, and ink that never lets go.

Two habits are told apart from live writing: straight strokes through a row, and a zigzag or scribble over it.
Both make of separate words one piece. The rules of the paper must be off the crop before it is judged.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

from ocr.page import Image, Strike

HEIGHT = 48
"""Rows are judged at this height, in pixels."""

STROKE = 1.25
"""A level run of ink at least this many row heights long, twice that in a long row, is a stroke.

Letters have none, and a dash is half as long."""

SHORT = 5.0
"""A row shorter than this many heights may be one word: one piece of ink, level in places, yet not struck."""

TINY = 2.5
DOUBT = 0.45
"""A row shorter than TINY heights ("v2") has no room for a stroke unlike its letters: DOUBT at most."""

WORD_STROKE = 1.6
"""Row heights of level ink that may be a struck word; now and then a live row has that much of its own."""

TILTS = (-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0)
"""Degrees at which strokes are looked for."""


def strike(row: Image) -> Strike:
    """How much a row looks crossed out; `row` is an evened crop without rules, some 1.1 row heights high."""
    dark = _dark(row)
    ink = _ink(dark)
    columns = np.flatnonzero(ink[8:-8].any(axis=0))
    if len(columns) < HEIGHT // 2:
        return Strike()
    start, end = int(columns[0]), int(columns[-1]) + 1
    body = ink[:, start:end]
    struck = _strokes(body, max(STROKE * HEIGHT, min(0.6 * body.shape[1], 2 * STROKE * HEIGHT)))
    run = float(struck.mean())
    density = float(body[HEIGHT // 4 : -HEIGHT // 4].mean())
    whole = _longest_piece(body)
    words = body.shape[1] > SHORT * HEIGHT
    scribble = _ramp(min(whole, density * 3), 0.75, 0.97) if words else 0.0
    stroke = _ramp(run, 0.45, 0.8) if words else _ramp(run, 0.9, 1.0)
    score = max(stroke, scribble)
    if body.shape[1] < TINY * HEIGHT:
        score = min(score, DOUBT)
    words_struck = _strokes(body, WORD_STROKE * HEIGHT)
    spans = tuple(
        (round(a / len(struck), 3), round(b / len(struck), 3)) for a, b in _runs(words_struck, HEIGHT)
    )
    return Strike(round(score, 3), round(run, 3), round(density, 3), spans)


def _dark(row: Image) -> Image:
    grey = row if row.ndim == 2 else cv2.cvtColor(row, cv2.COLOR_RGB2GRAY)
    width = max(8, round(grey.shape[1] * HEIGHT / grey.shape[0]))
    method = cv2.INTER_AREA if grey.shape[0] > HEIGHT else cv2.INTER_LINEAR
    return np.asarray(255 - cv2.resize(grey, (width, HEIGHT), interpolation=method), dtype=np.uint8)


def _ink(dark: Image) -> npt.NDArray[np.bool_]:
    """Pixels at least half as dark as the pen at its darkest; nothing where the crop is all but white."""
    full = float(np.percentile(dark, 98))
    return np.asarray(dark > max(25.0, 0.45 * full), dtype=np.bool_)


def _strokes(ink: npt.NDArray[np.bool_], length: float) -> npt.NDArray[np.bool_]:
    """Columns that a stroke of at least that many pixels passes through."""
    found = np.zeros(ink.shape, np.uint8)
    source = cv2.morphologyEx(ink.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((1, 3), np.uint8))
    for tilt in TILTS:
        found |= np.asarray(
            cv2.morphologyEx(source, cv2.MORPH_OPEN, _line(round(length), tilt)), dtype=np.uint8
        )
    return np.asarray(found.any(axis=0), dtype=np.bool_)


def _line(length: int, degrees: float) -> npt.NDArray[np.uint8]:
    rise = round(math.tan(math.radians(degrees)) * length)
    kernel = np.zeros((abs(rise) + 1, length), np.uint8)
    ends = ((0, 0), (length - 1, rise)) if rise >= 0 else ((0, -rise), (length - 1, 0))
    cv2.line(kernel, ends[0], ends[1], 1, 1)
    return kernel


def _longest_piece(ink: npt.NDArray[np.bool_]) -> float:
    """Width of the widest piece of touching ink, as a share of the row."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    return float(stats[1:, cv2.CC_STAT_WIDTH].max(initial=0) / ink.shape[1])


def _runs(flags: npt.NDArray[np.bool_], least: int) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a >= least]


def _ramp(value: float, low: float, high: float) -> float:
    return float(np.clip((value - low) / (high - low), 0.0, 1.0))
