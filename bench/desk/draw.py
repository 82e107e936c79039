"""Draws the sample of doubtful lines: `python -m bench.desk.draw SHEETS OUT`.

SHEETS is a folder of composed photographs with `truth.json`. Each movement sheet is read as the service reads
it; what the reader leaves for a person is cut out, with what it offered and what was written, until there are
a hundred lines. Every open line is taken in turn, none is chosen. Left out, and counted on standard error:
lines that must first be joined or broken, since what is right then takes two lines.
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
from bench.desk.sample import FILE, MOST, Do
from maps.variant import Variant
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.vocabulary import vocabulary_of
from service.intake.load_context import known_game
from service.intake.recognizer import EngineRecognizer
from service.store.tables import LineState
from training.evaluation.align import align

VARIANT, PHASE = "w3k", PhaseKind.MOVEMENT
TALL = 44.0
"""Pixels of a line's height in the pictures kept: what the desk shows is 48 or more, and the reader asks no
more."""
AROUND = 0.8
"""Of a line's height, kept on each side of it: the desk shows 0.4."""
QUALITY = 45

Truth = dict[str, Any]


def draw(folder: Path, out: Path) -> int:
    """Write the pictures and the list of lines; how many lines there are."""
    variant = maps.load(VARIANT)
    eye, reader = EngineRecognizer(), PageReader(vocabulary_of(variant, PHASE))
    sheets: list[dict[str, Any]] = []
    number, apart = 0, 0
    for entry in _movement(folder):
        for upright, lines in _pages(folder / entry["file"], eye, reader, variant):
            found, several = _doubtful(lines, entry["lines"])
            apart += several
            chosen = found[: MOST - number]
            if chosen:
                sheets.append(_kept(entry, upright, chosen, number, out))
                number += len(chosen)
        print(f"{entry['id']}: {number} lines", file=sys.stderr)
        if number == MOST:
            break
    document = {"variant": VARIANT, "phase": PHASE.value, "sheets": sheets}
    (out / FILE).write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print((f"{number} lines of {len(sheets)} pages; left out {apart} that must be joined or "
           f"broken"), file=sys.stderr)
    return number


def _movement(folder: Path) -> Iterator[Truth]:
    document = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    for entry in document.get("sheets") or document["files"]:
        if entry["phase"] == PHASE.value.capitalize():
            yield entry


def _pages(
    photo: Path, eye: EngineRecognizer, reader: PageReader, variant: Variant
) -> Iterator[tuple[Image.Image, tuple[InterpretedLine, ...]]]:
    for sight in eye.recognize(photo.read_bytes(), photo.name):
        for page in sight.reading.pages:
            assert sight.upright is not None
            with Image.open(io.BytesIO(sight.upright)) as opened:
                yield opened.convert("RGB"), reader.read_page(page, [known_game(variant)]).lines


def _doubtful(
    lines: Sequence[InterpretedLine], written: Sequence[Truth]
) -> tuple[list[tuple[InterpretedLine, Truth]], int]:
    """Lines for a person, each with what is right about it; and how many were left out as not one for one."""
    spans = align([one["text"] for one in written], [line.text for line in lines]).spans
    of = {at: (n, span) for n, span in enumerate(spans) if span is not None for at in range(*span)}
    found, several = [], 0
    for at, line in enumerate(lines):
        if line.status is not LineState.OPEN:
            continue
        number, span = of.get(at, (None, None))
        if span is not None and span[1] - span[0] > 1:
            several += 1
            continue
        found.append((line, _right(None if number is None else written[number])))
    return found, several


def _right(one: Truth | None) -> Truth:
    """What a person does with a line, looking at its ink alone."""
    if one is None or one["kind"] != "order" or one["struck"]:
        return {"do": Do.NOT_ORDER, "written": "" if one is None else one["text"]}
    if one.get("order") is None or one.get("want") == "review":
        return {"do": Do.VOID, "written": one["text"], "trap": one.get("trap")}
    return {"do": Do.READ, "order": _order(one), "written": one["text"]}


def _order(one: Truth) -> str:
    """The canonical order, with the route that its writer names: the truth of composed sheets leaves it
    out."""
    order, route = str(one["order"]), " via convoy"
    return order + route if route in one["text"] and route not in order else order


def _kept(
    entry: Truth, upright: Image.Image, chosen: Sequence[tuple[InterpretedLine, Truth]], number: int,
    out: Path
) -> dict[str, Any]:
    scale = min(1.0, TALL / statistics.median(_height(line.box) for line, _ in chosen))
    page = upright.resize(
        (round(upright.width * scale), round(upright.height * scale)), Image.Resampling.LANCZOS
    )
    return {
        "id": entry["id"],
        "font": entry["style"]["font"],
        "manner": entry["style"]["manner"],
        "size": [page.width, page.height],
        "lines": [
            _line(line, right, scale, page, out, number + at)
            for at, (line, right) in enumerate(chosen, start=1)
        ],
    }


def _line(
    line: InterpretedLine, right: Truth, scale: float, page: Image.Image, out: Path, number: int
) -> dict[str, Any]:
    box = [[round(x * scale, 1), round(y * scale, 1)] for x, y in line.box]
    xs, ys = [x for x, _ in box], [y for _, y in box]
    around = AROUND * _height(box)
    left, top = max(0, int(min(xs) - around)), max(0, int(min(ys) - around))
    right_edge, bottom = min(page.width, int(max(xs) + around)), min(page.height, int(max(ys) + around))
    name = f"{number:03}.webp"
    page.crop((left, top, right_edge, bottom)).save(out / name, "WEBP", quality=QUALITY, method=6)
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
    """See the module. 1 where the sheets have fewer doubtful lines than wanted."""
    folder, out = map(Path, arguments)
    out.mkdir(parents=True, exist_ok=True)
    return 0 if draw(folder, out) == MOST else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
