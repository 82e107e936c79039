"""The file of an archive before it is unpacked: its seal, and the sizes of what is in it.

The last 64 bytes of the file are the SHA-256 of all bytes before them, so a file that was cut off is known at
once.
"""

from __future__ import annotations

import hashlib
import os
import stat
import zipfile
import zlib
from contextlib import suppress
from typing import BinaryIO, Literal, Protocol

from adjudicator.errors import UserFacingError

SEAL_DIGITS = 64
"""Hexadecimal digits of the seal at the end of the file."""

CHUNK = 1 << 20
"""Bytes read at once: an archive may be larger than the memory."""

HEAD = 50 << 20
"""Bytes of a damaged archive that are searched for its record. The record comes first, so 50 MiB hold years
of play."""

MOST_FILES = 50_000
MOST_BYTES = 300_000_000
"""Bytes of one file; the largest mail that is taken in has 36 million."""
MOST_OF_SMALL = 64_000_000
"""Bytes that mails and pictures of a small archive may have together."""
MOST_TEXT = 400_000_000
"""Bytes of JSON, unpacked. Twelve years of a game with seven powers have a tenth of each of these three."""
MOST_RATIO = 200
"""How many times its packed size a file may have. JSON of ours has up to 30; a bomb has 1000."""
MOST_UNFOLDED = 20
"""How many times the archive's size its mails, letters and pictures may have together. Pictures do not pack;
in a game of the tests letters have 3 times their packed size together and mails 8."""
TEXTS = (".json", ".jsonl")
_ENCRYPTED = 0x1

class BrokenArchive(UserFacingError):
    """The file cannot be read as an archive. The sentence shows how far it can be read, and what to do."""


class ArchivePath(Protocol):
    """A path, or a file that is open already, in the manner of one (`jailed_child.OpenedFile`)."""

    def stat(self) -> os.stat_result:
        """As of a Path."""
        ...

    def open(self, mode: Literal["rb"]) -> BinaryIO:
        """As of a Path."""
        ...


def check_outside(path: ArchivePath) -> None:
    """Check the seal of an archive, and the sizes of its files before anything is unpacked. Raises
    BrokenArchive, also for one that would unfold to more than any archive of ours."""
    if not _sealed(path):
        raise BrokenArchive(_cut_off(path))
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as zipped:
            _check_sizes(zipped.infolist(), path.stat().st_size)
    # NotImplementedError: zipfile has no other way of packing than ours.
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, OSError) as fault:
        raise BrokenArchive(f"The file is not an archive of a game ({fault}).") from fault


def _check_sizes(files: list[zipfile.ZipInfo], size: int) -> None:
    """Raise BrokenArchive for what no archive of ours has: a bomb, a link, a file twice."""
    if len(files) > MOST_FILES:
        raise BrokenArchive(f"The archive has more than {MOST_FILES} files. Nothing was unpacked.")
    names = set()
    for file in files:
        name = file.filename
        # ZIP allows it, and readers differ in which of the two they take: a forger's friend.
        if name in names:
            raise BrokenArchive("The archive has two files with the same name.")
        names.add(name)
        mode = file.external_attr >> 16
        if file.is_dir() or (stat.S_IFMT(mode) not in {0, stat.S_IFREG}) or file.flag_bits & _ENCRYPTED:
            raise BrokenArchive(f"{name[:80]} is not a regular file. Nothing was "
                                "unpacked.")
        most = MOST_RATIO * file.compress_size + MOST_RATIO
        if file.file_size > min(most, MOST_BYTES):
            raise BrokenArchive(f"{name[:80]} would unpack to {file.file_size // 1_000_000} MB, more than "
                                "any genuine file. Nothing was unpacked.")
    # Files of a bomb share their bytes, so that a small archive has endless ones.
    if sum(file.compress_size for file in files) > size:
        raise BrokenArchive("The files of the archive are larger than the archive. Nothing was unpacked.")
    if sum(file.file_size for file in files if file.filename.endswith(TEXTS)) > MOST_TEXT:
        raise BrokenArchive(f"The tables and the record would unpack to more than {MOST_TEXT // 1_000_000} "
                            "MB. Nothing was unpacked.")
    unfolded = sum(file.file_size for file in files if not file.filename.endswith(TEXTS))
    if unfolded > MOST_UNFOLDED * size + MOST_OF_SMALL:
        raise BrokenArchive(f"The mails and pictures would unpack to {unfolded // 1_000_000} MB, far more "
                            "than those of any archive of this size. Nothing was unpacked.")


def _sealed(path: ArchivePath) -> bool:
    """Whether the last 64 bytes of a file are the digest of all bytes before them."""
    left, digest = path.stat().st_size - SEAL_DIGITS, hashlib.sha256()
    with path.open("rb") as file:
        while left > 0 and (part := file.read(min(left, CHUNK))):
            digest.update(part)
            left -= len(part)
        return file.read() == digest.hexdigest().encode()


def _cut_off(path: ArchivePath) -> str:
    """A sentence for a damaged file: how many entries of its record can still be read whole."""
    with path.open("rb") as file:
        data, text = file.read(HEAD), b""
    offset = data.find(b"record.jsonl")
    if offset >= 0:
        with suppress(zlib.error):
            # The record is the first deflated file, so what is there of it can be inflated without the
            # central directory.
            text = zlib.decompressobj(-15).decompress(data[offset + len(b"record.jsonl"):], MOST_TEXT)
    entry_count = text.count(b"\n")
    return ("The file is damaged or cut off: its last 64 bytes are not the digest of those before. "
            f"Of its record, entries up to {entry_count} can be read, but none of them is reliable. "
            f"Download it again.")
