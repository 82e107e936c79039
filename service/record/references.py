"""Places in the record as letters and maps name them, and the sentences about lots before and after they are
drawn."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.outcome import Resolution
from grammar.headings.root_words import COUNT, WORDS
from service.games import lots, sealed_lots
from service.games.sealed_lots import NO_LOTS
from service.store import records
from service.store.signatures import fingerprint
from service.store.tables import EntryRow, GameKeyRow, PhaseRow

ROUNDS = 100_000
"""Of PBKDF2. Two records whose roots have the same words can be sought by anyone who keeps both: that takes
about four million tries, and each try costs this much."""
BITS = 11
"""What each word is worth."""


@lru_cache(maxsize=512)
def root_words(root: str) -> str:
    """The four words of a root (64 hexadecimal digits), with blanks between them."""
    drawn = hashlib.pbkdf2_hmac("sha256", root.encode(), b"galloper words", ROUNDS, dklen=8)
    number = int.from_bytes(drawn, "big") >> (64 - COUNT * BITS)
    places = [(number >> shift) % (1 << BITS) for shift in range((COUNT - 1) * BITS, -1, -BITS)]
    return " ".join(WORDS[place] for place in places)


CHECKER = "verify_record.py"
"""The checker of archives: a file that needs Python alone, which players fetch and `galloper verify` runs."""
_CHECKER_PLACES = (
    Path(__file__).parents[2] / "tools" / CHECKER, Path(sys.prefix) / "share" / "galloper" / CHECKER)
"""In a checkout, and where a wheel puts it."""


@cache
def checker_file() -> bytes | None:
    """The checker; None where an installation left it out."""
    return next((path.read_bytes() for path in _CHECKER_PLACES if path.is_file()), None)


def checker_digest() -> str:
    """The SHA-256 of the checker, by which a player sees that it is the one of all; "" without it."""
    data = checker_file()
    return "" if data is None else hashlib.sha256(data).hexdigest()


SEEDS_AHEAD = 2
"""Phases with lots whose commitments a letter has."""


def letter_file(game_id: str, mark: RecordReference, **parts: Any) -> bytes:
    """The file of a letter with the root that its four words represent, and what else can be checked by it
    (docs/record.md, "What goes out")."""
    content = {"format": "galloper letter 1", "game": game_id, "entry": mark.number, "root": mark.digest}
    return (json.dumps(content | parts, indent=1, ensure_ascii=False) + "\n").encode()


def root_mark(session: Session, phase: PhaseRow) -> RecordReference | None:
    """The record up to the judging of a phase, for its results letters and its map; None if the phase was
    judged before the game had a record."""
    # Not the newest entry: a letter that is rendered again later must name the same root.
    row = session.scalars(
        select(EntryRow)
        .where(EntryRow.game_id == phase.game_id, EntryRow.what == "judged", EntryRow.fact == str(phase.id))
        .order_by(EntryRow.number.desc())
        .limit(1)
    ).first()
    if row is None or "taken_back" in json.loads(row.body)["tells"]:
        return None
    return RecordReference(row.number, row.link)


def on_map(session: Session, game_id: str, mark: RecordReference | None) -> str:
    """The root, the fingerprint of the game's key and the first digits of the checker's digest in the words
    of a map's imprint; "" where there is no root."""
    if mark is None:
        return ""
    key = session.scalars(select(GameKeyRow.public).where(GameKeyRow.game_id == game_id)
                          .order_by(GameKeyRow.number.desc()).limit(1)).first()
    own_key = "" if key is None else f" Key {fingerprint(key)}."
    digest = checker_digest()[:12]
    checker = f" Checker {digest[:4]} {digest[4:8]} {digest[8:]}." if digest else ""
    return f"The record has {mark.number} entries; root {mark.digest}.{own_key}{checker}"


def commitments(session: Session, phase: PhaseRow, *, with_it: bool = False) -> tuple[Commitment, ...]:
    """The digests of the next seeds, as a results letter names them; `with_it`: of the phase itself too."""
    # A welcome needs `with_it`: lots that the very first phase draws must be committed to before it closes.
    ahead = [
        row
        for row in records.phases(session, phase.game_id)
        if row.ordinal >= phase.ordinal + (not with_it) and row.kind not in NO_LOTS
    ]
    return tuple(
        Commitment(f"{row.season} {row.year}", row.ordinal, row.commitment, _chain(row))
        for row in ahead[:SEEDS_AHEAD]
    )


def _chain(row: PhaseRow) -> str:
    """The chain of the beacon by which a phase draws, or ""."""
    chain = sealed_lots.draw_of(row).chain
    return "" if chain is None else chain.chain


@dataclass(frozen=True, slots=True)
class DrawnLots:
    """The sources of the lots of a judged phase. `phase`: its number; `count`: lots, 1 or more;
    `words`: those of players; `sheets`: how many came in time; `round`: that of the beacon, or None."""

    phase: int
    count: int
    is_seed_lost: bool
    words: tuple[str, ...]
    sheets: int
    round: int | None


def drawn(session: Session, phase: PhaseRow, resolution: Resolution) -> DrawnLots | None:
    """The sources of the lots of a phase, whose seed is in the letter's file; None without lots."""
    if not resolution.lots_used:
        return None
    mix = lots.mix_of(session, phase)
    beacon = None if mix.beacon is None else int(mix.beacon["round"])
    return DrawnLots(
        phase.ordinal, resolution.lots_used, phase.seed is None, tuple(mix.words), len(mix.sheets), beacon)


@dataclass(frozen=True, slots=True)
class RecordReference:
    """A place in the game's record (docs/record.md): the number of an entry, and the root of the record up to
    it."""

    number: int
    digest: str

    @property
    def words(self) -> str:
        """The digest in four words, by which people compare it."""
        return root_words(self.digest)


@dataclass(frozen=True, slots=True)
class Commitment:
    """The commitment to the lots of a phase: the phase in words, its number in the game, the digest of its
    seed; and the chain of the beacon that is mixed in, or "" where the sheets are."""

    phase: str
    ordinal: int
    digest: str
    chain: str = ""
