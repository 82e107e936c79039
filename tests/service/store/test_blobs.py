"""Bytes by their hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from service.config import ConfigError, Settings
from service.store.blobs import BlobError, Blobs, open_blobs

fsspec: Any = import_module("fsspec")


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


# In a store of objects
# ----------------------------------------------------------------------------------------------


def settings_with(tmp_path: Path, photo_store: str) -> Settings:
    return Settings.model_validate({
        "data": str(tmp_path), "photo_store": photo_store, "order_address": "a@example.org",
        "coordinator": "b@example.org",
        "mail_in": {}, "mail_out": {"sender": "a@example.org"}})


@pytest.fixture(params=["memory://bucket/site", "file://{}/shared"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """A site whose blobs lie elsewhere: the code path of S3, on file systems of fsspec that need no
    server."""
    yield settings_with(tmp_path, request.param.format(tmp_path))
    fsspec.filesystem("memory").store.clear()


def test_a_shared_store_keeps_the_same_bytes_under_the_same_names(shared: Settings, tmp_path: Path) -> None:
    blobs, elsewhere = open_blobs(shared), open_blobs(shared)
    key = blobs.put(b"a photograph")
    assert key == hashlib.sha256(b"a photograph").hexdigest()
    assert elsewhere.read(key) == b"a photograph"
    assert elsewhere.has(key)
    assert not elsewhere.has("0" * 64)
    assert not (tmp_path / "blobs").exists()
    files, root = fsspec.core.url_to_fs(shared.photo_store)
    assert [place.removeprefix(f"{root}/") for place in files.find(root)] == [f"{key[:2]}/{key}"]


def test_a_shared_store_is_trusted_no_more_than_a_disk(shared: Settings) -> None:
    blobs = open_blobs(shared)
    files, _ = fsspec.core.url_to_fs(shared.photo_store)
    with pytest.raises(BlobError, match="missing"):
        blobs.read("0" * 64)
    with pytest.raises(ValueError, match="not a blob key"):
        blobs.read("../../etc/passwd")
    key = blobs.put(b"right")
    files.pipe_file(blobs.path(key).as_posix(), b"wrong")
    with pytest.raises(BlobError, match="damaged"):
        blobs.read(key)
    files.pipe_file(blobs.path(key).as_posix(), b"rig")
    assert blobs.put(b"right") == key
    assert blobs.read(key) == b"right"


def test_what_is_forgotten_is_gone_for_every_machine_and_may_come_again(shared: Settings) -> None:
    first_machine, second_machine = open_blobs(shared), open_blobs(shared)
    key = first_machine.put(b"a stray")
    for _ in range(2):  # nothing where there is none
        second_machine.remove(key)
    assert not first_machine.has(key)
    assert first_machine.put(b"a stray") == key
    assert second_machine.read(key) == b"a stray"


def test_a_store_that_nothing_here_speaks_to_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="photo_store: "):
        open_blobs(settings_with(tmp_path, "nonsense://bucket"))
    assert open_blobs(settings_with(tmp_path, "")) == Blobs(tmp_path / "blobs")
