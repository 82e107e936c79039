"""What a coordinator does for the table of a running game: note an absence, pause, end in an agreed draw
(BEY-04). Each is told to everybody in the game."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.desk.games import acts
from service.desk.queries import CLOCK_ONLY
from service.desk.sheet.acts import ActRefused, reason_of
from service.facts.events import Event
from service.games import draw_votes
from service.games.options import options_of, with_options
from service.notices import announcements
from service.notices.announcements import AnnouncementRefused
from service.notices.broadcasts import Broadcasts
from service.store import records
from service.store.records import log_event
from service.store.row_numbers import row_number
from service.store.tables import GameRow, PhaseRow, PhaseState

MOST_DAYS = 180
CANNOT_WRITE = "Nothing was changed: this site cannot write to the players, and they must be told."


def absence(
    session: Session, game: GameRow, power: str, first: str, last: str, circulars: Broadcasts | None, *,
    by: str, now: datetime,
) -> None:
    """Note the days on which the player of a power is away, and tell everybody. Raises ActRefused."""
    player = records.seats(session, game.id).get(power)
    if player is None or circulars is None:
        raise ActRefused(
            CANNOT_WRITE if player is not None else "Nothing was changed: nobody holds this power.")
    try:
        days = date.fromisoformat(first), date.fromisoformat(last)
        announcements.add_absence(session, circulars.letters, game, player, *days, by=by, now=now)
    except AnnouncementRefused as fault:
        raise ActRefused(str(fault)) from fault
    except ValueError as fault:
        raise ActRefused("Nothing was changed: days are written like 2027-03-14.") from fault


def end_absence(
    session: Session, game: GameRow, row_id: int, circulars: Broadcasts | None, *, by: str, now: datetime
) -> None:
    """Take an absence back and tell everybody. Raises ActRefused."""
    if circulars is None:
        raise ActRefused(CANNOT_WRITE)
    try:
        announcements.end_absence(session, circulars.letters, game, row_id, None, by=by, now=now)
    except AnnouncementRefused as fault:
        raise ActRefused(str(fault)) from fault


def next_deadline(session: Session, game_id: str, now: datetime) -> PhaseRow | None:
    """The phase whose deadline is the next that a pause moves; None where none is ahead."""
    return session.scalar(
        select(PhaseRow).options(*CLOCK_ONLY)
        .where(PhaseRow.game_id == game_id, PhaseRow.state.in_((PhaseState.OPEN, PhaseState.WAITING)),
               PhaseRow.deadline > now)
        .order_by(PhaseRow.ordinal).limit(1))


def pause(
    session: Session, game: GameRow, days: str, why: str, circulars: Broadcasts | None, *, by: str,
    now: datetime, shown: str = "",
) -> None:
    """Pause a game: the open deadline and every later one come so many days later, and everybody is told.
    `shown`: the next deadline as the form's page had it, in ISO 8601, "" where it is not known. Raises
    ActRefused."""
    if not 1 <= row_number(days) <= MOST_DAYS:
        raise ActRefused(f"Nothing was changed: a pause has 1 to {MOST_DAYS} days.")
    phase = next_deadline(session, game.id, now)
    # The same form sent twice would pause twice, and write to everybody each time.
    if phase is not None and shown and shown != phase.deadline.isoformat():
        raise ActRefused("Nothing was changed: the deadlines were moved since this form was shown, perhaps "
                         "by it. Go back to its page, and look at them first.")
    if phase is None or circulars is None:
        raise ActRefused("Nothing was changed: no deadline is ahead." if phase is None else CANNOT_WRITE)
    until = phase.deadline + timedelta(days=int(days))
    acts.move(session, phase, until.date().isoformat(), f"{until:%H:%M}", why, later=True, by=by, now=now)
    session.refresh(phase)
    announcements.tell_of_pause(session, circulars.letters, game, int(days), phase.deadline, reason_of(why),
                                f"{phase.ordinal}-{phase.moved}")
    log_event(session, now, Event.GAME_PAUSED, game_id=game.id, actor=by, detail={"days": int(days)})


def agree_on_draw(
    session: Session, game: GameRow, phase: PhaseRow, why: str, circulars: Broadcasts | None, *, by: str,
    now: datetime,
) -> None:
    """Let the game end in a draw with the results of this phase, which all survivors ask for on their sheets
    of its season (Q-30). Raises ActRefused."""
    why = reason_of(why)
    votes = draw_votes.votes(session, phase)
    if votes is None:
        raise ActRefused("Nothing was changed: no draw is open, or this phase is not judged or is sent.")
    names = circulars.letters.load(game.variant).powers if circulars is not None else {}
    if votes.missing or circulars is None:
        missing = ", ".join(names[power].name for power in votes.missing) if names else CANNOT_WRITE
        raise ActRefused(f"Nothing was changed: not every survivor asks for the draw on a sheet of this "
                         f"season. Missing: {missing}.")
    if options_of(game).draw_agreed == phase.ordinal:
        raise ActRefused("Nothing was changed: the draw is agreed already.")
    game.options = with_options(game, draw_agreed=phase.ordinal)
    log_event(session, now, Event.OPTION_CHANGED, game_id=game.id, actor=by, detail={
        "option": "draw_agreed", "from": False, "to": True, "why": why})
    announcements.tell_of_draw(session, circulars.letters, game,
                               [names[power].name for power in votes.open_to], str(phase.ordinal))
