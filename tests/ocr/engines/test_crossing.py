"""The head that sees crossing out: the file that is shipped is used, and what it sees comes at no price to
what is read (Q-16: struck text is not read)."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from ocr.engines import STRIKE_CLASSES, crossing, finetuned, ppocr
from ocr.engines.runtime import onnxruntime
from tests.support.lettering import crop_of, one_bit_off


def _tensor(width: int = 320) -> npt.NDArray[np.float32]:
    return np.random.default_rng(3).uniform(-1, 1, (1, 3, 48, width)).astype(np.float32)


def test_the_file_is_the_one_whose_hash_is_written_down() -> None:
    assert hashlib.sha256(crossing.FILE.read_bytes()).hexdigest() == crossing.SHA256
    assert crossing.FILE.stat().st_size < 300_000


def test_another_file_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crossing, "FILE", one_bit_off(crossing.FILE, tmp_path))
    ppocr._crossing.cache_clear()
    with pytest.raises(ppocr.ModelError, match=r"crossing\.npz"):
        ppocr.PpOcr().read([crop_of("Army York holds")])
    ppocr._crossing.cache_clear()


@pytest.mark.parametrize("tuned", [True, False])
def test_the_other_outputs_leave_the_first_as_it_was(tuned: bool) -> None:
    # Bit for bit: orders are read from the first output.
    network = ppocr.network_file(ppocr.RECOGNISER)
    layers = finetuned.parse_layers(finetuned.FILE.read_bytes())
    network = layers.patched(network) if tuned else network
    alone = onnxruntime.InferenceSession(network, providers=["CPUExecutionProvider"])
    session = onnxruntime.InferenceSession(
        crossing.with_features(network), providers=["CPUExecutionProvider"])
    (posteriors,) = alone.run(None, {"x": _tensor()})
    again, features, frames = session.run(None, {"x": _tensor()})
    assert np.array_equal(posteriors, again)
    assert features.shape == (1, 384, 1, posteriors.shape[1])
    # What a player's hand is fitted to (INK-05): 120 numbers for each frame.
    assert frames.shape == (1, posteriors.shape[1], 120)


def test_it_says_the_same_in_every_thread() -> None:
    # Evidence that is stored can be computed again, to the byte, in any thread.
    crops = [crop_of("Army York holds", struck=index % 2 == 0) for index in range(8)]
    with ThreadPoolExecutor(4) as pool:
        recognitions = [reading for (reading,) in pool.map(lambda crop: ppocr.PpOcr().read([crop]), crops)]
    for index, recognition in enumerate(recognitions):
        first = recognitions[index % 2].crossing
        assert recognition.crossing is not None
        assert first is not None
        assert np.array_equal(recognition.crossing.class_probs, first.class_probs)


def test_frames_are_those_of_the_posteriors_and_chances_sum_to_one() -> None:
    (recognition,) = ppocr.PpOcr().read([crop_of("Army York holds")])
    assert recognition.crossing is not None
    assert recognition.posteriors is not None
    assert recognition.crossing.class_probs.shape == (len(recognition.posteriors.log_probs),
        len(STRIKE_CLASSES))
    assert recognition.crossing.above_probs.shape == (len(recognition.posteriors.log_probs),)
    assert recognition.crossing.class_probs.sum(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_a_stroke_is_seen_where_it_is() -> None:
    plain, struck = (
        recognition.crossing
        for recognition in ppocr.PpOcr().read([crop_of("Army York"), crop_of("Army York", struck=True)])
    )
    assert plain is not None
    assert struck is not None
    frames = slice(3, 25)
    assert (plain.class_probs[frames, 0] > 0.5).mean() > 0.9
    assert (struck.class_probs[frames, 0] < 0.5).mean() > 0.9


def test_a_second_opinion_at_another_width_has_none() -> None:
    # The head was fitted at the width of the first.
    (recognition,) = ppocr.PpOcr(widen=1.0).read([crop_of("Army York holds")])
    assert recognition.crossing is None


def test_letters_alone_are_the_same_letters() -> None:
    # Which way is up needs none of it (INK-08).
    engine, crop = ppocr.PpOcr(), crop_of("Army York holds")
    ((letters,), (whole,)) = engine.read_letters([crop]), engine.read([crop])
    assert (letters.text, letters.score) == (whole.text, whole.score)
    assert letters.posteriors is not None
    assert whole.posteriors is not None
    assert (letters.posteriors.log_probs == whole.posteriors.log_probs).all()
    assert letters.crossing is None
    assert whole.crossing is not None


def test_the_convolution_is_the_plain_sum() -> None:
    # Against the definition, written out: frames x in and reach x in x out, nothing beyond the ends.
    rng = np.random.default_rng(5)
    values, weights = (
        rng.normal(size=(6, 3)).astype(np.float32),
        rng.normal(size=(3, 3, 2)).astype(np.float32),
    )
    expected = np.zeros((6, 2))
    for frame in range(6):
        for tap in range(3):
            source = frame + tap - 1
            if 0 <= source < 6:
                expected[frame] += values[source] @ weights[tap]
    assert crossing._convolved(values, weights) == pytest.approx(expected, abs=1e-5)
