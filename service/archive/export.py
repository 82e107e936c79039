"""A game as one file that can be read in twenty years: a ZIP of plain JSON and pictures, with a README in it.

The whole archive, which is the coordinator's, opens every entry of the record and has every photograph, mail
and letter. The players' archive opens what was sent to all, and has no photograph and no mail. Of the rest it
has the digests, so that the chain can still be checked (docs/record.md, "The archive").

What the players' archive keeps closed although its results were sent.

The rules of a game may hide boards and orders from some players even then, such as a fleet that has not shown
itself (D66-06, D66-14).
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import chain
from typing import Any, BinaryIO, Protocol

from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from adjudicator.errors import UserFacingError
from adjudicator.serialize import codec
from grammar.headings.root_words import WORDS
from service.archive import rows as archive_rows
from service.archive.forget import forgotten_files
from service.facts.events import Event
from service.record import chain as record
from service.store import records
from service.store.blobs import BlobError
from service.store.digests import FORMAT, canonical, plain
from service.store.letter_parts import LetterBlobs
from service.store.tables import EntryRow, GameRow, PhaseRow, PhaseState

README = """\
A GAME OF POSTAL DIPLOMACY, AS IT WAS RECORDED

This file is an ordinary ZIP archive. Everything in it is plain text (UTF-8), JSON, or a picture.

manifest.json    what this is: the game, when the archive was made, how many entries its record has,
                 and the root, a number of 64 digits that covers all of them.
record.jsonl     the record of the game, one entry a line, in the order in which things happened.
words.txt        the 2,048 words of BIP 39, by which letters name a root.
positions/       the board before each phase, for reading; record.jsonl says the same.
board/           the tables of a board of the site's own, by which the phases can be judged again.
photographs/     each photographed sheet as it arrived, named by its SHA-256. Only in the
                 coordinator's archive.
pictures/        the same, squared and evened, from which its lines were read. Only in the
                 coordinator's archive.
tables.jsonl     the rows of the program's tables, to continue the game elsewhere. Only in the
                 coordinator's archive.
mails/ letters/  each mail that came in and went out, named by its SHA-256. Only in the coordinator's archive.

HOW THE RECORD IS CHECKED

An entry has a number "n", a "leaf" and a "link". Most have a "salt" and a "body" too; those that were
never told to all players lack them in the players' archive, and only their digests are here.

  inner = SHA-256 of: the salt, a line feed, the body written as JSON with its keys sorted, without blanks
  head = the body's "what", a blank, and the "phase" that it "tells", "-" where it tells none
  leaf = SHA-256 of: the head, a line feed, the inner digest (where manifest.json says "format" 1: the inner
         digest itself)
  link = SHA-256 of: the link before, a line feed, n, a line feed, the leaf
  the link before the first entry = SHA-256 of: "galloper record 2" (or 1), a line feed, the game's short name

All digests are written in 64 lower-case hexadecimal digits, all text is UTF-8. The last link is the root.
Letters name the root as it was when they were written, by four words and in their file record.json; the
file receipt.json has the leaf of a sheet too. So whoever has kept a letter can tell whether this archive is
the same record. The last 64 bytes of this file are the SHA-256 of all bytes before them.

FROM AN ORDER TO ITS INK

A "judged" entry has the "line" of each order. The last "reading" of the executed sheet before it has
that line's "box": its four corners in pixels of the photograph as it is shown, from the top left of the
writing. A "decision" says where a person read the line otherwise than the machine.

CHECKERS

With Python:  python3 verify_record.py THIS_FILE LETTER.eml ...
With Galloper:  galloper verify THIS_FILE LETTER.eml ...
The full description is docs/record.md of Galloper.
"""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Numbers of the phases whose board, and of those whose orders, some player may not see."""

    boards: frozenset[int] = frozenset()
    orders: frozenset[int] = frozenset()

    def hides(self, kind: str, tells: Mapping[str, Any]) -> bool:
        """Whether an entry of this kind would give a secret away."""
        match kind:
            case "phase":
                # Even the bare digest gives the board away: a fleet can be in so few places that a player
                # could try them all.
                return tells["position"] is not None and tells["phase"] in self.boards
            case "reading" | "decision" | "judged":
                return tells["phase"] in self.orders
            case "event":  # it shows how many orders were judged
                return bool(self.orders) and tells["event"] == "phase_judged"
            case _:
                return False


def secrets_of(session: Session, game: GameRow) -> Secrets:
    """The secrets of a game as it is now.

    There are none once its newest board hides nothing. The opening board is printed in the rules and is no
    secret. Raises maps.MapError for a game whose variant is not known.
    """
    variant = maps.load(game.variant)
    setting, boards, orders, hides = variant.context(), set(), set(), False
    for row in records.phases(session, game.id):
        if row.position is not None:
            position = codec.load_position(row.position)
            hides = variant.rules.visible_position(setting, position, None) != position
            if hides and position != variant.start:
                boards.add(row.ordinal)
        if row.resolution is not None:
            resolution = codec.load_resolution(row.resolution)
            hides = variant.rules.visible_position(setting, resolution.position, None) != resolution.position
            if variant.rules.redact_resolution(setting, resolution, None) != resolution:
                orders.add(row.ordinal)
    return Secrets(frozenset(boards), frozenset(boards | orders)) if hides else Secrets()


