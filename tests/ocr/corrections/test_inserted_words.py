"""Words put in over struck ones, where the finder's box took in both or left the small one out (Q-16: struck
text is not read; what was written in its stead is for a person to see next to it)."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from ocr.corrections.apply import corrected_row
from ocr.corrections.inserted_words import (
    InsertEvidence,
    InsertionSpot,
    insertion_patches,
    insertion_spots,
    trim_to_row,
)
from ocr.corrections.strike_marks import soft_ink
from ocr.engines import STRIKE_CLASSES, CrossingScores, Quad, Recognition
from ocr.engines.ppocr import PpOcr
from ocr.layout.lines import RowStrip
from ocr.page import Image, Row, Strike, StruckWord
from ocr.read import ReadOptions, read_images

Pixels = npt.NDArray[np.uint8]
INK = (40, 30, 90)
WORDS = (("Army", 60), ("Louth", 210), ("moves", 385), ("to", 575), ("Mull", 660))
BASE, HIGH = 200, 36
"""Base line of the row and the height of its capitals; small letters are some 26 high."""


def sheet(*, struck: bool, put_in: bool) -> Pixels:
    """A sheet of one order among others; its second word struck, and one put in small over it."""
    image = np.full((520, 900, 3), 250, np.uint8)
    for word, x in WORDS:
        cv2.putText(image, word, (x, BASE), cv2.FONT_HERSHEY_COMPLEX, 1.6, INK, 3, cv2.LINE_AA)
    if struck:
        for rise in (10, 18):
            cv2.line(image, (205, BASE - rise), (368, BASE - rise), INK, 4, cv2.LINE_AA)
    if put_in:
        cv2.putText(image, "Kent", (235, BASE - 42), cv2.FONT_HERSHEY_COMPLEX, 1.1, INK, 2, cv2.LINE_AA)
    for k, text in enumerate(("Fleet Hull holds", "Army York holds", "Army Leeds to Kent")):
        cv2.putText(
            image, text, (60, BASE + 100 * (k + 1)), cv2.FONT_HERSHEY_COMPLEX, 1.6, INK, 3, cv2.LINE_AA
        )
    return image


def quad(left: float, top: float, right: float, bottom: float) -> Quad:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


class Rows:
    """A finder by bare rows of paper: those at least so many pixels high part boxes; boxes lower than `least`
    are missed."""

    name = "rows"

    def __init__(self, apart: int, least: int) -> None:
        self.apart, self.least = apart, least

    def find(self, image: Image) -> tuple[Quad, ...]:
        """See RowFinder."""
        dark = np.asarray(image).min(axis=2) < 150
        rows = np.flatnonzero(dark.any(axis=1))
        quads = []
        for part in np.split(rows, np.flatnonzero(np.diff(rows) > self.apart) + 1):
            columns = np.flatnonzero(dark[part[0] : part[-1] + 1].any(axis=0))
            if len(part) >= self.least:
                quads.append(quad(columns[0] - 4.0, part[0] - 4.0, columns[-1] + 4.0, part[-1] + 4.0))
        return tuple(quads)


def recognition_of(left: float, right: float, above: tuple[float, float] | None) -> Recognition:
    """Struck between shares of a crop of 100 frames, with a word above between others."""
    chances = np.zeros((100, len(STRIKE_CLASSES)), np.float32)
    chances[:, 0] = 1.0
    chances[round(100 * left) : round(100 * right)] = np.eye(len(STRIKE_CLASSES), dtype=np.float32)[2]
    over_it = np.zeros(100, np.float32)
    if above is not None:
        over_it[round(100 * above[0]) : round(100 * above[1])] = 0.9
    return Recognition("Army Louth moves to Mull", 0.9, crossing=CrossingScores(chances, over_it))


def strip(top: float) -> RowStrip:
    box = quad(60, top, 790, BASE + 10)
    return RowStrip(box, 60, 790, (top + BASE + 10) / 2, BASE + 10 - top)


def crop_of(image: Pixels, host: RowStrip) -> Pixels:
    """As the reader cuts it."""
    across, along = 0.1 * host.height, 0.3 * host.height
    box = host.quad
    return np.ascontiguousarray(
        image[
            round(box[0, 1] - across) : round(box[2, 1] + across),
            round(box[0, 0] - along) : round(box[1, 0] + along),
        ]
    )


def mark(image: Pixels, host: RowStrip) -> tuple[Pixels, Recognition, Strike]:
    crop = crop_of(image, host)
    start, wide = 60 - 0.3 * host.height, crop.shape[1]
    left, right = (205 - start) / wide, (368 - start) / wide
    recognition = recognition_of(left, right,
        ((235 - start) / wide, (330 - start) / wide) if host.height > 60 else None)
    return crop, recognition, Strike(0.1, (StruckWord(left, right, 0.9, "double"),))


@pytest.mark.parametrize("top", [BASE - 75, BASE - 40], ids=["in the row's box", "above the row's box"])
def test_the_place_of_a_word_put_in_is_that_above_the_struck_one(top: float) -> None:
    image, host = sheet(struck=True, put_in=True), strip(top)
    (spot,) = insertion_spots(host, [host], *mark(image, host))
    (left, upper), (right, lower) = spot.quad[0], spot.quad[2]
    assert spot.evidence is (InsertEvidence.SEEN if top < BASE - 60 else InsertEvidence.UNSEEN)
    assert left < 240
    assert right > 325
    assert upper < BASE - 42 - 22
    assert BASE - 42 - 4 <= lower <= BASE - 26


def test_a_word_over_a_caret_is_looked_for_where_nothing_is_struck() -> None:
    image, host = sheet(struck=False, put_in=True), strip(BASE - 75)
    crop, recognition, _ = mark(image, host)
    (spot,) = insertion_spots(host, [host], crop, recognition, Strike())
    assert spot.evidence is InsertEvidence.SEEN
    assert spot.quad[0][0] < 240
    assert spot.quad[2][0] > 325


def test_a_word_that_is_seen_faintly_is_looked_for() -> None:
    image, host = sheet(struck=False, put_in=True), strip(BASE - 75)
    crop, recognition, _ = mark(image, host)
    assert recognition.crossing is not None
    pale = replace(recognition, crossing=replace(recognition.crossing,
        above_probs=recognition.crossing.above_probs * 0.3))
    (spot,) = insertion_spots(host, [host], crop, pale, Strike())
    assert spot.evidence is InsertEvidence.MAYBE
    hardly = replace(recognition, crossing=replace(recognition.crossing,
        above_probs=recognition.crossing.above_probs * 0.15))
    assert insertion_spots(host, [host], crop, hardly, Strike()) == ()


def test_where_nothing_is_struck_or_put_in_nothing_is_looked_for() -> None:
    image, host = sheet(struck=False, put_in=False), strip(BASE - 40)
    crop = crop_of(image, host)
    assert insertion_spots(host, [host], crop, recognition_of(0.0, 0.0, None), Strike()) == ()


def test_a_word_that_was_found_already_is_not_looked_for_again() -> None:
    image, host = sheet(struck=True, put_in=True), strip(BASE - 40)
    small = RowStrip(quad(232, BASE - 70, 332, BASE - 40), 232, 332, BASE - 55, 30)
    assert insertion_spots(host, [small, host], *mark(image, host)) == ()


def test_a_word_seen_in_the_foot_of_the_row_above_is_looked_for_below_it() -> None:
    # In the demo's story a small "county" stood with its middle a pixel inside the box of the row above.
    image, host = sheet(struck=False, put_in=True), strip(BASE - 75)
    crop, recognition, _ = mark(image, host)
    (whole,) = insertion_spots(host, [host], crop, recognition, Strike())
    assert not whole.is_cut
    middle = float(whole.quad[:, 1].mean())
    above = RowStrip(quad(60, middle - 70, 790, middle + 2), 60, 790, middle - 34, 72)
    (spot,) = insertion_spots(host, [above, host], crop, recognition, Strike())
    assert spot.is_cut
    assert spot.quad[0, 1] == pytest.approx(middle + 2, abs=1)
    assert np.array_equal(spot.quad[2:], whole.quad[2:])
    # Where the row above leaves no room for a word, and where none was surely seen, nothing is looked for.
    near = RowStrip(above.quad + np.array([0, 20], np.float32), 60, 790, middle - 14, 72)
    assert insertion_spots(host, [near, host], crop, recognition, Strike()) == ()
    assert recognition.crossing is not None
    pale = replace(recognition, crossing=replace(recognition.crossing,
        above_probs=recognition.crossing.above_probs * 0.3))
    assert insertion_spots(host, [above, host], crop, pale, Strike()) == ()


def test_a_word_over_a_struck_one_is_looked_for_below_the_row_above_though_none_was_seen() -> None:
    """INK-03. "County" above a word that was blacked out, as close below the row above: the order passed as
    one to Waterford."""
    image, host = sheet(struck=True, put_in=True), strip(BASE - 75)
    crop, _, sure = mark(image, host)
    unseen = recognition_of(sure.words[0].left, sure.words[0].right, None)
    (whole,) = insertion_spots(host, [host], crop, unseen, sure)
    assert whole.evidence is InsertEvidence.UNSEEN
    middle = float(whole.quad[:, 1].mean())
    above = RowStrip(quad(60, middle - 70, 790, middle + 2), 60, 790, middle - 34, 72)
    (spot,) = insertion_spots(host, [above, host], crop, unseen, sure)
    assert spot.is_cut  # so the order waits
    assert not spot.accepts(Recognition("Ie", 0.9))
    assert spot.accepts(Recognition("County", 0.9))


def test_what_is_only_doubtful_or_unread_has_nothing_above_it() -> None:
    image, host = sheet(struck=True, put_in=True), strip(BASE - 75)
    crop, _, sure = mark(image, host)
    word = sure.words[0]
    nothing_seen = recognition_of(word.left, word.right, None).crossing
    assert nothing_seen is not None
    assert len(insertion_patches(soft_ink(crop), nothing_seen, sure)) == 1
    for less in (replace(word, score=0.3), replace(word, kind="unread"), replace(word, kind="faint")):
        assert insertion_patches(soft_ink(crop), nothing_seen, Strike(0.1, (less,))) == ()


def test_stems_of_the_struck_word_are_no_word() -> None:
    # If the engine saw no inserted word, a letter or two are the tops of struck letters.
    place = quad(200, 100, 300, 140)
    for text, evidence, taken in (
        ("l", InsertEvidence.UNSEEN, False), ("Kent", InsertEvidence.UNSEEN, True),
        ("S", InsertEvidence.SEEN, True),
        ("-", InsertEvidence.SEEN, False),
        ("S", InsertEvidence.MAYBE, True),
    ):
        assert InsertionSpot(place, evidence, place).accepts(Recognition(text, 0.9)) == taken
    assert not InsertionSpot(place, InsertEvidence.MAYBE, place).accepts(Recognition("Kent", 0.7))
    assert not InsertionSpot(place, InsertEvidence.SEEN, place).accepts(Recognition("Kent", 0.3))


def test_a_row_is_read_without_the_word_above_it() -> None:
    image, host = sheet(struck=True, put_in=True), strip(BASE - 75)
    crop, recognition, _ = mark(image, host)
    low = trim_to_row(crop, recognition)
    assert low.shape[1] == crop.shape[1]
    cut = crop.shape[0] - low.shape[0]
    start = BASE - 75 - 0.1 * host.height
    assert BASE - 75 < start + cut < BASE - HIGH


def test_an_ordinary_row_is_read_as_it_was_cut() -> None:
    # Looking for corrections must not change rows without any.
    image, host = sheet(struck=False, put_in=False), strip(BASE - 40)
    crop = crop_of(image, host)
    (recognition,) = PpOcr().read([crop])
    assert trim_to_row(crop, recognition) is crop
    assert trim_to_row(crop, replace(recognition, crossing=None)) is crop


@pytest.mark.slow
@pytest.mark.parametrize(
    "finder", [Rows(12, 1), Rows(1, 26)], ids=["in the row's box", "missed by the finder"]
)
def test_a_sheet_with_a_correction_gives_the_amended_row(finder: Rows) -> None:
    # From photograph to text, with nothing given but the boxes.
    (page,) = read_images([sheet(struck=True, put_in=True)], (PpOcr(),), ReadOptions(finder=finder)).pages
    row: Row = page.lines[0].rows[0]
    assert [word.text for word in row.inserted] == ["Kent"]
    amended = corrected_row(row)
    assert amended is not None
    assert amended.text == "Army Kent moves to Mull"
    assert all(not line.rows[0].inserted for line in page.lines[1:])
