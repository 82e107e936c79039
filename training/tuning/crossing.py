"""Fit the head that tells crossed-out writing from live (`ocr/engines/crossing.npz`):

    python -m training.tuning.crossing lines --names NAMES.json... --count 11000 --seed 5 --out build/crossed
    python -m training.tuning.crossing fit --lines build/crossed... --check build/checked --out
    ocr/engines/crossing.npz --seed 1

`lines` draws rows (`struck_lines`) and keeps what the recogniser's convolutions make of them. `fit` needs
PyTorch and shows how well rows of `--check` are judged.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from ocr.engines import STRIKE_CLASSES
from ocr.engines.crossing import CrossingHead, parse_head
from ocr.engines.ppocr import PpOcr
from ocr.page import Image
from training.handwriting import font_sets, fonts
from training.sheets.compose import read_names
from training.sheets.struck_sheets import PenMark
from training.tuning.commands import described, drawing
from training.tuning.lines import LineDrawer
from training.tuning.net import ToolMissing, tool
from training.tuning.struck_lines import struck_line
from training.tuning.texts import Sources, text

# Letters and pixels of a drawn row; longer ones cost time and teach nothing else.
LONGEST, WIDEST = 50, 1300

# Of each of the head's three convolutions: frames it sees, and how many numbers it hands on.
REACH, MIDDLE = 7, 32

# Of the fit: times each row is seen, rows a step, and AdamW's rate, which rises and falls once.
EPOCHS, BATCH, RATE = 8, 24, 2e-3

# Of the features while fitting: how much chance is added to each, in its own spread, and how many are left
# out.
NOISE, DROPPED = 0.15, 0.1

Numbers: TypeAlias = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class CrossingRow:
    """Features (frames x 384), shares of each frame by class (frames x CLASSES), and whether a word is put in
    above."""

    features: npt.NDArray[np.float16]
    truth: Numbers
    above: Numbers


def truth_of(
    frames: int, struck: Sequence[tuple[float, float, PenMark]], above: Sequence[tuple[float, float]]
) -> tuple[Numbers, Numbers]:
    """What each frame should be called; places in frames."""
    truth = np.zeros((frames, len(STRIKE_CLASSES)), np.float32)
    for left, right, mark in struck:
        share = covered(frames, left, right)
        truth[:, STRIKE_CLASSES.index(mark.value)] = np.maximum(
            truth[:, STRIKE_CLASSES.index(mark.value)], share
        )
    truth /= np.maximum(truth.sum(axis=1, keepdims=True), 1.0)
    truth[:, 0] = 1.0 - truth[:, 1:].sum(axis=1)
    over = np.zeros(frames, np.float32)
    for left, right in above:
        over = np.maximum(over, covered(frames, left, right))
    return truth, over


def covered(frames: int, left: float, right: float) -> Numbers:
    """How much of each frame lies between two places."""
    starts = np.arange(frames, dtype=np.float32)
    return np.asarray(np.clip(np.minimum(starts + 1, right) - np.maximum(starts, left), 0.0, 1.0), np.float32)


def row_features(engine: PpOcr, crop: Image) -> npt.NDArray[np.float16]:
    """What the recogniser's convolutions make of a crop: frames x 384."""
    return np.asarray(engine.outputs(crop)[1][:, 0].T, np.float16)


def drawn(args: argparse.Namespace) -> Iterator[CrossingRow]:
    """Rows drawn one by one."""
    families = font_sets.of(font_sets.Purpose(args.purpose))
    desk = LineDrawer({family: fonts.locate(family, args.cache, {}) for family in families})
    sources, rng = Sources([read_names(path) for path in args.names]), np.random.default_rng(args.seed)
    # The crop is drawn at the width the recogniser would stretch it to.
    engine = PpOcr(widen=1.0, tuned=False)
    for _ in range(args.count):
        words = text(sources, rng)[:LONGEST].strip()
        line = struck_line(
            words, families[int(rng.integers(len(families)))], desk, rng, lambda: text(sources, rng)
        )
        if line.crop.shape[1] > WIDEST:
            continue
        features = row_features(engine, line.crop)
        scale = len(features) / line.crop.shape[1]
        struck = [(a * scale, b * scale, mark) for a, b, mark in line.struck]
        yield CrossingRow(
            features, *truth_of(len(features), struck, [(a * scale, b * scale) for a, b in line.above])
        )


