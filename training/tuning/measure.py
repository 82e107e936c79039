"""Character errors of networks on kept rows, by how people write, with an interval over writers. For
developers: needs PyTorch and onnx.

    python -m training.tuning.measure --lines build/calibration --network tuned=build/tuned.npz --share 0.5 1

Free reading: the likeliest letter of each frame, case ignored, white space collapsed. Each network is read at
each share of the way from the published layers to its own; `shipped` is the product's file, and a FILE may be
such a one or what `tune fit` wrote. Every figure
is next to the published network's on the same rows; the interval is of their difference, by drawing
writers 2,000 times.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from ocr.engines import finetuned
from ocr.engines.finetuned import HEAD
from training.tuning.commands import described
from training.tuning.features import CachedFeatures, CachedRow, published
from training.tuning.layers import cut, mixed, read_arrays, spelt
from training.tuning.net import Tail, ToolMissing, tool, weights_of

Arrays = Mapping[str, npt.NDArray[np.float32]]

# Rows read together, and how often writers are drawn for an interval.
_BATCH, _DRAWS = 32, 2000


def read_rows(arrays: Arrays, letters: str, cached: CachedFeatures) -> list[str]:
    """The texts that a network reads of kept rows, in their order."""
    torch = tool("torch")
    tail = Tail(weights_of(arrays, HEAD))
    order = sorted(range(len(cached)), key=cached.frames)
    texts = [""] * len(cached)
    with torch.no_grad():
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            frames = [cached.frames(index) for index in batch]
            features = np.zeros((len(batch), 384, 1, max(frames)), np.float32)
            for place_in_batch, index in enumerate(batch):
                features[place_in_batch, ..., : frames[place_in_batch]] = cached.row(index)[0]
            present = torch.arange(max(frames))[None, :] < torch.tensor(frames)[:, None]
            best = tail.output(torch.tensor(features), present).argmax(-1).numpy()
            for place_in_batch, index in enumerate(batch):
                texts[index] = spelt(best[place_in_batch, : frames[place_in_batch]].tolist(), letters)
    return texts


def errors(truth: str, read: str) -> tuple[int, int]:
    """Letters wrong and letters written, case ignored."""
    written = " ".join(truth.split()).casefold()
    return Levenshtein.distance(written, read.casefold()), len(written)


def figures(
    rows: Sequence[CachedRow], reference: Sequence[str], texts: Mapping[str, Sequence[str]], seed: int
) -> Iterator[dict[str, Any]]:
    """By style of writing: rows, writers, CER of the reference and of each network, and their difference with
    its 95 % interval over writers."""
    for style in (*sorted({row.style for row in rows}), "all"):
        chosen = [index for index, row in enumerate(rows) if style in {row.style, "all"}]
        writers = sorted({rows[index].writer for index in chosen})
        line: dict[str, Any] = {"style": style, "rows": len(chosen), "writers": len(writers)}
        base = _by_writer(rows, reference, chosen, writers)
        line["published"] = round(float(base[:, 0].sum() / base[:, 1].sum()), 4)
        draws = np.random.default_rng(seed).integers(len(writers), size=(_DRAWS, len(writers)))
        for name, read in texts.items():
            counts = _by_writer(rows, read, chosen, writers)
            gain = (counts[draws, 0].sum(1) - base[draws, 0].sum(1)) / base[draws, 1].sum(1)
            low, high = np.quantile(gain, (0.025, 0.975))
            cer = float(counts[:, 0].sum() / counts[:, 1].sum())
            line[name] = {"cer": round(cer, 4), "less_published": round(cer - line["published"], 4),
                          "low": round(float(low), 4), "high": round(float(high), 4)}
        yield line


def _by_writer(
    rows: Sequence[CachedRow], read: Sequence[str], chosen: Sequence[int], writers: Sequence[str]
) -> npt.NDArray[np.float64]:
    """Letters wrong and written of each writer: writers x 2."""
    number = {writer: index for index, writer in enumerate(writers)}
    counts = np.zeros((len(writers), 2))
    for index in chosen:
        counts[number[rows[index].writer]] += errors(rows[index].text, read[index])
    return counts


def _measure(args: argparse.Namespace) -> None:
    network, cached = published(), CachedFeatures(args.lines)
    base = cut(network.arrays, network.columns)
    tuned = {"shipped": read_arrays(network.data, network.arrays, finetuned.FILE)}
    for pair in args.network:
        name, _, file = pair.partition("=")
        tuned[name] = read_arrays(network.data, network.arrays, Path(file))
    texts = {
        f"{name} {share:g}": read_rows(base | mixed(base, arrays, share), network.letters, cached)
        for name, arrays in tuned.items() for share in args.share if share
    }
    reference = read_rows(base, network.letters, cached)
    for line in figures([row for _, row in cached.rows], reference, texts, args.seed):
        print(json.dumps(line))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 on success, 1 with one sentence on standard error."""
    parser = described("python -m training.tuning.measure", __doc__)
    parser.add_argument("--lines", type=Path, nargs="+", required=True, help="folders of kept rows")
    parser.add_argument("--network", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--share", type=float, nargs="+", default=[0.5, 1.0])
    parser.add_argument("--seed", type=int, default=1)
    try:
        _measure(parser.parse_args(arguments))
    except (ToolMissing, ValueError, OSError) as fault:
        print(f"measure: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
