"""Real people's pen strokes: their letters and lines as values, and which writer serves which purpose.

A folder of ink holds `lines.jsonl.gz` and `letters.jsonl.gz`: one JSON object a line, strokes as flat lists
`[x0, y0, x1, y1, ...]` in the order of writing, y down. Lines: `id`, `writer`, `provider`, `style` (print,
mixed, cursive, ?), `kind` (text or word), `text`, `row_texts`, `rows`; 100 units are the height of a row's
ink. Letters: `writer`, `provider`, `style`, `letters` (character to samples); 64 units are the height of the
writer's small letters, y = 0 is the base line. The product carries no such folder; a small extract of one,
with its source and licence, is in `tests/data/ink`.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from training.handwriting.pen_strokes import Stroke

# Units of the two files.
LETTER_X_HEIGHT = 64.0
LINE_HEIGHT = 100.0

# Letters made in two strokes by most: a lift within them has nothing about joining.
_LIFTED = frozenset("ijtfxkEFHAITKXQ4")
# Letters whose capital is the small one made larger, and how much larger.
_ALIKE, _CAPITAL = frozenset("ckosuvwxz"), 1.5
# Of writers who left no lines, by the style they declared: the share of small letters they join.
_JOINING = {"print": 0.05, "mixed": 0.35, "cursive": 0.8, "?": 0.5}


class InkShare(StrEnum):
    """What a writer serves for; no one serves for two. `HELD_OUT` is read for final figures only."""

    TUNING = "tuning"
    CALIBRATION = "calibration"
    HELD_OUT = "held_out"


def share_of(writer: str) -> InkShare:
    """The purpose of a writer, by the first byte of his pseudonym's SHA-256: its last decimal digit is 0, 1
    or 2 for the held out, 3 or 4 for calibration. Drawn once; never to be changed."""
    digit = hashlib.sha256(writer.encode()).digest()[0] % 10
    return InkShare.HELD_OUT if digit < 3 else InkShare.CALIBRATION if digit < 5 else InkShare.TUNING


class NoInk(Exception):
    """The folder holds no usable ink; the sentence names the file."""


@dataclass(frozen=True, slots=True, eq=False)
class InkRecord:
    """One text as a person wrote it: `rows` of strokes with their `row_texts`, in units of LINE_HEIGHT."""

    name: str
    writer: str
    style: str
    kind: str
    row_texts: tuple[str, ...]
    rows: tuple[tuple[Stroke, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class InkWriter:
    """A person's letters, each in the variants recorded, in units of LETTER_X_HEIGHT.

    `joining`: 0..1, the share of small letters that follow the one before without the pen being lifted.
    """

    name: str
    style: str
    letters: Mapping[str, tuple[tuple[Stroke, ...], ...]]
    joining: float

    def samples(self, letter: str) -> tuple[tuple[Stroke, ...], ...]:
        """The variants of a letter, empty if there are none. Of a letter like "c" and "C" that was recorded
        in one size only, the other size is made of it."""
        recorded = self.letters.get(letter, ())
        if recorded or letter.casefold() not in _ALIKE:
            return recorded
        grow = 1 / _CAPITAL if letter.islower() else _CAPITAL
        twins = self.letters.get(letter.swapcase(), ())
        return tuple(tuple(stroke * grow for stroke in sample) for sample in twins)

    def can_write(self, text: str, signs: Iterable[str] = ()) -> bool:
        """True if every character is among the person's letters or the `signs` that anybody makes."""
        missing = set(text) - {*self.letters, *signs, " "}
        return all(self.samples(letter) for letter in missing)


def read_records(folder: Path) -> list[InkRecord]:
    """Every text of a folder, in its order. Raises NoInk."""
    return [
        InkRecord(row["id"], row["writer"], row["style"], row["kind"], tuple(row["row_texts"]),
                  tuple(_strokes(strokes) for strokes in row["rows"]))
        for row in _rows(folder / "lines.jsonl.gz")
    ]


def read_writers(folder: Path, records: Sequence[InkRecord] | None = None) -> list[InkWriter]:
    """Everybody whose letters a folder has, by pseudonym. `records`: that folder's, if they were read
    already. Raises NoInk."""
    of_writer: dict[str, list[InkRecord]] = defaultdict(list)
    for record in read_records(folder) if records is None else records:
        of_writer[record.writer].append(record)
    writers = [
        InkWriter(row["writer"], row["style"],
                  {letter: tuple(map(_strokes, samples)) for letter, samples in row["letters"].items()},
                  joining(of_writer.get(row["writer"], ()), row["style"]))
        for row in _rows(folder / "letters.jsonl.gz")
    ]
    return sorted(writers, key=lambda writer: writer.name)


def write_writers(writers: Iterable[InkWriter], folder: Path) -> None:
    """Write letters as `read_writers` reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / "letters.jsonl.gz", "wt", encoding="utf-8") as file:
        for writer in writers:
            letters = {letter: [_flat(sample) for sample in samples]
                       for letter, samples in writer.letters.items()}
            row = {"writer": writer.name, "style": writer.style, "letters": letters}
            file.write(json.dumps(row) + "\n")


def joining(records: Sequence[InkRecord], style: str) -> float:
    """The share, 0..1, of letters joined to the one before: from a person's lines by how often the pen was
    lifted, from the declared style where there are none."""
    letters = lifts = 0
    for record in records:
        for text, strokes in zip(record.row_texts, record.rows, strict=True):
            words = text.split()
            letters += sum(len(word) - 1 for word in words)
            lifts += len(strokes) - len(words) - sum(letter in _LIFTED for letter in text)
    if letters < 20:
        return _JOINING.get(style, _JOINING["?"])
    return float(np.clip(1 - lifts / letters, 0.0, 1.0))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                yield json.loads(line)
    except (OSError, EOFError, ValueError) as error:
        raise NoInk(f"{path} is not a file of strokes ({error}); name the folder that holds it") from error


def _flat(sample: Sequence[Stroke]) -> list[list[float]]:
    return [np.round(stroke, 1).ravel().tolist() for stroke in sample]


def _strokes(flat: Sequence[Sequence[float]]) -> tuple[Stroke, ...]:
    return tuple(np.asarray(stroke, np.float64).reshape(-1, 2) for stroke in flat if len(stroke) >= 2)