def write_rows(rows: Iterator[CrossingRow], out: Path) -> int:
    """Write rows to a file; how many there were."""
    all_rows = list(rows)
    lengths = np.array([len(row.features) for row in all_rows])
    np.savez(
        out, allow_pickle=False, lengths=lengths, features=np.concatenate([row.features for row in all_rows]),
        truth=np.concatenate([row.truth for row in all_rows]).astype(np.float16),
        above=np.concatenate([row.above for row in all_rows]).astype(np.float16),
    )
    return len(all_rows)


def read_rows(path: Path) -> list[CrossingRow]:
    """What `write_rows` wrote."""
    with np.load(path, allow_pickle=False) as archive:
        ends = np.cumsum(archive["lengths"])[:-1]
        parts = [np.split(archive[name], ends) for name in ("features", "truth", "above")]
    return [
        CrossingRow(features, truth.astype(np.float32), above.astype(np.float32))
        for features, truth, above in zip(*parts, strict=True)
    ]


def fit(rows: Sequence[CrossingRow], seed: int, epochs: int = EPOCHS) -> dict[str, npt.NDArray[np.float16]]:
    """The head's arrays, as `crossing.npz` holds them. Raises ToolMissing without PyTorch."""
    torch = tool("torch")
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    sample = np.concatenate([row.features for row in rows[:: max(1, len(rows) // 1500)]]).astype(np.float32)
    mean, spread = sample.mean(axis=0), sample.std(axis=0) + 1e-3
    sizes = [(sample.shape[1], MIDDLE), (MIDDLE, MIDDLE), (MIDDLE, len(STRIKE_CLASSES) + 1)]
    layers = [torch.nn.Conv1d(a, b, REACH, padding=REACH // 2) for a, b in sizes]
    weights = [weight for layer in layers for weight in layer.parameters()]
    descent = torch.optim.AdamW(weights, lr=RATE, weight_decay=0.01)
    steps = epochs * (len(rows) // BATCH)
    pace = torch.optim.lr_scheduler.OneCycleLR(descent, RATE, total_steps=steps + 1, pct_start=0.1)
    for epoch in range(epochs):
        losses = []
        for batch in _batches(rows, rng):
            x, truth, above, present = (torch.tensor(part) for part in _stacked(batch, mean, spread, rng))
            outputs = _through(torch, layers, x)
            by_class = -(truth * outputs[:, :-1].log_softmax(1)).sum(1)
            cross_entropy = torch.nn.functional.binary_cross_entropy_with_logits
            over = cross_entropy(outputs[:, -1], above, reduction="none")
            loss = ((by_class + 0.5 * over) * present).sum() / present.sum()
            descent.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, 2.0)
            descent.step()
            pace.step()
            losses.append(float(loss.detach()))
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}", file=sys.stderr, flush=True)
    return _packed(layers, mean, spread)


def _through(torch: Any, layers: Sequence[Any], x: Any) -> Any:
    for number, layer in enumerate(layers):
        x = layer(torch.relu(x) if number else x)
    return x


def _batches(rows: Sequence[CrossingRow], rng: np.random.Generator) -> Iterator[list[CrossingRow]]:
    """All rows in an order of chance, rows of like length together."""
    order = sorted(rng.permutation(len(rows)), key=lambda k: len(rows[k].features) + rng.uniform(0, 12))
    starts = np.arange(0, len(order) - BATCH + 1, BATCH)
    for start in rng.permutation(starts):
        yield [rows[k] for k in order[start : start + BATCH]]


def _stacked(
    batch: Sequence[CrossingRow], mean: Numbers, spread: Numbers, rng: np.random.Generator
) -> tuple[Numbers, ...]:
    """Features, truth, above and which frames there are, each rows x numbers x frames of the longest."""
    longest = max(len(row.features) for row in batch)
    x = np.zeros((len(batch), len(mean), longest), np.float32)
    truth = np.zeros((len(batch), len(STRIKE_CLASSES), longest), np.float32)
    above, present = (np.zeros((len(batch), longest), np.float32) for _ in range(2))
    for k, row in enumerate(batch):
        count = len(row.features)
        normal = (row.features.astype(np.float32) - mean) / spread
        normal += rng.normal(0, NOISE, normal.shape).astype(np.float32)
        normal[:, rng.random(len(mean)) < DROPPED * rng.random()] = 0.0
        x[k, :, :count], truth[k, :, :count] = normal.T, row.truth.T
        above[k, :count], present[k, :count] = row.above, 1.0
    return x, truth, above, present


def _packed(layers: Sequence[Any], mean: Numbers, spread: Numbers) -> dict[str, npt.NDArray[np.float16]]:
    """The features' spread goes into the first weights."""
    arrays = {"mean": mean.astype(np.float16)}
    for number, layer in enumerate(layers):
        weights = layer.weight.detach().numpy().transpose(2, 1, 0)
        weights = weights if number else weights / spread[None, :, None]
        arrays[f"weights{number}"] = weights.astype(np.float16)
        arrays[f"constant{number}"] = layer.bias.detach().numpy().astype(np.float16)
    return arrays


def figures(head: CrossingHead, rows: Sequence[CrossingRow]) -> dict[str, float]:
    """How well frames are judged: those that lie wholly in one class."""
    outputs = [head(row.features.T.astype(np.float32)) for row in rows]
    struck = 1.0 - np.concatenate([output.class_probs[:, 0] for output in outputs])
    kind = np.concatenate([output.class_probs for output in outputs]).argmax(axis=1)
    truth = np.concatenate([row.truth for row in rows])
    clear, out = (truth[:, 0] < 0.02) | (truth[:, 0] > 0.98), truth[:, 0] < 0.5
    over = np.concatenate([output.above_probs for output in outputs])
    above = np.concatenate([row.above for row in rows])
    return {
        "frames": float(clear.sum()), "right": float(((struck > 0.5) == out)[clear].mean()),
        "auc": _auc(struck[clear & out], struck[clear & ~out]),
        "kind": float((kind == truth.argmax(axis=1))[clear & out].mean()),
        "above_auc": _auc(over[above > 0.9], over[above < 0.1]),
    }


def _auc(hits: npt.NDArray[Any], misses: npt.NDArray[Any]) -> float:
    below = np.searchsorted(np.sort(misses), hits)
    return float(below.mean() / max(len(misses), 1)) if len(hits) else float("nan")


def _parser() -> argparse.ArgumentParser:
    parser = described("python -m training.tuning.crossing", __doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    lines = commands.add_parser("lines", help="draw rows and keep their features")
    drawing(lines, count=11_000)
    lines.add_argument("--purpose", default="tuning", choices=("tuning", "validation"))
    head = commands.add_parser("fit", help="fit the head and write the product's file")
    head.add_argument("--lines", type=Path, nargs="+", required=True)
    head.add_argument("--check", type=Path, required=True)
    for command in (lines, head):
        command.add_argument("--out", type=Path, required=True)
        command.add_argument("--seed", type=int, default=1)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 on success, 1 with one sentence on standard error."""
    args = _parser().parse_args(arguments)
    cv2.setNumThreads(1)
    try:
        if args.command == "lines":
            print(write_rows(drawn(args), args.out), "rows")
            return 0
        rows = [row for path in args.lines for row in read_rows(path)]
        data = io.BytesIO()
        np.savez_compressed(data, allow_pickle=False, **fit(rows, args.seed))
    except (ToolMissing, fonts.FontError, ValueError, OSError) as fault:
        print(f"crossing: {fault}", file=sys.stderr)
        return 1
    args.out.write_bytes(data.getvalue())
    facts = figures(parse_head(data.getvalue()), read_rows(args.check))
    digest = hashlib.sha256(data.getvalue()).hexdigest()
    print(json.dumps({"bytes": len(data.getvalue()), "sha256": digest, **facts}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
