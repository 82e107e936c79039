"""Blobs in a store of objects that many machines share: whatever `fsspec` knows, S3 and what speaks like it
above all.

The names are those of the folder ("ab/abcd..."), so a folder is moved there by copying it. A store of objects
puts a blob whole or not at all, and answers once it is kept; that stands in for the folder's own care.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from service.config import ConfigError, Settings
from service.store.blobs import Blobs


@dataclass(frozen=True, slots=True)
class RemoteBlobs(Blobs):
    """`root` is the bucket and the path in it, `files` the file system of fsspec that has it. What that
    raises while it cannot be reached comes through: a mail that cannot be kept stays where it is."""

    files: Any

    def size(self, key: str) -> int | None:
        """See Blobs."""
        # What another machine has put or replaced must be seen, so nothing is taken from the memory of this
        # process.
        self.files.invalidate_cache(self.path(key).parent.as_posix())
        try:
            return int(self.files.info(self.path(key).as_posix())["size"])
        except FileNotFoundError:
            return None

    def write(self, key: str, data: bytes) -> None:
        """See Blobs."""
        place = self.path(key)
        self.files.makedirs(place.parent.as_posix(), exist_ok=True)
        self.files.pipe_file(place.as_posix(), data)

    def load(self, key: str) -> bytes:
        """See Blobs."""
        return bytes(self.files.cat_file(self.path(key).as_posix()))

    def remove(self, key: str) -> None:
        """See Blobs."""
        with suppress(FileNotFoundError):
            self.files.rm_file(self.path(key).as_posix())


def open_blobs(settings: Settings) -> Blobs:
    """Where a site keeps its blobs: the folder under `data`, or what `photo_store` names. Raises
    ConfigError."""
    if not settings.photo_store:
        return Blobs(Path(settings.data) / "blobs")
    try:
        # heavy, and only where it is wanted
        files, root = import_module("fsspec.core").url_to_fs(settings.photo_store)
    except ImportError as error:
        raise ConfigError(f"photo_store: {settings.photo_store} needs the Python package "
                          f"{error.name or error}; install it "
                          "beside galloper (fsspec, and s3fs for s3://)") from error
    except ValueError as error:
        raise ConfigError(f"photo_store: {error}") from error
    return RemoteBlobs(Path(root), files)
