"""Bytes by their hash."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from service.store.blobs import BlobError, Blobs


def test_bytes_come_back_under_their_sha256(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    key = blobs.put(b"a photograph")
    assert key == hashlib.sha256(b"a photograph").hexdigest()
    assert blobs.read(key) == b"a photograph"
    assert blobs.has(key)
    assert not blobs.has("0" * 64)


def test_the_same_bytes_are_kept_once_and_nothing_is_left_beside_them(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    assert blobs.put(b"x") == blobs.put(b"x")
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == [hashlib.sha256(b"x").hexdigest()]


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "", "a" * 63, "A" * 64, "a" * 64 + "/", "/" + "a" * 63, "a" * 64 + "\n"]
)
def test_a_name_that_is_no_hash_never_becomes_a_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a blob key"):
        Blobs(tmp_path).read(name)


def test_missing_and_damaged_blobs_are_named(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    with pytest.raises(BlobError, match="missing"):
        blobs.read("0" * 64)
    key = blobs.put(b"right")
    blobs.path(key).write_bytes(b"wrong")
    with pytest.raises(BlobError, match="damaged"):
        blobs.read(key)


def test_a_half_written_blob_of_a_crash_is_replaced(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    key = blobs.put(b"whole mail")
    blobs.path(key).write_bytes(b"whole")
    assert blobs.put(b"whole mail") == key
    assert blobs.read(key) == b"whole mail"


def test_a_disk_that_fails_leaves_no_name_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("service.store.blobs.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        Blobs(tmp_path).put(b"mail")
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []
