"""Bytes by their SHA-256, in a folder or in an object store that many machines share: raw mails, photographs,
pictures cut from them, finished letters.

The names in a store are those of the folder ("ab/abcd..."), so a folder is moved there by copying it. Stores
are whatever `fsspec` knows, above all S3 and what is compatible with it. A bucket of S3 is asked what it does
with files that are deleted or seldom read (SCA-05); nothing is set from here.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from adjudicator.errors import UserFacingError
from service.config import ConfigError, Settings

_KEY = re.compile(r"[0-9a-f]{64}")

SLOW_CLASSES = frozenset({"GLACIER", "DEEP_ARCHIVE"})
"""Classes of S3 whose files cannot be read at once: an old page of a game would fail."""


class BlobError(UserFacingError):
    """A blob is missing or its bytes no longer give its name; the sentence names the file."""


def key_of(data: bytes) -> str:
    """The name of these bytes: 64 lower-case hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Blobs:
    """A folder of files named by their content, two digits a folder: "ab/abcd...". A blob never changes."""

    root: Path

    def path(self, key: str) -> Path:
        """The path of a blob. Raises ValueError for anything that is not a SHA-256."""
        # So that no name from outside, such as "../../etc/passwd", ever becomes a path.
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key[:80]!r} is not a blob key")
        return self.root / key[:2] / key

    def put(self, data: bytes) -> str:
        """Store the bytes and return their key. When this returns they are on the disk, whole, under their
        name."""
        key = key_of(data)
        # The size and not only the name: a file that was cut short is written again.
        if self.size(key) != len(data):
            self.write(key, data)
        return key

    def size(self, key: str) -> int | None:
        """The number of bytes under this name, whole or not; None where there are none."""
        path = self.path(key)
        return path.stat().st_size if path.exists() else None

    def write(self, key: str, data: bytes) -> None:
        """Put the bytes under their name; `put` is for everybody else."""
        path = self.path(key)
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

    def load(self, key: str) -> bytes:
        """The bytes under this name, unchecked; `read` is for everybody else. Raises FileNotFoundError."""
        return self.path(key).read_bytes()

    def read(self, key: str) -> bytes:
        """The bytes of a blob, checked against their name. Raises BlobError when missing or damaged."""
        path = self.path(key)
        try:
            data = self.load(key)
        except FileNotFoundError:
            raise BlobError(f"{path} is missing; restore it from the backup") from None
        if key_of(data) != key:
            raise BlobError(f"{path} is damaged; restore it from the backup")
        return data

    def remove(self, key: str) -> None:
        """Delete a blob, if it is there. For anyone who has seen that no row names it."""
        self.path(key).unlink(missing_ok=True)

    def has(self, key: str) -> bool:
        """Whether a blob is here."""
        return self.size(key) is not None


def _sync_folder(folder: Path) -> None:
    # The rename itself must survive a power cut, or a committed row would name bytes that are gone.
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


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


@dataclass(frozen=True, slots=True)
class BucketRules:
    """`keeps_versions`: what is deleted or written over can be brought back. `has_classes`: a rule moves old
    files to a cheaper class. `deleting` and `slow`: the names of rules that delete files which records name
    for ever, or move them where they cannot be read at once."""

    keeps_versions: bool
    has_classes: bool
    deleting: tuple[str, ...] = ()
    slow: tuple[str, ...] = ()


def bucket_rules(blobs: Blobs) -> BucketRules | None:
    """The settings of the bucket of these blobs; None where they lie in no bucket. Raises what s3fs raises
    when the bucket does not answer or these credentials may not ask."""
    if not isinstance(blobs, RemoteBlobs) or not hasattr(blobs.files, "call_s3"):
        return None
    bucket, _, prefix = blobs.root.as_posix().partition("/")
    versions = blobs.files.call_s3("get_bucket_versioning", Bucket=bucket).get("Status")
    rules: Sequence[Mapping[str, Any]] = ()
    # A bucket without rules answers with an error that s3fs takes for a missing file.
    with suppress(FileNotFoundError):
        answer = blobs.files.call_s3("get_bucket_lifecycle_configuration", Bucket=bucket)
        rules = [rule for rule in answer.get("Rules", ())
                 if rule.get("Status") == "Enabled" and _is_about(rule, prefix)]
    return BucketRules(
        versions == "Enabled",
        any(rule.get("Transitions") for rule in rules),
        tuple(_name(rule) for rule in rules if {"Days", "Date"} & set(rule.get("Expiration", ()))),
        tuple(_name(rule) for rule in rules
              if any(step.get("StorageClass") in SLOW_CLASSES for step in rule.get("Transitions", ()))),
    )


def _is_about(rule: Mapping[str, Any], prefix: str) -> bool:
    """Whether a rule may touch our files. One that requests tags does not: ours have none."""
    condition: Mapping[str, Any] = rule.get("Filter") or {}
    both: Mapping[str, Any] = condition.get("And") or {}
    if "Tag" in condition or both.get("Tags"):
        return False
    # Before 2016 the prefix was in the rule itself.
    own = str(condition.get("Prefix") or both.get("Prefix") or rule.get("Prefix") or "")
    return prefix.startswith(own) or own.startswith(prefix)


def _name(rule: Mapping[str, Any]) -> str:
    return str(rule.get("ID") or "without a name")
