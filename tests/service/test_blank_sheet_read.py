"""A blank sheet as it is printed, photographed and read back: its heading is what was filled in (POST-07, HEAD-01).

Photographs are rendered: warped, curled, lit from one side, blurred and stored as JPEG by the camera of the training sheets,
with conditions drawn by seeds that nothing else uses. The target is 999 of 1,000; a test of so many takes an hour, so this
one takes a sample, and no failure in it is let pass.
"""

from __future__ import annotations

import io
from functools import cache

import cv2
import numpy as np
import pytest
from PIL import Image

import maps
from adjudicator.calendar import PhaseKind
from grammar.heading_sheet import SheetHeading
from ocr.train import camera
from ocr.train.looks import choose
from ocr.train.paper import SIZE
from service.context import known_game
from service.decode import Limits
from service.eye import EngineEye, Opener
from service.lexical import forms_of, lexicon_of
from service.pictures import Blank, sheets_pdf, to_pngs
from service.reading import Doubt, Scribe

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

SEED, SAMPLE = 77_000, 30
VARIANT = maps.load("w3k")
POWERS = tuple(VARIANT.powers.values())
PHASES = (
    ("Autumn 1642 Movement Orders", ("Autumn", 1642, PhaseKind.MOVEMENT)),
    ("Summer 1644 Retreat Orders", ("Summer", 1644, PhaseKind.RETREAT)),
    ("Winter 1643 Adjustment Orders", ("Winter", 1643, PhaseKind.ADJUSTMENT)),
)


@cache
def eye() -> EngineEye:
    return EngineEye(opener=Opener(Limits()))


def photographed(number: int) -> tuple[bytes, str, tuple[str, int, PhaseKind]]:
    """One blank sheet as a telephone takes it, with the power and the phase it was printed for."""
    rng = np.random.default_rng([SEED, number])
    power, (words, phase) = POWERS[number % len(POWERS)], PHASES[number % len(PHASES)]
    printed = to_pngs(sheets_pdf([Blank(power.name, "Powick Bridge", words)]), SIZE[1])[0]
    with Image.open(io.BytesIO(printed)) as opened:
        flat = np.asarray(opened.convert("RGB")).astype(np.float32) / 255
    sheet = cv2.resize(flat, (SIZE[1], SIZE[0]), interpolation=cv2.INTER_AREA) * np.float32(0.95)
    look = choose({}, ["caveat"], rng)
    return camera.jpeg(camera.photograph(sheet, look, rng).colour, look), power.name, phase


def read(data: bytes, phase: PhaseKind) -> tuple[SheetHeading, list[str]]:
    """The heading of a photograph, and every line that is none."""
    scribe = Scribe(lexicon_of(VARIANT), [forms_of(VARIANT, phase)], Doubt())
    known = [known_game(VARIANT, "Powick Bridge")]
    heading, orders = SheetHeading(), []
    for sight in eye().look(data, "photograph"):
        for page in sight.reading.pages:
            found, lines = scribe.lines(page, known)
            heading = found if heading == SheetHeading() else heading
            orders += [line.text for line in lines if line.kind == "order"]
    return heading, orders


@pytest.mark.parametrize("number", range(SAMPLE))
def test_a_photographed_blank_sheet_gives_its_heading_back_and_no_order(number: int) -> None:
    data, power, (season, year, kind) = photographed(number)
    heading, orders = read(data, kind)
    assert heading.game == "Powick Bridge"
    assert (heading.power, heading.season, heading.year, heading.kind) == (power, season, year, kind)
    assert orders == []
