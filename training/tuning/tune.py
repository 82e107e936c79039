"""Tuning the recogniser's last layers to handwriting. For developers: needs PyTorch and onnx, which the
product does not.

    python -m training.tuning.tune lines --names names.json --out build/tune --count 20000 --seed 1
    python -m training.tuning.tune fit --lines build/tune --out build/tuned.npz --minutes 10 --seed 2
    python -m training.tuning.tune pack build/tuned.npz --share 0.5 --out ocr/engines/finetuned.npz

`lines` draws rows in the tuning fonts and keeps what the network makes of them before its neck; `fit` tunes
the neck and the output; `pack` writes the file that the product lays over the published network.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from ocr.engines.finetuned import HEAD
from ocr.page import Image
from training.handwriting import font_sets, fonts
from training.handwriting.ink_scrivener import SIGNS
from training.handwriting.ink_writers import InkShare, NoInk, read_records, read_writers, share_of
from training.sheets.compose import read_names
from training.tuning.commands import described, drawing
from training.tuning.features import CachedFeatures, keep, published
from training.tuning.fit import Course, fit
from training.tuning.layers import NECK, cut, mixed, pack, read_arrays
from training.tuning.lines import LineDrawer, ink_line, line
from training.tuning.net import ToolMissing
from training.tuning.recorded_lines import recorded_row
from training.tuning.texts import Sources, text

# Letters of a line; longer ones cost time and teach nothing else.
LONGEST = 48


class LineSource(StrEnum):
    """What rows are made of: fonts, real people's single letters, or rows that they wrote whole."""

    FONTS = "fonts"
    LETTERS = "letters"
    RECORDED = "recorded"


@dataclass(frozen=True, slots=True)
class DrawnRow:
    """A crop, what it states, whose hand it is (a font or a pseudonym) and how that person writes."""

    crop: Image
    text: str
    writer: str
    style: str


def _lines(args: argparse.Namespace) -> None:
    rng = np.random.default_rng(args.seed)
    rows = {LineSource.FONTS: _font_rows, LineSource.LETTERS: _letter_rows,
            LineSource.RECORDED: _recorded_rows}[args.source](args, rng)
    with keep(args.out) as folder:
        for index, row in enumerate(rows):
            folder.add(row.crop, row.text, row.writer, row.style)
            if index % 500 == 499:
                print(f"{index + 1} rows", file=sys.stderr, flush=True)


def _font_rows(args: argparse.Namespace, rng: np.random.Generator) -> Iterator[DrawnRow]:
    families = font_sets.of(font_sets.Purpose.TUNING)
    desk = LineDrawer({family: fonts.locate(family, args.cache, {}) for family in families})
    sources = Sources([read_names(path) for path in args.names])
    for _ in range(args.count):
        words = text(sources, rng)[:LONGEST].strip()
        family = families[int(rng.integers(len(families)))]
        yield DrawnRow(line(words, family, desk, rng), words, family, "font")


def _letter_rows(args: argparse.Namespace, rng: np.random.Generator) -> Iterator[DrawnRow]:
    writers = [writer for writer in read_writers(args.ink) if share_of(writer.name) is args.writers]
    sources = Sources([read_names(path) for path in args.names])
    for index in range(args.count):
        writer = writers[index % len(writers)]
        words = ""
        # A few people lack a letter or two; they write another line.
        while not words or not writer.can_write(words, SIGNS):
            words = text(sources, rng)[:LONGEST].strip()
        yield DrawnRow(ink_line(words, writer, rng), words, writer.name, writer.style)


def _recorded_rows(args: argparse.Namespace, rng: np.random.Generator) -> Iterator[DrawnRow]:
    records = [record for record in read_records(args.ink) if share_of(record.writer) is args.writers]
    rows = [(record, row) for record in records for row in range(len(record.rows))]
    # Without a count each row once, in its order: a set to measure on.
    chosen = range(len(rows)) if args.count == 0 else rng.integers(len(rows), size=args.count)
    for index in chosen:
        record, row = rows[int(index)]
        yield DrawnRow(recorded_row(record, row, rng), " ".join(record.row_texts[row].split()), record.writer,
                       record.style)


def _fit(args: argparse.Namespace) -> None:
    network = published()
    arrays = cut(network.arrays, network.columns)
    if args.start is not None:
        arrays |= read_arrays(network.data, network.arrays, args.start)
    course = Course(args.minutes * 60, args.rate, args.seed)
    tuned = fit(arrays, network.letters, CachedFeatures(args.lines), course, sys.stderr)
    np.savez(args.out, allow_pickle=False, **tuned)


def _pack(args: argparse.Namespace) -> None:
    network = published()
    if len(args.tuned) != len(args.share):
        raise ValueError("give a --share for each file")
    base = cut(network.arrays, network.columns)
    tuned = dict(base)
    for file, share in zip(args.tuned, args.share, strict=True):
        # Each file's step from the published layers, on top of the others'.
        step = mixed(base, read_arrays(network.data, network.arrays, file), share)
        tuned |= {name: np.asarray(tuned[name] + array - base[name], np.float32)
                  for name, array in step.items()}
    tuned = {name: tuned[name] for name in (*NECK, *HEAD)}
    assert set(HEAD) <= set(tuned)
    data = pack(network.data, network.arrays, tuned, network.columns)
    args.out.write_bytes(data)
    print(json.dumps({"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}))


def _parser() -> argparse.ArgumentParser:
    parser = described("python -m training.tuning.tune", __doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    lines = commands.add_parser("lines", help="draw rows and keep their features")
    drawing(lines, count=20_000)
    lines.add_argument("--source", type=LineSource, choices=list(LineSource), default=LineSource.FONTS)
    lines.add_argument("--ink", type=Path, help="folder of real pen strokes, for letters and recorded rows")
    lines.add_argument("--writers", type=InkShare, choices=list(InkShare), default=InkShare.TUNING,
                       help="whose strokes; only those for tuning may be learnt from")
    tune = commands.add_parser("fit", help="tune the last layers")
    tune.add_argument("--lines", type=Path, nargs="+", required=True)
    tune.add_argument("--start", type=Path, help="go on from an earlier fit, not from the published layers")
    tune.add_argument("--minutes", type=float, default=10.0)
    tune.add_argument("--rate", type=float, default=5e-4)
    packed = commands.add_parser("pack", help="mix with the published layers and write the product's file")
    packed.add_argument("tuned", type=Path, nargs="+", help="what fit or pack wrote")
    packed.add_argument("--share", type=float, nargs="+", required=True,
                        help="0 as published, 1 as tuned; one for each file")
    for command in (lines, tune, packed):
        command.add_argument("--out", type=Path, required=True)
        command.add_argument("--seed", type=int, default=1)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 on success, 1 with one sentence on standard error."""
    args = _parser().parse_args(arguments)
    try:
        {"lines": _lines, "fit": _fit, "pack": _pack}[args.command](args)
    except (ToolMissing, NoInk, fonts.FontError, ValueError, OSError) as fault:
        print(f"tune: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
