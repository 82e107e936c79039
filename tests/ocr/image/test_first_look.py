"""A photograph that is dark, blurred or cut off is refused at once, before it is read (INK-06)."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from ocr.image.first_look import PhotoTrouble, first_look
from ocr.page import Image
from service.facts.sheets import SheetFlag
from service.intake.verdicts.context import IntakeContext
from service.intake.verdicts.explanations import explain
from service.intake.verdicts.verdict import Verdict, VerdictKind
from service.mail.authentication.trust import NOBODY
from training.photographs.landscape import meadow

SHEETS = Path(__file__).parents[2] / "data" / "sheets"
NAMES = ("s006", "s007", "s019")


def photograph(name: str) -> Image:
    picture = cv2.imread(str(SHEETS / f"{name}.jpg"))
    assert picture is not None
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), dtype=np.uint8)


@pytest.mark.parametrize("name", NAMES)
def test_a_good_photograph_has_no_trouble(name: str) -> None:
    assert first_look(photograph(name)) == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_dark_a_blurred_and_a_cut_off_photograph_are_told(name: str) -> None:
    image = photograph(name)
    height, width = image.shape[:2]
    dark = np.asarray(image * 0.25, dtype=np.uint8)
    assert PhotoTrouble.DARK in first_look(dark)
    blurred = np.asarray(cv2.GaussianBlur(image, (0, 0), max(height, width) / 400), dtype=np.uint8)
    assert PhotoTrouble.BLURRED in first_look(blurred)
    # Through the middle of the rows.
    beside = np.ascontiguousarray(image[:, width // 5 : width * 3 // 5])
    assert PhotoTrouble.CUT_OFF in first_look(beside)


def test_a_blank_side_and_a_meadow_are_told() -> None:
    """The wrong side of the sheet, and a picture that is none."""
    rng = np.random.default_rng(3)
    desk = np.full((1200, 900, 3), 70.0)
    desk[120:1080, 100:800] = 225.0
    # Printed rules are not writing.
    desk[200:1040:40, 110:790] = 190.0
    blank = np.asarray(np.clip(desk + rng.normal(0, 3, desk.shape), 0, 255), dtype=np.uint8)
    assert PhotoTrouble.NO_WRITING in first_look(blank)
    picture = cv2.imdecode(np.frombuffer(meadow(rng), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    outside = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), dtype=np.uint8)
    assert PhotoTrouble.NO_WRITING in first_look(outside)


def test_the_receipt_says_what_is_wrong_and_what_to_do_and_asks_nothing() -> None:
    # The flags of a verdict are the words of the first look.
    assert {str(trouble) for trouble in PhotoTrouble} <= {str(note) for note in SheetFlag}
    context = IntakeContext(frozenset(), NOBODY, ())
    for trouble, word in zip(PhotoTrouble, ("dark", "blurred", "edge", "without writing"), strict=True):
        verdict = Verdict(VerdictKind.ACCEPTED, None, photos=1, flags=frozenset({str(trouble)}))
        note = str(explain(verdict, context).remedy)
        assert word in note
        assert "counts as it is" in note or "It is stored" in note
        assert "new version" in note
        # SUB-07: no one is asked what a sheet states.
        assert "?" not in note
