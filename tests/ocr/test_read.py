"""Whole photographs: four sample sheets with truth, the same turned and doubled, and what is not an order
sheet."""

from __future__ import annotations

import json
import os
import re
import time
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image as Pillow, ImageOps
from rapidfuzz.distance import Levenshtein

from ocr.engines.ppocr import PpFinder, PpOcr, default_engines
from ocr.engines.tesseract import Tesseract, is_installed
from ocr.image.find_sheet import flatten
from ocr.layout.page_order import in_reading_order
from ocr.layout.wrap import STRUCK, as_line
from ocr.page import Box, Page, Photo, Reading, Row, Status, UnreadableReason
from ocr.read import ReadOptions, read, read_images

Pixels = npt.NDArray[np.uint8]
SHEETS = Path(__file__).parents[1] / "data" / "sheets"
TRUTH: dict[str, dict[str, Any]] = {
    sheet["id"]: sheet for sheet in json.loads((SHEETS / "truth.json").read_text(encoding="utf-8"))["sheets"]
}
ENGINES = (PpOcr(),)


@cache
def reading(sheet: str) -> Reading:
    return read(Photo((SHEETS / f"{sheet}.jpg").read_bytes(), f"{sheet}.jpg"), ENGINES)


@cache
def turned_reading(quarters: int) -> Reading:
    """s006 turned counter-clockwise by quarters of a circle. The same turn clockwise makes it upright."""
    return read_images([np.ascontiguousarray(np.rot90(pixels("s006"), quarters))], ENGINES)


def pixels(sheet: str) -> Pixels:
    with Pillow.open(SHEETS / f"{sheet}.jpg") as image:
        return np.asarray(ImageOps.exif_transpose(image).convert("RGB"))


def one_page(photo_reading: Reading) -> Page:
    assert photo_reading.status is Status.READ
    assert photo_reading.reason is None
    (page,) = photo_reading.pages
    return page


def folded(text: str) -> str:
    return re.sub(r"[\s.]+", " ", text).strip().casefold()


@pytest.mark.parametrize("sheet", TRUTH)
def test_each_line_is_found_once_in_order_with_wrapped_rows_joined(sheet: str) -> None:
    lines = one_page(reading(sheet)).lines
    truth = TRUTH[sheet]["lines"]
    assert [len(line.rows) for line in lines] == [len(line["rows"]) for line in truth]


@pytest.mark.parametrize("sheet", TRUTH)
def test_struck_lines_and_no_others_are_struck(sheet: str) -> None:
    struck = [line.strike.score >= STRUCK for line in one_page(reading(sheet)).lines]
    assert struck == [line["struck"] for line in TRUTH[sheet]["lines"]]


def test_letters_are_read() -> None:
    # At most 5 % of the letters of live lines wrong over the four sheets; plain RapidOCR has some 8 %.
    wrong = total = 0
    for sheet, truth in TRUTH.items():
        for read_line, line in zip(one_page(reading(sheet)).lines, truth["lines"], strict=True):
            if not line["struck"]:
                wrong += Levenshtein.distance(folded(read_line.text), folded(line["text"]))
                total += len(folded(line["text"]))
    assert wrong / total < 0.05


