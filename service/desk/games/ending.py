"""A coordinator declares the end of a game: a draw, or a concession (BEY-03)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

import maps
from adjudicator.serialize import codec
from service.games.ended.ending import DECLARED, CannotEnd, EndKind, GameEnd, end_game
from service.games.refused import Refused, reason_of
from service.notices.broadcasts import Broadcasts
from service.notices.ending import Farewell
from service.store.tables import GameRow

WORDS: dict[EndKind, str] = {
    EndKind.DRAW: "A draw between these powers, as all who play on agreed",
    EndKind.CONCESSION: "The others concede to this power",
}
"""What may be declared, with its words."""


def declare(
    session: Session, game: GameRow, kind: str, powers: Sequence[str], why: str, *, surely: bool, by: str,
    now: datetime, circulars: Broadcasts | None,
) -> int:
    """End the game and write to every player in the same transaction; the number of letters. Raises
    Refused."""
    why = reason_of(why)
    if kind not in {each.value for each in DECLARED}:
        raise Refused("Nothing was changed: choose a draw or a concession.")
    if not surely:
        raise Refused("Nothing was changed: tick that the game shall end now. It cannot be taken back.")
    variant = maps.load(game.variant)
    end = GameEnd(EndKind(kind), tuple(dict.fromkeys(powers)), why)
    try:
        last = end_game(session, game, variant, end, by=by, now=now)
    except CannotEnd as fault:
        raise Refused(str(fault)) from fault
    if circulars is None:
        return 0
    resolution = codec.load_resolution(last.resolution or {})
    letters = Farewell(circulars.letters).all(session, game, end, last, resolution)
    return sum(circulars.letters.put(session, letter, last) for letter in letters)
