"""An archive of a game as it is read from its file. Only the seal is checked yet.

The last 64 bytes of the file are the SHA-256 of all bytes before them, so a file that was cut off is known at
once.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudicator.errors import UserFacingError
from service.store.digests import FORMAT

SEAL_DIGITS = 64
"""Hexadecimal digits of the seal at the end of the file."""

CHUNK = 1 << 20
"""Bytes read at once: an archive may be larger than the memory."""

HEAD = 50 << 20
"""Bytes of a damaged archive that are searched for its record. The record comes first, so 50 MiB hold years
of play."""

# A closed entry has its digests only. An unknown part would be covered by no digest, so it is refused.
PARTS = ({"n", "leaf", "link"}, {"n", "leaf", "link", "salt", "body"})


class BrokenArchive(UserFacingError):
    """The file cannot be read as an archive. The sentence says how far it can be read, and what to do."""


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One entry of the record. `salt` and `body` are None where this edition keeps the entry closed."""

    number: int
    leaf: str
    link: str
    salt: str | None = None
    body: dict[str, Any] | None = None

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
    in the order of the file. None of them is checked yet."""

    digests: dict[str, str]
    texts: dict[str, bytes]
    manifest: dict[str, Any]
    entries: tuple[ArchiveEntry, ...]
    # Filled by the first question: the checks ask for the entries of several kinds in each judged phase.
    _by_kind: dict[str, list[tuple[int, dict[str, Any]]]] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        return self.manifest.get("edition") == "whole"

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
    """The result of a check: sentences about faults, and sentences about what was confirmed."""

    faults: list[str] = field(default_factory=list)
    confirmations: list[str] = field(default_factory=list)


def read_archive(path: Path) -> Archive:
    """The archive in a file, of which no more than one photograph at a time is held. Raises
    BrokenArchive."""
    if not _sealed(path):
        raise BrokenArchive(_cut_off(path))
    digests, texts = {}, {}
    try:
        with zipfile.ZipFile(path) as zipped:
            names = zipped.namelist()
            for name in names:
                data = zipped.read(name)
                digests[name] = hashlib.sha256(data).hexdigest()
                if name.endswith((".json", ".jsonl")):
                    texts[name] = data
        manifest = json.loads(texts["manifest.json"])
        lines = texts["record.jsonl"].decode().splitlines()
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, EOFError) as fault:
        raise BrokenArchive(f"The file is no archive of a game ({fault}).") from fault
    # ZIP allows it, and readers differ in which of the two they take: a forger's friend.
    if len(names) != len(digests):
        raise BrokenArchive("The archive has two files of one name.")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        version = manifest.get("format") if isinstance(manifest, dict) else None
        raise BrokenArchive(
            f"The archive has format {version!r}, and this Galloper reads {FORMAT}: it was written by a "
            f"newer "
            "one. Nothing was checked, from entry 1 on; install the newer Galloper."
        )
    return Archive(
        digests, texts, manifest, tuple(_entry(number, line) for number, line in enumerate(lines, start=1))
    )


def _entry(number: int, line: str) -> ArchiveEntry:
    try:
        data = json.loads(line)
        if set(data) not in PARTS:
            raise BrokenArchive(f"Entry {number} has too many or too few parts.")
        body = data.get("body")
        if body is not None and set(body) != {"what", "fact", "entered", "tells"}:
            raise BrokenArchive(f"Entry {number} has a body of an unknown form.")
        return ArchiveEntry(int(data["n"]), str(data["leaf"]), str(data["link"]), data.get("salt"), body)
    except (ValueError, KeyError, TypeError) as fault:
        raise BrokenArchive(f"Entry {number} cannot be read ({fault}).") from fault


def _sealed(path: Path) -> bool:
    """Whether the last 64 bytes of a file are the digest of all bytes before them."""
    left, digest = path.stat().st_size - SEAL_DIGITS, hashlib.sha256()
    with path.open("rb") as file:
        while left > 0 and (part := file.read(min(left, CHUNK))):
            digest.update(part)
            left -= len(part)
        return file.read() == digest.hexdigest().encode()


def _cut_off(path: Path) -> str:
    """A sentence for a damaged file: how many entries of its record can still be read whole."""
    with path.open("rb") as file:
        data, text = file.read(HEAD), b""
    offset = data.find(b"record.jsonl")
    if offset >= 0:
        with suppress(zlib.error):
            # The record is the first deflated file, so what is there of it can be inflated without the
            # central directory.
            text = zlib.decompressobj(-15).decompress(data[offset + len(b"record.jsonl"):])
    entry_count = text.count(b"\n")
    return ("The file is damaged or cut off: its last 64 bytes are not the digest of those before. "
            f"Of its record, entries up to {entry_count} can be read, but nothing in it can be relied on. "
            f"Download it again.")
