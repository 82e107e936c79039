"""Whether a blank order sheet gives its heading back (POST-07, HEAD-01): printed, photographed, read,
compared.

Photographs are rendered by the camera of the training sheets (`training/photographs/one_sheet.py`): warped,
curled, lit from one side, blurred, stored as JPEG, with conditions drawn by seeds that nothing else uses. A
sheet is right when game, power, season, year and kind of orders are what was printed, and nothing on it
passes for an order.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TextIO

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

import maps
from adjudicator.calendar import PhaseKind
from grammar.headings.sheet import SheetHeading
from reading.page import PageReader
from reading.vocabulary import vocabulary_of
from service.intake.load_context import known_game
from service.intake.recognizer import EngineRecognizer, ImageOpener
from service.intake.sandbox import SandboxLimits
from service.pictures import BlankSheet, sheets_pdf, to_pngs
from training.handwriting.appearance import choose
from training.handwriting.paper import SIZE
from training.photographs import one_sheet

SEED = 77_000
WHITE = 0.95
"""How bright paper is under the light, 0 to 1."""
PHASES = (
    ("Autumn", 1642, PhaseKind.MOVEMENT), ("Summer", 1644, PhaseKind.RETREAT),
    ("Winter", 1643, PhaseKind.ADJUSTMENT),
    ("Spring", 1648, PhaseKind.MOVEMENT),
)
GAMES = ("Powick Bridge", "Edgehill", "The Siege of Bristol", "Marston Moor 2")


@dataclass(frozen=True, slots=True)
class Printed:
    """What stands on one sheet, power by its name."""

    game: str
    power: str
    season: str
    year: int
    kind: PhaseKind

    @property
    def orders(self) -> str:
        """The third line of the heading."""
        kind = {
            PhaseKind.MOVEMENT: "Movement",
            PhaseKind.RETREAT: "Retreat",
            PhaseKind.ADJUSTMENT: "Adjustment",
        }[self.kind]
        return f"{self.season} {self.year} {kind} Orders"


def printed(number: int) -> Printed:
    """The heading of a sheet by its number; one after the other runs through powers, phases and games."""
    powers = tuple(power.name for power in maps.load("w3k").powers.values())
    season, year, kind = PHASES[number % len(PHASES)]
    return Printed(
        GAMES[number // len(powers) % len(GAMES)], powers[number % len(powers)], season, year, kind
    )


def photographed(number: int) -> bytes:
    """A sheet as a telephone takes it, as JPEG."""
    rng = np.random.default_rng([SEED, number])
    look = choose({}, ["caveat"], rng)
    return one_sheet.jpeg(one_sheet.photograph(_flat(printed(number)), look, rng).colour, look)


@cache
def _flat(wanted: Printed) -> NDArray[np.float32]:
    pdf = sheets_pdf([BlankSheet(wanted.power, wanted.game, wanted.orders)])
    with Image.open(io.BytesIO(to_pngs(pdf, SIZE[1])[0])) as opened:
        flat = np.asarray(opened.convert("RGB")).astype(np.float32) / 255
    sheet: NDArray[np.float32] = cv2.resize(
        flat, (SIZE[1], SIZE[0]), interpolation=cv2.INTER_AREA
    ) * np.float32(WHITE)
    return sheet


@cache
def _eye() -> EngineRecognizer:
    return EngineRecognizer(opener=ImageOpener(SandboxLimits()))


def read(data: bytes, wanted: Printed) -> tuple[SheetHeading, list[str]]:
    """The heading of a photograph, and every line that passes for an order."""
    variant = maps.load("w3k")
    reader = PageReader(vocabulary_of(variant, wanted.kind))
    known = [known_game(variant, name) for name in GAMES]
    heading, orders = SheetHeading(), []
    for sight in _eye().recognize(data, "photograph"):
        for page in sight.reading.pages:
            interpreted = reader.read_page(page, known)
            heading = interpreted.heading if heading == SheetHeading() else heading
            orders += [line.text for line in interpreted.lines if line.kind == "order"]
    return heading, orders


def fault(wanted: Printed, heading: SheetHeading, orders: list[str]) -> str:
    """What is wrong with a reading, "" for nothing."""
    got = (heading.game, heading.power, heading.season, heading.year, heading.kind)
    meant = (wanted.game, wanted.power, wanted.season, wanted.year, wanted.kind)
    if got != meant:
        return f"read {got}, printed {meant}"
    return f"orders {orders}" if orders else ""


def run(sheets: int, first: int, out: TextIO, progress: TextIO) -> int:
    """Read so many sheets from number `first` on, and print the figures as JSON lines."""
    begun, wrong, done = time.process_time(), 0, 0
    for number, said in _each(sheets, first):
        done += 1
        wrong += bool(said)
        if said:
            _say(out, what="blank sheet not read back", value=number, unit="sheet", why=said)
        if said or done % 10 == 0 or done == sheets:
            print(f"sheet {done} of {sheets}, {wrong} wrong", file=progress, flush=True)
    _say(
        out,
        what="blank sheets read back",
        value=round((done - wrong) / done, 4),
        unit="share",
        right=done - wrong,
        sheets=done,
        first=first,
        target=0.999,
    )
    _say(out, what=("blank sheet photographed and read, "
                    "mean"), value=round((time.process_time() - begun) / done, 2), unit="CPU s")
    return 0


def _each(sheets: int, first: int) -> Iterator[tuple[int, str]]:
    for number in range(first, first + sheets):
        wanted = printed(number)
        yield number, fault(wanted, *read(photographed(number), wanted))


def _say(out: TextIO, **figure: object) -> None:
    print(json.dumps(figure), file=out, flush=True)
