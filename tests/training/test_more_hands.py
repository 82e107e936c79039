"""INK-02: letters cut out of rows that people wrote whole, and hands that no one had. The strokes are an
extract of UNIPEN (`tests/data/ink/LICENCE.txt`)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from training.handwriting.cut_letters import CutLetter, Floats, ReadRow, cut_row, legible
from training.handwriting.ink import Mask
from training.handwriting.ink_writers import LETTER_X_HEIGHT, InkWriter, read_writers, write_writers
from training.handwriting.other_hands import bent, other_hand
from training.handwriting.pen_strokes import Stroke

INK = Path(__file__).parents[1] / "data" / "ink"
COLUMNS = {letter: number for number, letter in enumerate(" abcdefghijklmnopqrstuvwxyz", 1)}
FRAME = 8
GAP = 0.35 * LETTER_X_HEIGHT


@pytest.fixture(scope="module")
def writer() -> InkWriter:
    return next(writer for writer in read_writers(INK) if writer.can_write("hound market"))


def _row(writer: InkWriter, text: str) -> tuple[list[Stroke], list[tuple[float, float]]]:
    """A row of a person's letters set side by side, and from where to where each of its signs lies."""
    strokes: list[Stroke] = []
    places: list[tuple[float, float]] = []
    x = 0.0
    for letter in text:
        sample = writer.samples(letter)[0] if letter != " " else ()
        width = float(np.ptp(np.concatenate(sample)[:, 0])) if sample else 1.5 * LETTER_X_HEIGHT
        left = float(np.concatenate(sample)[:, 0].min()) if sample else 0.0
        strokes += [stroke + np.array([x - left, 0.0]) for stroke in sample]
        places.append((x, x + width))
        x += width + GAP
    return strokes, places


def _reader(text: str, places: list[tuple[float, float]]) -> ReadRow:
    """A recogniser that sees each sign at its middle."""

    def read(mask: Mask) -> Floats:
        frames = mask.shape[1] // FRAME
        chances = np.full((frames, len(COLUMNS) + 1), np.log(0.01 / len(COLUMNS)))
        chances[:, 0] = np.log(0.99)
        inked = np.flatnonzero(mask.any(axis=0))
        scale = (inked[-1] - inked[0]) / places[-1][1]
        for letter, (left, right) in zip(text, places, strict=True):
            frame = int((inked[0] + scale * (left + right) / 2) / FRAME)
            chances[frame] = np.log(0.01 / len(COLUMNS))
            chances[frame, COLUMNS[letter]] = np.log(0.99)
        return chances

    return read


def _size(strokes: tuple[Stroke, ...]) -> np.ndarray:
    return np.asarray(np.ptp(np.concatenate(strokes), axis=0))


def test_letters_are_cut_out_as_they_were_set_down(writer: InkWriter) -> None:
    text = "hound market"
    strokes, places = _row(writer, text)
    pieces = cut_row(strokes, text, _reader(text, places), COLUMNS)
    assert "".join(piece.letter for piece in pieces) == "houndmarket"
    # The row's own small letters are the measure of a piece, so sizes agree up to one factor for all.
    sizes = np.array([_size(piece.strokes) for piece in pieces])
    true = np.array([_size(writer.samples(piece.letter)[0]) for piece in pieces])
    factor = float(np.median(sizes[:, 1] / true[:, 1]))
    assert np.abs(sizes / factor - true).max() < 0.12 * LETTER_X_HEIGHT


def test_a_stroke_that_joins_two_letters_is_cut_between_them(writer: InkWriter) -> None:
    text = "hound market"
    strokes, places = _row(writer, text)
    (_, end), (start, _) = places[1], places[2]
    before = next(index for index, stroke in enumerate(strokes) if abs(stroke[:, 0].max() - end) <= 1)
    after = next(index for index, stroke in enumerate(strokes) if abs(stroke[:, 0].min() - start) <= 1)
    joined = np.vstack([strokes[before], strokes[after]])
    strokes = [stroke for index, stroke in enumerate(strokes) if index not in {before, after}] + [joined]
    pieces = {piece.letter: piece for piece in cut_row(strokes, text, _reader(text, places), COLUMNS)}
    assert _size(pieces["o"].strokes)[0] < _size(writer.samples("o")[0])[0] + GAP
    assert _size(pieces["u"].strokes)[0] < _size(writer.samples("u")[0])[0] + GAP


def test_a_row_with_a_sign_that_the_recogniser_has_not_gives_nothing(writer: InkWriter) -> None:
    strokes, places = _row(writer, "hound market")
    assert cut_row(strokes, "hound m@rket", _reader("hound market", places), COLUMNS) == []


def test_a_piece_that_is_unlike_its_letter_is_not_legible(writer: InkWriter) -> None:
    piece = CutLetter("m", writer.samples("m")[0])

    def sees(letter: str) -> ReadRow:
        return _reader(letter, [(0.0, float(_size(piece.strokes)[0]))])

    assert legible(piece, sees("m"), COLUMNS)
    assert not legible(piece, sees("o"), COLUMNS)


def test_letters_that_are_written_are_read_again(writer: InkWriter, tmp_path: Path) -> None:
    write_writers([writer], tmp_path)
    (again,) = read_writers(tmp_path, ())
    assert again.letters.keys() == writer.letters.keys()
    for letter, samples in writer.letters.items():
        for sample, read_sample in zip(samples, again.letters[letter], strict=True):
            assert all(np.allclose(a, b, atol=0.06) for a, b in zip(sample, read_sample, strict=True))


def test_a_hand_is_filled_up_with_another_persons_letters(writer: InkWriter) -> None:
    poor = replace(writer, letters={"o": writer.letters["o"]})
    rng = np.random.default_rng(4)
    hands = [other_hand(poor, [writer], "hound", frozenset(), rng) for _ in range(12)]
    assert all(hand is not None and hand.can_write("hound") for hand in hands)
    assert other_hand(poor, [poor], "hound", frozenset(), rng) is None
    assert other_hand(poor, [poor], "o-o", frozenset("-"), rng) is not None


def test_a_bent_hand_keeps_its_letters_and_is_like_no_other(writer: InkWriter) -> None:
    hands = [bent(writer, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    first, same, other = (np.concatenate(hand.letters["h"][0]) for hand in hands)
    recorded = np.concatenate(writer.letters["h"][0])
    assert np.array_equal(first, same)
    assert not np.allclose(first, other)
    # Half a small letter is the most that it was seen to move; it stays an h.
    assert 0 < np.abs(first - recorded).max() < LETTER_X_HEIGHT
    assert [stroke.shape for stroke in hands[0].letters["h"][0]] == [
        stroke.shape for stroke in writer.letters["h"][0]
    ]


def test_now_and_then_an_f_is_one_of_our_own_forms_as_high_as_the_persons(writer: InkWriter) -> None:
    persons_f = (np.array([[0.0, -130.0], [0.0, 0.0]]), np.array([[0.0, -130.0], [60.0, -130.0]]))
    poor = replace(writer, letters={"F": (persons_f,), "o": writer.letters["o"]})
    rng = np.random.default_rng(8)
    hands = [other_hand(poor, [poor], "Fo", frozenset(), rng) for _ in range(60)]
    drawn = [hand for hand in hands if hand is not None and len(hand.letters["F"]) == 2]
    assert 8 <= len(drawn) <= 30
    for hand in drawn:
        points = np.concatenate(hand.letters["F"][0])
        # A tail may hang below the line; a bent hand stands a quarter higher or lower.
        assert 80 < -points[:, 1].min() < 210
    assert all(hand is not None and hand.letters["o"] for hand in hands)
