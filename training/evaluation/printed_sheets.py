"""How surely printed sheets are read back from photographs: power, phase, and where they lie (LET-12).

    python -m training.evaluation.printed_sheets --sheets 1000 --seed 12

Sheets of two games, all powers and several phases are filled in by hand and photographed under conditions
drawn from the seed (`training.photographs.printed_sheet`). Nothing is tuned on this seed. Where a code cannot
be read, the heading is, as the program does. Prints figures as JSON lines.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image as PictureFile, ImageOps

import maps
from adjudicator.calendar import Phase, PhaseKind
from grammar.headings.sheet import SheetHeading
from grammar.headings.sheet_code import SheetCode, code_of, parse_code
from maps.variant import Variant
from ocr.image.geometry import inverse, transform_points
from ocr.image.printed_sheet import PrintedFrame, find_printed
from ocr.page import Image
from reading.page import PageReader
from reading.vocabulary import known_game, vocabulary_of
from service.intake.sheets.recognizer import EngineRecognizer
from service.notices.order_sheets import order_examples
from service.pictures import BlankSheet
from training.handwriting import font_sets, fonts
from training.photographs.printed_sheet import (
    FilledLeaf,
    FilledRow,
    PrintedPhotograph,
    filled,
    frame_points,
    photographed,
)

OFF = 3.0
"""Millimetres by which a frame may be off at a corner or the middle of a side: a quarter of a row."""
PHOTOGRAPHS = 10
"""Photographs of each filled-in sheet, each under its own conditions: paper and ink are slow to draw."""
GAMES = (("w3k", "powick-bridge", "Powick Bridge"), ("standard", "rowing-club-4", "Rowing Club 4"))
NOTES = ("Mail a photograph of this whole sheet to orders@galloper.example",
         "before Sun 14 Mar 2027, 07:00 GMT.", "Example: {}")


@dataclass(frozen=True, slots=True)
class PrintedTruth:
    """One printed sheet: its variant, its game's name, its code, and what is on it."""

    variant: Variant
    game: str
    code: SheetCode
    phase: Phase
    power: str
    blank: BlankSheet


