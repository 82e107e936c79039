"""The act that a dry run is on the record: its digests alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.store.tables import EventRow, PhaseRow


@dataclass(frozen=True, slots=True)
class NoteDryRun(Act[EventRow | None]):
    """Notes that a phase was rehearsed, with `digests` of what came out. The outcome is the event of the dry
    run before."""

    phase: int
    digests: Mapping[str, Any]

    def check(self, table: ActTable) -> None:
        """Refuse a phase that there is not. One that was sent meanwhile is noted: it was rehearsed."""
        table.any_phase(self.phase)

    def change(self, table: ActTable) -> EventRow | None:
        """Change nothing."""
        return last_rehearsal(table.session, table.any_phase(self.phase))

    def event(self, table: ActTable, outcome: EventRow | None, letters: int) -> LoggedEvent:
        """Counts and digests alone: an event must hold no order and no address."""
        game = table.any_phase(self.phase).game_id
        return LoggedEvent(Event.PHASE_REHEARSED, game, {"phase_id": self.phase, **self.digests})


def last_rehearsal(session: Session, phase: PhaseRow) -> EventRow | None:
    """The event of the newest dry run of a phase."""
    rows = session.scalars(select(EventRow).where(
        EventRow.what == Event.PHASE_REHEARSED, EventRow.game_id == phase.game_id
    ).order_by(EventRow.id.desc()))
    return next((row for row in rows if row.detail.get("phase_id") == phase.id), None)
