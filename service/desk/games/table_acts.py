"""What a coordinator does for the table of a running game: note an absence, end in an agreed draw (BEY-04).
Each is told to everybody in the game."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy.orm import Session

from service.games import draw_votes
from service.games.acts.act import CANNOT_WRITE
from service.games.refused import Refused, reason_of
from service.notices import announcements
from service.notices.announcements import AnnouncementRefused
from service.notices.broadcasts import Broadcasts
from service.store import records
from service.store.records import log_event
from service.store.tables import GameRow, PhaseRow


def absence(
    session: Session, game: GameRow, power: str, first: str, last: str, circulars: Broadcasts | None, *,
    by: str, now: datetime,
) -> None:
    """Note the days on which the player of a power is away, and tell everybody. Raises Refused."""
    player = records.seats(session, game.id).get(power)
    if player is None or circulars is None:
        raise Refused(
            CANNOT_WRITE if player is not None else "Nothing was changed: nobody holds this power.")
    try:
        days = date.fromisoformat(first), date.fromisoformat(last)
        announcements.add_absence(session, circulars.letters, game, player, *days, by=by, now=now)
    except AnnouncementRefused as fault:
        raise Refused(str(fault)) from fault
    except ValueError as fault:
        raise Refused("Nothing was changed: days are written like 2027-03-14.") from fault


def end_absence(
    session: Session, game: GameRow, row_id: int, circulars: Broadcasts | None, *, by: str, now: datetime
) -> None:
    """Take an absence back and tell everybody. Raises Refused."""
    if circulars is None:
        raise Refused(CANNOT_WRITE)
    try:
        announcements.end_absence(session, circulars.letters, game, row_id, None, by=by, now=now)
    except AnnouncementRefused as fault:
        raise Refused(str(fault)) from fault


def agree_on_draw(
    session: Session, game: GameRow, phase: PhaseRow, why: str, circulars: Broadcasts | None, *, by: str,
    now: datetime,
) -> None:
    """Let the game end in a draw with the results of this phase, which all survivors ask for on their sheets
    of its season (Q-30). Raises Refused."""
    why = reason_of(why)
    votes = draw_votes.votes(session, phase)
    if votes is None:
        raise Refused("Nothing was changed: no draw is open, or this phase is not judged or is sent.")
    names = circulars.letters.load(game.variant).powers if circulars is not None else {}
    if votes.missing or circulars is None:
        missing = ", ".join(names[power].name for power in votes.missing) if names else CANNOT_WRITE
        raise Refused(f"Nothing was changed: not every survivor asks for the draw on a sheet of this "
                         f"season. Missing: {missing}.")
    if game.options.get(draw_votes.AGREED) == phase.ordinal:
        raise Refused("Nothing was changed: the draw is agreed already.")
    game.options = {**game.options, draw_votes.AGREED: phase.ordinal}
    log_event(session, now, "option_changed", game_id=game.id, actor=by, detail={
        "option": draw_votes.AGREED, "from": False, "to": True, "why": why})
    announcements.tell_of_draw(session, circulars.letters, game,
                               [names[power].name for power in votes.open_to], str(phase.ordinal))
