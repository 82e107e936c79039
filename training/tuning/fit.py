"""Tuning itself: connectionist temporal classification over kept features, for as long as it is given."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt

from ocr.engines.finetuned import HEAD
from training.tuning.features import CachedFeatures
from training.tuning.layers import FIXED, letter_ids
from training.tuning.net import Tail, tool, weights_of

# Rows a step, and how many batches are drawn together so that rows of like width share one.
BATCH, POOL = 24, 40

# Steps until the rate is full, and the share of it that is left at the end of its fall.
WARMING, FLOOR = 60, 0.02

# A row's loss a letter counts no higher: such rows are illegible, and would only teach to guess.
WORST = 4.0


@dataclass(frozen=True, slots=True)
class Course:
    """How long (seconds), how fast (AdamW's rate), and the seed of chance."""

    seconds: float
    rate: float
    seed: int


def fit(
    arrays: Mapping[str, npt.NDArray[np.float32]], letters: str, cached: CachedFeatures, course: Course,
    progress: TextIO
) -> dict[str, npt.NDArray[np.float32]]:
    """The tuned arrays by name. `arrays`: as published, the output cut to blank and `letters`. Raises
    ToolMissing."""
    torch = tool("torch")
    torch.manual_seed(course.seed)
    weights = weights_of(arrays, HEAD)
    tail = Tail(weights)
    tail.training = True
    tuned = {name: weight for name, weight in weights.items() if name not in FIXED}
    descent = torch.optim.AdamW(tuned.values(), lr=course.rate, weight_decay=0.01, betas=(0.9, 0.98))
    started, losses = time.monotonic(), []
    for step, batch in enumerate(_batches(cached, course)):
        passed = (time.monotonic() - started) / course.seconds
        if passed >= 1:
            break
        for group in descent.param_groups:
            group["lr"] = course.rate * pace(step, passed)
        loss = _loss(tail, [cached.row(index) for index in batch], letters)
        descent.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(tuned.values()), 2.0)
        descent.step()
        losses.append(float(loss.detach()))
        if step % 100 == 99:
            print(f"step {step + 1}: {np.mean(losses[-100:]):.4f} a letter", file=progress, flush=True)
    return {name: weight.detach().numpy() for name, weight in tuned.items()}


def pace(step: int, passed: float) -> float:
    """The share of the full rate at a step, when `passed` (0..1) of the time is over: up fast, then down a
    cosine."""
    return min(1.0, (step + 1) / WARMING) * (0.5 * (1 + math.cos(math.pi * min(1.0, passed))) + FLOOR)


def _batches(cached: CachedFeatures, course: Course) -> Iterator[list[int]]:
    rng = np.random.default_rng(course.seed)
    while True:
        pool = sorted(rng.integers(len(cached), size=BATCH * POOL).tolist(), key=cached.frames)
        for batch_index in rng.permutation(POOL):
            yield pool[batch_index * BATCH : (batch_index + 1) * BATCH]


def _loss(tail: Tail, rows: Sequence[tuple[Any, str]], letters: str) -> Any:
    """Mean loss a letter of some rows."""
    torch = tool("torch")
    frames = [row_features.shape[-1] for row_features, _ in rows]
    features = np.zeros((len(rows), *rows[0][0].shape[:2], max(frames)), np.float32)
    for row_index, (row_features, _) in enumerate(rows):
        features[row_index, ..., : frames[row_index]] = row_features
    present = torch.arange(max(frames))[None, :] < torch.tensor(frames)[:, None]
    outputs = tail.output(torch.tensor(features), present)
    targets = [letter_ids(text, letters) for _, text in rows]
    lengths = torch.tensor([len(target) for target in targets])
    losses = torch.nn.functional.ctc_loss(
        outputs.log_softmax(-1).transpose(0, 1), torch.tensor([k for target in targets for k in target]),
        torch.tensor(frames), lengths, reduction="none", zero_infinity=True,
    )  # fmt: skip
    return (losses / lengths.clamp(min=4)).clamp(max=WORST).mean()
