"""The networks are the exact files that were measured: anything else is refused by name."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ocr.engines import ppocr

NAME = "PP-OCRv6_rec_small.onnx"
CROP = np.zeros((48, 96, 3), np.uint8)


def _forget() -> None:
    ppocr._session.cache_clear()
    ppocr._tuned_session.cache_clear()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Path]]:
    """The folder of the real models, and an empty one that is taken for it."""
    real = importlib.util.find_spec("rapidocr")
    assert real is not None
    assert real.origin is not None
    (tmp_path / "models").mkdir()
    spec = importlib.machinery.ModuleSpec("rapidocr", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    _forget()
    yield Path(real.origin).parent / "models", tmp_path / "models"
    _forget()


def test_a_network_file_with_one_bit_changed_is_refused_by_name(elsewhere: tuple[Path, Path]) -> None:
    real, copies = elsewhere
    data = bytearray((real / NAME).read_bytes())
    data[len(data) // 2] ^= 1
    (copies / NAME).write_bytes(data)
    with pytest.raises(ppocr.ModelError, match=NAME):
        ppocr.PpOcr().read([CROP])


def test_the_real_network_files_are_taken(elsewhere: tuple[Path, Path]) -> None:
    real, copies = elsewhere
    (copies / NAME).write_bytes((real / NAME).read_bytes())
    assert len(ppocr.PpOcr().read([CROP])) == 1


def test_a_missing_network_file_is_named(elsewhere: tuple[Path, Path]) -> None:
    with pytest.raises(ppocr.ModelError, match=r"PP-OCRv6_det_small\.onnx"):
        ppocr.PpFinder().find(CROP)


def test_without_the_package_the_sentence_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    ppocr._session.cache_clear()
    with pytest.raises(ppocr.ModelError, match="rapidocr"):
        ppocr.PpFinder().find(CROP)


def test_the_licence_of_the_networks_stands_beside_them() -> None:
    assert ppocr.__doc__ is not None
    assert "Apache-2.0" in ppocr.__doc__