EXPLAIN = frozenset({Event.FORGOTTEN, Event.RESTORED, Event.ROOT_STAMPED})
"""Events that every archive opens: they explain what is gone, or prove what is there."""
SEAL_DIGITS = 64
"""The file ends in the SHA-256 of all its bytes before."""
CHUNK = 1 << 20
_KINDS = (
    (b"\xff\xd8", "jpg"),
    (b"\x89PNG", "png"),
    (b"%PDF", "pdf"),
    (b"II*\x00", "tif"),
    (b"MM\x00*", "tif"),
    (b"RIFF", "webp"),
)
_EARLIEST = (1980, 1, 1, 0, 0, 0)


class Edition(StrEnum):
    """Who an archive is for."""

    WHOLE = "whole"
    PLAYERS = "players"


class BlobFiles(Protocol):
    """The store of the files."""

    def read(self, key: str) -> bytes:
        """The bytes of a blob, checked against their name."""


class NoSuchGame(UserFacingError):
    """There is no game of this name; the sentence names those there are."""


@dataclass(frozen=True, slots=True)
class _PlayersEdition:
    """Which entries the players' archive opens: what was sent to all. `sent` are phases by their number,
    `over` those and the ones that were passed over, as no person had to retreat, `executed` the sheets that
    counted in them, `until` the instant up to which mails and events are open, `secrets` what the
    rules still hide, `last` the entry of the last judging whose results were sent, 0 for none: up to it they
    are open too, since a clock may have been set back."""

    sent: frozenset[int]
    over: frozenset[int]
    executed: frozenset[int]
    until: str
    secrets: Secrets
    last: int

    def shows_head(self, number: int) -> bool:
        """Whether a closed entry shows its kind and phase: up to the judging of the last results."""
        # What a player may still hide, such as that a sheet came, is behind that.
        return number <= self.last

    def opens(self, number: int, kind: str, tells: dict[str, Any]) -> bool:
        """Whether an entry is open."""
        if kind == "letter":
            # A welcome that left between two phases names the next one, which may be passed over.
            return tells["phase"] in self.over
        return not self.secrets.hides(kind, tells) and self._was_sent(number, kind, tells)

    def _was_sent(self, number: int, kind: str, tells: dict[str, Any]) -> bool:
        match kind:
            case "begun" | "game" | "seat" | "phase" | "person" | "key" | "gone":
                return True
            case "reading" | "decision":
                return tells["phase"] in self.sent and tells["sheet"] in self.executed
            case "judged" | "sheet" | "posted" | "word" | "correction":
                return tells["phase"] in self.sent
            case "mail":
                return number <= self.last or bool(tells["stamped"] <= self.until)
            case "event":
                return number <= self.last or bool(tells["at"] <= self.until) or tells["event"] in EXPLAIN
            case _:
                return False


def write_archive(
    session: Session, blobs: BlobFiles, game_id: str, edition: Edition, now: datetime, version: str,
    out: BinaryIO, missing: list[str] | None = None
) -> record.Root:
    """Write the archive of a game as it is now into an empty file that can be read back; the end of its
    record. `missing` is given the digests of files that cannot be read, which are left out; the checkers name
    them too. Raises NoSuchGame, and BlobError for such a file where no `missing` is given."""
    game = session.get(GameRow, game_id)
    blobs = LetterBlobs(session, blobs)
    if game is None:
        known = ", ".join(row.id for row in records.games(session)) or "none"
        raise NoSuchGame(f"There is no game {game_id!r} on this site; there are: {known}.")
    root = record.root(session, game_id)
    opener = None if edition is Edition.WHOLE else _players_edition(session, game)
    manifest = {
        "format": FORMAT, "game": game.id, "name": game.name,
            "variant": game.variant,
        "edition": edition.value,
        "made": plain(now), "galloper": version, "entries": root.number, "root": root.link,
    }
    # The record comes right after these two, so that a file that was cut off still has entries that can be
    # read.
    first = [("README.txt", README.encode()), ("manifest.json", _json(manifest)),
             ("words.txt", "".join(f"{word}\n" for word in WORDS).encode())]
    seal(out, chain(first, _files(session, blobs, game_id, opener, missing)))
    return root


def seal(out: BinaryIO, files: Iterable[tuple[str, bytes]]) -> None:
    """Write a ZIP of these files, one at a time, whose last 64 bytes are the SHA-256 of all before them."""
    with zipfile.ZipFile(out, "w") as zipped:
        for name, data in files:
            # Photographs are compressed already.
            compression = (
                zipfile.ZIP_DEFLATED
                if name.endswith((".json", ".jsonl", ".txt", ".eml"))
                else zipfile.ZIP_STORED
            )
            # One fixed date: the same game at the same moment gives the same bytes.
            zipped.writestr(zipfile.ZipInfo(name, _EARLIEST), data, compression)
        # The ZIP comment is the last thing in the file, so the seal can take its place without moving a byte.
        zipped.comment = b"0" * SEAL_DIGITS
    end = out.seek(-SEAL_DIGITS, os.SEEK_END)
    out.seek(0)
    digest, left = hashlib.sha256(), end
    while left and (part := out.read(min(left, CHUNK))):
        digest.update(part)
        left -= len(part)
    out.seek(end)
    out.write(digest.hexdigest().encode())


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _players_edition(session: Session, game: GameRow) -> _PlayersEdition:
    over = [phase for phase in records.phases(session, game.id) if phase.state == PhaseState.SENT]
    executed: dict[int, set[int]] = {}
    judgings: list[tuple[int, int]] = []
    for number, body in session.execute(
        select(EntryRow.number, EntryRow.body)
        .where(EntryRow.game_id == game.id, EntryRow.what == "judged")
        .order_by(EntryRow.number)
    ):
        tells = json.loads(body)["tells"]
        # A phase that was judged again executed what its last judging states.
        executed[tells["phase"]] = set(tells.get("executed", {}).values())
        judgings.append((number, tells["phase"]))
    # A retreat whose results were taken back may be passed over after that.
    sent = frozenset(phase.ordinal for phase in over
                     if phase.sent_at is not None or phase.ordinal in executed)
    last = max((number for number, ordinal in judgings if ordinal in sent), default=0)
    until = max((str(plain(phase.sent_at)) for phase in over if phase.sent_at is not None), default="")
    return _PlayersEdition(
        sent,
        frozenset(phase.ordinal for phase in over),
        frozenset(key for ordinal in sent for key in executed.get(ordinal, ())),
        until,
        secrets_of(session, game),
        last,
    )


def _files(
    session: Session, blobs: BlobFiles, game_id: str, opener: _PlayersEdition | None,
    missing: list[str] | None,
) -> Iterator[tuple[str, bytes]]:
    lines, named_files = [], _NamedFiles()
    for row in record.entries(session, game_id):
        tells = json.loads(row.body)["tells"]
        opened = opener is None or opener.opens(row.number, row.what, tells)
        if opened:
            named_files.note(row.what, tells)
        # A closed entry keeps its digests, so the chain can be checked without its text.
        headed = opener is not None and opener.shows_head(row.number)
        lines.append(canonical(record.entry_line(row, opened=opened, headed=headed)))
    yield "record.jsonl", ("\n".join(lines) + "\n").encode()
    for name, data in maps.own_tables(session.get_one(GameRow, game_id).variant).items():
        yield f"board/{name}", data
    yield from _positions(session, game_id, frozenset() if opener is None else opener.secrets.boards)
    if opener is None:
        # They hold home addresses and every sheet.
        gone = forgotten_files(session, game_id)
        yield "tables.jsonl", b"".join(archive_rows.lines(session.connection(), game_id))
        for folder, keys in (
            ("photographs", named_files.photographs),
            ("pictures", named_files.pictures),
            ("mails", named_files.mails),
            ("letters", named_files.letters),
        ):
            for key in dict.fromkeys(keys):
                try:
                    data = blobs.read(key)
                except BlobError:
                    if key not in gone and missing is None:
                        raise
                    if key not in gone and missing is not None:
                        missing.append(key)
                    continue
                yield f"{folder}/{key}.{_ending(folder, data)}", data


class _NamedFiles:
    """The files that opened entries name, by their digests."""

    def __init__(self) -> None:
        self.photographs: list[str] = []
        self.pictures: list[str] = []
        self.mails: list[str] = []
        self.letters: list[str] = []

    def note(self, kind: str, tells: dict[str, Any]) -> None:
        match kind:
            case "sheet":
                self.photographs += tells["photographs"]
            case "reading":
                self.pictures += [page["upright"] for page in tells["pages"] if page["upright"] is not None]
            case "mail":
                self.mails.append(tells["mail"])
            case "letter":
                self.letters.append(tells["message"])


def _ending(folder: str, data: bytes) -> str:
    if folder in {"mails", "letters"}:
        return "eml"
    return next((kind for begin, kind in _KINDS if data.startswith(begin)), "bin")


def _positions(session: Session, game_id: str, secret: frozenset[int]) -> Iterable[tuple[str, bytes]]:
    """The board before each phase whose results were sent, for reading; the record has the same and is what
    counts."""
    rows = session.scalars(
        select(PhaseRow)
        .where(PhaseRow.game_id == game_id, PhaseRow.state == PhaseState.SENT, PhaseRow.position.is_not(None))
        .order_by(PhaseRow.ordinal)
    )
    for row in rows:
        # The record has the digest of this board only.
        if row.ordinal in secret:
            continue
        yield (
            f"positions/{row.ordinal:03}-{row.season}-{row.year}-{row.kind}.json",
            _json(plain(row.position)),
        )
