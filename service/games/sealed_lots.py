"""Lots that no one can steer (docs/record.md, "Lots"; ADR 0021).

The seed of a phase is derived from the site's key, which is not in the database, and its digest is on record
from the phase's first entry on. A draw mixes it with what no one has before the deadline: a round of a
public beacon, or, in a game without one, the digests of all mails with sheets that came in time, and the
players' words. Only what was entered before the phase was closed takes part. """

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.calendar import PhaseKind
from service import site_key
from service.facts.events import Event
from service.facts.options import BEACON
from service.games import beacons
from service.games.options import options_of
from service.store.digests import digest
from service.store.tables import EntryRow, GameRow, PhaseRow, PhaseState

RULE = 2
"""The rule by which lots are drawn, as the record names it."""
NO_LOTS = (PhaseKind.MOVEMENT, PhaseKind.RETREAT)
"""Kinds of phases in which no rules draw lots."""
LOST, GIVEN_UP = Event.SEED_LOST, Event.BEACON_GIVEN_UP
"""What a draw states once a person has settled that its seed cannot be opened, or that its beacon is gone."""


@dataclass(frozen=True, slots=True)
class Draw:
    """How a phase draws: with a round of a beacon, or None for the sheets; and whether a person has settled
    that it draws without its seed or its beacon."""

    chain: beacons.BeaconChain | None = None
    seed_lost: bool = False
    beacon_given_up: bool = False

    @property
    def uses_beacon(self) -> bool:
        """Whether a round of the beacon takes part."""
        return self.chain is not None and not self.beacon_given_up


def draw_of(phase: PhaseRow) -> Draw:
    """How a phase draws."""
    plan = phase.draw
    chain = plan.get(BEACON)
    return Draw(None if chain is None else beacons.from_entry(chain), bool(plan.get(LOST)),
                bool(plan.get(GIVEN_UP)))


def seal(session: Session, phase: PhaseRow, game: GameRow) -> None:
    """Give a phase that is planned its lots: a seed that is derived when it is needed, and its digest. Raises
    NoSiteKey."""
    nonce = secrets.token_hex(32)
    name = options_of(game).beacon
    phase.sealed = nonce
    phase.commitment = digest(_seed(session, phase.game_id, phase.ordinal, nonce))
    phase.draw = {"rule": RULE, BEACON: None if name is None else beacons.CHAINS[name].as_entry()}


def _seed(session: Session, game_id: str, ordinal: int, nonce: str) -> str:
    # The nonce: a game that is removed and begun again under its name has other seeds.
    return site_key.of_session(session).derive("seed of lots", game_id, str(ordinal), nonce).hex()


def opened_seed(session: Session, phase: PhaseRow) -> str | None:
    """The seed of a phase; None if it is settled that it is lost, or if the site's key is not the
    one that it was derived from. Raises NoSiteKey if there is no key."""
    draw = draw_of(phase)
    if draw.seed_lost:
        return None
    seed = _seed(session, phase.game_id, phase.ordinal, phase.sealed)
    return seed if digest(seed) == phase.commitment else None


def waits_for_beacon(phase: PhaseRow) -> bool:
    """Whether a phase cannot be judged before its round of the beacon is here."""
    draw = draw_of(phase)
    return draw.uses_beacon and phase.kind not in NO_LOTS and phase.beacon is None


def sheets_of(entries: Sequence[tuple[str, dict[str, Any]]], phase: int) -> list[str]:
    """The mails that take part, as "power: digest", sorted: of each sheet of the phase the first entry, if it
    came by mail, by the deadline, and before the first entry that states that the phase is closed. `entries`:
    kind and content of the record's entries, in order."""
    first: dict[int, dict[str, Any]] = {}
    deadline = ""
    for kind, tells in entries:
        if tells.get("phase") != phase:
            continue
        if kind == "phase":
            deadline = tells["deadline"]
            if tells["state"] not in {PhaseState.WAITING, PhaseState.OPEN}:
                break
        elif kind == "sheet":
            first.setdefault(tells["sheet"], tells)
    # Every sheet and not only those that count: which of them counts may still be settled after the deadline.
    return sorted(f"{tells['power']}: {tells['mail']}" for tells in first.values()
                  if tells["mail"] is not None and tells["received"] <= deadline)


def sheets_on_record(session: Session, phase: PhaseRow) -> list[str]:
    """`sheets_of` a phase, from the record as it is now."""
    rows = session.execute(
        select(EntryRow.what, EntryRow.body)
        .where(EntryRow.game_id == phase.game_id, EntryRow.what.in_(["phase", "sheet"]))
        .order_by(EntryRow.number))
    # Bodies are canonical JSON: most are of other phases, and need not be loaded to see that.
    of_phase = f'"phase":{phase.ordinal}'
    return sheets_of([(kind, json.loads(body)["tells"]) for kind, body in rows if of_phase in body],
                     phase.ordinal)


def lines(
    game_id: str, ordinal: int, seed: str | None, beacon: dict[str, Any] | None, words: Sequence[str],
    sheets: Sequence[str],
) -> tuple[str, ...]:
    """The lines that a draw is made of, without the number of the draw, which is the last."""
    head = ("galloper lots 2", f"{game_id} {ordinal}", f"seed {seed or 'lost'}")
    if beacon is not None:
        # Nothing else: whatever a person can still add or leave out once the round is known would steer.
        return (*head, f"beacon {beacon['round']} {beacon['randomness']}")
    return (*head, *(f"word {word}" for word in words), *(f"sheet {sheet}" for sheet in sheets))


def store_round(session: Session, phase: PhaseRow, number: int, signature: str) -> None:
    """Keep a round whose signature was checked."""
    phase.beacon = {"round": number, "signature": signature,
                    "randomness": beacons.randomness(signature)}
    session.flush()


def round_due(phase: PhaseRow) -> tuple[beacons.BeaconChain, int, datetime] | None:
    """The chain, the number and the time of the round that a phase waits for; None if it waits for none."""
    draw = draw_of(phase)
    if draw.chain is None or not waits_for_beacon(phase):
        return None
    number = draw.chain.first_round(phase.deadline)
    return draw.chain, number, draw.chain.time_of(number)
