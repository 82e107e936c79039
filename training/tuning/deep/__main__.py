"""Tuning the whole recogniser to handwriting, convolutions too. For developers: needs PyTorch and onnx, and a
GPU to be done in minutes.

    python -m training.tuning.deep cut --ink INK --out build/cut --device cpu
    python -m training.tuning.deep draw --ink INK --cut build/cut --names names.json --out build/rows
    --seconds 300 --workers 12
    python -m training.tuning.deep fit --rows build/rows --out build/deep.npz --seconds 280 --seed 1
    python -m training.tuning.deep judge --rows build/check --network deep=build/deep.npz
    python -m training.tuning.deep pack build/deep.npz --share 1 --out ocr/engines/finetuned.npz

`draw` and `fit` may run at once. The crossing head (`ocr.engines.crossing`) stays as it is: while the
convolutions are tuned, what it states about a row is held to what it states about the published convolutions'
output. """

from __future__ import annotations

import argparse
import hashlib
import json
import math
import multiprocessing
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np

from ocr.engines import finetuned
from ocr.engines.finetuned import HEAD
from training.handwriting import font_sets
from training.handwriting.cut_letters import cut_writers
from training.handwriting.ink_writers import InkShare, read_records, read_writers, share_of, write_writers
from training.tuning.commands import described, drawing
from training.tuning.deep.fit import DeepCourse, fit
from training.tuning.deep.judge import chances_of, figures, read_rows
from training.tuning.deep.recogniser import Recogniser
from training.tuning.deep.rows import (
    FONTS_ONLY,
    MIXTURE,
    RowMaterial,
    RowPool,
    RowSource,
    read_files,
    rows_of,
    write_files,
)
from training.tuning.features import published
from training.tuning.layers import Arrays, cut, letter_ids, mixed, pack, read_arrays


def _judge(args: argparse.Namespace) -> None:
    network = published()
    rows = list(read_files(sorted(args.rows.glob("*.npz"))))
    shipped = read_arrays(network.data, network.arrays, finetuned.FILE)
    base = cut(network.arrays, network.columns)
    networks: dict[str, Arrays] = {}
    if not args.alone:
        networks = {"published": base, "shipped": {**base, **shipped}}
    for pair in args.network:
        name, _, file = pair.partition("=")
        tuned = read_arrays(network.data, network.arrays, Path(file))
        for share in args.share:
            networks[f"{name} {share:g}"] = {**base, **mixed(base, tuned, share)}
    for name, arrays in networks.items():
        texts = read_rows(Recogniser(network, arrays, args.device), rows, args.device)
        print(json.dumps({"network": name, **figures([row for _, row in rows], texts)}), flush=True)


def _cut(args: argparse.Namespace) -> None:
    network = published()
    recogniser = Recogniser(network, read_arrays(network.data, network.arrays, finetuned.FILE), args.device)
    records = [record for record in read_records(args.ink) if share_of(record.writer) is args.writers]
    singles = [writer for writer in read_writers(args.ink, records) if share_of(writer.name) is args.writers]
    signs = {sign for record in records for sign in "".join(record.row_texts)}
    ids = {sign: letter_ids(sign, network.letters) for sign in signs}
    columns = {sign: numbers[0] for sign, numbers in ids.items() if len(numbers) == 1}
    people = cut_writers(records, singles, chances_of(recogniser, args.device), columns,
                         np.random.default_rng(args.seed))
    write_writers(people, args.out)


