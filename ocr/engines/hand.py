"""One person's hand: the recogniser's output layer fitted to lines of theirs that are known for certain.

The common network reads everybody; a hand is the same layer (120 numbers a frame to letters), moved a little
by connectionist temporal classification (Graves 2006) on a person's own confirmed lines and pulled back to
the common layer, so that a few lines cannot make it forget how others write. Pure: arrays in, a value out,
the same for the same lines on one machine. What is stored is the difference from the common layer as 16-bit
numbers; anyone who reads with a hand uses those, so a reading can be repeated to the digit.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ocr.page import OutputLayer

Floats = npt.NDArray[np.float32]

STEPS, RATE, MOMENTUM = 40, 0.01, 0.9
"""Steps of descent, their rate, and the share, 0..1, of the last step that goes on (Polyak 1964). Chosen on
the calibration writers' rows (training/README.md)."""

PULL = 0.02
"""How strongly the common layer pulls: of a letter's loss in nats for the square of a change of 1."""

WORST = 2.0
"""Nats a letter, 0..4: a line that the common layer finds less likely than this teaches nothing. It is
probably not what was written."""

LEAST = 8
"""Lines from which a hand is fitted; fewer say more of their words than of the person."""


_LEAST_PROB = 1e-12  # probability: lower ones count as this, so that no line is quite impossible


@dataclass(frozen=True, slots=True, eq=False)
class LearntLine:
    """A line to learn from: what the network makes of a row before its output layer, shape (frames, 120), and
    the columns of the letters that it states."""

    frames: Floats
    columns: tuple[int, ...]


class HandError(ValueError):
    """The bytes are not a hand for this network."""


@dataclass(frozen=True)
class Hand:
    """A fitted layer as its difference from the common one. `data`: what is stored. `base`: the SHA-256 of
    the network's file that it belongs to; with another it means nothing."""

    data: bytes
    base: str

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the difference and of what it belongs to."""
        return hashlib.sha256(self.base.encode() + self.data).hexdigest()

    def layer(self, common: OutputLayer) -> OutputLayer:
        """The layer that reads. Raises HandError if the bytes do not fit the common layer."""
        rows, columns = common.weights.shape
        try:
            numbers = np.frombuffer(zlib.decompress(self.data), "<f2").astype(np.float32)
            change = numbers.reshape(rows + 1, columns)
        except (zlib.error, ValueError) as fault:
            raise HandError(f"no hand of {rows + 1} x {columns} numbers: {fault}") from fault
        return OutputLayer(common.weights + change[:rows], common.bias + change[rows])


def fits(line: LearntLine, common: OutputLayer) -> bool:
    """True if a line is likely to be what its letters say, so that it may be learnt from."""
    if not line.columns:
        return False
    (loss,), _ = _ctc([common.log_probs(line.frames)], [line.columns])
    return bool(loss / len(line.columns) <= WORST)


def fit(lines: Sequence[LearntLine], common: OutputLayer, base: str) -> Hand | None:
    """A person's hand, of the lines that fit; None if those are fewer than LEAST. `base`: see Hand."""
    chosen = [line for line in lines if fits(line, common)]
    if len(chosen) < LEAST:
        return None
    frames = np.concatenate([line.frames for line in chosen])
    ends = np.cumsum([len(line.frames) for line in chosen])
    letters = sum(len(line.columns) for line in chosen)
    start = np.vstack([common.weights, common.bias]).astype(np.float64)
    inputs = np.column_stack([frames, np.ones(len(frames), np.float32)])
    layer, move = start.copy(), np.zeros_like(start)
    for _ in range(STEPS):
        current = OutputLayer(np.asarray(layer[:-1], np.float32), np.asarray(layer[-1], np.float32))
        log_probs = current.log_probs(frames)
        _, slopes = _ctc(np.split(log_probs, ends[:-1]), [line.columns for line in chosen])
        slope = inputs.T @ np.concatenate(slopes) / letters + 2 * PULL * (layer - start)
        # Plain descent with momentum: a letter that the lines do not have hardly moves. Adam moves every
        # number alike, and made two of nine writers worse.
        move = MOMENTUM * move - RATE * slope
        layer = layer + move
    return Hand(zlib.compress((layer - start).astype("<f2").tobytes(), 9), base)


def _ctc(
    log_probs: Sequence[Floats], texts: Sequence[tuple[int, ...]]
) -> tuple[npt.NDArray[np.float64], list[Floats]]:
    """By line the loss (nats; infinite where the text has no room) and its slope by the scores before
    softmax, shape (frames, columns)."""
    losses, shares = letter_shares(log_probs, texts)
    slopes = [
        np.exp(line) - of_line if np.isfinite(loss) else np.zeros_like(line)
        for line, of_line, loss in zip(log_probs, shares, losses, strict=True)
    ]
    return losses, slopes


