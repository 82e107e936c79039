"""An archive of a game as it is read from its file. Only the seal is checked yet.

The last 64 bytes of the file are the SHA-256 of all bytes before them, so a file that was cut off is known at
once.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Literal, Protocol

from adjudicator.errors import UserFacingError
from service.archive.conduct.kept_mails import ReceivedMail, received_mail, words_of_letter
from service.store.digests import FORMATS

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
MOST_OF_MAIL = 64_000_000
"""Bytes of a mail that is looked into."""
MOST_ENTRIES = 500_000
MOST_TEXT = 400_000_000
"""Bytes of JSON, unpacked. Twelve years of a game with seven powers have a tenth of each of these three."""
MOST_RATIO = 200
"""How many times its packed size a file may have. JSON of ours has up to 30; a bomb has 1000."""
MOST_UNFOLDED = 20
"""How many times the archive's size its mails, letters and pictures may have together. Pictures do not pack;
in a game of the tests letters have 3 times their packed size together and mails 8."""
TEXTS = (".json", ".jsonl")
_ENCRYPTED = 0x1

# A closed entry has its digests only. An unknown part would be covered by no digest, so it is refused.
PARTS = ({"n", "leaf", "link"}, {"n", "leaf", "link", "head", "inner"}, {"n", "leaf", "link", "salt", "body"})


class BrokenArchive(UserFacingError):
    """The file cannot be read as an archive. The sentence says how far it can be read, and what to do."""


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One entry of the record. `salt` and `body` are None where this edition keeps the entry closed; `head`
    and `inner` are its kind with its phase and the digest of its body, where a closed entry shows them."""

    number: int
    leaf: str
    link: str
    salt: str | None = None
    body: dict[str, Any] | None = None
    head: str | None = None
    inner: str | None = None

    @property
    def kind(self) -> str:
        return "" if self.body is None else str(self.body["what"])

    @property
    def facts(self) -> dict[str, Any]:
        tells: dict[str, Any] = {} if self.body is None else self.body["tells"]
        return tells


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive as it was read: SHA-256 by file name, the JSON files' bytes, the manifest, and the entries
    in the order of the file. Of mails that came in and letters that went out, by digest, what the rules of
    conduct ask for (`kept_mails`). None of them is checked yet."""

    digests: dict[str, str]
    texts: dict[str, bytes]
    manifest: dict[str, Any]
    entries: tuple[ArchiveEntry, ...]
    mails: dict[str, ReceivedMail] = field(default_factory=dict)
    letters: dict[str, bytes] = field(default_factory=dict)
    # Filled by the first question: the checks ask for the entries of several kinds in each judged phase.
    _by_kind: dict[str, list[tuple[int, dict[str, Any]]]] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        return self.manifest.get("edition") == "whole"

    @property
    def format(self) -> int:
        """The rules by which the record is kept."""
        return int(self.manifest["format"])

    def open_entries(self, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The number and the facts of every open entry of a kind, in the order of the record."""
        if not self._by_kind:
            for entry in self.entries:
                self._by_kind.setdefault(entry.kind, []).append((entry.number, entry.facts))
        yield from self._by_kind.get(kind, ())

    def last_before(self, kind: str, before: int, **conditions: Any) -> dict[str, Any] | None:
        """The facts of the last open entry of a kind before entry `before` whose facts have the values of
        `conditions`; None if there is none."""
        latest = None
        for number, tells in self.open_entries(kind):
            if number < before and all(tells.get(key) == value for key, value in conditions.items()):
                latest = tells
        return latest


@dataclass(slots=True)
class VerifyReport:
    """The result of a check: sentences about faults, about what was confirmed, and about what a player should
    know of though it is no fault."""

    faults: list[str] = field(default_factory=list)
    confirmations: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class ArchivePath(Protocol):
    """A path, or a file that is open already, in the manner of one (`jailed_child.OpenedFile`)."""

    def stat(self) -> os.stat_result:
        """As of a Path."""
        ...

    def open(self, mode: Literal["rb"]) -> BinaryIO:
        """As of a Path."""
        ...


def read_archive(path: ArchivePath) -> Archive:
    """The archive in a file, of which no photograph is held. Raises BrokenArchive, also for one that would
    unfold to more than any archive of ours."""
    if not _sealed(path):
        raise BrokenArchive(_cut_off(path))
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as zipped:
            files = _read_files(zipped, path.stat().st_size)
        manifest = json.loads(files.texts["manifest.json"])
        # Not splitlines: a reason may have U+2028, and JSON leaves it as it is.
        lines = files.texts["record.jsonl"].decode().removesuffix("\n").split("\n")
    except BrokenArchive:
        raise
    # NotImplementedError: zipfile knows no other way of packing than ours.
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, EOFError, RecursionError,
            NotImplementedError, OSError) as fault:
        raise BrokenArchive(f"The file is no archive of a game ({fault}).") from fault
    if len(lines) > MOST_ENTRIES:
        raise BrokenArchive(f"Its record has more than {MOST_ENTRIES} entries. Nothing was checked.")
    if not isinstance(manifest, dict) or manifest.get("format") not in FORMATS:
        version = manifest.get("format") if isinstance(manifest, dict) else None
        raise BrokenArchive(
            f"The archive has format {version!r}, and this Galloper reads {FORMATS[-1]}: it was written by a "
            f"newer "
            "one. Nothing was checked, from entry 1 on; install the newer Galloper."
        )
    entries = tuple(_entry(number, line) for number, line in enumerate(lines, start=1))
    return Archive(files.digests, files.texts, manifest, entries, files.mails, files.letters)


