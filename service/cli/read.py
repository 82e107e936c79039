"""`galloper read`: photographs to JSON or text, by the same recognizer and the same words as the service."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.errors import UserFacingError
from adjudicator.geo import Board, Coast, Province, Region, Terrain
from grammar import lexicon as lexicons
from grammar.lexicon import Lexicon
from maps.variant import NameRow, Spelling, Variant
from ocr.page import Reading, Status
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.vocabulary import Vocabulary, vocabulary_of
from service.intake.load_context import known_game
from service.intake.recognizer import EngineRecognizer


class NamesError(UserFacingError):
    """The list of names cannot be used; the sentence names the file and the entry."""


def run_read(
    slug: str, phase: str | None, names: Path | None, photos: Sequence[Path], *, as_json: bool, out: TextIO
) -> int:
    """Read photographs in the order given; one JSON object or one block of text each. 1 when a file is
    missing."""
    variant = maps.load(slug)
    vocabulary = vocabulary_of(variant, None if phase is None else PhaseKind(phase))
    if names is not None:
        vocabulary = Vocabulary(named_lexicon(variant, names), vocabulary.forms)
    reader = PageReader(vocabulary)
    recognizer = EngineRecognizer()
    code = 0
    for number, photo in enumerate(photos, 1):
        print(f"reading {number} of {len(photos)}: {photo.name}", file=sys.stderr)
        try:
            data = photo.read_bytes()
        except OSError as error:
            print(f"galloper: {photo} cannot be read ({error.strerror}); check the name.", file=sys.stderr)
            # The other photographs are still read.
            code = 1
            continue
        answer = read_photo(photo.name, data, recognizer, reader, variant, by_heading=phase is None)
        print(json.dumps(answer, ensure_ascii=False) if as_json else _text(answer), file=out, flush=True)
    return code


def read_photo(
    name: str, data: bytes, recognizer: EngineRecognizer, reader: PageReader, variant: Variant, *,
    by_heading: bool,
) -> dict[str, Any]:
    """One object of the contract. `by_heading`: the sheet's own heading narrows the forms to its phase."""
    games = [known_game(variant)]
    pages: list[dict[str, Any]] = []
    recognized_pages = recognizer.recognize(data, name)
    for recognized in recognized_pages:
        for page in recognized.reading.pages:
            page_reader = reader.for_heading(page, games) if by_heading else reader
            lines = page_reader.read_page(page, games).lines
            pages.append({
                "page": len(pages) + 1, "rotation": page.rotation,
                "skew_degrees": round(page.skew_degrees, 2),
                "lines": [_line(line) for line in lines],
            })
    readings: list[Reading] = [recognized.reading for recognized in recognized_pages]
    # One good page makes the file readable.
    bad = next((r for r in readings if r.status is Status.UNUSABLE), None)
    return {
        "file": name, "status": "read" if pages else "unusable",
        "reason": None if pages or bad is None or bad.reason is None else bad.reason.value,
        "seconds": round(sum(r.seconds for r in readings), 3), "pages": pages,
    }


def _line(line: InterpretedLine) -> dict[str, Any]:
    return {
        "box": [[round(x), round(y)] for x, y in line.box], "kind": line.kind, "struck": line.struck,
        "text": line.text, "order": line.order, "confidence": line.confidence,
        # The contract has two states: a line waits for a person or it does not.
        "status": "open" if line.status.value == "open" else "auto", "candidates": list(line.candidates),
    }


def named_lexicon(variant: Variant, path: Path) -> Lexicon:
    """Words of the variant with the names of a JSON list in place of its board's.

    Each entry has "name", "kind" (inland, coastal, sea, primary_sea, local_sea), "aliases", and may have
    "coasts" and "abbr". Raises NamesError.
    """
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        provinces = {e["name"]: _province(e) for e in entries}
        rows = [
            NameRow(text, Region(e["name"]), Spelling.ALIAS) for e in entries for text in e.get("aliases", [])
        ]
    except OSError as error:
        raise NamesError(f"{path} cannot be read ({error.strerror}); check the name.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise NamesError(f"{path} is not a JSON list of names with kind and aliases: {error!r}") from error
    # No borders: a lexicon needs names only, and no reading of ink depends on the board.
    return lexicons.build_lexicon(Board(provinces, {}), variant.kinds, rows, variant.powers.values())


def _province(entry: dict[str, Any]) -> Province:
    kind = str(entry["kind"])
    # primary_sea and local_sea are words of the list; for spelling they are seas.
    terrain = Terrain.SEA if kind.endswith("sea") else Terrain(kind)
    return Province(
        entry["name"], entry["name"], terrain, entry.get("abbr", ""),
        coasts=tuple(Coast(c, c) for c in entry.get("coasts", [])),
    )


def _text(answer: dict[str, Any]) -> str:
    if answer["status"] == "unusable":
        return f"{answer['file']}: unusable, {str(answer['reason']).replace('_', ' ')}"
    rows = [
        (f"  {line['status']:4} {line['confidence']:.2f}  "
         f"{line['order'] or '(' + line['kind'] + ') ' + line['text']}")
        for page in answer["pages"]
        for line in page["lines"]
    ]
    return "\n".join([f"{answer['file']}: {len(rows)} lines", *rows])
