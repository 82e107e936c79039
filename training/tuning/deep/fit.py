"""The tuning itself: CTC over drawn rows for as long as it is given, the crossing head's opinion held where
it was."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ocr.engines import STRIKE_CLASSES
from ocr.engines.finetuned import HEAD
from training.tuning.deep.recogniser import Recogniser, crossing_head
from training.tuning.deep.rows import BATCH, DrawnRow, RowFacts, RowPool, RowSource
from training.tuning.deep.views import stacked, varied
from training.tuning.features import Published
from training.tuning.fit import WORST, pace
from training.tuning.layers import NECK, Arrays, letter_ids
from training.tuning.net import tool

# Pixels: widths of a batch are multiples of it.
WIDTH_STEP = 32

# Share of the old that stays in the running mean of the weights, a step.
KEPT = 0.998

# How much the crossing head's faithfulness weighs next to the letters.
FAITH = 0.5

# The crossing head is asked every so many steps.
FAITH_STEP = 4

# Rows that a fit waits for before it begins.
ENOUGH = 3000


@dataclass(frozen=True, slots=True)
class DeepCourse:
    """How long (seconds), how fast the convolutions and the neck learn (AdamW's rates), the seed of chance,
    and where (PyTorch's name of the device)."""

    seconds: float
    deep_rate: float
    rate: float
    seed: int
    device: str


def fit(
    network: Published, start: Arrays, pool: RowPool, shares: Mapping[str, float], course: DeepCourse
) -> dict[str, npt.NDArray[np.float32]]:
    """The tuned arrays by name: the running mean of the weights over the last steps."""
    torch = tool("torch")
    torch.manual_seed(course.seed)
    rng = np.random.default_rng(course.seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    net = Recogniser(network, start, course.device)
    net.tail.training = True
    deep = [net.weights[name] for name in net.convolutions.weights] if course.deep_rate > 0 else []
    shallow = [net.weights[name] for name in (*NECK, *HEAD)]
    for weight in (*deep, *shallow):
        weight.requires_grad_(True)
    groups = [{"params": shallow, "lr": course.rate, "base": course.rate}]
    if deep:
        groups.append({"params": deep, "lr": course.deep_rate, "base": course.deep_rate})
    fused = course.device.startswith("cuda")
    descent = torch.optim.AdamW(groups, weight_decay=0.005, betas=(0.9, 0.98), fused=fused)
    mean = {name: weight.detach().clone() for name, weight in net.weights.items()}
    head = crossing_head(course.device) if deep else None
    while pool.take() < min(ENOUGH, 10 * BATCH):
        time.sleep(0.5)
    started, losses, faiths, step = time.monotonic(), [], [], 0
    batches = pool.batches(shares, rng)
    with ThreadPoolExecutor(3) as others:
        waiting = [others.submit(_ready, next(batches)) for _ in range(4)]
        while (passed := (time.monotonic() - started) / course.seconds) < 1:
            rows, pictures, widths = waiting.pop(0).result()
            waiting.append(others.submit(_ready, next(batches)))
            for group in descent.param_groups:
                group["lr"] = group["base"] * pace(step, passed)
            with torch.no_grad():
                stretch = float(rng.uniform(0.85, 1.2))
                width = max(64, round(float(widths.mean()) * stretch / WIDTH_STEP) * WIDTH_STEP)
                x = varied(torch.tensor(pictures, device=course.device),
                           torch.tensor(widths, device=course.device), width, rng)
            # Channels last is the order in which processors convolve: a step took 2.1 s for 3.1.
            x = x.contiguous(memory_format=torch.channels_last)
            checked = head if step % FAITH_STEP == 0 else None
            loss, faith = _loss(net, checked, x, rows, trained=bool(deep))
            descent.zero_grad(set_to_none=True)
            (loss + FAITH_STEP * FAITH * faith).backward()
            torch.nn.utils.clip_grad_norm_([*deep, *shallow], 2.0)
            descent.step()
            with torch.no_grad():
                share_of_old = min(KEPT, (step + 1) / (step + 10))
                torch._foreach_lerp_(list(mean.values()), list(net.weights.values()), 1 - share_of_old)
            if step % FAITH_STEP == 0:
                losses.append(float(loss.detach()))
                faiths.append(float(faith.detach()))
            step += 1
            if step % 100 == 0:
                count = pool.take()
                print(f"{time.monotonic() - started:.0f} s, step {step}: {np.mean(losses[-25:]):.4f} "
                      f"a letter, {np.mean(faiths[-25:]):.5f}; {count} rows", file=sys.stderr, flush=True)
    names = (*net.convolutions.weights, *NECK, *HEAD) if deep else (*NECK, *HEAD)
    return {name: mean[name].cpu().numpy() for name in names}


def _ready(rows: Sequence[DrawnRow]) -> tuple[Any, ...]:
    return ([row for _, row in rows], *stacked(rows))


def _loss(net: Recogniser, head: Any, x: Any, rows: Sequence[RowFacts], *, trained: bool) -> tuple[Any, Any]:
    """Mean loss a letter of the rows that are not struck, and how far the crossing head's opinion moved."""
    torch = tool("torch")
    with _short_numbers(x), torch.set_grad_enabled(trained):
        features = net.features(x)
    live = [index for index, row in enumerate(rows) if row.source != RowSource.STRUCK]
    outputs = net.output(features[live])
    targets = [letter_ids(rows[index].text, net.letters) for index in live]
    lengths = torch.tensor([len(target) for target in targets])
    each = torch.nn.functional.ctc_loss(
        outputs.log_softmax(-1).transpose(0, 1),
        torch.tensor([letter for target in targets for letter in target]).to(x.device),
        torch.full((len(live),), outputs.shape[1], dtype=torch.long), lengths, reduction="none",
        zero_infinity=True,
    )  # fmt: skip
    loss = (each / lengths.clamp(min=4).to(x.device)).clamp(max=WORST).mean()
    if head is None:
        return loss, loss.new_zeros(())
    with torch.no_grad(), _short_numbers(x):
        before = net.features(x, net.published)
    return loss, _moved(head(before.float()), head(features.float()))


def _moved(old: Any, new: Any) -> Any:
    """How far one opinion of the crossing head is from another, N x classes x T before softmax: relative
    entropy in nats a frame, that of the word above halved."""
    f, count = tool("torch").nn.functional, len(STRIKE_CLASSES)
    old_classes, new_classes = old[:, :count].softmax(1), new[:, :count].log_softmax(1)
    classes = f.kl_div(new_classes, old_classes, reduction="none").sum(1).mean()
    above = f.binary_cross_entropy_with_logits(new[:, count], old[:, count].sigmoid())
    certain = f.binary_cross_entropy_with_logits(old[:, count], old[:, count].sigmoid())
    return classes + 0.5 * (above - certain)


def _short_numbers(x: Any) -> Any:
    """The convolutions are counted in bfloat16, which a GPU and processors with AMX multiply several times as
    fast."""
    torch = tool("torch")
    return torch.autocast(x.device.type, torch.bfloat16)
