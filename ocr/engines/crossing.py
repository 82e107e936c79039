"""A head on the recogniser that tells crossed-out writing from live, frame by frame.

It uses what the recogniser's convolutions, as published, make of a row before its neck. The tuned ones read
through a fine stroke, and the head judged worse by them.
`crossing.npz` holds three convolutions along the row (float16), fitted by `training.tuning.crossing` on rows
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
"""The network's name for the output of its convolutions: shape (384, 1, an eighth of the crop's width)."""

LOGIT_LIMIT = 30.0  # nats: greater log odds are cut off, so that exp() does not overflow; 1 in 10^13

Weights: TypeAlias = npt.NDArray[np.float32]


FRAMES = "p2o.pd_op.transpose.8.0"
"""The network's name for what its output layer is given: shape (frames, 120)."""


def with_features(network: bytes) -> bytes:
    """A network file that gives FEATURES as a second output and FRAMES as a third.

    Protocol buffers that come twice are merged. So a model of one graph with one output, appended to the
    file, adds that output to the file's graph and changes nothing else.
    """
    # onnx.proto: ModelProto.graph is field 7, GraphProto.output 12, ValueInfoProto name 1 and type 2, tensor
    # type 1, element type 1 (float).
    for name in (FEATURES, FRAMES):
        value = _field(1, name.encode()) + _field(2, _field(1, b"\x08\x01"))
        network += _field(7, _field(12, value))
    return network


def _field(number: int, content: bytes) -> bytes:
    """A length-delimited field of a protocol buffer (wire type 2); content shorter than 128 bytes."""
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


@dataclass(frozen=True, slots=True, eq=False)
class CrossingHead:
    """Convolutions along the row, rectified in between.

    `mean`: float32, shape (384,), subtracted from the features first, so that zero is beyond the row's ends.
    `layers`: weights, shape (reach, in, out), and constants, shape (out,).
    """

    mean: Weights
    layers: tuple[tuple[Weights, Weights], ...]

    def __call__(self, features: Weights) -> CrossingScores:
        """The verdict of the head on a row. `features`: float32, shape (384, frames)."""
        values = features.T - self.mean
        for number, (weights, constant) in enumerate(self.layers):
            values = _convolved(np.maximum(values, 0.0) if number else values, weights) + constant
        count = len(STRIKE_CLASSES)
        powers = np.exp(values[:, :count] - values[:, :count].max(axis=1, keepdims=True))
        above_probs = 1.0 / (1.0 + np.exp(-np.clip(values[:, count], -LOGIT_LIMIT, LOGIT_LIMIT)))
        class_probs = powers / powers.sum(axis=1, keepdims=True)
        return CrossingScores(np.asarray(class_probs, np.float32), np.asarray(above_probs, np.float32))


def _convolved(values: Weights, weights: Weights) -> Weights:
    """A convolution along the row: shape (frames, in) to (frames, out)."""
    reach = len(weights)
    padded = np.pad(values, ((reach // 2, reach // 2), (0, 0)))
    parts = (padded[k : k + len(values)] @ weights[k] for k in range(reach))
    return np.asarray(sum(parts), np.float32)


def parse_head(data: bytes) -> CrossingHead:
    """The head in the bytes of `crossing.npz`."""
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        count = sum(name.startswith("weights") for name in arrays.files)
        layers = tuple(
            (arrays[f"weights{k}"].astype(np.float32), arrays[f"constant{k}"].astype(np.float32))
            for k in range(count)
        )
        return CrossingHead(arrays["mean"].astype(np.float32), layers)
