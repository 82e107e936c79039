"""The tuned layers: the file that is shipped is the one that is used, and it changes what is read."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np
import pytest

from ocr.engines import finetuned, ppocr
from tests.support.lettering import crop_of, one_bit_off
from training.tuning import layers as tune_layers


def test_the_file_is_the_one_whose_hash_is_written_down() -> None:
    assert hashlib.sha256(finetuned.FILE.read_bytes()).hexdigest() == finetuned.SHA256


def test_it_is_small_and_its_licence_stands_beside_it() -> None:
    # INK-02: under 2 MB in the package.
    assert finetuned.FILE.stat().st_size < 2_000_000
    notice = finetuned.FILE.with_name("NOTICE.txt").read_text(encoding="utf-8")
    assert "Apache License, Version 2.0" in notice
    assert "Changed by" in notice
    # Tuned on real strokes: their licence requests the source's name.
    assert "UNIPEN" in notice
    assert "Creative Commons Attribution 4.0" in notice


def test_another_file_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finetuned, "FILE", one_bit_off(finetuned.FILE, tmp_path))
    ppocr._tuned_session.cache_clear()
    with pytest.raises(ppocr.ModelError, match=r"finetuned\.npz"):
        ppocr.PpOcr(tuned=True).read([crop_of("Army York holds")])
    ppocr._tuned_session.cache_clear()


def test_a_row_gets_other_chances_than_from_the_published_network() -> None:
    crop = crop_of("Army York holds")
    (tuned,), (published,) = ppocr.PpOcr().read([crop]), ppocr.PpOcr(tuned=False).read([crop])
    assert tuned.posteriors is not None
    assert published.posteriors is not None
    assert tuned.posteriors.letters == published.posteriors.letters
    ours, theirs = tuned.posteriors.log_probs, published.posteriors.log_probs
    assert ours.shape == theirs.shape
    assert np.abs(np.exp(ours) - np.exp(theirs)).max() > 0.01
    assert np.exp(ours).sum(axis=1) == pytest.approx(1, abs=1e-3)


def test_the_name_that_is_kept_as_evidence_tells_which_network_read() -> None:
    assert ppocr.PpOcr().name == "ppocr6s-hand"
    assert ppocr.PpOcr(widen=1.0).name == "ppocr6s-hand-1"
    assert ppocr.PpOcr(tuned=False).name == "ppocr6s"


def test_layers_that_were_not_changed_read_as_published() -> None:
    network = ppocr.network_file(ppocr.RECOGNISER)
    layers = finetuned.parse_layers(finetuned.FILE.read_bytes())
    assert layers.columns[0] == 0
    assert all(offset > 0 and offset + len(data) <= len(network) for offset, data in layers.patches)
    assert len(layers.patched(network)) == len(network)


def test_what_is_packed_comes_back_at_its_place() -> None:
    rng = np.random.default_rng(3)
    published = {name: rng.normal(size=shape).astype(np.float32) for name, shape in (
        ("a", (4, 3)), ("b", (5,)), (finetuned.HEAD[0], (2, 9)), (finetuned.HEAD[1], (9,)))}  # fmt: skip
    network = b"head" + published["b"].tobytes() + b"between" + published["a"].tobytes() + b"end"
    columns = (0, 3, 8)
    tuned = tune_layers.mixed(
        tune_layers.cut(published, columns), {name: array + 1 for name, array in
                                              tune_layers.cut(published, columns).items()}, 0.5)  # fmt: skip
    layers = finetuned.parse_layers(tune_layers.pack(network, published, tuned, columns))
    patched = layers.patched(network)
    start = len(b"head") + published["b"].nbytes + len(b"between")
    unpacked = np.frombuffer(patched[start : start + published["a"].nbytes], "<f4").reshape(4, 3)
    assert unpacked == pytest.approx(published["a"] + 0.5, abs=2e-3)
    assert patched[:4] + patched[-3:] == b"headend"
    assert layers.columns == columns
    assert layers.replaced[finetuned.HEAD[0]] == pytest.approx(
        published[finetuned.HEAD[0]][:, columns] + 0.5, abs=2e-3
    )


def test_numbers_that_stand_twice_in_the_network_are_not_replaced() -> None:
    array = np.arange(4, dtype=np.float32)
    with pytest.raises(ValueError, match="exactly once"):
        tune_layers.place(array.tobytes() + array.tobytes(), array)
    with pytest.raises(ValueError, match="exactly once"):
        tune_layers.place(io.BytesIO(b"nothing").getvalue(), array)


def test_half_way_lies_half_way() -> None:
    layers = {"x": np.array([0.0, 4.0], np.float32)}
    assert tune_layers.mixed(layers, {"x": np.array([1.0, 0.0], np.float32)}, 0.25)["x"].tolist() == [0.25,
        3.0]


def test_letters_are_numbered_from_one_and_repeats_are_one_letter() -> None:
    assert tune_layers.letter_ids("ab ~a", " ab") == [2, 3, 1, 2]
    assert tune_layers.spelt([0, 2, 2, 0, 2, 3, 1, 1, 3, 0], " ab") == "aab b"


def test_a_small_step_from_the_published_numbers_comes_back_to_a_part_of_its_spread() -> None:
    # Convolutions are stored as steps of one byte; a share of the spread is lost, and no more.
    rng = np.random.default_rng(5)
    published = {"deep": rng.normal(size=(40, 50)).astype(np.float32),
                 finetuned.HEAD[0]: np.zeros((2, 9), np.float32), finetuned.HEAD[1]: np.zeros(9, np.float32)}
    network = b"head" + published["deep"].tobytes() + b"end"
    change = rng.normal(scale=1e-3, size=(40, 50)).astype(np.float32)
    data = tune_layers.pack(network, published, {**published, "deep": published["deep"] + change}, range(9))
    layers = finetuned.parse_layers(data)
    assert layers.patches == ()
    patched = np.frombuffer(layers.patched(network)[4:-3], "<f4").reshape(40, 50)
    lost = patched - published["deep"] - change
    assert float(np.sqrt((lost**2).mean())) < 0.2 * 1e-3
    assert layers.patched(network)[:4] + layers.patched(network)[-3:] == b"headend"
