"""Acts on the seats of a running game: who holds a power, and from which addresses they
write."""

from __future__ import annotations

import logging
from dataclasses import replace

from sqlalchemy.orm import Session

from service.feature import features
from service.games.acts.act import ActTable, perform
from service.games.acts.seats import Candidate, GiveSeat
from service.games.refused import Refused
from service.notices.broadcasts import Broadcasts
from service.store.columns import row_number
from service.store.engine import Store

log = logging.getLogger(__name__)


def candidates(session: Session, game_id: str) -> list[Candidate]:
    """Who waits for a seat in a game."""
    return [each for feature in features() for each in feature.candidates(session, game_id)]


def give(table: ActTable, act: GiveSeat, waiting: str) -> None:
    """Give a power to another player. `waiting` names a candidate of the game; "" for the holder of the act.
    Raises Refused."""
    if not waiting:
        perform(act, table)
        return
    number = row_number(waiting)
    candidate = next((each for each in candidates(table.session, act.game) if each.id == number), None)
    if candidate is None:
        raise Refused("Nothing was changed: this person is not on the waiting list any more.")
    perform(replace(act, holder=candidate.holder), table)
    candidate.seated(table)


def welcome(store: Store, circulars: Broadcasts, game_id: str, power: str = "") -> int:
    """Write to the players of a game, or of one power; the number of letters, 0 also where they cannot be
    made. The change is committed before, so a map that cannot be drawn loses nothing."""
    try:
        with store.begin() as session:
            return circulars.welcome(session, game_id, power)
    except Exception:
        log.exception("the welcome to %s could not be written", game_id)
        return 0
