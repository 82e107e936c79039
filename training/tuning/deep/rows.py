"""Rows drawn by many processes at once, kept as pictures in small files that a fit picks up while more come.

A file holds some rows side by side: `columns`, uint8, shape (48, all their widths, 3), and `facts`, one JSON
object a row: text, width, writer, style and source.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ocr.page import Image
from training.handwriting import font_sets, fonts
from training.handwriting.ink_scrivener import SIGNS
from training.handwriting.ink_writers import (
    InkRecord,
    InkShare,
    InkWriter,
    read_records,
    read_writers,
    share_of,
)
from training.handwriting.other_hands import other_hand
from training.sheets.compose import read_names
from training.tuning.lines import LineDrawer, ink_line, line
from training.tuning.recorded_lines import recorded_row
from training.tuning.struck_lines import struck_line
from training.tuning.texts import Sources, code_line, text

# Letters of a line, and pixels of its picture; longer ones cost time and teach nothing else.
LONGEST, WIDEST = 48, 1600

# Rows of a file.
CHUNK = 100

# Rows a step, and how many batches are drawn together so that rows of like width share one.
BATCH, POOL = 48, 16


class RowSource(StrEnum):
    """What rows are made of: rows that people wrote whole, their single letters, orders by code in those,
    fonts, orders by code in fonts, and rows in fonts with much crossed out."""

    RECORDED = "recorded"
    LETTERS = "letters"
    CODES = "codes"
    FONTS = "fonts"
    FONT_CODES = "font_codes"
    STRUCK = "struck"


# Of rows in single letters, those in hands that no one had, where there are letters cut from rows.
OTHER_HANDS = 0.75

# Shares of a mixture, with real strokes and without.
MIXTURE: Mapping[RowSource, float] = {
    RowSource.RECORDED: 0.18, RowSource.LETTERS: 0.28, RowSource.CODES: 0.29, RowSource.FONTS: 0.11,
    RowSource.FONT_CODES: 0.08, RowSource.STRUCK: 0.06,
}
FONTS_ONLY: Mapping[RowSource, float] = {
    RowSource.FONTS: 0.55, RowSource.FONT_CODES: 0.35, RowSource.STRUCK: 0.1,
}


@dataclass(frozen=True, slots=True)
class RowFacts:
    """The contents of a row, how wide its picture is, whose hand it is (a pseudonym or a font), how that
    person writes, and what it was made of."""

    text: str
    width: int
    writer: str
    style: str
    source: str


DrawnRow: TypeAlias = tuple[Image, RowFacts]
"""A row's picture, 48 x its width x 3, RGB, and what it is."""


@dataclass(frozen=True, slots=True)
class RowMaterial:
    """Where rows come from: a folder of ink (None: fonts only), whose ink, the fonts' purpose, where fonts
    lie, the boards' files of names, and a folder with letters cut from rows (None: those recorded singly, and
    no hands that no one had)."""

    ink: Path | None
    writers: InkShare
    purpose: font_sets.Purpose
    cache: Path
    names: tuple[Path, ...]
    cut: Path | None = None


def rows_of(
    material: RowMaterial, mixture: Mapping[RowSource, float], rng: np.random.Generator
) -> Iterator[DrawnRow]:
    """Rows without end, in the shares of the mixture; deterministic in `rng`."""
    draw = _makers(material, rng)
    sources = list(mixture)
    shares = np.array(list(mixture.values())) / sum(mixture.values())
    while True:
        source = sources[int(rng.choice(len(sources), p=shares))]
        crop, words, writer, style = draw[source]()
        if words and crop.shape[1] <= WIDEST:
            yield crop, RowFacts(words, crop.shape[1], writer, style, source.value)


_DrawnRow = tuple[Image, str, str, str]


