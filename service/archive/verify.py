"""`galloper verify`: an archive against itself, against letters that were mailed, and against the judge.

Shares nothing with `tools/verify_record.py` but what docs/record.md says: two programs that agree are worth
more than one. Every fault is a sentence with the number of its entry; nothing is ever written.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from adjudicator.errors import UserFacingError
from service.store.digests import FORMAT, canonical, leaf, link, plain, start

SEAL_DIGITS = 64
CHUNK = 1 << 20
HEAD = 50 << 20
"""Bytes of a damaged archive in which its record is looked for."""
PARTS = ({"n", "leaf", "link"}, {"n", "leaf", "link", "salt", "body"})
OWN_FILES = frozenset({"README.txt", "manifest.json", "record.jsonl", "tables.jsonl"})


class Broken(UserFacingError):
    """The archive cannot be read as one; the sentence says how far it can, and what to do."""


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One line of the record. `body` is None where the archive leaves it closed."""

    number: int
    leaf: str
    link: str
    salt: str | None = None
    body: dict[str, Any] | None = None

    @property
    def what(self) -> str:
        return "" if self.body is None else str(self.body["what"])

    @property
    def tells(self) -> dict[str, Any]:
        tells: dict[str, Any] = {} if self.body is None else self.body["tells"]
        return tells


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive as it was read: the digests of its files, those to be read, its manifest and its entries,
    none of them checked yet."""

    digests: dict[str, str]
    texts: dict[str, bytes]
    manifest: dict[str, Any]
    entries: tuple[ArchiveEntry, ...]
    _by_kind: dict[str, list[tuple[int, dict[str, Any]]]] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        return self.manifest.get("edition") == "whole"

    def told(self, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """Every open entry of a kind: its number and what it tells."""
        if not self._by_kind:
            for entry in self.entries:
                self._by_kind.setdefault(entry.what, []).append((entry.number, entry.tells))
        yield from self._by_kind.get(kind, ())

    def last(self, kind: str, before: int, **wanted: Any) -> dict[str, Any] | None:
        """What was told last of something before an entry."""
        latest = None
        for number, tells in self.told(kind):
            if number < before and all(tells.get(key) == value for key, value in wanted.items()):
                latest = tells
        return latest


@dataclass(slots=True)
class VerifyReport:
    """What was found. `said` are things that are as they should be, worth telling."""

    faults: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


def run_verify(path: Path, letters: Sequence[Path], out: TextIO) -> int:
    """Check an archive and letters; print what was found. 0 where nothing is wrong, 1 where something is."""
    from service.archive.verify_game import check_game
    from service.archive.verify_letters import check_letter

    report = VerifyReport()
    try:
        archive = read(path)
        check_chain(archive, report)
        if not report.faults:
            check_files(archive, report)
            check_game(archive, report)
            for letter in letters:
                check_letter(archive, letter.name, letter.read_bytes(), report)
    except Broken as fault:
        report.faults.append(str(fault))
    except (
        KeyError,
        TypeError,
        ValueError,
        IndexError,
    ) as fault:  # an entry of another shape, under digests that fit
        report.faults.append(
            f"An entry has another form than this Galloper writes ({type(fault).__name__}: {fault})."
        )
    for line in report.said:
        print(line, file=out)
    for line in report.faults:
        print(f"NOT AS IT SHOULD BE: {line}", file=out)
    if not report.faults:
        opened = sum(entry.body is not None for entry in archive.entries)
        print((f"{archive.manifest['name']}: {len(archive.entries)} entries, {opened} of them open, "
               f"unbroken."), file=out)
        print(f"Root {archive.manifest['root']}", file=out)
    return 1 if report.faults else 0


# Reading
# --------------------------------------------------------------------------------------------------------------


def read(path: Path) -> Archive:
    """The archive in a file, of which no more than one photograph at a time is held. Raises Broken."""
    if not _sealed(path):
        raise Broken(_cut_off(path))
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
        raise Broken(f"The file is no archive of a game ({fault}).") from fault
    if len(names) != len(digests):
        raise Broken("The archive holds two files of one name.")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        version = manifest.get("format") if isinstance(manifest, dict) else None
        raise Broken(
            f"The archive has format {version!r}, and this Galloper reads {FORMAT}: it was written by a newer "
            "one. Nothing was checked, from entry 1 on; install the newer Galloper."
        )
    return Archive(
        digests, texts, manifest, tuple(_entry(number, line) for number, line in enumerate(lines, start=1))
    )


def _entry(number: int, line: str) -> ArchiveEntry:
    try:
        data = json.loads(line)
        if set(data) not in PARTS:
            raise Broken(f"Entry {number} has parts too many or too few.")
        body = data.get("body")
        if body is not None and set(body) != {"what", "fact", "entered", "tells"}:
            raise Broken(f"Entry {number} has a body of another form.")
        return ArchiveEntry(int(data["n"]), str(data["leaf"]), str(data["link"]), data.get("salt"), body)
    except (ValueError, KeyError, TypeError) as fault:
        raise Broken(f"Entry {number} cannot be read ({fault}).") from fault


def _sealed(path: Path) -> bool:
    """Whether the last bytes of a file are the digest of those before."""
    left, digest = path.stat().st_size - SEAL_DIGITS, hashlib.sha256()
    with path.open("rb") as file:
        while left > 0 and (part := file.read(min(left, CHUNK))):
            digest.update(part)
            left -= len(part)
        return file.read() == digest.hexdigest().encode()


def _cut_off(path: Path) -> str:
    """How far the record of a damaged archive can be read: the entries whose text comes out whole."""
    with path.open("rb") as file:
        data, text = file.read(HEAD), b""
    offset = data.find(b"record.jsonl")
    if offset >= 0:
        with suppress(zlib.error):
            text = zlib.decompressobj(-15).decompress(data[offset + len(b"record.jsonl"):])
    whole = text.count(b"\n")
    return ("The file is damaged or cut off: its last 64 bytes are not the digest of those before. "
            f"Of its record, entries up to {whole} can be made out; nothing in it may be relied on. Fetch "
            f"it once more.")


# The chain and the files
# ----------------------------------------------------------------------------------------------


def check_chain(archive: Archive, report: VerifyReport) -> None:
    """Every digest reckoned anew, from the game's name on."""
    before = start(str(archive.manifest.get("game")))
    for expected, entry in enumerate(archive.entries, start=1):
        if entry.number != expected:
            is_repeated = entry.number < expected
            report.faults.append(
                f"Entry {entry.number} stands twice: the chain has two heads." if is_repeated else
                f"Entry {expected} is missing: entry {entry.number} stands in its place.")
            return
        if entry.body is not None and leaf(str(entry.salt), canonical(entry.body)) != entry.leaf:
            report.faults.append(f"Entry {expected} was changed: its words do not give its leaf.")
            return
        if archive.whole and entry.body is None:
            report.faults.append(f"Entry {expected} is closed, and in a whole archive all are open.")
            return
        before = link(before, expected, entry.leaf)
        if entry.link != before:
            report.faults.append(f"Entry {expected} does not follow on the one before it.")
            return
    if (archive.manifest.get("entries"), archive.manifest.get("root")) != (len(archive.entries), before):
        report.faults.append(f"The record ends at entry {len(archive.entries)}, which is not where "
                             f"manifest.json says that it ends.")


