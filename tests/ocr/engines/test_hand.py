"""INK-05: the output layer fitted to one person's lines. The loss and its slope are checked against all paths
written out and against differences; the rest on real strokes (`tests/data/ink`) through the real network."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from ocr.engines import finetuned, hand
from ocr.engines.hand import Hand, HandError, LearntLine, fit, fits
from ocr.engines.ppocr import PpOcr, common_layer
from ocr.page import Image, OutputLayer
from training.handwriting.ink_writers import read_writers
from training.tuning.lines import ink_line

INK = Path(__file__).parents[2] / "data" / "ink"
LEARNT = ("Army York to Hull", "Fleet Hull holds", "A Leeds - Ripon", "Army Ripon supports York",
          "F Whitby S A York - Hull", "Build Army at Selby", "Fleet Selby moves to Goole",
          "Army Malton attacks Whitby", "Remove Fleet Goole", "A Thirsk - Malton")
OTHERS = ("Army Goole to Selby", "Fleet Whitby holds", "A Hull - Malton", "Army Selby supports Leeds",
          "F Goole S A Ripon - York", "Build Fleet at Hull", "Army Thirsk attacks Ripon", "A York - Thirsk")


def _all_paths(probs: np.ndarray, text: Sequence[int]) -> float:
    """The chance of a text: the sum over every path of frames that collapses to it."""
    total = 0.0
    for path in itertools.product(range(probs.shape[1]), repeat=len(probs)):
        collapsed = [label for label, before in zip(path, (None, *path), strict=False)
                     if label != before and label]
        # Equal neighbours with a blank between are two letters; `path` keeps the blank apart from them.
        if collapsed == list(text):
            total += float(np.prod([probs[frame, label] for frame, label in enumerate(path)]))
    return total


def _layer(rng: np.random.Generator, columns: int = 4) -> OutputLayer:
    return OutputLayer(rng.normal(0, 0.4, (6, columns)).astype(np.float32),
                       rng.normal(0, 0.2, columns).astype(np.float32))


@pytest.mark.parametrize("text", [(1,), (1, 2), (2, 2), (3, 1, 3)])
def test_the_loss_is_that_of_all_paths(text: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(text))
    log_probs = _layer(rng).log_probs(rng.normal(0, 1, (6, 6)).astype(np.float32))
    (loss,), _ = hand._ctc([log_probs], [text])
    assert loss == pytest.approx(-np.log(_all_paths(np.exp(log_probs), text)), rel=1e-5)


def test_lines_of_unlike_length_together_are_as_each_alone() -> None:
    rng = np.random.default_rng(4)
    layer, frames = _layer(rng), [rng.normal(0, 1, (n, 6)).astype(np.float32) for n in (9, 5, 14)]
    texts: list[tuple[int, ...]] = [(1, 2, 1), (3,), (2, 2, 1, 3, 1)]
    log_probs = [layer.log_probs(line) for line in frames]
    losses, slopes = hand._ctc(log_probs, texts)
    for index in range(3):
        (loss,), (slope,) = hand._ctc([log_probs[index]], [texts[index]])
        assert losses[index] == pytest.approx(loss)
        assert slopes[index] == pytest.approx(slope, abs=1e-6)


def test_the_slope_is_the_losss_difference() -> None:
    rng = np.random.default_rng(7)
    scores, text = rng.normal(0, 1, (7, 4)), (1, 3, 3)

    def loss(changed: np.ndarray) -> float:
        log_probs = changed - np.log(np.exp(changed).sum(axis=1, keepdims=True))
        return float(hand._ctc([log_probs], [text])[0][0])

    _, (slope,) = hand._ctc([scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))], [text])
    for frame, column in itertools.product(range(7), range(4)):
        step = np.zeros_like(scores)
        step[frame, column] = 1e-5
        difference = (loss(scores + step) - loss(scores - step)) / 2e-5
        assert slope[frame, column] == pytest.approx(difference, abs=1e-4)


def test_a_text_without_room_teaches_nothing() -> None:
    rng = np.random.default_rng(9)
    layer = _layer(rng)
    line = LearntLine(rng.normal(0, 1, (3, 6)).astype(np.float32), (1, 1, 1))  # needs five frames
    assert not fits(line, layer)
    assert not fits(LearntLine(line.frames, ()), layer)


def test_bytes_that_are_no_hand_are_refused() -> None:
    layer = _layer(np.random.default_rng(1))
    for data in (b"", b"nonsense", Hand(b"x", "").data):
        with pytest.raises(HandError):
            Hand(data, "base").layer(layer)


# Through the real network
# ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crops() -> dict[str, Image]:
    """Rows of one person's recorded letters."""
    (writer,) = [writer for writer in read_writers(INK) if writer.name == "s313"]
    rng = np.random.default_rng(8)
    return {text: ink_line(text, writer, rng, plain=True) for text in (*LEARNT, *OTHERS)}


