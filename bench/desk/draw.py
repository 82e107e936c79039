"""Collects the sample of doubtful lines: `python -m bench.desk.draw SHEETS OUT`.

SHEETS is a folder of composed photographs with `truth.json`. Each movement sheet is read as the service reads
it. Every line that the reader leaves to a person is cut out, with what it offered and what was written, until
there are a hundred lines; none is chosen. Left out, and counted on standard error: lines that must first be
joined or split, since the right decision then takes two lines.
"""

from __future__ import annotations

import io
import json
import math
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

import maps
from adjudicator.calendar import PhaseKind
from bench.desk.sample import FILE, SAMPLE_SIZE, RightDecision
from maps.variant import Variant
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.vocabulary import known_game, vocabulary_of
from service.intake.sheets.recognizer import EngineRecognizer
from service.store.tables import LineState
from training.evaluation.align import align

VARIANT, PHASE = "w3k", PhaseKind.MOVEMENT
LINE_HEIGHT = 44.0  # pixels in the stored pictures: the desk shows 48 or more, and the reader needs no more
MARGIN = 0.8  # line heights kept on each side: the desk shows 0.4
WEBP_QUALITY = 45

Truth = dict[str, Any]


def draw(folder: Path, out: Path) -> int:
    """Write the pictures and the list of lines; returns the number of lines."""
    variant = maps.load(VARIANT)
    recognizer, reader = EngineRecognizer(), PageReader(vocabulary_of(variant, PHASE))
    sheets: list[dict[str, Any]] = []
    number, left_out = 0, 0
    for entry in _movement_sheets(folder):
        for upright, lines in _pages(folder / entry["file"], recognizer, reader, variant):
            doubtful, split = _doubtful_lines(lines, entry["lines"])
            left_out += split
            chosen = doubtful[: SAMPLE_SIZE - number]
            if chosen:
                sheets.append(_save_sheet(entry, upright, chosen, number, out))
                number += len(chosen)
        print(f"{entry['id']}: {number} lines", file=sys.stderr)
        if number == SAMPLE_SIZE:
            break
    document = {"variant": VARIANT, "phase": PHASE.value, "sheets": sheets}
    (out / FILE).write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{number} lines of {len(sheets)} pages; left out {left_out} that must be joined or split",
          file=sys.stderr)
    return number


def _movement_sheets(folder: Path) -> Iterator[Truth]:
    document = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    for entry in document.get("sheets") or document["files"]:
        if entry["phase"] == PHASE.value.capitalize():
            yield entry


def _pages(
    photo: Path, recognizer: EngineRecognizer, reader: PageReader, variant: Variant
) -> Iterator[tuple[Image.Image, tuple[InterpretedLine, ...]]]:
    for recognized in recognizer.recognize(photo.read_bytes(), photo.name):
        for page in recognized.reading.pages:
            assert recognized.upright is not None
            with Image.open(io.BytesIO(recognized.upright)) as opened:
                yield opened.convert("RGB"), reader.read_page(page, [known_game(variant)]).lines


def _doubtful_lines(
    lines: Sequence[InterpretedLine], written: Sequence[Truth]
) -> tuple[list[tuple[InterpretedLine, Truth]], int]:
    """Lines for a person, each with its right decision; and how many were left out because one written line
    is several read ones."""
    spans = align([entry["text"] for entry in written], [line.text for line in lines]).spans
    written_of = {
        read: (n, span) for n, span in enumerate(spans) if span is not None for read in range(*span)
    }
    doubtful, split = [], 0
    for index, line in enumerate(lines):
        if line.status is not LineState.OPEN:
            continue
        number, span = written_of.get(index, (None, None))
        # Its right decision takes two lines, which one key cannot give.
        if span is not None and span[1] - span[0] > 1:
            split += 1
            continue
        doubtful.append((line, _right_decision(None if number is None else written[number])))
    return doubtful, split


def _right_decision(written: Truth | None) -> Truth:
    """What a person decides about a line who sees its ink alone."""
    if written is None or written["kind"] != "order" or written["struck"]:
        return {"do": RightDecision.NOT_ORDER, "written": "" if written is None else written["text"]}
    if written.get("order") is None or written.get("want") == "review":
        return {"do": RightDecision.VOID, "written": written["text"], "trap": written.get("trap")}
    return {"do": RightDecision.READ, "order": _order(written), "written": written["text"]}


def _order(written: Truth) -> str:
    """The canonical order, with the route that its writer names: `truth.json` leaves that out."""
    order, route = str(written["order"]), " via convoy"
    return order + route if route in written["text"] and route not in order else order


def _save_sheet(
    entry: Truth, upright: Image.Image, chosen: Sequence[tuple[InterpretedLine, Truth]], number: int,
    out: Path
) -> dict[str, Any]:
    scale = min(1.0, LINE_HEIGHT / statistics.median(_height(line.box) for line, _ in chosen))
    page = upright.resize(
        (round(upright.width * scale), round(upright.height * scale)), Image.Resampling.LANCZOS
    )
    return {
        "id": entry["id"],
        "font": entry["style"]["font"],
        "manner": entry["style"]["manner"],
        "size": [page.width, page.height],
        "lines": [
            _save_line(line, right, scale, page, out, number + index)
            for index, (line, right) in enumerate(chosen, start=1)
        ],
    }


def _save_line(
    line: InterpretedLine, right: Truth, scale: float, page: Image.Image, out: Path, number: int
) -> dict[str, Any]:
    box = [[round(x * scale, 1), round(y * scale, 1)] for x, y in line.box]
    xs, ys = [x for x, _ in box], [y for _, y in box]
    margin = MARGIN * _height(box)
    left, top = max(0, int(min(xs) - margin)), max(0, int(min(ys) - margin))
    right_edge, bottom = min(page.width, int(max(xs) + margin)), min(page.height, int(max(ys) + margin))
    name = f"{number:03}.webp"
    # Method 6 is WebP's slowest and smallest.
    page.crop((left, top, right_edge, bottom)).save(out / name, "WEBP", quality=WEBP_QUALITY, method=6)
    return {
        "picture": name, "at": [left, top], "box": box, "kind": line.kind, "struck": line.struck,
        "text": line.text,
        "order": line.order, "confidence": line.confidence, "candidates": list(line.candidates),
        "right": right,
    }


def _height(box: Sequence[Sequence[float]]) -> float:
    """The height of a line along its left side."""
    (x, y), (under_x, under_y) = box[0], box[3]
    return max(1.0, math.hypot(x - under_x, y - under_y))


def main(arguments: Sequence[str]) -> int:
    """See the module. Returns 1 if the sheets have fewer doubtful lines than wanted."""
    folder, out = map(Path, arguments)
    out.mkdir(parents=True, exist_ok=True)
    return 0 if draw(folder, out) == SAMPLE_SIZE else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