def truth_of(number: int) -> PrintedTruth:
    """A sheet by its number: consecutive numbers run through games, powers and phases."""
    slug, game_id, game = GAMES[number % len(GAMES)]
    variant = maps.load(slug)
    powers = tuple(variant.powers.values())
    power = powers[number // len(GAMES) % len(powers)]
    season, kind = variant.calendar.steps[number // 3 % len(variant.calendar.steps)]
    phase = Phase(variant.start.phase.year + number % 7, season, kind)
    code = code_of(game_id, power.id, phase, 1 + number % 2, f"N{number:05d}")
    notes = (*NOTES[:2], NOTES[2].format(order_examples(variant, kind)[0]))
    kinds = ("A", "F") if kind is not PhaseKind.ADJUSTMENT else ()
    blank = BlankSheet(power.name, game, f"{phase} Orders", code=replace(code, page=1), notes=notes,
                       version="Version", kinds=kinds, words="Four words of your last results")
    return PrintedTruth(variant, game, replace(code, page=1), phase, power.name, blank)


def leaf_of(number: int, seed: int) -> tuple[PrintedTruth, FilledLeaf, tuple[FilledRow, ...]]:
    """A sheet filled in by a hand, with what was written on it."""
    rng = np.random.default_rng([seed, number])
    truth = truth_of(number)
    families = font_sets.of(font_sets.Purpose.HELD_OUT)
    examples = order_examples(truth.variant, truth.phase.kind)
    rows = tuple(
        FilledRow(str(rng.choice(examples)), int(rng.integers(2)) if rng.random() < 0.3 else None)
        for _ in range(int(rng.integers(1, 14))))
    font = fonts.locate(families[number % len(families)], fonts.default_cache(), {})
    return truth, filled(truth.blank, rows, font, rng, str(1 + number % 3)), rows


def photographs(sheets: int, seed: int, first: int = 0) -> Iterator[tuple[PrintedTruth, PrintedPhotograph]]:
    """The photographs from `first` to before `sheets`, with their truth, PHOTOGRAPHS of each filled-in sheet.
    Each is the same wherever a run begins."""
    for number in range(first // PHOTOGRAPHS, -(-sheets // PHOTOGRAPHS)):
        truth, leaf, _ = leaf_of(number, seed)
        for shot in range(min(PHOTOGRAPHS, sheets - number * PHOTOGRAPHS)):
            if number * PHOTOGRAPHS + shot >= first:
                yield truth, photographed(leaf, np.random.default_rng([seed, number, shot]))


def opened(data: bytes) -> Image:
    """The pixels of a photograph as shown."""
    with PictureFile.open(io.BytesIO(data)) as picture:
        return np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))


def frame_error(frame: PrintedFrame, photo: PrintedPhotograph) -> float:
    """The most by which a corner or the middle of a side is off, in millimetres."""
    places = transform_points(inverse(frame.to_photo), photo.frame)
    return float(np.hypot(*(places - frame_points()).T).max())


def heading_is_right(truth: PrintedTruth, photo: PrintedPhotograph, recognizer: EngineRecognizer) -> bool:
    """True if the heading alone states power and phase, as it must where no code can be read."""
    reader = PageReader(vocabulary_of(truth.variant, truth.phase.kind))
    games = [known_game(truth.variant, truth.game)]
    heading = SheetHeading()
    for recognized in recognizer.recognize(photo.data, "photograph"):
        for page in recognized.reading.pages:
            heading = reader.read_page(page, games).heading if heading == SheetHeading() else heading
    return (heading.power, heading.season, heading.year, heading.kind) == (
        truth.power, truth.phase.season, truth.phase.year, truth.phase.kind)


def run(until: int, seed: int, keep: Path | None, first: int = 0) -> int:
    """Print the figures; 0."""
    sheets = until - first
    begun, counts, worst, off = time.process_time(), Counter[str](), 0.0, []
    recognizer: EngineRecognizer | None = None
    for number, (truth, photo) in enumerate(photographs(until, seed, first), start=first):
        frames = find_printed(opened(photo.data))
        frame = frames[0] if len(frames) == 1 else None
        code = None if frame is None else parse_code(frame.code)
        error = frame_error(frame, photo) if frame is not None and frame.is_whole else float("inf")
        is_placed = error <= OFF
        if code is None:
            recognizer = recognizer or EngineRecognizer()
            counts["without code"] += 1
            counts["by heading"] += (is_right := heading_is_right(truth, photo, recognizer))
        else:
            is_right = code == truth.code
            counts["wrong code"] += not is_right
        counts["right"] += is_right
        counts["placed"] += is_placed
        counts["hidden"] += bool(photo.hidden)
        worst = max(worst, error) if is_placed else worst
        off.append(error)
        if (not is_placed or not is_right or code is None) and keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
            (keep / f"{number:04d}.jpg").write_bytes(photo.data)
            print(f"{number}: right {is_right}, frame {error:.1f} mm off, hidden {photo.hidden}, "
                  f"{photo.conditions}", file=sys.stderr, flush=True)
        if (number + 1) % 50 == 0:
            print(f"{number + 1}: {dict(counts)}", file=sys.stderr, flush=True)
    placed = [error for error in off if error <= OFF]
    figures = (
        ("power and phase right", counts["right"], sheets), ("frame right", counts["placed"], sheets),
        ("without a code that can be read", counts["without code"], sheets),
        ("of these right by heading", counts["by heading"], counts["without code"]),
        ("wrong code", counts["wrong code"], sheets),
        ("photographs with a hidden mark", counts["hidden"], sheets))
    for name, value, of in figures:
        print(json.dumps({"what": name, "value": value, "of": of, "seed": seed}))
    middle = round(float(np.median(placed)), 2)
    print(json.dumps({"what": "frame off, median", "value": middle, "unit": "mm"}))
    print(json.dumps({"what": "frame off, worst of those right", "value": round(worst, 2), "unit": "mm"}))
    seconds = round((time.process_time() - begun) / sheets, 2)
    print(json.dumps({"what": "composed and read, mean", "value": seconds, "unit": "CPU s"}))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sheets", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="begin with this one, where a run was cut off")
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--keep", type=Path, help="write what was not read into this folder")
    args = parser.parse_args(arguments)
    if not 0 <= args.first < args.sheets:
        parser.error(f"--first must be from 0 to {args.sheets - 1}")
    return run(args.sheets, args.seed, args.keep, args.first)


if __name__ == "__main__":
    sys.exit(main())
