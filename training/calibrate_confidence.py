"""Fit the reader's confidence and its gate to sheets whose truth is known:

    python -m training.calibrate_confidence FOLDER... --keep build/lines.jsonl --seed 11 --made "how the
    sheets came to be"

Each FOLDER holds photographs and their truth.json (`python -m training.sheets.compose varied`). Every sheet
is read as the service reads it, and every line that gives an order is stored in the file `--keep` with its
features and whether the order is the one written; a later run with the same file fits again without reading.
Never use sheets that the reader is judged by.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import maps
from ocr.decoding.confidence import Features, default_table
from ocr.page import Page
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.review import ReviewLimits, ReviewRules
from reading.vocabulary import known_game, vocabulary_of
from service.intake.sheets.recognizer import EngineRecognizer
from training.evaluation.score import gives, matches
from training.evaluation.truth import NoTruth, TrueSheet, Truth, load_truth
from training.tuning.calibrate import Judged, table_of

OUT = Path("ocr/decoding/confidence.toml")

# Thresholds that let pass whatever no rule without figures stops: what passes is for the fitted gate to
# judge.
TRUSTING: Mapping[str, float] = {
    "confidence": 0.0, "plain_other": 1e9, "word_misfit": 1e9, "kind_margin": -1e9, "part_strike": 2.0}


def trusting(reader: PageReader) -> PageReader:
    """The same reader, letting pass whatever no rule stops."""
    table = reader.rules.table
    trusted = replace(table, thresholds=replace(table.thresholds, **TRUSTING), steps=())
    return replace(reader, rules=ReviewRules(ReviewLimits(0.0, 0.0), trusted))


def read_page(page: Page, reader: PageReader, slug: str) -> tuple[InterpretedLine, ...]:
    """A page's lines, its forms narrowed by its heading as in `galloper read`."""
    games = [known_game(maps.load(slug))]
    return reader.for_heading(page, games).read_page(page, games).lines


def judged(
    sheet: TrueSheet, pages: Sequence[Sequence[InterpretedLine]], group: str, hand: str
) -> Iterator[Judged]:
    """The lines of a sheet that give an order by their ink, each right or not."""
    answer = {"pages": [{"lines": [as_read(line) for line in lines]} for lines in pages]}
    # Lines that no one wrote are judged too: an order read out of a heading is a wrong one.
    for match in matches(sheet, answer):
        for line in match.read:
            if gives(line) and line["features"] is not None:
                grave = match.written is not None and (match.struck or match.written.want == "review")
                yield Judged(line["features"], match.exact, group, hand, line["status"] == "auto", grave)


def as_read(line: InterpretedLine) -> dict[str, Any]:
    """A line as the scorer takes it."""
    return {"text": line.text, "order": line.order, "struck": line.struck, "status": line.status.value,
            "features": line.features, "candidates": ()}


def read_all(truth: Truth, recognizer: EngineRecognizer) -> Iterator[Judged]:
    """Read a folder's sheets and judge their lines, naming each sheet on standard error."""
    variant = maps.load(truth.variant)
    reader, hands = trusting(PageReader(vocabulary_of(variant))), hands_of(truth)
    for number, sheet in enumerate(truth.sheets, 1):
        sights = recognizer.recognize((truth.folder / sheet.file).read_bytes(), sheet.file)
        pages = [read_page(page, reader, truth.variant) for sight in sights for page in sight.reading.pages]
        yield from judged(sheet, pages, group_of(truth.folder, sheet), hands[sheet.file])
        print(f"{truth.folder.name}: {number} of {len(truth.sheets)}", file=sys.stderr, flush=True)


def group_of(folder: Path, sheet: TrueSheet) -> str:
    """The folder's name, and the manner where the truth shows it."""
    return folder.name if sheet.manner is None else f"{folder.name}, {sheet.manner}"


# The command
# ---------------------------------------------------------------------------------------------------------


def save(lines: Sequence[Judged], path: Path) -> None:
    """One JSON object a line."""
    path.write_text("".join(json.dumps(asdict(line)) + "\n" for line in lines), encoding="utf-8")


def load(path: Path) -> list[Judged]:
    """What `save` wrote. Raises ValueError naming the file for anything else."""
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        rows = [json.loads(text) for text in data.decode("utf-8").splitlines()]
        return [Judged(**{**row, "features": Features(**row["features"])}) for row in rows]
    except (OSError, EOFError, ValueError, TypeError, KeyError) as fault:
        raise ValueError(f"{path} holds no judged lines of this release ({fault!r}); delete it to read "
                         "again") from fault


def hands_of(truth: Truth) -> dict[str, str]:
    """The font or the writer of each sheet by its file; without either the file's name, as a hand of its
    own."""
    document = json.loads((truth.folder / "truth.json").read_text(encoding="utf-8"))
    styles = {sheet["file"]: sheet.get("style") or {} for sheet in document.get("sheets", ())}
    return {file: style.get("font") or style.get("writer") or file for file, style in styles.items()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.calibrate_confidence", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER",
                        help="none where the file of --keep is there")
    parser.add_argument("--keep", type=Path, required=True, metavar="FILE",
                        help="judged lines; read again if it is missing")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--made", required=True, help="how the sheets were made, so that it can be repeated")
    parser.add_argument("--sheets", type=int, default=0, help="how many sheets the kept lines are of")
    parser.add_argument("--same-gate", action="store_true",
                        help="fit the chance alone and keep the thresholds of the shipped table")
    parser.add_argument("--seed", type=int, required=True, help="the seed that they were composed with")
    return parser


def main(arguments: Sequence[str] | None = None, today: date | None = None) -> int:
    """Run the command line; 0, or 1 with a sentence on standard error."""
    args = _parser().parse_args(arguments)
    try:
        truths = [load_truth(folder) for folder in args.folders]
        if not args.keep.exists():
            recognizer = EngineRecognizer()
            save([line for truth in truths for line in read_all(truth, recognizer)], args.keep)
        provenance: dict[str, str | int | float] = {
            "command": "python -m training.calibrate_confidence",
            "made": args.made,
            "seed": args.seed,
            "day": (today or datetime.now(UTC).date()).isoformat(),
        }
        provenance["sheets"] = sum(len(truth.sheets) for truth in truths) or args.sheets
        provenance["fonts"] = ", ".join(
            sorted({hand for truth in truths for file, hand in hands_of(truth).items() if hand != file})
        )
        gate = default_table().thresholds if args.same_gate else None
        args.out.write_text(table_of(load(args.keep), provenance, gate), encoding="utf-8")
    except (NoTruth, OSError, ValueError) as fault:
        print(f"calibrate: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
