"""Count what the recogniser makes of letters whose truth is known, and write the decoder's prices:

    python -m training.calibrate_confusions FOLDER... --made "how the sheets came to be"

Each FOLDER holds photographs and their truth.json (`python -m training.sheets.compose varied`). Lines whose
order was read rightly are counted, by every opinion. Never use sheets that the reader is judged by, nor hands
of unclear licence.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import maps
from ocr.decoding.confusions import FILE
from ocr.engines.ppocr import best_path
from ocr.page import Page, ReadLine
from reading.decode import opinions
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.vocabulary import known_game, vocabulary_of
from service.intake.sheets.recognizer import EngineRecognizer
from training.calibrate_confidence import as_read
from training.evaluation.score import matches
from training.evaluation.truth import NoTruth, TrueSheet, Truth, load_truth
from training.tuning.misread import count, to_toml


def read_all(truth: Truth, recognizer: EngineRecognizer) -> Iterator[tuple[str, str]]:
    """Lines of a folder's sheets as written and as each opinion reads them freely, naming each sheet on
    standard error."""
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
) -> Iterator[tuple[str, str]]:
    """The lines of one sheet whose order was read rightly: as written, and as each opinion reads them
    freely."""
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
            yield from ((match.written.text, best_path(opinion).text) for opinion in opinions(line))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.calibrate_confusions", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=Path(FILE))
    parser.add_argument("--made", required=True, help="how the sheets were made, so that it can be repeated")
    return parser


def main(arguments: Sequence[str] | None = None, today: date | None = None) -> int:
    """Run the command line; 0, or 1 with a sentence on standard error."""
    args = _parser().parse_args(arguments)
    try:
        truths = [load_truth(folder) for folder in args.folders]
        recognizer = EngineRecognizer()
        counts = count(pair for truth in truths for pair in read_all(truth, recognizer))
        provenance: dict[str, str | int] = {
            "command": "python -m training.calibrate_confusions", "made": args.made,
            "day": (today or datetime.now(UTC).date()).isoformat(),
            "sheets": sum(len(truth.sheets) for truth in truths)}
        args.out.write_text(to_toml(counts, provenance), encoding="utf-8")
    except (NoTruth, OSError) as fault:
        print(f"calibrate_confusions: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