@dataclass(frozen=True, slots=True)
class _Files:
    """What is kept of the files of an archive; see `Archive`."""

    digests: dict[str, str] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)
    mails: dict[str, ReceivedMail] = field(default_factory=dict)
    letters: dict[str, bytes] = field(default_factory=dict)


def _read_files(zipped: zipfile.ZipFile, size: int) -> _Files:
    """The digest of every file by its name, the bytes of those that hold JSON, and what is asked of its
    mails and letters. Sizes are looked at before anything is unpacked. Raises BrokenArchive and what
    `zipfile` raises."""
    files = zipped.infolist()
    _check_sizes(files, size)
    kept = _Files()
    for file in files:
        digest, parts = hashlib.sha256(), []
        is_mail = file.filename.startswith(("mails/", "letters/")) and file.file_size <= MOST_OF_MAIL
        is_text = file.filename.endswith(TEXTS) or is_mail
        with zipped.open(file) as stream:
            while part := stream.read(CHUNK):
                digest.update(part)
                if is_text:
                    parts.append(part)
        kept.digests[file.filename] = digest.hexdigest()
        if is_mail and file.filename.startswith("mails/"):
            kept.mails[_key(file.filename)] = received_mail(b"".join(parts))
        elif is_mail:
            kept.letters[_key(file.filename)] = words_of_letter(b"".join(parts))
        elif is_text:
            kept.texts[file.filename] = b"".join(parts)
    return kept


def _key(name: str) -> str:
    return name.partition("/")[2].partition(".")[0]


def _check_sizes(files: list[zipfile.ZipInfo], size: int) -> None:
    """Raise BrokenArchive for what no archive of ours has: a bomb, a link, a file twice."""
    if len(files) > MOST_FILES:
        raise BrokenArchive(f"The archive has more than {MOST_FILES} files. Nothing was unpacked.")
    names = set()
    for file in files:
        name = file.filename
        # ZIP allows it, and readers differ in which of the two they take: a forger's friend.
        if name in names:
            raise BrokenArchive("The archive has two files of one name.")
        names.add(name)
        mode = file.external_attr >> 16
        if file.is_dir() or (stat.S_IFMT(mode) not in {0, stat.S_IFREG}) or file.flag_bits & _ENCRYPTED:
            raise BrokenArchive(f"{name[:80]} is no plain file, and an archive has nothing else. Nothing was "
                                "unpacked.")
        most = MOST_RATIO * file.compress_size + MOST_RATIO
        if file.file_size > min(most, MOST_BYTES):
            raise BrokenArchive(f"{name[:80]} would unfold to {file.file_size // 1_000_000} MB, more than "
                                "any file of ours. Nothing was unpacked.")
    # Files of a bomb share their bytes, so that a small archive has endless ones.
    if sum(file.compress_size for file in files) > size:
        raise BrokenArchive("The files of the archive are larger than the archive. Nothing was unpacked.")
    if sum(file.file_size for file in files if file.filename.endswith(TEXTS)) > MOST_TEXT:
        raise BrokenArchive(f"The tables and the record would unfold to more than {MOST_TEXT // 1_000_000} "
                            "MB. Nothing was unpacked.")
    unfolded = sum(file.file_size for file in files if not file.filename.endswith(TEXTS))
    if unfolded > MOST_UNFOLDED * size + MOST_OF_MAIL:
        raise BrokenArchive(f"The mails and pictures would unfold to {unfolded // 1_000_000} MB, far more "
                            "than those of any archive of this size. Nothing was unpacked.")


def _entry(number: int, line: str) -> ArchiveEntry:
    try:
        data = json.loads(line)
        if set(data) not in PARTS:
            raise BrokenArchive(f"Entry {number} has too many or too few parts.")
        body = data.get("body")
        if body is not None and set(body) != {"what", "fact", "entered", "tells"}:
            raise BrokenArchive(f"Entry {number} has a body of an unknown form.")
        return ArchiveEntry(int(data["n"]), str(data["leaf"]), str(data["link"]), data.get("salt"), body,
                            data.get("head"), data.get("inner"))
    except (ValueError, KeyError, TypeError) as fault:
        raise BrokenArchive(f"Entry {number} cannot be read ({fault}).") from fault


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
            f"Of its record, entries up to {entry_count} can be read, but nothing in it can be relied on. "
            f"Download it again.")
