"""Cheats with lots: the seed, what it is mixed with, the beacon, and what is stated to be lost (TRU-02)."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from typing import Any

from sqlalchemy.orm import Session

from service.facts.options import BEACON
from service.games import beacons, lots, sealed_lots
from service.games.acts.lots import DrawWithoutSeed
from service.store.tables import GameRow, PhaseRow
from tests.service.archive.cheats.table import (
    BEFORE,
    KEEPER,
    OPERATOR,
    WITH_PLAYER,
    Cheat,
    Impossible,
    Play,
    exchange,
    sql,
    without_triggers,
)
from tests.support import keeper
from tests.support.acting import do
from tests.support.keeper import OTHER, VICTIM, mailed, recognize
from tests.support.table import Table

SEED = "ab" * 32
DIGEST = hashlib.sha256(SEED.encode()).hexdigest()
OWN = {"chain": "cd" * 32, "genesis": 1_700_000_000, "period": 3, "key": "ee" * 96}
"""A beacon of which the keeper has the key, so that he has its rounds ahead."""


def _send(table: Table) -> None:
    """Two versions of one player and a sheet of another, for the phase in play; a line of each waits."""
    row = keeper.in_play(table)
    for hours, (power, version) in enumerate([(VICTIM, 1), (OTHER, 1), (VICTIM, 2)], start=1):
        arrival = row.opens_at + timedelta(hours=hours)
        table.site.clock.set(max(arrival, table.site.clock.now()))
        table.take(mailed(power, version, 200 + hours, arrival, phase=keeper.phase_of_row(row)), arrival)
        recognize(table, table.submissions()[-1].id)


def _open(table: Table, seed: str | None) -> None:
    """The program opens this seed for the phase in play."""
    row, whole = keeper.in_play(table), sealed_lots.opened_seed
    exchange(sealed_lots, "opened_seed",
             lambda session, phase: seed if phase.id == row.id else whole(session, phase))


def _other_seed(table: Table) -> None:
    sql(f"UPDATE phases SET commitment = '{DIGEST}' WHERE id = {keeper.in_play(table).id}")(table)
    _open(table, SEED)


def _seed_without_triggers(table: Table) -> None:
    """The seed is exchanged past the triggers, and the check that forbids it is taken out."""
    phase_id = keeper.in_play(table).id
    without_triggers(f"UPDATE phases SET commitment = '{DIGEST}' WHERE id = {phase_id}")(table)
    _open(table, SEED)
    exchange(lots, "check_committed", lambda *_facts: None)


def _wished_seed(table: Table) -> None:
    """The one committed is forgotten once the sheets are known; another one is opened."""
    _open(table, SEED)
    exchange(lots, "check_committed", lambda *_facts: None)


def _other_sheets(change: Any) -> Play:
    """After the deadline other sheets take part, one of several that were tried."""
    whole = sealed_lots.sheets_on_record

    def play(table: Table) -> None:
        _send(table)
        exchange(sealed_lots, "sheets_on_record",
                 lambda session, phase: sorted(change(whole(session, phase))))

    return play


def _late_mail(table: Table) -> None:
    """A friend's mail of before the deadline is taken in afterwards, and mixed in."""
    _send(table)
    row = keeper.in_play(table)
    table.site.clock.set(row.deadline + timedelta(minutes=1))
    table.close_phase(row.id)
    arrival = row.deadline - timedelta(minutes=1)
    table.take(mailed(OTHER, 7, 190, arrival, phase=keeper.phase_of_row(row)), arrival)
    recognize(table, table.submissions()[-1].id)

    def with_it(session: Session, phase: PhaseRow) -> list[str]:
        return sorted(f"{sheet.power}: {sheet.sha256}" for sheet in table.submissions()
                      if sheet.phase_id == phase.id and session.is_active)

    exchange(sealed_lots, "sheets_on_record", with_it)


def _own_beacon(table: Table) -> None:
    """The game names a beacon of the keeper's own from its first phase to come on, and draws with it."""
    draw = json.dumps({"rule": 2, "beacon": OWN})
    row = keeper.in_play(table)
    signature = "aa" * 48
    number = beacons.from_entry(OWN).first_round(row.deadline)
    own_round = {"round": number, "signature": signature,
                 "randomness": hashlib.sha256(bytes.fromhex(signature)).hexdigest()}
    sql(f"UPDATE phases SET draw = '{draw}', beacon = '{json.dumps(own_round)}' WHERE id = {row.id}")(table)


def _seed_lost(table: Table) -> None:
    """The draw with the seed does not suit; so it is stated to be lost."""
    _send(table)
    row = keeper.in_play(table)
    table.site.clock.set(row.deadline + timedelta(minutes=1))
    table.close_phase(row.id)
    _open(table, None)
    do(table, DrawWithoutSeed(row.id, "the disk broke last night"))


def _lost_in_silence(table: Table) -> None:
    draw = json.dumps({"rule": 2, "beacon": None, "seed_lost": True})
    sql(f"UPDATE phases SET draw = '{draw}' WHERE id = {keeper.in_play(table).id}")(table)
    _open(table, None)


def _planned_without_commitment(_table: Table) -> None:
    """The next phases are planned with seeds that are in the database and were committed to nowhere."""

    def seal(_session: Session, phase: PhaseRow, _game: GameRow) -> None:
        phase.seed, phase.sealed, phase.commitment = SEED, "", ""
        phase.draw = {"rule": sealed_lots.RULE, BEACON: None}

    exchange(sealed_lots, "seal", seal)


CHEATS = (
    Cheat("the seed is exchanged before the deadline", KEEPER, BEFORE, "winter", _other_seed, "C12"),
    Cheat("the seed is exchanged without triggers", OPERATOR, BEFORE, "winter", _seed_without_triggers,
          "C12"),
    Cheat("another seed than the committed one is opened", KEEPER, BEFORE, "winter", _wished_seed, "C23"),
    Cheat("a sheet is left out of the lots", WITH_PLAYER, BEFORE, "winter",
          _other_sheets(lambda sheets: sheets[1:]), "C23"),
    Cheat("a sheet that never came is put into the lots", KEEPER, BEFORE, "winter",
          _other_sheets(lambda sheets: [*sheets, f"{OTHER}: {'0' * 64}"]), "C23"),
    Cheat("only one sheet of a power takes part in the lots", WITH_PLAYER, BEFORE, "winter",
          _other_sheets(lambda sheets: list({sheet[:8]: sheet for sheet in sheets}.values())), "C23"),
    Cheat("a mail taken in after the deadline takes part in the lots", WITH_PLAYER, BEFORE, "winter",
          _late_mail, "C23"),
    Cheat("a beacon of the keeper's own is named", KEEPER, BEFORE, "winter", _own_beacon, "C23"),
    Cheat("the seed is said to be lost", KEEPER, BEFORE, "winter", _seed_lost, "C15", is_named=True),
    Cheat("the seed is lost in silence", KEEPER, BEFORE, "winter", _lost_in_silence, "C23"),
    Cheat("new phases are planned without a commitment", KEEPER, BEFORE, "sheets",
          _planned_without_commitment, "C23"),
)

IMPOSSIBLE = (
    Impossible("the operator reads the site's key, and the last player tries mails before the deadline until "
               "the lots suit both, in a game without a beacon", WITH_PLAYER,
               "all that takes part is in time and on record; a game with a beacon is safe from it "
               "(docs/adr/0021)"),
)
