"""Printed and typed sheets: the text of every line is what is on the paper, known form or not (WRD-02).

"Army Pembroke to Cardigan", printed, was once transcribed "Cardigan BaY", "supports from Kent" as "S F Kent"
and "Staffs" as "Stands".
"""

from __future__ import annotations

import io

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

import maps
from adjudicator.calendar import PhaseKind
from reading.line import InterpretedLine
from reading.page import PageReader
from reading.status import LineState
from reading.vocabulary import known_game, vocabulary_of
from service.intake.sheets.recognizer import EngineRecognizer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

VARIANT = maps.load("w3k")
HEADING = ("Ada Marlowe", "Montrose", "Summer 1642 Movement Orders")
ORDERS = {
    "Army Pembroke to Cardigan": "A Pembroke Castle - Cardiganshire",
    "Army Staffs to Salop": "A Staffordshire - Shropshire",
    "Army Derbys supports Army Northants to Beds": "A Derbyshire S A Northamptonshire - Bedfordshire",
    "Fleet Cardigan to Pembroke": "F Cardigan Bay - Pembroke Castle",
    "A Warks - Worcs": "A Warwickshire - Worcestershire",
    "Army Carmarthen to Dundalk": "A Carmarthenshire - Louth",
    "Army Caernarfon to Merioneth": "A Caernarfonshire - Merioneth",
    "Army Wilts supports Army Oxon to Berks": "A Wiltshire S A Oxfordshire - Berkshire",
}
UNKNOWN = (
    "Army London supports from Kent", "Army Kent to Gondor", "Army Solway holds", "Army Thames to Kent")
WIDE, HIGH = 1654, 2339
"""A sheet of A4 at 200 dots to the inch."""


def _page(lines: tuple[str, ...], points: float, spacing: float) -> Image.Image:
    """Black type on white paper, in the free typeface that Pillow carries."""
    size = points / 72 * 200
    sheet, font = Image.new("L", (WIDE, HIGH), 248), ImageFont.load_default(size)
    draw = ImageDraw.Draw(sheet)
    for number, line in enumerate(lines):
        draw.text((150, 170 + number * size * spacing), line, fill=30, font=font)
    return sheet


def _scanned(sheet: Image.Image) -> Image.Image:
    """A little askew, at 150 dots to the inch, with the noise of a scanner."""
    turned = sheet.rotate(0.6, fillcolor=248, resample=Image.Resampling.BICUBIC)
    grey = np.asarray(turned.resize((WIDE * 3 // 4, HIGH * 3 // 4), Image.Resampling.LANCZOS), np.float32)
    noisy = grey + np.random.default_rng(1).normal(0, 3, grey.shape)
    return Image.fromarray(np.clip(noisy, 0, 255).astype("uint8"))


def _photographed(sheet: Image.Image) -> Image.Image:
    """By a telephone, over a dark table: not square to the page, darker to the right, slightly blurred."""
    corners = np.array(((0, 0), (WIDE, 0), (WIDE, HIGH), (0, HIGH)), np.float32)
    seen = np.array(((170, 120), (1660, 150), (1690, 2290), (120, 2260)), np.float32)
    matrix = cv2.getPerspectiveTransform(corners, seen)
    grey = cv2.warpPerspective(np.asarray(sheet, np.float32), matrix, (1800, 2400), flags=cv2.INTER_AREA,
                               borderMode=cv2.BORDER_CONSTANT, borderValue=70)
    grey = cv2.GaussianBlur(grey, (0, 0), 0.9) * np.linspace(1.0, 0.72, 1800)[None, :]
    noisy = grey + np.random.default_rng(2).normal(0, 3, grey.shape)
    return Image.fromarray(np.clip(noisy, 0, 255).astype("uint8"))


def _read(picture: Image.Image) -> list[InterpretedLine]:
    file = io.BytesIO()
    picture.convert("RGB").save(file, "JPEG", quality=80)
    reader = PageReader(vocabulary_of(VARIANT, PhaseKind.MOVEMENT))
    return [
        line for recognized in EngineRecognizer().recognize(file.getvalue(), "photograph")
        for page in recognized.reading.pages for line in reader.read_page(page, [known_game(VARIANT)]).lines]


@pytest.mark.parametrize("taken", [_scanned, _photographed], ids=["scanned", "photographed"])
def test_type_is_transcribed_as_it_stands(taken: object) -> None:
    pytest.importorskip("rapidocr")
    assert callable(taken)
    written = (*HEADING, *ORDERS, *UNKNOWN)
    lines = _read(taken(_page(written, 12, 1.7)))
    assert [line.text for line in lines] == list(written)
    orders, unknown = lines[len(HEADING):-len(UNKNOWN)], lines[-len(UNKNOWN):]
    assert [line.order for line in orders] == list(ORDERS.values())
    assert all(line.status is LineState.OPEN for line in unknown)
