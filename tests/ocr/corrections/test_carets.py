"""A row without what is put in above it: compared with the same row drawn without it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from ocr.corrections.carets import without_inserted_words
from ocr.engines import Quad
from ocr.page import Image

HOST = "ARMY DURHAM to"
BASE = 120
"""The line that the row's letters are on, in pixels; they are some 33 high."""


def box(left: int, top: int, right: int, foot: int) -> Quad:
    return np.array([[left, top], [right, top], [right, foot], [left, foot]], dtype=np.float32)


ROW_TOP = 82
ROW = box(30, ROW_TOP, 400, 126)


def page(
    *, word: str = "", origin: tuple[int, int] = (250, 84), caret: bool = False, tail: bool = False
) -> Image:
    """A white sheet with one row; on request with a word above it, a tail of that word and a caret between
    the row's words."""
    sheet = np.full((200, 460, 3), 255, np.uint8)
    cv2.putText(sheet, HOST, (30, BASE), cv2.FONT_HERSHEY_SIMPLEX, 1.5, (40, 30, 60), 3, cv2.LINE_AA)
    if word:
        cv2.putText(sheet, word, origin, cv2.FONT_HERSHEY_SIMPLEX, 0.9, (40, 30, 60), 3, cv2.LINE_AA)
    if tail:
        cv2.line(sheet, (GAP, origin[1] - 8), (GAP, origin[1] + 12), (40, 30, 60), 3, cv2.LINE_AA)
    if caret:
        points = np.array([[GAP - 9, BASE + 13], [GAP, BASE - 4], [GAP + 9, BASE + 13]], np.int32)
        cv2.polylines(sheet, [points], isClosed=False, color=(40, 30, 60), thickness=3, lineType=cv2.LINE_AA)
    return sheet


def _gap() -> int:
    """The middle of the gap before the row's last word."""
    dark = (page()[90:BASE] < 200).any(axis=(0, 2))
    columns = np.flatnonzero(dark)
    wide = int(np.diff(columns).argsort()[-1])
    return int(columns[wide] + columns[wide + 1]) // 2


GAP = _gap()


def ink(sheet: Image) -> np.ndarray:
    return np.asarray((sheet < 190).any(axis=2))


@pytest.mark.parametrize("caret", [False, True])
def test_the_row_is_left_as_if_nothing_had_been_put_in(caret: bool) -> None:
    # The word and its caret read as letters of the row: half of such orders were lost to that.
    put_in = box(GAP - 40, 58, GAP + 40, 86)
    cleaned = without_inserted_words(page(word="Fife", origin=(GAP - 32, 82), caret=caret), ROW, [put_in])
    assert ink(cleaned).sum() == ink(page()).sum()
    assert (ink(cleaned) == ink(page())).all()


def test_a_tail_that_hangs_down_goes_with_its_word() -> None:
    put_in = box(GAP - 40, 58, GAP + 40, 86)
    written = page(word="Fife", origin=(GAP - 32, 82), tail=True)
    assert ink(written)[ROW_TOP + 6 : BASE].sum() > ink(page())[ROW_TOP + 6 : BASE].sum()
    assert (ink(without_inserted_words(written, ROW, [put_in])) == ink(page())).all()


def test_letters_that_hang_together_with_the_word_above_are_cut_half_way() -> None:
    # The row's letter must not be lost: its part nearer to the row's middle stays.
    put_in = box(GAP - 40, 50, GAP + 40, 88)
    touching = page(word="Fife", origin=(GAP - 32, 84))
    cv2.rectangle(touching, (GAP + 8, 40), (GAP + 38, 75), (40, 30, 60), -1)
    cv2.line(touching, (GAP + 28, 60), (GAP + 28, 92), (40, 30, 60), 5)
    cleaned = ink(without_inserted_words(touching, ROW, [put_in]))
    lower = slice(100, BASE + 8)
    assert (cleaned[lower] == ink(page())[lower]).all()
    assert not cleaned[:75].any()


def test_a_row_keeps_its_letters_where_the_word_is_elsewhere() -> None:
    # A piece like a caret without a word above it stays: it may be a badly written letter.
    put_in = box(40, 50, 120, 80)
    written = page(word="Fife", origin=(44, 76), caret=True)
    assert (ink(without_inserted_words(written, ROW, [put_in])) == ink(page(caret=True))).all()


def test_a_letter_that_stands_on_the_line_is_no_caret() -> None:
    # An A without its bar has a caret's strokes, but is on the line.
    sheet = page()
    points = np.array([[GAP - 9, BASE], [GAP, BASE - 30], [GAP + 9, BASE]], np.int32)
    cv2.polylines(sheet, [points], isClosed=False, color=(40, 30, 60), thickness=3, lineType=cv2.LINE_AA)
    cleaned = without_inserted_words(sheet, ROW, [box(GAP - 40, 40, GAP + 40, 70)])
    assert (cleaned == sheet).all()


def test_the_sheet_itself_is_not_written_on() -> None:
    written = page(word="Fife", origin=(GAP - 32, 82))
    before = written.copy()
    without_inserted_words(written, ROW, [box(GAP - 40, 58, GAP + 40, 86)])
    assert (written == before).all()


@pytest.mark.parametrize("off", [900, -900])
def test_a_box_beyond_the_sheet_takes_out_nothing(off: int) -> None:
    assert (without_inserted_words(page(), ROW + off, [ROW + off - 40]) == page()).all()


def test_paper_without_ink_stays_as_it_is() -> None:
    # A finder's box may hold a shade without ink; no point could be carried from it, and the reading stopped.
    for grey in (0, 128, 255):
        blank = np.full((200, 460, 3), grey, np.uint8)
        cleaned = without_inserted_words(blank, ROW, [box(GAP - 40, 58, GAP + 40, 86)])
        assert cleaned.shape == blank.shape
    assert (
        without_inserted_words(np.full((200, 460, 3), 255, np.uint8), ROW, [box(GAP - 40, 58, GAP + 40, 86)])
        == 255
    ).all()


def test_a_fax_in_two_greys_is_cleaned_like_a_photograph() -> None:
    put_in = box(GAP - 40, 58, GAP + 40, 86)
    written, bare = page(word="Fife", origin=(GAP - 32, 82), caret=True), page()
    fax, bare_fax = (np.where(image < 128, 0, 255).astype(np.uint8) for image in (written, bare))
    assert (without_inserted_words(fax, ROW, [put_in]) == bare_fax).all()


def test_a_row_full_of_specks_takes_no_longer_than_a_moment() -> None:
    # A bad photograph has thousands of specks, none as large as a caret: size is checked before shape.
    chance = np.random.default_rng(7)
    noisy = np.where(chance.random((400, 2400, 1)) < 0.3, 40, 250).astype(np.uint8).repeat(3, axis=2)
    piece_lengths = []

    def shape(piece: np.ndarray, line: float) -> bool:
        piece_lengths.append(len(piece))
        return False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ocr.corrections.carets._is_caret", shape)
        without_inserted_words(noisy, box(100, 200, 2300, 300), [box(700, 140, 1300, 210)])
    pieces, _ = cv2.connectedComponents((noisy[200:300, 100:2300, 0] < 100).astype(np.uint8))
    assert pieces > 2000
    assert len(piece_lengths) < pieces / 20