@pytest.fixture(scope="module")
def learnt(crops: dict[str, Image]) -> list[LearntLine]:
    engines = (PpOcr(), PpOcr(widen=1.0))
    return [engine.learnt(crops[text], text) for text in LEARNT for engine in engines]


@pytest.fixture(scope="module")
def fitted(learnt: list[LearntLine]) -> Hand:
    own = fit(learnt, common_layer(), finetuned.SHA256)
    assert own is not None
    return own


def _errors(engine: PpOcr, crops: dict[str, Image], texts: Sequence[str]) -> int:
    return sum(Levenshtein.distance(text.casefold(), engine.read([crops[text]])[0].text.casefold())
               for text in texts)


def test_the_common_layer_gives_what_the_network_gives(crops: dict[str, Image]) -> None:
    probs, _, frames = PpOcr().outputs(crops[OTHERS[0]])
    assert np.exp(common_layer().log_probs(frames)) == pytest.approx(probs, abs=1e-5)


def test_what_it_learnt_from_is_likelier_and_others_are_read_no_worse(
    crops: dict[str, Image], learnt: list[LearntLine], fitted: Hand
) -> None:
    def loss(layer: OutputLayer) -> float:
        losses, _ = hand._ctc([layer.log_probs(line.frames) for line in learnt],
                              [line.columns for line in learnt])
        return float(losses.sum())

    common = common_layer()
    assert loss(fitted.layer(common)) < 0.8 * loss(common)
    assert _errors(PpOcr(hand=fitted), crops, OTHERS) <= _errors(PpOcr(), crops, OTHERS)


def test_the_same_lines_make_the_same_hand(learnt: list[LearntLine], fitted: Hand) -> None:
    again = fit(learnt, common_layer(), finetuned.SHA256)
    assert again is not None
    assert again.digest == fitted.digest


def test_lines_that_fit_badly_teach_nothing(learnt: list[LearntLine], fitted: Hand) -> None:
    """A line taken for another text, as when a wrong reading was confirmed."""
    wrong = [LearntLine(line.frames, other.columns)
             for line, other in zip(learnt[:6], learnt[10:16], strict=True)]
    taught = fit([*learnt, *wrong], common_layer(), finetuned.SHA256)
    assert taught is not None
    assert taught.digest == fitted.digest
    assert fit(wrong, common_layer(), finetuned.SHA256) is None


def test_the_reader_says_with_which_hand_it_read(crops: dict[str, Image], fitted: Hand) -> None:
    engine = PpOcr(hand=fitted)
    assert engine.name == f"{PpOcr().name}+{fitted.digest[:12]}"
    first, second = (engine.read([crops[OTHERS[0]]])[0].posteriors for engine in (engine, PpOcr(hand=fitted)))
    assert first is not None
    assert second is not None
    assert np.array_equal(first.log_probs, second.log_probs)


def test_a_hand_of_another_network_is_not_used(crops: dict[str, Image], fitted: Hand) -> None:
    stranger = PpOcr(hand=Hand(fitted.data, "0" * 64))
    assert stranger.name == PpOcr().name
    texts = [engine.read([crops[OTHERS[1]]])[0] for engine in (stranger, PpOcr())]
    assert texts[0] == texts[1]
    # A hand that changes nothing reads what the common layer reads.
    common = common_layer()
    still = Hand(zlib.compress(np.zeros(common.weights.size + common.bias.size, "<f2").tobytes()),
                 finetuned.SHA256)
    assert PpOcr(hand=still).read([crops[OTHERS[1]]])[0].text == texts[1].text
