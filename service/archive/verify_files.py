"""What `galloper verify` checks without knowing the game: the chain of digests, and the files that entries
name."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from service.archive.archive_file import Archive, ArchiveEntry, VerifyReport
from service.store.digests import canonical, headed, leaf, link, plain, start

OWN_FILES = frozenset({"README.txt", "manifest.json", "record.jsonl", "tables.jsonl"})


def check_chain(archive: Archive, report: VerifyReport) -> None:
    """Compute every digest again (docs/record.md). Stops at the first fault."""
    # The chain starts from the game's name, so the record of another game cannot take its place.
    before, forgotten = start(str(archive.manifest.get("game")), archive.format), forgotten_entries(archive)
    # The first fault ends the check: every entry after it would be one too.
    for expected, entry in enumerate(archive.entries, start=1):
        if entry.number != expected:
            is_repeated = entry.number < expected
            report.faults.append(
                f"Entry {entry.number} is there twice: the chain has two heads." if is_repeated else
                f"Entry {expected} is missing: entry {entry.number} is in its place.")
            return
        if _leaf(archive, entry) != entry.leaf:
            report.faults.append(f"Entry {expected} was changed: its text does not give its leaf.")
            return
        if archive.is_whole and entry.body is None and entry.number not in forgotten:
            report.faults.append(f"Entry {expected} is closed; in a whole archive all entries are open.")
            return
        before = link(before, expected, entry.leaf)
        if entry.link != before:
            report.faults.append(f"Entry {expected} does not follow from the entry before it.")
            return
    if (archive.manifest.get("entries"), archive.manifest.get("root")) != (len(archive.entries), before):
        report.faults.append(f"The record ends at entry {len(archive.entries)}, which is not where "
                             f"manifest.json says that it ends.")


def forgotten_entries(archive: Archive) -> set[int]:
    """The entries whose words were deleted because their player is forgotten (rule C20)."""
    return {int(number) for _, tells in archive.open_entries("event") if tells["event"] == "forgotten"
            for number in tells["detail"].get("entries", ())}


def _forgotten_files(archive: Archive) -> set[str]:
    return {str(key) for _, tells in archive.open_entries("event") if tells["event"] == "forgotten"
            for key in tells["detail"].get("files", ())}


def _leaf(archive: Archive, entry: ArchiveEntry) -> str:
    """The leaf that the parts of an entry give; its own where it is quite closed."""
    if entry.body is not None:
        return leaf(str(entry.salt), canonical(entry.body), archive.format)
    return entry.leaf if entry.head is None else headed(entry.head, str(entry.inner))


def check_files(archive: Archive, report: VerifyReport) -> None:
    """Every file is one that an entry names, and a whole archive has all of them."""
    begun = next(archive.open_entries("begun"), (1, {}))[1]
    called = [tells["name"] for _, tells in archive.open_entries("game")][-1:]
    if [begun.get("game"), begun.get("variant"), *called] != [
        archive.manifest.get(key) for key in ("game", "variant", "name")
    ]:
        report.faults.append("Entry 1 is of another game than manifest.json.")
    named = _named(archive, begun)
    boards = {(tells["phase"], tells["position"]) for _, tells in archive.open_entries("phase")}
    have: set[str] = set()
    for name, digest in archive.digests.items():
        folder, _, rest = name.partition("/")
        if folder in named and not archive.is_whole:
            report.faults.append(f"{name} has no place in a players' archive.")
        elif folder in named:
            key = rest.partition(".")[0]
            have.add(f"{folder}/{key}")
            if digest != key:
                report.faults.append(f"{name}, of entry {named[folder].get(key, 'none')}, was changed: its "
                                     f"bytes do not give its name.")
            elif key not in named[folder]:
                report.faults.append(f"{name} was added: no entry names it.")
        # They are there to be read, and a false board among them must not be believed.
        elif folder == "positions":
            report.faults += _board(name, rest, archive.texts.get(name, b""), boards)
        elif name not in OWN_FILES:
            report.faults.append(f"{name} is no part of an archive.")
    if archive.is_whole:
        gone = _forgotten_files(archive)
        report.faults += [
            f"The {folder[:-1]} {key[:12]}… of entry {number} is missing."
            for folder, keys in named.items()
            for key, number in keys.items()
            if f"{folder}/{key}" not in have and key not in gone
        ]


def _named(archive: Archive, begun: dict[str, Any]) -> dict[str, dict[str, int]]:
    """The files that entries name: by folder, the digest of each file and the number of the first entry that
    names it."""
    named: dict[str, dict[str, int]] = {"photographs": {}, "pictures": {}, "mails": {}, "letters": {}}
    # Photographs of a game that is older than its record: entry 1 names them all.
    for key in (begun.get("found") or {}).get("photographs", []):
        named["photographs"][key] = 1
    for number, tells in archive.open_entries("sheet"):
        for key in tells["photographs"]:
            named["photographs"].setdefault(key, number)
    for number, tells in archive.open_entries("reading"):
        for page in tells["pages"]:
            if page["upright"] is not None:
                named["pictures"].setdefault(page["upright"], number)
    for number, tells in archive.open_entries("mail"):
        named["mails"].setdefault(tells["mail"], number)
    for number, tells in archive.open_entries("letter"):
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