def check_files(archive: Archive, report: VerifyReport) -> None:
    """Every file is what an entry names, and in a whole archive none is missing."""
    begun = next(archive.told("begun"), (1, {}))[1]
    called = [tells["name"] for _, tells in archive.told("game")][-1:]
    if [begun.get("game"), begun.get("variant"), *called] != [
        archive.manifest.get(key) for key in ("game", "variant", "name")
    ]:
        report.faults.append("Entry 1 is of another game than manifest.json.")
    named = _named(archive, begun)
    boards = {(tells["phase"], tells["position"]) for _, tells in archive.told("phase")}
    have: set[str] = set()
    for name, digest in archive.digests.items():
        folder, _, rest = name.partition("/")
        if folder in named and not archive.whole:
            report.faults.append(f"{name} has no place in a players' archive.")
        elif folder in named:
            key = rest.partition(".")[0]
            have.add(f"{folder}/{key}")
            if digest != key:
                report.faults.append(f"{name}, of entry {named[folder].get(key, 'none')}, was changed: its "
                                     f"bytes do not give its name.")
            elif key not in named[folder]:
                report.faults.append(f"{name} was put in: no entry names it.")
        elif folder == "positions":
            report.faults += _board(name, rest, archive.texts.get(name, b""), boards)
        elif name not in OWN_FILES:
            report.faults.append(f"{name} is no part of an archive.")
    if archive.whole:
        report.faults += [
            f"The {folder[:-1]} {key[:12]}… of entry {number} is missing."
            for folder, keys in named.items()
            for key, number in keys.items()
            if f"{folder}/{key}" not in have
        ]


def _named(archive: Archive, begun: dict[str, Any]) -> dict[str, dict[str, int]]:
    """The files that entries name: by folder, digest to the first entry."""
    named: dict[str, dict[str, int]] = {"photographs": {}, "pictures": {}, "mails": {}, "letters": {}}
    for key in (begun.get("found") or {}).get("photographs", []):
        named["photographs"][key] = 1
    for number, tells in archive.told("sheet"):
        for key in tells["photographs"]:
            named["photographs"].setdefault(key, number)
    for number, tells in archive.told("reading"):
        for page in tells["pages"]:
            if page["upright"] is not None:
                named["pictures"].setdefault(page["upright"], number)
    for number, tells in archive.told("mail"):
        named["mails"].setdefault(tells["mail"], number)
    for number, tells in archive.told("letter"):
        named["letters"].setdefault(tells["message"], number)
    return named


def _board(name: str, rest: str, data: bytes, boards: set[tuple[int, str]]) -> list[str]:
    try:
        entered_digest = (
            int(rest.partition("-")[0]),
            hashlib.sha256(canonical(plain(json.loads(data))).encode()).hexdigest(),
        )
    except ValueError:
        return [f"{name} cannot be read."]
    return [] if entered_digest in boards else [f"{name} is not the board that was entered for its phase."]
