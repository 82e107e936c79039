"""The recogniser's layers that were tuned to handwriting, as arrays laid over the published file.

`finetuned.npz`: `offsets`, `sizes` and `values` (float16) show which numbers of the published file are
replaced (byte offset, how many, and the numbers one after the other); `step_offsets`, `step_sizes`,
`step_units` and `steps` (int8) which are moved, and by how many units; `head_w` (120 x columns) and `head_b`
(float16) are the output layer, cut to the `columns` that are stored (0 is the blank). `training/README.md`
states how they were made. They are a modified part of PP-OCRv6 (Apache-2.0), see `NOTICE.txt` next to this
file. """

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Weights: TypeAlias = npt.NDArray[np.float32]

FILE = Path(__file__).with_name("finetuned.npz")

SHA256 = "10e4c4fc1b081d8f5e8249f0418a26ad246a98bece5d7191ffef34d2ec6eeda4"
"""Of `finetuned.npz`."""

HEAD = ("linear_8.w_0", "linear_8.b_0")
"""The output layer's weights and biases by their names in the published network."""


@dataclass(frozen=True, slots=True, eq=False)
class LayerSteps:
    """How far the numbers of one array are moved: its byte offset, int8 steps, and what a step is worth."""

    offset: int
    steps: npt.NDArray[np.int8]
    unit: float


@dataclass(frozen=True, slots=True)
class TunedLayers:
    """Tuned layers.

    `replaced`: whole arrays by their names in the network. `patches`: byte offset and new bytes. `steps`:
    arrays that are moved. `columns`: the columns of the published output that are stored, in order.
    """

    replaced: Mapping[str, Weights]
    patches: tuple[tuple[int, bytes], ...]
    steps: tuple[LayerSteps, ...]
    columns: tuple[int, ...]

    def patched(self, network: bytes) -> bytes:
        """The published file with its numbers replaced and moved; its length does not change."""
        out = bytearray(network)
        for offset, data in self.patches:
            out[offset : offset + len(data)] = data
        for moved in self.steps:
            # The published file holds little-endian floats.
            numbers = np.frombuffer(network, "<f4", len(moved.steps), moved.offset)
            data = (numbers + moved.steps * np.float32(moved.unit)).astype("<f4").tobytes()
            out[moved.offset : moved.offset + len(data)] = data
        return bytes(out)


def parse_layers(data: bytes) -> TunedLayers:
    """The layers in the bytes of `finetuned.npz`."""
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        sizes = arrays["sizes"]
        ends = np.cumsum(sizes)
        # The published file holds little-endian floats.
        values = arrays["values"].astype("<f4")
        patches = tuple(
            (int(offset), values[end - size : end].tobytes())
            for offset, size, end in zip(arrays["offsets"], sizes, ends, strict=True)
        )
        steps = _parse_steps(arrays) if "steps" in arrays.files else ()
        head = np.ascontiguousarray(arrays["head_w"].astype(np.float32)), arrays["head_b"].astype(np.float32)
        columns = tuple(int(column) for column in arrays["columns"])
        return TunedLayers(dict(zip(HEAD, head, strict=True)), patches, steps, columns)


def _parse_steps(arrays: Mapping[str, npt.NDArray[np.generic]]) -> tuple[LayerSteps, ...]:
    ends = np.cumsum(np.asarray(arrays["step_sizes"], np.int64))
    steps = np.asarray(arrays["steps"], np.int8)
    return tuple(
        LayerSteps(int(offset), steps[end - size : end], float(unit))
        for offset, size, end, unit in zip(
            arrays["step_offsets"], arrays["step_sizes"], ends, arrays["step_units"], strict=True
        )
    )
