"""Blobs in an object store that many machines share: whatever `fsspec` knows, above all S3 and what is
compatible with it.

The names are those of the folder ("ab/abcd..."), so a folder is moved there by copying it.
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
    """`root` is the bucket and the path in it, `files` the file system of fsspec that has it. Its errors
    while it cannot be reached are passed on: a mail that cannot be stored stays in the mailbox."""

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
        # No temporary name and no fsync as in the folder: an object store writes an object whole or not at
        # all, and answers once it is stored.
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
    """The blobs of a site: the folder under `data`, or what `photo_store` names. Raises
    ConfigError."""
    if not settings.photo_store:
        return Blobs(Path(settings.data) / "blobs")
    try:
        # Imported here: it is heavy, and only sites on several machines need it.
        files, root = import_module("fsspec.core").url_to_fs(settings.photo_store)
    except ImportError as error:
        raise ConfigError(f"photo_store: {settings.photo_store} needs Python packages that are not installed "
                          f'({error.name or error}); for s3:// they are: pip install "galloper[s3]"'
                          ) from error
    except ValueError as error:
        raise ConfigError(f"photo_store: {error}") from error
    return RemoteBlobs(Path(root), files)
