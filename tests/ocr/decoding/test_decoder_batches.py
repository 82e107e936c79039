"""Rows decoded side by side: each as if it were alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ocr.decoding.decoder import ABREAST, HELD, Decoder, Search
from ocr.page import Posteriors


class Names:
    """An automaton that takes words of a few letters, any number of them, a space between."""

    start = 0

    @property
    def symbols(self) -> Sequence[tuple[str, str]]:
        return [(letter, letter) for letter in "abcd "]

    def sign(self, letter: str) -> str | None:
        return letter.lower() if letter.lower() in "abcd " else None

    def arcs(self, state: int) -> Sequence[tuple[int, int, float]]:
        """States count the letters of a word so far, at most five."""
        letters = [(n, state + 1, 0.1 * n) for n in range(4)] if state < 5 else []
        return [*letters, (4, 0, 0.5)] if state > 1 else letters

    def end(self, state: int) -> float | None:
        return 0.2 if state > 1 else None


def row(frames: int, seed: int) -> Posteriors:
    chances = np.random.default_rng(seed).dirichlet(np.full(6, 0.2), frames)
    return Posteriors(np.log(np.maximum(chances, 1e-9)).astype(np.float32), "abcd ")


ROWS = [row(frames, seed) for seed, frames in enumerate((12, 3, 0, 30, 7, 1, 18, 18, 25, 4) * 3)]


@pytest.mark.parametrize(
    "search", [Search(), Search(width=7, beam_nats=9.0), Search(width=1000, beam_nats=1e6)]
)
def test_rows_side_by_side_say_what_each_says_alone(search: Search) -> None:
    assert len(ROWS) > ABREAST
    together = Decoder(Names(), search).decode_rows(ROWS)
    assert together == [Decoder(Names(), search).decode(each) for each in ROWS]
    assert sum(bool(texts) for texts in together) > len(ROWS) // 2


def test_a_hopeless_row_hides_no_other() -> None:
    hopeless = Posteriors(
        np.log(np.tile([[0.001] * 5 + [0.995], [0.995] + [0.001] * 5], (40, 1))).astype(np.float32), "abcd "
    )
    decoder = Decoder(Names())
    assert decoder.decode(hopeless) == ()
    assert Decoder(Names()).decode_rows([ROWS[0], hopeless, ROWS[3]]) == [
        decoder.decode(ROWS[0]), (), decoder.decode(ROWS[3])]


def test_the_price_of_a_text_is_that_of_its_steps_one_by_one() -> None:
    decoder = Decoder(Names())
    for texts in decoder.decode_rows(ROWS):
        for text in texts:
            spelled = decoder.spell(text.text)
            assert spelled is not None
            assert spelled.symbols == text.symbols
            assert spelled.price == pytest.approx(text.price)


def test_the_same_ink_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    decoder = Decoder(Names())
    first = decoder.decode_rows(ROWS[:4])
    monkeypatch.setattr(decoder, "_search_in", None)  # anything to search for would fail
    again = [Posteriors(each.log_probs.copy(), each.letters) for each in ROWS[:4]]
    assert decoder.decode_rows(again) == first
    assert [decoder.decode(each) for each in again] == first


def test_other_ink_under_the_same_letters_is_other_ink() -> None:
    decoder = Decoder(Names())
    forward, backward = decoder.decode(ROWS[3]), decoder.decode(Posteriors(ROWS[3].log_probs[::-1].copy(),
        "abcd "))
    assert forward != backward


def test_only_the_last_answers_are_kept() -> None:
    decoder = Decoder(Names(), Search(width=3))
    rows = [row(2, seed) for seed in range(HELD + 20)]
    first = decoder.decode(rows[0])
    decoder.decode_rows(rows[1:])
    assert len(decoder._held) == HELD  # memory must not grow with the sheets read
    assert decoder.decode(rows[0]) == first


def test_the_ink_of_the_same_row_is_made_once() -> None:
    decoder = Decoder(Names())
    decoder.decode_rows(ROWS)
    ink = decoder.sign_scores(ROWS[3])
    assert decoder.sign_scores(Posteriors(ROWS[3].log_probs.copy(), ROWS[3].letters)) is ink
    assert decoder.sign_scores(ROWS[0]) is not ink