def test_boxes_lie_on_the_writing_of_the_photograph_as_shown() -> None:
    # s007 is stored on its side; its lines fall down the upright photograph one below the other.
    lines = one_page(reading("s007")).lines
    photograph = pixels("s007")
    tops = [line.box.corners[0][1] for line in lines]
    assert tops == sorted(tops)
    grey = cv2.cvtColor(photograph, cv2.COLOR_RGB2GRAY)
    for line in lines:
        (left, top), (right, _), (_, bottom), _ = line.box.corners
        inside = grey[round(top) : round(bottom), round(left) : round(right)]
        assert inside.size
        assert np.percentile(inside, 2) < 0.6 * np.percentile(inside, 90), line.text


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_turned_photograph_is_read_alike(degrees: int) -> None:
    page = one_page(turned_reading(degrees // 90))
    assert page.rotation == degrees
    upright = one_page(reading("s006"))
    assert len(page.lines) == len(upright.lines)
    same = [
        Levenshtein.normalized_similarity(a.text, b.text)
        for a, b in zip(page.lines, upright.lines, strict=True)
    ]
    assert np.mean(same) > 0.95
    assert page.skew_degrees == pytest.approx(upright.skew_degrees, abs=1.0)


def test_the_first_corner_is_the_top_left_of_the_writing() -> None:
    page = one_page(turned_reading(2))
    (ax, ay), (bx, _), (_, cy), _ = page.lines[0].box.corners
    assert ax > bx, "upside down, the writing starts on the right"
    assert ay > cy


@pytest.mark.slow
def test_two_sheets_in_one_photograph_are_two_pages() -> None:
    left, right = pixels("s006"), cv2.resize(pixels("s005"), (1200, 1600), interpolation=cv2.INTER_AREA)
    pages = read_images([np.hstack([left, np.asarray(right, np.uint8)])], ENGINES).pages
    assert [page.number for page in pages] == [1, 2]
    assert [len(page.lines) for page in pages] == [16, 12]
    assert Levenshtein.normalized_similarity(pages[1].lines[0].text, "The Protectorate") > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("side", ["left", "below"])
def test_no_line_is_lost_to_a_hard_shadow(side: str) -> None:
    # If the shadow's edge is taken for the sheet's, the whole photograph is read instead.
    image = pixels("s007").astype(np.float64)
    high, wide = image.shape[:2]
    if side == "left":
        image[:, : wide // 2] *= 0.35
    else:
        image[high // 2 :] *= 0.35
    page = one_page(read_images([image.astype(np.uint8)], ENGINES))
    truth = [line["text"] for line in TRUTH["s007"]["lines"] if not line["struck"]]
    read_lines = [line.text for line in page.lines]
    best = [max(Levenshtein.normalized_similarity(text, line) for line in read_lines) for text in truth]
    assert min(best) > 0.7


def test_no_sheet_is_lost_to_edges_that_squeeze_its_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    # Seen on old paper in shadow, whose sheet was taken for two wedges: no letter showed in either.
    image = pixels("s006")
    high, wide = image.shape[:2]
    wedge = np.array([[0, 0], [wide, 0], [wide, high], [wide - 40, high]], np.float32)
    monkeypatch.setattr("ocr.read.find_sheets", lambda photo, look=None: (flatten(photo, wedge),))
    monkeypatch.setattr("ocr.read.has_writing_outside", lambda *_: False)
    page = one_page(read_images([image], ENGINES))
    assert len(page.lines) == len(TRUTH["s006"]["lines"])


@pytest.mark.parametrize(
    ("rotation", "first", "second"),
    [
        (0, (100, 100), (900, 100)),
        (0, (100, 100), (100, 900)),
        (90, (100, 900), (100, 100)),
        (180, (900, 100), (100, 100)),
        (270, (100, 100), (100, 900)),
    ],
)
def test_sheets_of_one_photograph_come_in_reading_order(
    rotation: int, first: tuple[int, int], second: tuple[int, int]
) -> None:
    # `first` and `second` are the top left corners, in the photograph, of squares of 500 pixels.
    def page(number: int, corner: tuple[int, int]) -> Page:
        x, y = corner
        box = Box(((x, y), (x + 500, y), (x + 500, y + 500), (x, y + 500)))
        return Page(number, rotation, 0.0, (as_line([Row(box, "Army Mull holds", 1.0)]),))

    for pages in ([page(1, first), page(2, second)], [page(2, second), page(1, first)]):
        assert [each.number for each in in_reading_order(pages)] == [1, 2]


def test_reading_twice_gives_the_same() -> None:
    again = read(Photo((SHEETS / "s005.jpg").read_bytes(), "another name"), ENGINES)
    assert again == reading("s005")


def test_posteriors_are_chances_of_letters() -> None:
    row: Row = one_page(reading("s006")).lines[0].rows[0]
    assert row.posteriors is not None
    frames, columns = row.posteriors.log_probs.shape
    assert columns == len(row.posteriors.letters) + 1
    assert frames > len(row.text)
    assert 0.9 < float(np.exp(row.posteriors.log_probs).sum(axis=1).max()) < 1.001
    assert {"A", "z", "-", " ", "/"} <= set(row.posteriors.letters)


def test_the_steps_say_what_was_done_and_with_what() -> None:
    steps = {step.name: dict(step.values) for step in reading("s019").steps}
    assert list(steps) == [
        "opened",
        "squared",
        "evened",
        "rules_removed",
        "turned",
        "rows",
        "read",
        "measured",
    ]
    assert int(steps["rules_removed"]["pixels"]) > 100_000, "the grid is off"
    assert steps["opened"] == {"kind": "jpeg", "images": 1}
    assert steps["evened"]["by"]
    assert steps["rows"]["finder"] == PpFinder().name
    assert steps["read"] == {"engines": ENGINES[0].name}


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_the_steps_say_what_was_cut_and_how_it_was_turned(quarters: int) -> None:
    # The corners are around all the writing in the photograph as shown; the first is where it begins.
    read_ = turned_reading(quarters)
    steps = {step.name: dict(step.values) for step in read_.steps}
    assert steps["turned"] == {"degrees": 90 * quarters}
    corners = np.array([corner.split(",") for corner in str(steps["squared"]["corners"]).split()], np.float32)
    assert corners.shape == (4, 2)
    boxes = np.array([line.box.corners for line in one_page(read_).lines], np.float32).reshape(-1, 2)
    for x, y in boxes.tolist():
        assert cv2.pointPolygonTest(corners, (x, y), measureDist=True) > -20
    assert np.linalg.norm(corners - boxes[0], axis=1).argmin() == 0


def test_the_flattened_page_is_kept_as_a_picture() -> None:
    with Pillow.open(BytesIO(one_page(reading("s006")).image)) as image:
        assert image.format == "JPEG"
        assert image.height > image.width


def blurred() -> Pixels:
    return np.asarray(cv2.GaussianBlur(pixels("s006"), (0, 0), 12), np.uint8)


def blank() -> Pixels:
    grain = np.random.default_rng(5).normal(0, 3, (1600, 1200, 3))
    image = np.clip(np.array((60, 80, 60)) + grain, 0, 255).astype(np.uint8)
    cv2.fillPoly(image, [np.array([[150, 120], [1050, 160], [1030, 1450], [120, 1400]])], (235, 230, 225))
    return image


def dark() -> Pixels:
    noise = np.random.default_rng(6).normal(0, 3, (1600, 1200, 3))
    dim = np.asarray(cv2.GaussianBlur(pixels("s006"), (0, 0), 3)) * 0.012 + noise
    return np.asarray(np.clip(dim, 0, 255), dtype=np.uint8)


def cat() -> Pixels:
    """A cat, as far as drawing it goes: fur, face, eyes, ears and whiskers."""
    grain = np.random.default_rng(8).normal(0, 1, (1600, 1200, 3))
    rough = np.asarray(cv2.GaussianBlur(grain, (0, 0), 4), dtype=np.float64)
    image: Pixels = np.clip((rough - rough.min()) / np.ptp(rough) * 200, 0, 255).astype(np.uint8)
    cv2.ellipse(image, (600, 800), (330, 400), 0, 0, 360, (130, 95, 60), -1)
    for side in (-1, 1):
        cv2.fillPoly(
            image,
            [np.array([[600 + side * 120, 450], [600 + side * 330, 520], [600 + side * 300, 250]])],
            (110, 80, 50),
        )
        cv2.ellipse(image, (600 + side * 120, 700), (60, 40), 0, 0, 360, (60, 180, 60), -1)
        cv2.ellipse(image, (600 + side * 120, 700), (12, 38), 0, 0, 360, (10, 10, 10), -1)
        for rise in range(-80, 90, 40):
            cv2.line(image, (600 + side * 40, 900), (600 + side * 380, 900 + rise), (240, 240, 240), 3)
    return image


def noise() -> Pixels:
    return np.asarray(np.random.default_rng(9).integers(0, 255, (1200, 900, 3)), dtype=np.uint8)


UNUSABLE = {
    "blurred": (blurred, {UnreadableReason.BLURRED}),
    "blank": (blank, {UnreadableReason.BLANK}),
    "white": (lambda: np.full((1200, 900, 3), 248, np.uint8), {UnreadableReason.BLANK}),
    "dark": (dark, {UnreadableReason.TOO_DARK}),
    "black": (lambda: np.zeros((1200, 900, 3), np.uint8), {UnreadableReason.TOO_DARK}),
    "cat": (cat, {UnreadableReason.NOT_A_SHEET, UnreadableReason.BLURRED}),
    "noise": (noise, {UnreadableReason.NOT_A_SHEET}),
    "a thread": (lambda: np.full((1, 4000, 3), 128, np.uint8), {UnreadableReason.NOT_A_SHEET}),
    "a dot": (lambda: np.full((2, 2, 3), 128, np.uint8), {UnreadableReason.NOT_A_SHEET}),
}


@pytest.mark.parametrize("case", [
    pytest.param(case, marks=pytest.mark.slow) if case == "cat" else case for case in UNUSABLE])
def test_what_cannot_be_read_says_why(case: str) -> None:
    make, reasons = UNUSABLE[case]
    photo_reading = read_images([make()], ENGINES)
    assert photo_reading.status is Status.UNUSABLE
    assert photo_reading.pages == ()
    assert photo_reading.reason in reasons


def test_a_file_that_is_no_image_says_why() -> None:
    photo_reading = read(Photo(b"Army Mull holds", "orders.jpg"), ENGINES)
    assert (photo_reading.status, photo_reading.reason) == (Status.UNUSABLE, UnreadableReason.NOT_AN_IMAGE)


def typed() -> Pixels:
    """Two lines in a plain typeface."""
    image = np.full((500, 1500, 3), 255, np.uint8)
    for y, text in ((150, "Army Louth moves to Dublin"), (320, "Fleet Irish Sea holds")):
        cv2.putText(image, text, (80, y), cv2.FONT_HERSHEY_DUPLEX, 2.4, (0, 0, 0), 4, cv2.LINE_AA)
    return image


def test_a_second_engine_gives_alternatives_for_doubtful_rows_only() -> None:
    class Other:
        name = "other"
        asked = 0

        def read(self, crops: object) -> tuple[Any, ...]:
            from ocr.engines import Recognition

            assert isinstance(crops, list)
            self.asked += len(crops)
            return tuple(Recognition("Army Mull holds", 0.4) for _ in crops)

    other = Other()
    all_rows = one_page(read_images([typed()], (*ENGINES, other), ReadOptions(second_below=1.1)))
    assert [[a.text for a in line.alternatives] for line in all_rows.lines] == [["Army Mull holds"]] * 2
    assert {a.engine for line in all_rows.lines for a in line.alternatives} == {"other"}
    other.asked = 0
    read_images([typed()], (*ENGINES, other), ReadOptions(second_below=0.0))
    assert other.asked == 0


@pytest.mark.slow
def test_the_same_network_at_another_width_is_a_second_opinion_on_rows_in_doubt() -> None:
    names = [engine.name for engine in default_engines()]
    assert names == ["ppocr6s-hand", "ppocr6s-hand-1"]
    page = one_page(read_images([pixels("s006")], default_engines()))
    rows = [row for line in page.lines for row in line.rows if row.strike.score < STRUCK]
    assert len(rows) >= 10
    doubtful = [row for row in rows if row.score < ReadOptions().second_below]
    assert len(doubtful) >= 3
    assert all([a.engine for a in row.alternatives] == ["ppocr6s-hand-1"] for row in doubtful)
    assert not any(row.alternatives for row in rows if row not in doubtful)
    assert all(a.posteriors is not None for row in rows for a in row.alternatives)


def test_tesseract_reads_type() -> None:
    assert is_installed(), "make sets it up"
    page = one_page(read_images([typed()], (Tesseract(),)))
    assert [folded(line.text) for line in page.lines] == [
        "army louth moves to dublin",
        "fleet irish sea holds",
    ]


@pytest.mark.parametrize("script", [
    None, "exec sleep 60", "echo no such option >&2; exit 1", "echo 6.0-alpha-x; exit 0",
    'printf "word\tsure\nArmy\t90\n" > "$2.tsv"',
], ids=["missing", "hangs", "fails", "writes nothing", "writes another table"])  # fmt: skip
def test_no_fault_of_tesseract_loses_a_sheet(
    script: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """INS-02: the first engine's reading stands, after one time limit at most for the whole sheet."""
    if script is not None:
        (tmp_path / "tesseract").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "tesseract").chmod(0o755)
    folders = [tmp_path] if script is None else [tmp_path, "/usr/bin", "/bin"]
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, folders)))
    alone = one_page(read_images([typed()], ENGINES))
    started = time.monotonic()
    engines = (*ENGINES, ENGINES[0], Tesseract(seconds=0.5))
    page = one_page(read_images([typed()], engines, ReadOptions(third_below=1.01)))
    assert time.monotonic() - started < 0.5 + 10
    assert [line.text for line in page.lines] == [line.text for line in alone.lines]
    assert not [
        other for line in page.lines for other in line.alternatives if other.engine == Tesseract().name
    ]


def test_a_row_on_which_the_first_engine_is_silent_is_not_lost_while_another_reads_it() -> None:
    class Silent:
        name = "silent"

        def read(self, crops: object) -> tuple[Any, ...]:
            from ocr.engines import Recognition

            assert isinstance(crops, list)
            return tuple(Recognition("", 0.0) for _ in crops)

    page = one_page(read_images([typed()], (Silent(), *ENGINES)))
    assert [folded(line.text) for line in page.lines] == [
        "army louth moves to dublin",
        "fleet irish sea holds",
    ]
    assert all(row.posteriors is not None for line in page.lines for row in line.rows)
