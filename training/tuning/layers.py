"""Which layers of the recogniser are tuned, how they are mixed with the published ones, and the file that
carries them.

Pure: arrays in, arrays or bytes out. `ocr.engines.finetuned` has the form of the file.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ocr.engines.finetuned import HEAD, parse_layers

Arrays = Mapping[str, npt.NDArray[np.float32]]
"""Arrays by their names in the published network."""

# What lies between the convolutions and the output: two blocks of attention with their norms.
NECK = (
    "conv2d_67.w_0", "conv2d_65.w_0", "conv2d_66.w_0",
    *(f"batch_norm2d_{k}.{part}" for k in (57, 55, 56) for part in ("w_0", "b_0")),
    *(f"linear_{k}.{part}" for k in range(8) for part in ("w_0", "b_0")),
    *(f"helper.reshape.{k}" for k in range(10)),
)  # fmt: skip

# Means and variances the neck uses, which stay as published.
FIXED = tuple(f"batch_norm2d_{k}.{part}" for k in (57, 55, 56) for part in ("w_1", "w_2"))


# Of the changes of a layer before the neck: a unit, in their own spread. What rounding adds is a fiftieth of
# their square, and they then fit in 3 bits a number.
FINENESS = 0.5

# The most steps that an int8 holds, and the least that one is worth.
LARGEST, SMALLEST = 127, 1e-9


def cut(published: Arrays, columns: Sequence[int]) -> dict[str, npt.NDArray[np.float32]]:
    """The output layer with those columns only; everything else as it is."""
    return {name: array[..., list(columns)] if name in HEAD else array for name, array in published.items()}


def mixed(published: Arrays, tuned: Arrays, share: float) -> dict[str, npt.NDArray[np.float32]]:
    """`share` (0..1) of the way from the published to the tuned arrays, for every array that was tuned."""
    return {
        name: np.asarray((1 - share) * published[name] + share * array, np.float32)
        for name, array in tuned.items()
    }


def place(network: bytes, array: npt.NDArray[np.float32]) -> int:
    """The offset of an array's numbers in the network's file, in bytes. Raises ValueError unless they are
    there exactly once."""
    numbers = array.astype("<f4").tobytes()
    offset = network.find(numbers)
    if offset < 0 or network.find(numbers, offset + 1) >= 0:
        raise ValueError("the network's file does not hold these numbers exactly once")
    return offset


def read_arrays(network: bytes, published: Arrays, file: Path) -> dict[str, npt.NDArray[np.float32]]:
    """The arrays of a file of tuned layers, as `tune fit` writes it or as the product carries it."""
    with np.load(file, allow_pickle=False) as archive:
        if "offsets" not in archive.files:
            return {name: archive[name] for name in archive.files}
    layers = parse_layers(file.read_bytes())
    whole = layers.patched(network)
    changed = {offset for offset, _ in layers.patches} | {step.offset for step in layers.steps}
    arrays = {}
    for name, array in published.items():
        if array.dtype == np.float32 and array.size > 1 and name not in HEAD:
            offset = network.find(array.astype("<f4").tobytes())
            if offset in changed:
                numbers = np.frombuffer(whole, "<f4", array.size, offset)
                arrays[name] = numbers.reshape(array.shape).copy()
    return arrays | dict(layers.replaced)


def pack(network: bytes, published: Arrays, tuned: Arrays, columns: Sequence[int]) -> bytes:
    """The file of tuned layers: `finetuned.npz`. `tuned` has the output layer, cut to `columns`, and any
    others whole. Those of the neck are stored as they are, those before it as steps from the published."""
    names = sorted(name for name in tuned if name in NECK)
    before = sorted(name for name in tuned if name not in {*NECK, *HEAD})
    values = np.concatenate([_flat(tuned[name]) for name in names]) if names else np.zeros(0, np.float16)
    units = [_unit(tuned[name] - published[name]) for name in before]
    steps = [
        np.clip(np.round((tuned[name] - published[name]) / unit), -LARGEST, LARGEST).astype(np.int8).ravel()
        for name, unit in zip(before, units, strict=True)
    ]
    data = io.BytesIO()
    np.savez_compressed(
        data,
        offsets=np.array([place(network, published[name]) for name in names], np.int64),
        sizes=np.array([tuned[name].size for name in names], np.int32),
        values=values,
        step_offsets=np.array([place(network, published[name]) for name in before], np.int64),
        step_sizes=np.array([len(step) for step in steps], np.int32),
        step_units=np.array(units, np.float32),
        steps=np.concatenate(steps) if steps else np.zeros(0, np.int8),
        columns=np.array(columns, np.int32),
        head_w=tuned[HEAD[0]].astype(np.float16),
        head_b=tuned[HEAD[1]].astype(np.float16),
    )
    return data.getvalue()


def _unit(change: npt.NDArray[np.float32]) -> float:
    """What one step is worth: an array's changes are stored in units of FINENESS of their spread, or of what
    the largest needs."""
    return max(FINENESS * float(change.std()), float(np.abs(change).max()) / LARGEST, SMALLEST)


def _flat(array: npt.NDArray[np.float32]) -> npt.NDArray[np.float16]:
    return array.astype(np.float16).ravel()


def letter_ids(text: str, letters: str) -> list[int]:
    """Numbers of a text's letters in the output (0 is the blank), without letters that the output does not
    have."""
    column_of = {letter: column for column, letter in enumerate(letters, 1)}
    return [column_of[letter] for letter in text if letter in column_of]


def spelt(best: Iterable[int], letters: str) -> str:
    """The text of the likeliest output of each frame: repeats and blanks dropped, white space
    collapsed."""
    read_letters, before = [], 0
    for column in best:
        if column not in {0, before}:
            read_letters.append(letters[column - 1])
        before = column
    return " ".join("".join(read_letters).split())
