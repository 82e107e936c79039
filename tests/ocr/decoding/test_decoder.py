"""Decoding inside an automaton against exhaustive search, on automata small enough to write out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pytest

from ocr.decoding.alignment import STRETCH, align, best_free_path, score_texts
from ocr.decoding.confusions import NO_CONFUSIONS
from ocr.decoding.ctc import LOST_SPACE
from ocr.decoding.decoder import REST, Decoder, Search, shortened
from ocr.page import Posteriors

WIDE = Search(width=10_000, beam_nats=1e6, wrong_letter=12.0, prices=NO_CONFUSIONS, max_texts=100)


class Words:
    """An automaton that takes a few texts, each at a price, as a tree of letters."""

    start = 0

    def __init__(self, texts: Mapping[str, float]) -> None:
        self._texts = texts
        self._states = sorted(
            {text[:end] for text in texts for end in range(len(text) + 1)}, key=lambda t: (len(t), t)
        )
        self._letters = sorted({" ", *"".join(texts)})

    @property
    def symbols(self) -> Sequence[tuple[str, str]]:
        return [(letter, letter) for letter in self._letters]

    def sign(self, letter: str) -> str | None:
        if letter == "'":
            return ""
        return letter.lower() if letter.lower() in self._letters else None

    def arcs(self, state: int) -> Sequence[tuple[int, int, float]]:
        prefix = self._states[state]
        return [(n, self._states.index(prefix + letter), 0.0) for n, letter in enumerate(self._letters)
                if prefix + letter in self._states]

    def end(self, state: int) -> float | None:
        return self._texts.get(self._states[state])


def posteriors(letters: str, frames: int, seed: int) -> Posteriors:
    chances = np.random.default_rng(seed).dirichlet(np.full(len(letters) + 1, 0.4), frames)
    return Posteriors(np.log(np.maximum(chances, 1e-12)).astype(np.float32), letters)


def written(letters: str, path: str, sure: float = 0.98) -> Posteriors:
    """Posteriors that show a path letter by letter, "." for blank."""
    rest = (1 - sure) / len(letters)
    chances = np.full((len(path), len(letters) + 1), rest)
    for frame, letter in enumerate(path):
        chances[frame, 0 if letter == "." else letters.index(letter) + 1] = sure
    return Posteriors(np.log(chances).astype(np.float32), letters)


def by_hand(ink: np.ndarray, columns: Sequence[int]) -> float:
    """The sum over every path that collapses to a text, CTC's own rule: merge repeats, drop blanks."""
    total = 0.0
    for path in product({0, *columns}, repeat=len(ink)):
        shown_columns = [k for n, k in enumerate(path) if k and (n == 0 or path[n - 1] != k)]
        if shown_columns == list(columns):
            total += float(np.exp(sum(ink[n, k] for n, k in enumerate(path))))
    return float(np.log(total)) if total else -np.inf


TEXTS = {"ab": 0.0, "aab": 0.5, "b": 2.0, "abba": 0.0, "ba": 1.0, "bb": 0.0}


@pytest.mark.parametrize("seed", range(8))
def test_the_texts_and_their_chances_are_those_of_exhaustive_search(seed: int) -> None:
    decoder = Decoder(Words(TEXTS), WIDE)
    row = posteriors("ab", 6, seed)
    ink = decoder.sign_scores(row)
    column = {
        letter: int(decoder.letter_columns([n])[0][0]) for n, (letter, _) in enumerate(Words(TEXTS).symbols)
    }
    expected = {text: by_hand(ink, [column[c] for c in text]) - price for text, price in TEXTS.items()}
    scores = {text.text: text.score for text in decoder.decode(row)}
    assert scores == pytest.approx({t: s for t, s in expected.items() if s > -np.inf}, abs=1e-6)
    assert max(scores, key=lambda t: scores[t]) == max(expected, key=lambda t: expected[t])


@pytest.mark.parametrize("seed", range(4))
def test_weighing_given_texts_gives_the_same_chances(seed: int) -> None:
    decoder = Decoder(Words({"a b": 0.0, "ab": 0.3, "ba b": 0.0}), WIDE)
    row = posteriors("ab ", 7, seed)
    texts = decoder.decode(row)
    assert score_texts(decoder, row, texts) == pytest.approx([text.score for text in texts], abs=1e-6)