def _draw(args: argparse.Namespace) -> None:
    purpose, names = font_sets.Purpose(args.purpose), tuple(args.names)
    material = RowMaterial(args.ink, args.writers, purpose, args.cache, names, args.cut)
    mixture = {RowSource(name): 1.0 for name in args.source} or (FONTS_ONLY if args.ink is None else MIXTURE)
    until = time.monotonic() + args.seconds
    context = multiprocessing.get_context("fork")
    workers = [
        context.Process(target=_work, args=(material, mixture, args, number, until))
        for number in range(args.workers)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if any(worker.exitcode for worker in workers):
        raise ValueError("a process that drew rows failed; its message is above")


def _work(
    material: RowMaterial, mixture: Mapping[RowSource, float], args: argparse.Namespace, number: int,
    until: float,
) -> None:
    cv2.setNumThreads(1)
    rng = np.random.default_rng([args.seed, number])
    share = None if args.count is None else math.ceil(args.count / args.workers)
    label = f"{args.seed:03d}-{number:02d}"
    write_files(rows_of(material, mixture, rng), args.out, label, until=until, count=share)


def _fit(args: argparse.Namespace) -> None:
    network = published()
    start = read_arrays(network.data, network.arrays, args.start) if args.start is not None else {}
    course = DeepCourse(args.seconds, args.deep_rate, args.rate, args.seed, args.device)
    shares = {source.value: share for source, share in {**FONTS_ONLY, **MIXTURE}.items()}
    np.savez(args.out, allow_pickle=False, **fit(network, start, RowPool(args.rows), shares, course))


def _pack(args: argparse.Namespace) -> None:
    network = published()
    base = cut(network.arrays, network.columns)
    tuned = mixed(base, read_arrays(network.data, network.arrays, args.tuned), args.share)
    # The output divided by a temperature: as many letters right, and the chances no bolder than they are.
    tuned |= {name: np.asarray(tuned[name] / args.temperature, np.float32) for name in HEAD}
    data = pack(network.data, network.arrays, tuned, network.columns)
    args.out.write_bytes(data)
    print(json.dumps({"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}))


def _parser() -> argparse.ArgumentParser:
    parser = described("python -m training.tuning.deep", __doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    draw = commands.add_parser("draw", help="draw rows, in many processes")
    drawing(draw, count=None)
    draw.add_argument("--ink", type=Path, help="folder of real pen strokes; without it fonts alone")
    draw.add_argument("--cut", type=Path, help="folder of letters cut from rows (`cut` writes it)")
    draw.add_argument("--writers", type=InkShare, choices=list(InkShare), default=InkShare.TUNING)
    draw.add_argument("--purpose", default="tuning", choices=("tuning", "validation", "calibration"))
    draw.add_argument("--source", nargs="*", default=[], help="these sources in like shares, not the mixture")
    draw.add_argument("--seconds", type=float, default=math.inf)
    draw.add_argument("--workers", type=int, default=1)
    cutter = commands.add_parser("cut", help="letters of rows that people wrote whole, cut out")
    cutter.add_argument("--ink", type=Path, required=True, help="folder of real pen strokes")
    cutter.add_argument("--writers", type=InkShare, choices=list(InkShare), default=InkShare.TUNING)
    tune = commands.add_parser("fit", help="tune")
    tune.add_argument("--rows", type=Path, required=True)
    tune.add_argument("--start", type=Path, help="go on from a file of tuned layers, not from the published")
    tune.add_argument("--seconds", type=float, default=280.0)
    tune.add_argument("--deep-rate", type=float, default=2e-4, help="0: the convolutions stay as they are")
    tune.add_argument("--rate", type=float, default=4e-4)
    judge = commands.add_parser("judge", help="errors on drawn rows, by source and style")
    judge.add_argument("--rows", type=Path, required=True)
    judge.add_argument("--network", action="append", default=[], metavar="NAME=FILE")
    judge.add_argument("--alone", action="store_true", help="without the published and the shipped network")
    judge.add_argument("--share", type=float, nargs="+", default=[1.0])
    packed = commands.add_parser("pack", help="write the product's file")
    packed.add_argument("tuned", type=Path)
    packed.add_argument("--share", type=float, default=1.0)
    packed.add_argument("--temperature", type=float, default=1.0,
                        help="what the output is divided by, so that its chances are no bolder than they are")
    for command in (cutter, draw, tune, packed):
        command.add_argument("--out", type=Path, required=True)
    for command in (cutter, draw, tune):
        command.add_argument("--seed", type=int, default=1)
    for command in (cutter, tune, judge):
        command.add_argument("--device", default="cuda")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 on success."""
    args = _parser().parse_args(arguments)
    {"cut": _cut, "draw": _draw, "fit": _fit, "judge": _judge, "pack": _pack}[args.command](args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
