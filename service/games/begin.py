"""Begins a game: the one way of the desk, the sign-ups, the command and the demo."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from maps.variant import Variant
from service.config import ConfigError
from service.facts.events import Event
from service.facts.options import stored_form
from service.games import create
from service.games.create import NewGame
from service.games.turns import extend_calendar
from service.store.records import log_event
from service.store.tables import GameRow, PhaseRow


def begin_game(session: Session, new: NewGame, variant: Variant, *, by: str, now: datetime) -> PhaseRow:
    """Begin a game: its first phase open, the rest of its year waiting, its beginning logged. Returns the
    first phase. Raises ConfigError when its first deadline is past or its name taken, and NoSiteKey; then
    nothing was written."""
    first = new.clock.windows(variant.calendar, variant.start.phase, 1)[0]
    # Its first phase would close at once, with no orders.
    if first.deadline <= now:
        raise ConfigError(f"the first deadline, {first.deadline:%a %-d %b %Y, %H:%M GMT}, is past; choose a "
                          "later day")
    phase = create.create(session, new, variant, first, now)
    # The feed shows a whole year (CAL-16), so the phases to come are rows from the first day.
    extend_calendar(session, session.get_one(GameRow, new.slug), variant)
    log_event(session, now, Event.GAME_CREATED, game_id=new.slug, actor=by,
              detail={"options": sorted(stored_form(new.options))})
    return phase
