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
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ocr.engines.finetuned import HEAD
from training.handwriting import font_sets, fonts
from training.sheets.compose import read_names
from training.tuning.commands import described, drawing
from training.tuning.features import CachedFeatures, keep, published
from training.tuning.fit import Course, fit
from training.tuning.layers import cut, mixed, pack
from training.tuning.lines import LineDrawer, line
from training.tuning.net import ToolMissing
from training.tuning.texts import Sources, text

# Letters of a line; longer ones cost time and teach nothing else.
LONGEST = 48


def _lines(args: argparse.Namespace) -> None:
    families = font_sets.of(font_sets.Purpose.TUNING)
    desk = LineDrawer({family: fonts.locate(family, args.cache, {}) for family in families})
    sources = Sources([read_names(path) for path in args.names])
    rng = np.random.default_rng(args.seed)
    with keep(args.out) as folder:
        for index in range(args.count):
            words = text(sources, rng)[:LONGEST].strip()
            folder.add(line(words, families[int(rng.integers(len(families)))], desk, rng), words)
            if index % 500 == 499:
                print(f"{index + 1} of {args.count}", file=sys.stderr, flush=True)


def _fit(args: argparse.Namespace) -> None:
    network = published()
    arrays = cut(network.arrays, network.columns)
    course = Course(args.minutes * 60, args.rate, args.seed)
    tuned = fit(arrays, network.letters, CachedFeatures(args.lines), course, sys.stderr)
    np.savez(args.out, allow_pickle=False, **tuned)


def _pack(args: argparse.Namespace) -> None:
    network = published()
    with np.load(args.tuned, allow_pickle=False) as archive:
        tuned = mixed(
            cut(network.arrays, network.columns), {name: archive[name] for name in archive.files}, args.share
        )
    assert set(HEAD) <= set(tuned)
    data = pack(network.data, network.arrays, tuned, network.columns)
    args.out.write_bytes(data)
    print(json.dumps({"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}))


def _parser() -> argparse.ArgumentParser:
    parser = described("python -m training.tuning.tune", __doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    lines = commands.add_parser("lines", help="draw rows and keep their features")
    drawing(lines, count=20_000)
    tune = commands.add_parser("fit", help="tune the last layers")
    tune.add_argument("--lines", type=Path, required=True)
    tune.add_argument("--minutes", type=float, default=10.0)
    tune.add_argument("--rate", type=float, default=5e-4)
    packed = commands.add_parser("pack", help="mix with the published layers and write the product's file")
    packed.add_argument("tuned", type=Path)
    packed.add_argument("--share", type=float, required=True, help="0 as published, 1 as tuned")
    for command in (lines, tune, packed):
        command.add_argument("--out", type=Path, required=True)
        command.add_argument("--seed", type=int, default=1)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 on success, 1 with one sentence on standard error."""
    args = _parser().parse_args(arguments)
    try:
        {"lines": _lines, "fit": _fit, "pack": _pack}[args.command](args)
    except (ToolMissing, fonts.FontError, ValueError, OSError) as fault:
        print(f"tune: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