def _makers(material: RowMaterial, rng: np.random.Generator) -> dict[RowSource, Callable[[], _DrawnRow]]:
    texts = Sources([read_names(path) for path in material.names])
    families = font_sets.of(material.purpose)
    desk = LineDrawer({family: fonts.locate(family, material.cache, {}) for family in families})
    records = [] if material.ink is None else read_records(material.ink)
    people = _people(material.ink, records, material.writers)
    more = _people(material.cut, records, material.writers)
    # One row of a writer is as likely as any other's, so that no one's hand counts for most.
    by_writer: dict[str, list[tuple[int, int]]] = {}
    for index, record in enumerate(records):
        if share_of(record.writer) is material.writers:
            by_writer.setdefault(record.writer, []).extend((index, row) for row in range(len(record.rows)))
    names = sorted(by_writer)

    def plain() -> str:
        return text(texts, rng)[:LONGEST].strip()

    def code() -> str:
        return code_line(texts, rng)[:LONGEST].strip()

    def recorded() -> _DrawnRow:
        writer_rows = by_writer[names[int(rng.integers(len(names)))]]
        index, row = writer_rows[int(rng.integers(len(writer_rows)))]
        record = records[index]
        return (recorded_row(record, row, rng), " ".join(record.row_texts[row].split()), record.writer,
                record.style)

    def letters(words: Callable[[], str]) -> _DrawnRow:
        line_text, writer = _written_by(people, more, words, rng)
        return ink_line(line_text, writer, rng), line_text, writer.name, writer.style

    def printed(words: Callable[[], str]) -> _DrawnRow:
        line_text = words() or "A"
        family = families[int(rng.integers(len(families)))]
        return line(line_text, family, desk, rng), line_text, family, "font"

    def struck() -> _DrawnRow:
        line_text = plain() or "A"
        family = families[int(rng.integers(len(families)))]
        return struck_line(line_text, family, desk, rng, plain).crop, line_text, family, "struck"

    return {
        RowSource.RECORDED: recorded, RowSource.LETTERS: lambda: letters(plain),
        RowSource.CODES: lambda: letters(code), RowSource.FONTS: lambda: printed(plain),
        RowSource.FONT_CODES: lambda: printed(code), RowSource.STRUCK: struck,
    }


def _people(folder: Path | None, records: Sequence[InkRecord], share: InkShare) -> list[InkWriter]:
    if folder is None:
        return []
    return [writer for writer in read_writers(folder, records) if share_of(writer.name) is share]


def _written_by(
    people: Sequence[InkWriter], more: Sequence[InkWriter], words: Callable[[], str], rng: np.random.Generator
) -> tuple[str, InkWriter]:
    """A text and a hand that can write it: one of the `people`, or one that no one had, made of `more`."""
    while more and rng.random() < OTHER_HANDS:
        line_text, first = words(), more[int(rng.integers(len(more)))]
        hand = other_hand(first, more, line_text, SIGNS, rng) if line_text else None
        if hand is not None:
            return line_text, hand
    writer = people[int(rng.integers(len(people)))]
    line_text = words()
    # A few people lack a letter or two; they write another line.
    while not line_text or not writer.can_write(line_text, SIGNS):
        line_text = words()
    return line_text, writer


def write_files(
    rows: Iterator[DrawnRow], folder: Path, label: str, *, until: float, count: int | None = None
) -> None:
    """Write rows in files of CHUNK, until a time of the monotonic clock or until there are `count`."""
    folder.mkdir(parents=True, exist_ok=True)
    written = number = 0
    while time.monotonic() < until and (count is None or written < count):
        size = CHUNK if count is None else min(CHUNK, count - written)
        batch = [next(rows) for _ in range(size)]
        path = folder / f"{label}-{number:05d}.npz"
        part = folder / f".{label}.part"
        with part.open("wb") as file:
            np.savez(file, allow_pickle=False, columns=np.concatenate([crop for crop, _ in batch], axis=1),
                     facts=np.array(json.dumps([asdict(facts) for _, facts in batch])))
        # Anyone who lists the folder sees whole files only.
        part.replace(path)
        written, number = written + size, number + 1


def read_files(paths: Sequence[Path]) -> Iterator[DrawnRow]:
    """The rows of some files."""
    for path in paths:
        with np.load(path, allow_pickle=False) as archive:
            columns, facts = archive["columns"], json.loads(str(archive["facts"]))
        start = 0
        for row in facts:
            yield columns[:, start : start + row["width"]], RowFacts(**row)
            start += row["width"]


@dataclass(slots=True)
class RowPool:
    """The rows of a folder that others are still writing."""

    folder: Path
    rows: dict[str, list[DrawnRow]] = field(default_factory=lambda: defaultdict(list))
    _taken: set[str] = field(default_factory=set)

    def take(self) -> int:
        """Take up what has come; how many rows there are."""
        fresh = [path for path in sorted(self.folder.glob("*.npz")) if path.name not in self._taken]
        for row in read_files(fresh):
            self.rows[row[1].source].append(row)
        self._taken |= {path.name for path in fresh}
        return sum(map(len, self.rows.values()))

    def batches(self, shares: Mapping[str, float], rng: np.random.Generator) -> Iterator[list[DrawnRow]]:
        """Batches of rows of like width, without end."""
        while True:
            names = [name for name in shares if self.rows.get(name)]
            odds = np.array([shares[name] for name in names])
            drawn = rng.choice(len(names), size=BATCH * POOL, p=odds / odds.sum())
            pool = []
            for name in drawn:
                of_source = self.rows[names[name]]
                pool.append(of_source[int(rng.integers(len(of_source)))])
            pool.sort(key=lambda row: row[1].width)
            for index in rng.permutation(POOL):
                yield pool[index * BATCH : (index + 1) * BATCH]
