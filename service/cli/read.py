"""`galloper read`: photographs to JSON or text, by the same recognizer and the same words as the service."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import maps
from adjudicator.calendar import PhaseKind
from adjudicator.errors import UserFacingError
from adjudicator.geo import Board, Coast, Province, Region, Terrain
from grammar import lexicon as lexicons
from grammar.lexicon import Lexicon
from maps.variant import NameRow, Spelling, Variant
from reading.page import PageReader
from reading.vocabulary import vocabulary_of
from service.cli.program.faults import file_sentence
from service.cli.program.results import print_progress
from service.intake.sheets.read_photo import photo_json, read_photo
from service.intake.sheets.recognizer import EngineRecognizer


class NamesError(UserFacingError):
    """The list of names cannot be used; the sentence names the file and the entry."""


def run_read(
    slug: str, phase: str | None, names: Path | None, photos: Sequence[Path], *, as_json: bool, out: TextIO,
    quiet: bool = False
) -> int:
    """Read photographs in the order given; one JSON object or one block of text each. 1 when a file is
    missing."""
    variant = maps.load(slug)
    vocabulary = vocabulary_of(variant, None if phase is None else PhaseKind(phase))
    if names is not None:
        vocabulary = replace(vocabulary, lexicon=named_lexicon(variant, names))
    reader = PageReader(vocabulary)
    recognizer = EngineRecognizer()
    code = 0
    for number, photo in enumerate(photos, 1):
        print_progress(f"reading {number} of {len(photos)}: {photo.name}", quiet=quiet)
        try:
            data = photo.read_bytes()
        except OSError as error:
            print(f"galloper: {file_sentence(error, photo)}", file=sys.stderr)
            # The other photographs are still read.
            code = 1
            continue
        reading = read_photo(data, photo.name, recognizer, reader, variant, by_heading=phase is None)
        answer = photo_json(photo.name, reading)
        print(json.dumps(answer, ensure_ascii=False) if as_json else _text(answer), file=out, flush=True)
    return code


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
        raise NamesError(file_sentence(error, path)) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NamesError(f"{path} is not a JSON list of names; write it like "
                         '[{"name": "Surrey", "kind": "inland", "aliases": ["Surey"]}].') from error
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
