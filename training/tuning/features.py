"""What the recogniser makes of rows before its neck, kept on disk so that tuning need not begin at the
picture."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import numpy as np
import numpy.typing as npt
import onnxruntime

from ocr.engines.ppocr import LATIN_END, RECOGNISER, network_file
from ocr.page import Image
from training.tuning.net import tool

CUT = "p2o.pd_op.pool2d.1.0"
"""The network's own name for what the convolutions give: 384 x 1 x an eighth of the crop's width."""

Features = npt.NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class Published:
    """The recogniser as published: its file, its arrays by name, the output's columns for the blank (first)
    and for Latin letters, and those letters."""

    data: bytes
    arrays: dict[str, npt.NDArray[np.float32]]
    columns: tuple[int, ...]
    letters: str


def published() -> Published:
    """Take the recogniser apart. Raises ToolMissing without onnx."""
    onnx = tool("onnx")
    data = network_file(RECOGNISER)
    model = onnx.load_from_string(data)
    arrays = {each.name: onnx.numpy_helper.to_array(each) for each in model.graph.initializer}
    named = {each.key: each.value for each in model.metadata_props}["character"]
    letters = [*named.splitlines(), " "]
    kept = [(at, c) for at, c in enumerate(letters, 1) if len(c) == 1 and ord(c) < LATIN_END]
    return Published(data, arrays, (0, *(at for at, _ in kept)), "".join(c for _, c in kept))


@dataclass(slots=True)
class Keeper:
    """Adds rows to a folder."""

    session: Any
    numbers: BinaryIO
    index: TextIO

    def add(self, crop: Image, said: str) -> None:
        """Keep a crop (48 x W x 3, RGB) as features, with what it says."""
        blue_first = crop[..., ::-1].astype(np.float32) / 127.5 - 1.0
        tensor = np.ascontiguousarray(blue_first.transpose(2, 0, 1)[np.newaxis])
        found = self.session.run(None, {"x": tensor})[0][0].astype(np.float16)
        json.dump(
            {"text": said, "at": self.numbers.tell(), "shape": found.shape}, self.index, ensure_ascii=False
        )
        self.index.write("\n")
        self.numbers.write(found.tobytes())


@contextmanager
def keep(folder: Path) -> Iterator[Keeper]:
    """A folder that rows are added to: features.bin and index.jsonl. Raises ToolMissing without onnx."""
    onnx = tool("onnx")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        whole, part = Path(scratch) / "whole.onnx", Path(scratch) / "part.onnx"
        whole.write_bytes(network_file(RECOGNISER))
        onnx.utils.extract_model(str(whole), str(part), ["x"], [CUT], check_model=False)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        session = onnxruntime.InferenceSession(part.read_bytes(), options, providers=["CPUExecutionProvider"])
    with (
        (folder / "features.bin").open("wb") as numbers,
        (folder / "index.jsonl").open("w", encoding="utf-8") as index,
    ):
        yield Keeper(session, numbers, index)


@dataclass(slots=True)
class CachedFeatures:
    """The rows of a folder, read where they lie."""

    folder: Path
    _rows: list[tuple[int, tuple[int, ...], str]] = field(init=False, repr=False)
    _numbers: npt.NDArray[np.float16] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        text = (self.folder / "index.jsonl").read_text(encoding="utf-8")
        found = [json.loads(line) for line in text.splitlines()]
        self._rows = [(row["at"] // 2, tuple(row["shape"]), row["text"]) for row in found]
        self._numbers = np.memmap(self.folder / "features.bin", np.float16, "r")

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, at: int) -> tuple[Features, str]:
        """Features (384 x 1 x frames) and text of one row."""
        start, shape, said = self._rows[at]
        return self._numbers[start : start + int(np.prod(shape))].reshape(shape), said

    def frames(self, at: int) -> int:
        """How many frames it has."""
        return self._rows[at][1][-1]
