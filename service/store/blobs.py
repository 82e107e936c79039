"""Bytes by their SHA-256, in a folder: raw mails, photographs, pictures cut from them, finished letters."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

_KEY = re.compile(r"[0-9a-f]{64}")


class BlobError(Exception):
    """A blob is missing or its bytes no longer give its name; the sentence names the file."""


def key_of(data: bytes) -> str:
    """The name of these bytes: 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Blobs:
    """A folder of files named by their content, two digits a folder: "ab/abcd...". A blob never changes."""

    root: Path

    def path(self, key: str) -> Path:
        """Where a blob lies. Raises ValueError for anything that is no SHA-256, so that no name from outside ever
        becomes a path."""
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key[:80]!r} is not a blob key")
        return self.root / key[:2] / key

    def put(self, data: bytes) -> str:
        """Keep the bytes and return their key. When this returns they are on the disk, whole, under their name."""
        key = key_of(data)
        path = self.path(key)
        if path.exists() and path.stat().st_size == len(data):
            return key
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".new-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)
        return key

    def read(self, key: str) -> bytes:
        """The bytes of a blob, checked against their name. Raises BlobError when missing or damaged."""
        path = self.path(key)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise BlobError(f"{path} is missing; restore it from the backup") from None
        if key_of(data) != key:
            raise BlobError(f"{path} is damaged; restore it from the backup")
        return data

    def has(self, key: str) -> bool:
        """Whether a blob is here."""
        return self.path(key).exists()


def _sync_folder(folder: Path) -> None:
    # The rename itself must survive a power cut, or a committed row would name bytes that are gone.
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
