"""Whether the heading of a blank order sheet is read back (POST-07, HEAD-01): printed, photographed, read,
compared.

Photographs are made by the camera of the training sheets (`training/photographs/one_sheet.py`): warped,
curled, lit from one side, blurred, stored as JPEG, under conditions drawn from seeds that nothing else uses.
A sheet is right if game, power, season, year and kind of orders are what was printed, and nothing on it is
read as an order.
"""

from __future__ import annotations

import io
import time
from dataclasses import dataclass
from functools import cache
from typing import TextIO

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

import maps
from adjudicator.calendar import PhaseKind
from bench.figure import print_line
from grammar.headings.sheet import SheetHeading
from reading.page import PageReader
from reading.vocabulary import known_game, vocabulary_of
from service.intake.opening.sandbox import SandboxLimits
from service.intake.sheets.recognizer import EngineRecognizer, ImageOpener
from service.pictures import BlankSheet, sheets_pdf, to_pngs
from training.handwriting.appearance import choose
from training.handwriting.paper import SIZE
from training.photographs import one_sheet

SEED = 77_000
WHITE = 0.95  # how bright paper is under the light, 0 to 1
TARGET = 0.999  # of sheets read back (POST-07)
PHASES = (
    ("Autumn", 1642, PhaseKind.MOVEMENT), ("Summer", 1644, PhaseKind.RETREAT),
    ("Winter", 1643, PhaseKind.ADJUSTMENT),
    ("Spring", 1648, PhaseKind.MOVEMENT),
)
GAMES = ("Powick Bridge", "Edgehill", "The Siege of Bristol", "Marston Moor 2")


@dataclass(frozen=True, slots=True)
class PrintedHeading:
    """The heading of one sheet; the power by its name."""

    game: str
    power: str
    season: str
    year: int
    kind: PhaseKind

    @property
    def orders_title(self) -> str:
        """The third line of the heading."""
        return f"{self.season} {self.year} {self.kind.value.capitalize()} Orders"


def heading_of_sheet(number: int) -> PrintedHeading:
    """The heading of a sheet by its number; consecutive numbers run through powers, phases and games."""
    powers = tuple(power.name for power in maps.load("w3k").powers.values())
    season, year, kind = PHASES[number % len(PHASES)]
    return PrintedHeading(
        GAMES[number // len(powers) % len(GAMES)], powers[number % len(powers)], season, year, kind
    )


def photograph_of_sheet(number: int) -> bytes:
    """The JPEG of a sheet as a telephone takes it; the same for the same number."""
    rng = np.random.default_rng([SEED, number])
    # Any family will do: nothing is written by hand here, and no font is opened.
    look = choose({}, ["caveat"], rng)
    return one_sheet.jpeg(one_sheet.photograph(_flat(heading_of_sheet(number)), look, rng).colour, look)


@cache
def _flat(heading: PrintedHeading) -> NDArray[np.float32]:
    """The printed sheet before it is photographed: SIZE, RGB, 0 to 1."""
    pdf = sheets_pdf([BlankSheet(heading.power, heading.game, heading.orders_title)])
    with Image.open(io.BytesIO(to_pngs(pdf, SIZE[1])[0])) as opened:
        pixels = np.asarray(opened.convert("RGB")).astype(np.float32) / 255
    # The drawn page may differ from SIZE by a pixel's rounding.
    scaled = cv2.resize(pixels, (SIZE[1], SIZE[0]), interpolation=cv2.INTER_AREA)
    return np.asarray(scaled * np.float32(WHITE), np.float32)


@cache
def _recognizer() -> EngineRecognizer:
    return EngineRecognizer(opener=ImageOpener(SandboxLimits()))


def read_sheet(data: bytes, printed_heading: PrintedHeading) -> tuple[SheetHeading, list[str]]:
    """The heading of a photograph, and the text of every line that is read as an order."""
    variant = maps.load("w3k")
    reader = PageReader(vocabulary_of(variant, printed_heading.kind))
    known = [known_game(variant, name) for name in GAMES]
    heading, orders = SheetHeading(), []
    for recognized in _recognizer().recognize(data, "photograph"):
        for page in recognized.reading.pages:
            interpreted = reader.read_page(page, known)
            heading = interpreted.heading if heading == SheetHeading() else heading
            orders += [line.text for line in interpreted.lines if line.kind == "order"]
    return heading, orders


def mismatch(printed: PrintedHeading, heading: SheetHeading, orders: list[str]) -> str:
    """The faults of a reading; "" if there are none."""
    was_read = (heading.game, heading.power, heading.season, heading.year, heading.kind)
    was_printed = (printed.game, printed.power, printed.season, printed.year, printed.kind)
    if was_read != was_printed:
        return f"read {was_read}, printed {was_printed}"
    return f"orders {orders}" if orders else ""


def run(sheets: int, first: int, out: TextIO, progress: TextIO) -> int:
    """Read `sheets` sheets from number `first` on, and print the figures as JSON lines; 0."""
    begun, wrong, sheets_read = time.process_time(), 0, 0
    for number in range(first, first + sheets):
        heading = heading_of_sheet(number)
        complaint = mismatch(heading, *read_sheet(photograph_of_sheet(number), heading))
        sheets_read += 1
        wrong += bool(complaint)
        if complaint:
            print_line(out, what="blank sheet not read back", value=number, unit="sheet", why=complaint)
        if complaint or sheets_read % 10 == 0 or sheets_read == sheets:
            print(f"sheet {sheets_read} of {sheets}, {wrong} wrong", file=progress, flush=True)
    share = round((sheets_read - wrong) / sheets_read, 4)
    print_line(out, what="blank sheets read back", value=share, unit="share", right=sheets_read - wrong,
               sheets=sheets_read,
               first=first, target=TARGET)
    seconds = round((time.process_time() - begun) / sheets_read, 2)
    print_line(out, what="blank sheet photographed and read, mean", value=seconds, unit="CPU s")
    return 0