def test_the_narrow_search_finds_the_best_as_well() -> None:
    for seed in range(20):
        row = posteriors("ab", 8, seed)
        best = Decoder(Words(TEXTS), WIDE).decode(row)[0]
        assert (
            Decoder(Words(TEXTS), Search(wrong_letter=12.0, prices=NO_CONFUSIONS)).decode(row)[0].text
            == best.text
        )


def test_a_letter_misread_lost_or_added_does_not_hide_the_word() -> None:
    decoder = Decoder(Words({"kent": 0.0, "cork": 0.0}))
    for path in ("k.e.x.t", "k.e.t..", "k.e.n.x.t", "kk.ee.nn.tt"):
        assert decoder.decode(written("kentcorx", path))[0].text == "kent"


def test_a_space_that_the_ink_lacks_costs_its_price_and_no_more() -> None:
    decoder = Decoder(Words({"a b": 0.0}), WIDE)
    with_space = decoder.decode(written("ab ", "a. .b", 0.9999))[0]
    without = decoder.decode(written("ab ", "a...b", 0.9999))[0]
    assert with_space.text == without.text == "a b"
    assert without.score - with_space.score == pytest.approx(LOST_SPACE, abs=0.05)


def test_either_case_counts() -> None:
    decoder = Decoder(Words({"kent": 0.0}))
    assert decoder.decode(written("KENTkent", "K.e.N.t", 0.999))[0].score > -0.1


def test_a_tick_counts_as_nothing() -> None:
    decoder = Decoder(Words({"ab": 0.0}))
    row = written("ab'", "a.'.b", 0.999)
    assert decoder.decode(row)[0].score > -0.1
    assert align(decoder, row, decoder.decode(row)[0]).text == "a'b"


@pytest.mark.parametrize(
    "rows", [np.zeros((0, 3)), np.full((1, 3), np.nan), np.full((4, 3), np.nan), np.full((2, 3), -np.inf)]
)
def test_bad_ink_raises_nothing(rows: np.ndarray) -> None:
    decoder = Decoder(Words({"ab": 0.0, "a": 0.0}))
    texts = decoder.decode(Posteriors(rows.astype(np.float32), "ab"))
    assert all(np.isfinite(text.score) for text in texts)
    assert bool(texts) == bool(len(rows)) or not texts


def test_one_frame_holds_one_letter() -> None:
    decoder = Decoder(Words({"a": 0.0, "ab": 0.0}))
    assert [text.text for text in decoder.decode(written("ab", "a"))] == ["a"]


def test_letters_that_no_text_has_are_no_letters() -> None:
    decoder = Decoder(Words({"ab": 0.0}))
    assert decoder.decode(written("ab%", "a.%.b"))[0].text == "ab"


def test_hopeless_ink_is_given_up() -> None:
    decoder = Decoder(Words({"zzzz": 0.0, "ab": 0.0}))
    assert decoder.decode(written("abz", "a.b." * 20, 0.999)) == ()


def test_long_rests_are_shortened() -> None:
    ink = np.log(np.array([[0.999, 0.001]] * 9 + [[0.1, 0.9]]))
    assert len(shortened(ink)) == REST + 1


def test_a_fit_tells_where_a_text_does_not_lie() -> None:
    decoder = Decoder(Words({"kent to cork": 0.0, "kent": 0.0}), WIDE)
    posteriors = written("kentocr ", "k.e.n.t. .t.o. .c.o.r.k", 0.999)
    good, bad = (align(decoder, posteriors, text) for text in sorted(
        decoder.decode(posteriors), key=lambda text: -len(text.text)))
    assert good.text == "kent to cork"
    assert good.cost < 0.01
    assert good.worst < 0.1
    # letters of a tail that was dropped, at the price of a wrong sign each
    assert bad.worst > 3 * WIDE.wrong_letter - 1
    assert bad.worst / STRETCH > bad.cost


def test_free_reading_is_the_ceiling() -> None:
    decoder = Decoder(Words({"ab": 0.0}))
    chance, letters = best_free_path(decoder, written("ab", "a.b..a", 0.9))
    assert chance == pytest.approx(6 * np.log(0.9), abs=1e-4)
    assert letters == 3


def test_capitals_and_dashes_are_given_as_the_ink_shows_them() -> None:
    decoder = Decoder(Words({"kent": 0.0}))
    row = written("KENTkent", "K.e.n.T", 0.99)
    assert align(decoder, row, decoder.decode(row)[0]).text == "KenT"
