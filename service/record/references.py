"""Places in the record as letters and maps name them, and the sentences about lots before and after they are
drawn."""

from __future__ import annotations

import json
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.calendar import PhaseKind
from adjudicator.outcome import Resolution
from service.games import lots
from service.record import chain
from service.store import records
from service.store.digests import plain
from service.store.tables import EntryRow, PhaseRow, SubmissionRow

NO_LOTS = (PhaseKind.MOVEMENT, PhaseKind.RETREAT)
"""Kinds of phases in which no rules draw lots."""
SEEDS_AHEAD = 2
"""Phases with lots whose commitments a letter has."""


def sheet_mark(session: Session, submission: SubmissionRow, game_id: str) -> RecordReference | None:
    """The entry of a submission, for its receipt."""
    row = chain.entry_of(session, game_id, "sheet", str(submission.id))
    return None if row is None else RecordReference(row.number, row.leaf, str(plain(submission.received_at)))


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


def on_map(mark: RecordReference | None) -> str:
    """The root in the words of a map's imprint; "" where there is none."""
    return "" if mark is None else f"The record has {mark.number} entries; root {mark.digest}."


def commitments(session: Session, phase: PhaseRow, *, with_it: bool = False) -> tuple[Commitment, ...]:
    """The digests of the next seeds, as a results letter names them; `with_it`: of the phase itself too."""
    # A welcome needs `with_it`: lots that the very first phase draws must be committed to before it closes.
    ahead = [
        row
        for row in records.phases(session, phase.game_id)
        if row.ordinal >= phase.ordinal + (not with_it) and row.kind not in NO_LOTS and row.seed is not None
    ]
    return tuple(
        Commitment(f"{row.season} {row.year}", row.ordinal, lots.commitment(row))
        for row in ahead[:SEEDS_AHEAD]
    )


def opened(session: Session, phase: PhaseRow, resolution: Resolution, base_url: str) -> str:
    """The sentence that opens the seed of a phase in which lots were drawn; "" of any other."""
    if not resolution.lots_used or phase.seed is None:
        return ""
    words = lots.words_of(session, phase)
    words_clause = f" and the words {'; '.join(words)}" if words else ""
    where = f" How to follow each draw by hand: {base_url}/public/{phase.game_id}/lots" if base_url else ""
    count = resolution.lots_used
    return (f"{count} {'lot was' if count == 1 else 'lots were'} drawn in phase {phase.ordinal}, from the "
            f"seed {phase.seed}{words_clause}.{where}")


@dataclass(frozen=True, slots=True)
class RecordReference:
    """A place in the game's record (docs/record.md): the number of an entry and 64 digits by which it can be
    checked. In a receipt those of the sheet's own entry, with its stamp as the entry has it; in results those
    of the whole record, its root, with the number of its entries."""

    number: int
    digest: str
    stamp: str = ""


@dataclass(frozen=True, slots=True)
class Commitment:
    """The commitment to the lots of a phase: the phase in words, its number in the game, the digest of its
    seed."""

    phase: str
    ordinal: int
    digest: str
