"""The likelihood of a text against the sum over every path, written out."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from ocr.decoding.ctc import LOST_SPACE, NEVER, best_path_score, forward_scores, line_posteriors, text_scores
from ocr.layout.wrap import as_line
from ocr.page import Box, Posteriors, Row

BOX = Box(((0, 0), (10, 0), (10, 5), (0, 5)))


def posteriors(letters: str, frames: int, seed: int) -> Posteriors:
    chances = np.random.default_rng(seed).dirichlet(np.ones(len(letters) + 1), frames)
    return Posteriors(np.log(chances).astype(np.float32), letters)


def collapsed(path: tuple[int, ...], letters: str) -> str:
    """CTC's own rule: merge repeats, drop blanks."""
    columns = [k for n, k in enumerate(path) if k and (n == 0 or path[n - 1] != k)]
    return "".join(letters[k - 1] for k in columns)


def by_hand(ink: Posteriors, text: str) -> float:
    total = 0.0
    for path in product(range(len(ink.letters) + 1), repeat=len(ink.log_probs)):
        if collapsed(path, ink.letters) == text:
            total += float(np.exp(sum(ink.log_probs[n, k] for n, k in enumerate(path))))
    return float(np.log(total))


@pytest.mark.parametrize("text", ["a", "ab", "aa", "aba", "abb", "b", ""])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_score_is_the_sum_over_all_paths(text: str, seed: int) -> None:
    ink = posteriors("ab", 6, seed)
    (score,) = text_scores(ink, [text], either_case=False)
    assert score == pytest.approx(by_hand(ink, text), abs=1e-4)


def test_texts_of_different_lengths_do_not_disturb_each_other() -> None:
    ink = posteriors("ab", 6, 3)
    texts = ["a", "abab", "", "ba"]
    together = text_scores(ink, texts)
    assert together == pytest.approx([text_scores(ink, [text])[0] for text in texts])


def test_a_lost_space_has_its_price() -> None:
    # Paths that write "a b" whole, and those that write "ab" at the price of a lost space.
    ink = posteriors("ab ", 5, 4)
    (score,) = text_scores(ink, ["a b"], either_case=False)
    expected_score = np.logaddexp(by_hand(ink, "a b"), by_hand(ink, "ab") + LOST_SPACE)
    assert score == pytest.approx(float(expected_score), abs=1e-4)


def test_either_case_will_do() -> None:
    ink = posteriors("aA", 1, 5)
    (score,) = text_scores(ink, ["a"])
    assert score == pytest.approx(float(np.logaddexp(ink.log_probs[0, 1], ink.log_probs[0, 2])), abs=1e-5)


def test_a_letter_the_network_lacks_is_dear_but_not_impossible() -> None:
    ink = posteriors("ab", 6, 6)
    known, strange = text_scores(ink, ["ab", "a#"])
    assert known > strange > -200


def test_the_free_score_is_the_product_of_the_greatest_chances() -> None:
    ink = posteriors("ab", 6, 7)
    product_of = np.prod(np.exp(ink.log_probs.astype(float)).max(axis=1))
    assert np.exp(best_path_score(ink)) == pytest.approx(product_of, rel=1e-4)


def test_rows_of_a_line_are_laid_end_to_end() -> None:
    first, second = posteriors("ab ", 2, 8), posteriors("ab ", 2, 9)
    rows = [Row(BOX, "a", 1.0, posteriors=first), Row(BOX, "b", 1.0, posteriors=second)]
    joined = line_posteriors(as_line(rows))
    assert joined is not None
    assert joined.log_probs.shape == (5, 4)
    (score,) = text_scores(joined, ["a b"], either_case=False)
    assert score == pytest.approx(
        float(np.logaddexp(by_hand(joined, "a b"), by_hand(joined, "ab") + LOST_SPACE)), abs=1e-3
    )


def test_a_line_without_posteriors_has_none() -> None:
    assert line_posteriors(as_line([Row(BOX, "a", 1.0)])) is None


def test_a_long_row_of_unlikely_letters_keeps_its_score() -> None:
    # INK-08: the sums are made in plain numbers, which hold nothing below e^-708. Here each path costs 9 nats
    # a frame, 2,700 in all, and the score is still that of every path at once.
    frames = 300
    scores = forward_scores(np.full((frames, 2), -9.0), [np.array([1])], [np.full((2, 1), NEVER)])
    # One letter's run begins and ends anywhere in the row: frames * (frames + 1) / 2 paths, all alike.
    assert scores[0] == pytest.approx(-9.0 * frames + math.log(frames * (frames + 1) / 2), abs=1e-9)