def letter_shares(
    log_probs: Sequence[Floats], texts: Sequence[tuple[int, ...]]
) -> tuple[npt.NDArray[np.float64], list[Floats]]:
    """By line the loss (nats; infinite where the text has no room), and for each frame the chance that it is
    of each letter if the line states its text, shape (frames, columns); zeros where there is no room.

    `texts`: columns of the letters, none empty. All lines go forward and backward at once, in linear numbers
    scaled frame by frame.
    """
    count, longest = len(texts), max(map(len, texts))
    frames = np.array([len(line) for line in log_probs])
    states = 2 * longest + 1
    labels = np.zeros((count, states), np.int64)
    for row, text in enumerate(texts):
        labels[row, 1 : 2 * len(text) : 2] = text
    lengths = 2 * np.array([len(text) for text in texts]) + 1
    inside = np.arange(states) < lengths[:, None]
    # A state may be entered from two before if its letter differs from that one's.
    skips = np.zeros((count, states), bool)
    skips[:, 2:] = (labels[:, 2:] != 0) & (labels[:, 2:] != labels[:, :-2])
    probs = np.zeros((max(frames), count, states))
    for row, line in enumerate(log_probs):
        likely = np.exp(line[:, labels[row]].astype(np.float64))
        probs[: frames[row], row] = np.maximum(likely, _LEAST_PROB) * inside[row]
    forward, scales = _forward(probs, skips, frames, np.arange(states) < 2)
    backward = _backward(probs, skips, frames, lengths)
    rows = np.arange(count)
    last = forward[frames - 1, rows]
    ends = last[rows, lengths - 1] + np.where(lengths > 1, last[rows, lengths - 2], 0.0)
    with np.errstate(divide="ignore"):
        losses = -np.log(ends)
    for row in range(count):
        losses[row] -= np.log(scales[: frames[row], row]).sum()
    letters = []
    for row, line in enumerate(log_probs):
        span = frames[row]
        shares = forward[:span, row] * backward[:span, row]
        total = shares.sum(axis=1, keepdims=True)
        if not np.isfinite(losses[row]) or not np.all(total > 0):
            losses[row] = np.inf
            letters.append(np.zeros_like(line))
            continue
        # Each state's share counts for its letter. Adding by index takes a hundredth of the time of a product
        # with a matrix of ones, which small as it is sets every core to work.
        width = line.shape[1]
        places = np.arange(span)[:, None] * width + labels[row]
        by_letter = np.bincount(places.ravel(), (shares / total).ravel(), span * width).reshape(span, width)
        letters.append(by_letter.astype(np.float32))
    return losses, letters


def _forward(
    probs: npt.NDArray[np.float64], skips: npt.NDArray[np.bool_], frames: npt.NDArray[np.int64],
    begin: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The chance of each state after each frame, scaled to sum to 1, and the scales."""
    forward, scales = np.zeros_like(probs), np.ones(probs.shape[:2])
    for frame in range(len(probs)):
        if frame == 0:
            current = probs[0] * begin
        else:
            before = forward[frame - 1]
            moved = before.copy()
            moved[:, 1:] += before[:, :-1]
            moved[:, 2:] += before[:, :-2] * skips[:, 2:]
            current = moved * probs[frame]
        total = current.sum(axis=1)
        alive = (frame < frames) & (total > 0)
        scales[frame, alive] = total[alive]
        forward[frame] = current / np.where(total > 0, total, 1.0)[:, None]
    return forward, scales


def _backward(
    probs: npt.NDArray[np.float64], skips: npt.NDArray[np.bool_], frames: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    """The chance of the rest of a line from each state on, scaled to sum to 1: only its shape counts."""
    backward = np.zeros_like(probs)
    rows = np.arange(probs.shape[1])
    final = np.zeros(probs.shape[1:])
    final[rows, lengths - 1] = 1.0
    final[rows[lengths > 1], lengths[lengths > 1] - 2] = 1.0
    for frame in range(len(probs) - 1, -1, -1):
        if frame < len(probs) - 1:
            after = backward[frame + 1] * probs[frame + 1]
            moved = after.copy()
            moved[:, :-1] += after[:, 1:]
            moved[:, :-2] += (after * skips)[:, 2:]
            total = moved.sum(axis=1, keepdims=True)
            backward[frame] = moved / np.where(total > 0, total, 1.0)
        backward[frame] = np.where((frames - 1 == frame)[:, None], final, backward[frame])
    return backward
