"""What a player's own hand gives: orders read wrongly or left to a person, before and after some sheets.

    python -m training.tuning.measure_hands --ink INK --names names.json --writers calibration --seed 1

Each writer with letters writes orders of one row (`training.tuning.lines.ink_line`, single rows on paper
through the camera): `--learn` of them are taken as confirmed, `--test` others are read with the common layer
and with the hand that was fitted to the first, at both widths, decoded and judged as the service does. A miss
is an order that is not exact, or not taken automatically. One JSON object a writer, then all, with an
interval over writers.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

import maps
from ocr.corrections.strike import detect_strike
from ocr.engines import finetuned
from ocr.engines.hand import Hand, fit
from ocr.engines.ppocr import common_layer, default_engines
from ocr.image.quality import legibility
from ocr.layout.wrap import as_line
from ocr.page import Alternative, Box, Image, Row
from reading.page import PageReader
from reading.vocabulary import vocabulary_of
from training.evaluation.meaning import meaning_of, same
from training.handwriting.ink_scrivener import SIGNS
from training.handwriting.ink_writers import InkShare, InkWriter, NoInk, read_writers, share_of
from training.sheets.compose import read_names
from training.sheets.order_meaning import meaning
from training.sheets.phrases import Dialect, PhraseBook
from training.sheets.random_orders import RandomName
from training.tuning.commands import described
from training.tuning.lines import ink_line

# Longer orders would not be on one row; and what a sheet of some eight orders holds of shorter ones.
LONGEST = 46
_DRAWS = 2000


@dataclass(frozen=True, slots=True)
class WrittenOrder:
    """A row in a person's hand: its crop, what it states, and the order in canonical text."""

    crop: Image
    text: str
    order: str


@dataclass(slots=True)
class Tally:
    """Of the orders of one writer read one way: how many, exact, automatic, automatic and wrong; letters
    wrong and written in free reading."""

    orders: int = 0
    exact: int = 0
    automatic: int = 0
    wrong: int = 0
    letters_wrong: int = 0
    letters: int = 0

    def row(self) -> list[int]:
        """As numbers, the misses in place of the exact ones."""
        return [self.orders, self.orders - self.exact, self.orders - self.automatic, self.wrong,
                self.letters_wrong, self.letters]


def orders_of(
    writer: InkWriter, names: Sequence[RandomName], count: int, rng: np.random.Generator
) -> list[WrittenOrder]:
    """Orders of one row that a writer has the letters for, in one dialect."""
    book = PhraseBook(names, rng, list(Dialect)[int(rng.integers(3))])
    written: list[WrittenOrder] = []
    for _ in range(200 * count):
        text, order = book.order("Movement")
        text = text[0].upper() + text[1:]
        if len(text) <= LONGEST and writer.can_write(text, SIGNS):
            written.append(WrittenOrder(ink_line(text, writer, rng, plain=True), text, order))
        if len(written) == count:
            break
    return written


def read_orders(orders: Sequence[WrittenOrder], reader: PageReader, hand: Hand | None) -> Tally:
    """Read and judge them."""
    engines, tally = default_engines(hand=hand), Tally()
    for written in orders:
        first, second = (engine.read([written.crop])[0] for engine in engines)
        height, width = written.crop.shape[:2]
        box = Box(((0, 0), (width, 0), (width, height), (0, height)))
        legible = legibility(written.crop)
        row = Row(
            box=box, text=first.text, score=first.score, strike=detect_strike(written.crop, first),
            alternatives=(Alternative(second.text, second.score, engines[1].name, second.posteriors),),
            posteriors=first.posteriors, focus=legible.focus, contrast=legible.contrast,
        )
        line = reader.read_line(as_line([row]))
        read = None if line.order is None else meaning_of(line.order)
        is_exact = read is not None and same(meaning(written.order), read)
        is_automatic = line.status.value == "auto"
        tally.orders += 1
        tally.exact += is_exact
        tally.automatic += is_automatic
        tally.wrong += is_automatic and not is_exact
        tally.letters_wrong += Levenshtein.distance(written.text.casefold(), first.text.casefold())
        tally.letters += len(written.text)
    return tally


def measure(args: argparse.Namespace) -> list[dict[str, Any]]:
    """A line for each writer, printed as it comes, and one for all."""
    names = read_names(args.names)
    reader = PageReader(vocabulary_of(maps.load(args.variant)))
    writers = [writer for writer in read_writers(args.ink) if share_of(writer.name) is args.writers]
    before: list[list[int]] = []
    after: list[list[int]] = []
    for index, writer in enumerate(writers):
        if len(before) == args.most:
            break
        rng = np.random.default_rng([args.seed, index])
        orders = orders_of(writer, names, args.learn + args.test, rng)
        if len(orders) < args.learn + args.test:
            continue
        learnt = [engine.learnt(order.crop, order.text)
                  for order in orders[: args.learn] for engine in default_engines()]
        hand = fit(learnt, common_layer(), finetuned.SHA256)
        tallies = [read_orders(orders[args.learn :], reader, chosen) for chosen in (None, hand)]
        before.append(tallies[0].row())
        after.append(tallies[1].row())
        print(json.dumps({"writer": writer.name, "style": writer.style, "before": before[-1],
                          "after": after[-1]}), flush=True)
    return [_summary(np.array(before), np.array(after), args.seed)]


def _summary(before: Any, after: Any, seed: int) -> dict[str, Any]:
    draws = np.random.default_rng(seed).integers(len(before), size=(_DRAWS, len(before)))
    out: dict[str, Any] = {"writers": len(before), "orders": int(before[:, 0].sum())}
    for column, name in ((1, "not exact"), (2, "not automatic"), (3, "wrong among automatic")):
        first, second = int(before[:, column].sum()), int(after[:, column].sum())
        ratios = after[draws, column].sum(1) / np.maximum(before[draws, column].sum(1), 1)
        low, high = np.quantile(ratios, (0.025, 0.975))
        out[name] = {"before": first, "after": second, "ratio": round(second / max(first, 1), 3),
                     "low": round(float(low), 3), "high": round(float(high), 3)}
    out["cer"] = [round(float(rows[:, 4].sum() / rows[:, 5].sum()), 4) for rows in (before, after)]
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 on success, 1 with one sentence on standard error."""
    parser = described("python -m training.tuning.measure_hands", __doc__)
    parser.add_argument("--ink", type=Path, required=True, help="folder of real pen strokes")
    parser.add_argument("--names", type=Path, required=True, help="JSON list of regions")
    parser.add_argument("--variant", default="w3k", help="the board whose orders are read")
    parser.add_argument("--writers", type=InkShare, choices=list(InkShare), default=InkShare.CALIBRATION)
    parser.add_argument("--learn", type=int, default=48, help="confirmed rows: six sheets of eight orders")
    parser.add_argument("--test", type=int, default=24)
    parser.add_argument("--most", type=int, default=1000, help="writers at most")
    parser.add_argument("--seed", type=int, default=1)
    try:
        for line in measure(parser.parse_args(arguments)):
            print(json.dumps(line))
    except (NoInk, ValueError, OSError) as fault:
        print(f"measure_hands: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
