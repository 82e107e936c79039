"""Errors of a network on drawn rows, by source and style."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from training.handwriting.cut_letters import Floats, ReadRow
from training.handwriting.ink import Mask
from training.tuning.deep.recogniser import Recogniser
from training.tuning.deep.rows import DrawnRow, RowFacts
from training.tuning.deep.views import stacked
from training.tuning.layers import spelt
from training.tuning.measure import errors
from training.tuning.net import tool

# How black ink is, 0..1.
_INK = 0.85


def read_rows(net: Recogniser, rows: Sequence[DrawnRow], device: str) -> list[str]:
    """What a network reads of rows, in their order: rows of one width at a time, nothing added."""
    torch = tool("torch")
    net.tail.training = False
    texts = [""] * len(rows)
    by_width: dict[int, list[int]] = defaultdict(list)
    for index, (_, row) in enumerate(rows):
        by_width[row.width].append(index)
    with torch.no_grad():
        for same in by_width.values():
            pictures, _ = stacked([rows[index] for index in same])
            x = torch.tensor(pictures, device=device).float() / 127.5 - 1
            best = net.output(net.features(x)).argmax(-1).cpu().numpy()
            for place, index in enumerate(same):
                texts[index] = spelt(best[place].tolist(), net.letters)
    return texts


def figures(rows: Sequence[RowFacts], texts: Sequence[str]) -> dict[str, Any]:
    """CER by source and style, case ignored; the share of rows read without a fault, case ignored; and how
    often the A or F they begin with was read as the other."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    right: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    swapped = [0, 0]
    for row, read in zip(rows, texts, strict=True):
        wrong, written = errors(row.text, read)
        for name in (row.source, f"{row.source} {row.style}"):
            counts[name][0] += wrong
            counts[name][1] += written
        right[row.source][0] += wrong == 0
        right[row.source][1] += 1
        if row.text[:2] in {"A ", "F "}:
            swapped[0] += read[:1] == {"A": "F", "F": "A"}[row.text[0]]
            swapped[1] += 1
    return {
        **{name: round(wrong / max(1, written), 4) for name, (wrong, written) in sorted(counts.items())},
        **{f"{name} whole": round(a / b, 4) for name, (a, b) in sorted(right.items())},
        "A or F swapped": swapped,
    }


def chances_of(net: Recogniser, device: str) -> ReadRow:
    """What a network makes of one row's ink on white paper: log chances of its columns, frame by frame."""
    torch = tool("torch")
    net.tail.training = False

    def read(mask: Mask) -> Floats:
        picture = np.repeat((1 - np.float32(_INK) * mask)[None, None], 3, axis=1) * 2 - 1
        with torch.no_grad():
            output = net.output(net.features(torch.tensor(picture, device=device)))
        return np.asarray(output[0].log_softmax(-1).cpu().numpy(), np.float32)

    return read
