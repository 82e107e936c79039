"""The recogniser's layers that were tuned to handwriting, as arrays laid over the published file.

`finetuned.npz`, all numbers float16: `offsets`, `sizes` and `values` say which numbers of the published file
are replaced (byte offset, how many, and the numbers one after the other); `head_w` (120 x columns) and
`head_b` are the output layer, cut to the `columns` that are kept (0 is the blank). `training/README.md` says
how they were made. They are a modified part of PP-OCRv6 (Apache-2.0), see `NOTICE.txt` beside this file.
"""

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

SHA256 = "83bb2d2b778d7759074ee77cb16cc482fe832b561681676c58daa5cadcb08dd3"
"""Of `finetuned.npz`."""

HEAD = ("linear_8.w_0", "linear_8.b_0")
"""The output layer's weights and biases by their names in the published network."""


@dataclass(frozen=True, slots=True)
class TunedLayers:
    """Tuned layers.

    `replaced`: whole arrays by their names in the network. `patches`: byte offset and new bytes. `columns`:
    the columns of the published output that are kept, in order.
    """

    replaced: Mapping[str, Weights]
    patches: tuple[tuple[int, bytes], ...]
    columns: tuple[int, ...]

    def patched(self, network: bytes) -> bytes:
        """The published file with its numbers replaced; its length does not change."""
        out = bytearray(network)
        for offset, data in self.patches:
            out[offset : offset + len(data)] = data
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
        head = np.ascontiguousarray(arrays["head_w"].astype(np.float32)), arrays["head_b"].astype(np.float32)
        columns = tuple(int(column) for column in arrays["columns"])
        return TunedLayers(dict(zip(HEAD, head, strict=True)), patches, columns)
