"""One photograph to its pages of lines, and these in the contract's JSON of `read`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from grammar.headings.sheet_code import parse_code
from maps.variant import Variant
from ocr.decoding.open_reasons import SENTENCES
from ocr.page import PrintedSheet, Reading, Status
from reading.line import InterpretedLine
from reading.page import PageReader, ReadPage
from reading.vocabulary import known_game
from service.intake.sheets.recognizer import Recognizer


@dataclass(frozen=True, slots=True)
class PhotoPage:
    """One page of a photograph. `rotation`: the quarter turns that set it upright, in degrees; `skew` in
    degrees; `content`: its heading and its lines; `printed`: what marks and code of a printed sheet say."""

    rotation: int
    skew: float
    content: ReadPage
    printed: PrintedSheet | None = None


@dataclass(frozen=True, slots=True)
class PhotoReading:
    """The reading of one photograph. `reason` is the contract's word if it is unusable, so that there is no
    page."""

    status: str
    reason: str | None
    seconds: ReadingSeconds
    pages: tuple[PhotoPage, ...]


@dataclass(frozen=True, slots=True)
class ReadingSeconds:
    """How long a photograph took, wall-clock, by part: to open it in the child process, to find its rows and
    their letters, and to decipher orders from these."""

    opening: float
    recognizing: float
    deciphering: float

    @property
    def whole(self) -> float:
        """All parts together."""
        return self.opening + self.recognizing + self.deciphering


def read_photo(
    data: bytes, name: str, recognizer: Recognizer, reader: PageReader, variant: Variant, *,
    by_heading: bool,
) -> PhotoReading:
    """The reading of the bytes of a photograph. `by_heading`: the sheet's own heading narrows the forms of
    orders to those of its phase."""
    games = [known_game(variant)]
    pages: list[PhotoPage] = []
    started = time.perf_counter()
    recognized_pages = recognizer.recognize(data, name)
    opened_and_recognized = time.perf_counter() - started
    for recognized in recognized_pages:
        for page in recognized.reading.pages:
            page_reader = reader.for_heading(page, games) if by_heading else reader
            content = page_reader.read_page(page, games)
            pages.append(PhotoPage(page.rotation, page.skew_degrees, content, page.printed))
    readings: Sequence[Reading] = [recognized.reading for recognized in recognized_pages]
    recognizing = min(sum(reading.seconds for reading in readings), opened_and_recognized)
    seconds = ReadingSeconds(
        opened_and_recognized - recognizing, recognizing,
        time.perf_counter() - started - opened_and_recognized,
    )
    # One good page makes the file readable.
    bad = next((r for r in readings if r.status is Status.UNUSABLE), None)
    return PhotoReading(
        "read" if pages else "unusable",
        None if pages or bad is None or bad.reason is None else bad.reason.value,
        seconds,
        tuple(pages),
    )


def photo_json(name: str, reading: PhotoReading) -> dict[str, Any]:
    """One object of the contract's JSON of `read`; `name` is that of the file."""
    return {
        "file": name, "status": reading.status, "reason": reading.reason,
        "seconds": round(reading.seconds.whole, 3),
        "seconds_by_part": {
            part: round(value, 3) for part, value in asdict(reading.seconds).items()
        },
        "pages": [
            {"page": number, "rotation": page.rotation, "skew_degrees": round(page.skew, 2),
             "printed": _printed_json(page.printed),
             "own_hand": list(page.content.taught_by),
             "lines": [_line_json(line) for line in page.content.lines]}
            for number, page in enumerate(reading.pages, 1)
        ],
    }


def _printed_json(printed: PrintedSheet | None) -> dict[str, Any] | None:
    if printed is None:
        return None
    code = parse_code(printed.code)
    return {
        "marks": printed.marks,
        "code": None if code is None else {
            "game": code.game, "power": code.power, "season": code.season, "year": code.year,
            "kind": code.kind.value, "page": code.page, "nonce": code.nonce},
    }


def _line_json(line: InterpretedLine) -> dict[str, Any]:
    return {
        "box": [[round(x), round(y)] for x, y in line.box], "kind": line.kind, "struck": line.struck,
        "text": line.text, "order": line.order, "confidence": line.confidence,
        "status": waiting_status(line), "candidates": list(line.candidates),
        "why_open": [
            {"reason": reason.value, "sentence": SENTENCES[reason]} for reason in line.why_open
        ],
    }


def waiting_status(line: InterpretedLine) -> str:
    """The contract's two states: `open` for a line that waits for a person, else `auto`."""
    return "open" if line.status.value == "open" else "auto"
