"""Count what the recogniser makes of letters whose truth is known, and write the decoder's prices:

    python -m training.calibrate_confusions FOLDER... --made "how the sheets came to be"
    python -m training.calibrate_confusions --ink INK --names names.json --rows 30 --seed 5 --made "..."

Each FOLDER holds photographs and their truth.json (`python -m training.sheets.compose varied`). Lines whose
order was read rightly are counted, by every opinion. With `--ink` the people for calibration write `--rows`
orders each, single rows on paper through the camera, so that every hand counts alike. Never use sheets that
the reader is judged by, nor hands of unclear licence.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import chain
from pathlib import Path

import numpy as np

import maps
from ocr.decoding.confusions import FILE, PriceError, read_prices
from ocr.engines.ppocr import default_engines
from ocr.page import Page, Posteriors, ReadLine
from reading.decode import opinions
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.vocabulary import known_game, vocabulary_of
from service.intake.sheets.recognizer import EngineRecognizer
from training.calibrate_confidence import as_read
from training.evaluation.score import matches
from training.evaluation.truth import NoTruth, TrueSheet, Truth, load_truth
from training.handwriting.ink_writers import InkShare, NoInk, read_writers, share_of
from training.sheets.compose import read_names
from training.sheets.random_orders import RandomName
from training.tuning.measure_hands import orders_of
from training.tuning.misread import count, to_toml


def read_all(truth: Truth, recognizer: EngineRecognizer) -> Iterator[tuple[str, Posteriors]]:
    """Lines of a folder's sheets as written and each opinion of them, naming each sheet on standard
    error."""
    variant = maps.load(truth.variant)
    reader = PageReader(vocabulary_of(variant))
    for number, sheet in enumerate(truth.sheets, 1):
        sights = recognizer.recognize((truth.folder / sheet.file).read_bytes(), sheet.file)
        yield from pairs(
            sheet, [page for sight in sights for page in sight.reading.pages], reader, truth.variant
        )
        print(f"{truth.folder.name}: {number} of {len(truth.sheets)}", file=sys.stderr, flush=True)


def pairs(
    sheet: TrueSheet, pages: Sequence[Page], reader: PageReader, slug: str
) -> Iterator[tuple[str, Posteriors]]:
    """The lines of one sheet whose order was read rightly: as written, and each opinion of them."""
    games = [known_game(maps.load(slug))]
    read_pages: list[Sequence[InterpretedLine]] = []
    line_by_corners: dict[object, ReadLine] = {}
    for page in pages:
        page_reader = reader.for_heading(page, games)
        read_pages.append(page_reader.read_page(page, games).lines)
        for joined in page_reader.join_page(page, games):
            line_by_corners[joined.line.box.corners] = joined.line
    answer = {
        "pages": [{"lines": [{**as_read(line), "box": line.box} for line in lines]} for lines in read_pages]
    }
    for match in matches(sheet, answer):
        # Only where the order was read exactly is it known which letters the ink was meant to show.
        line = line_by_corners.get(match.read[0]["box"]) if match.exact else None
        if line is not None and match.written is not None:
            yield from ((match.written.text, opinion) for opinion in opinions(line))


def rows_in_real_hands(
    ink: Path, names: Sequence[RandomName], rows: int, seed: int
) -> Iterator[tuple[str, Posteriors]]:
    """Orders of one row by each person for calibration: as written, and each opinion of them."""
    engines = default_engines()
    writers = [writer for writer in read_writers(ink) if share_of(writer.name) is InkShare.CALIBRATION]
    for index, writer in enumerate(writers):
        rng = np.random.default_rng([seed, index])
        for order in orders_of(writer, names, rows, rng):
            readings = (engine.read([order.crop])[0].posteriors for engine in engines)
            yield from ((order.text, posteriors) for posteriors in readings if posteriors is not None)
        print(f"{writer.name}: {index + 1} of {len(writers)}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.calibrate_confusions", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--ink", type=Path, metavar="FOLDER", help="recorded pen strokes of real people")
    parser.add_argument("--names", type=Path, help="with --ink: JSON list of regions")
    parser.add_argument("--rows", type=int, default=30, help="with --ink: orders of each person")
    parser.add_argument("--seed", type=int, default=5, help="with --ink")
    parser.add_argument("--lost-at-most", type=Path, metavar="TOML",
                        help="prices of an earlier count: a lost letter costs no more than there")
    parser.add_argument("--out", type=Path, default=Path(FILE))
    parser.add_argument("--made", required=True, help="how the sheets were made, so that it can be repeated")
    return parser


def main(arguments: Sequence[str] | None = None, today: date | None = None) -> int:
    """Run the command line; 0, or 1 with a sentence on standard error."""
    parser = _parser()
    args = parser.parse_args(arguments)
    if (args.ink is None) != (args.names is None) or not (args.folders or args.ink):
        parser.error("name folders of sheets, or --ink and --names")
    try:
        truths = [load_truth(folder) for folder in args.folders]
        recognizer = EngineRecognizer()
        rows = [] if args.ink is None else [
            rows_in_real_hands(args.ink, read_names(args.names), args.rows, args.seed)
        ]
        counts = count(chain(*(read_all(truth, recognizer) for truth in truths), *rows))
        provenance: dict[str, str | int] = {
            "command": "python -m training.calibrate_confusions", "made": args.made,
            "day": (today or datetime.now(UTC).date()).isoformat(),
            "sheets": sum(len(truth.sheets) for truth in truths)}
        earlier = args.lost_at_most and read_prices(
            args.lost_at_most.read_text(encoding="utf-8"), str(args.lost_at_most))
        text = to_toml(counts, provenance, earlier.lost if earlier else None)
        args.out.write_text(text, encoding="utf-8")
    except (NoInk, NoTruth, OSError, PriceError) as fault:
        print(f"calibrate_confusions: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
