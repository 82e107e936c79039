"""What the recogniser makes of rows before its neck, kept on disk so that tuning need not begin at the
picture."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import numpy as np
import numpy.typing as npt

from ocr.engines.ppocr import LATIN_END, RECOGNISER, network_file
from ocr.engines.runtime import onnxruntime
from ocr.page import Image
from training.tuning.net import tool

# The network's own name for what the convolutions give: 384 x 1 x an eighth of the crop's width.
CUT = "p2o.pd_op.pool2d.1.0"

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
    arrays = {array.name: onnx.numpy_helper.to_array(array) for array in model.graph.initializer}
    alphabet = {entry.key: entry.value for entry in model.metadata_props}["character"]
    letters = [*alphabet.splitlines(), " "]
    is_latin = [len(letter) == 1 and ord(letter) < LATIN_END for letter in letters]
    columns = [column for column, latin in enumerate(is_latin, 1) if latin]
    return Published(data, arrays, (0, *columns), "".join(compress(letters, is_latin)))


@dataclass(slots=True)
class Keeper:
    """Adds rows to a folder."""

    session: Any
    numbers: BinaryIO
    index: TextIO

    def add(self, crop: Image, text: str, writer: str = "", style: str = "") -> None:
        """Keep a crop (48 x W x 3, RGB) as features, with what it states and whose hand it is."""
        blue_first = crop[..., ::-1].astype(np.float32) / 127.5 - 1.0
        tensor = np.ascontiguousarray(blue_first.transpose(2, 0, 1)[np.newaxis])
        features = self.session.run(None, {"x": tensor})[0][0].astype(np.float16)
        entry = {"text": text, "at": self.numbers.tell(), "shape": features.shape, "writer": writer,
                 "style": style}
        json.dump(entry, self.index, ensure_ascii=False)
        self.index.write("\n")
        self.numbers.write(features.tobytes())


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


@dataclass(frozen=True, slots=True)
class CachedRow:
    """Where a row's features lie, in numbers; its text; whose hand it is, and how that person writes."""

    start: int
    shape: tuple[int, ...]
    text: str
    writer: str = ""
    style: str = ""


@dataclass(slots=True)
class CachedFeatures:
    """The rows of one or more folders, read where they lie."""

    folders: Sequence[Path]
    rows: list[tuple[npt.NDArray[np.float16], CachedRow]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.rows = []
        for folder in self.folders:
            numbers = np.memmap(folder / "features.bin", np.float16, "r")
            for line in (folder / "index.jsonl").read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                cached = CachedRow(row["at"] // 2, tuple(row["shape"]), row["text"], row.get("writer", ""),
                                   row.get("style", ""))
                self.rows.append((numbers, cached))

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, index: int) -> tuple[Features, str]:
        """Features (384 x 1 x frames) and text of one row."""
        numbers, row = self.rows[index]
        return numbers[row.start : row.start + int(np.prod(row.shape))].reshape(row.shape), row.text

    def frames(self, index: int) -> int:
        """How many frames it has."""
        return self.rows[index][1].shape[-1]
