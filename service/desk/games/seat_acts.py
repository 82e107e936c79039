"""What a coordinator does to the seats of a running game: who holds a power, and from which addresses they
write."""

from __future__ import annotations

import logging
from dataclasses import replace

from service.desk.games import offer_acts
from service.games.acts.act import ActTable, perform
from service.games.acts.seats import GiveSeat, Holder
from service.notices.broadcasts import Broadcasts
from service.notices.sign_ups import forget
from service.store.engine import Store
from service.store.row_numbers import row_number

log = logging.getLogger(__name__)


def give(table: ActTable, act: GiveSeat, waiting: str) -> None:
    """Give a power to another player. `waiting` names somebody on the game's waiting list, who leaves it and
    brings their postal address; "" for the holder of the act. Raises Refused."""
    person = offer_acts.take_from_list(table.session, act.game, row_number(waiting)) if waiting else None
    if person is not None:
        act = replace(act, holder=Holder(person.name, person.zone, (person.email,)))
    perform(act, table)
    if person is not None:
        offer_acts.keep_home(table.session, person, table.now)
        forget(table.session, [person])


def welcome(store: Store, circulars: Broadcasts | None, game_id: str, power: str = "") -> int:
    """Write to the players of a game, or of one power; the number of letters, 0 also where they cannot be
    written. The change is committed before, so a map that cannot be drawn loses nothing."""
    if circulars is None:
        return 0
    try:
        with store.begin() as session:
            return circulars.welcome(session, game_id, power)
    except Exception:
        log.exception("the welcome to %s could not be written", game_id)
        return 0
