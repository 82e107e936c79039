"""A head on the recogniser that tells crossed-out writing from live, frame by frame.

It sees what the recogniser's own convolutions made of a row before its neck, so that no second pass over the
picture is needed; those convolutions are as published, and tuning the neck does not touch the head.
`crossing.npz` holds a few convolutions along the row (float16), fitted by `training.tuning.crossing` on rows
drawn with fonts under the SIL Open Font Licence.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ocr.engines import STRIKE_CLASSES, CrossingScores

FILE = Path(__file__).with_name("crossing.npz")

SHA256 = "5e49044beb1eb3ed425cac1b84157cff50c779d0c7f1d8a982a49a50584a250f"
"""Of `crossing.npz`."""

FEATURES = "p2o.pd_op.pool2d.1.0"
"""The network's own name for what its convolutions give: 384 x 1 x an eighth of the crop's width."""

Numbers: TypeAlias = npt.NDArray[np.float32]


def with_features(network: bytes) -> bytes:
    """A network file that gives FEATURES out as a second output.

    Protocol buffers that stand twice are merged: a model of one graph of one output (ModelProto.graph is
    field 7, GraphProto.output field 12, ValueInfoProto name 1 and type 2, tensor type 1, element type 1 =
    float), put behind the file, adds that output to the file's graph and changes nothing else.
    """
    value = _field(1, FEATURES.encode()) + _field(2, _field(1, b"\x08\x01"))
    return network + _field(7, _field(12, value))


def _field(number: int, content: bytes) -> bytes:
    """A protocol buffer's field of bytes; shorter than 128."""
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


@dataclass(frozen=True, slots=True, eq=False)
class CrossingHead:
    """Convolutions along the row, rectified in between: weights (reach x in x out) and constants. `mean` of
    the features is taken off first, so that nothing is what lies beyond the row's ends."""

    mean: Numbers
    layers: tuple[tuple[Numbers, Numbers], ...]

    def __call__(self, features: Numbers) -> CrossingScores:
        """What the head says of a row's features (384 x frames)."""
        at = features.T - self.mean
        for number, (weights, constant) in enumerate(self.layers):
            at = _along(np.maximum(at, 0.0) if number else at, weights) + constant
        count = len(STRIKE_CLASSES)
        powers = np.exp(at[:, :count] - at[:, :count].max(axis=1, keepdims=True))
        above = 1.0 / (1.0 + np.exp(-np.clip(at[:, count], -30.0, 30.0)))
        return CrossingScores(
            np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32), np.asarray(above, np.float32)
        )


def _along(values: Numbers, weights: Numbers) -> Numbers:
    """A convolution along the row (frames x in), as long as before."""
    reach = len(weights)
    padded = np.pad(values, ((reach // 2, reach // 2), (0, 0)))
    parts = (padded[k : k + len(values)] @ weights[k] for k in range(reach))
    return np.asarray(sum(parts), np.float32)


def parse_head(data: bytes) -> CrossingHead:
    """What the bytes of `crossing.npz` say."""
    with np.load(io.BytesIO(data), allow_pickle=False) as found:
        count = sum(name.startswith("weights") for name in found.files)
        layers = tuple(
            (found[f"weights{k}"].astype(np.float32), found[f"constant{k}"].astype(np.float32))
            for k in range(count)
        )
        return CrossingHead(found["mean"].astype(np.float32), layers)
