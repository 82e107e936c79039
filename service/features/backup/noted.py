"""A backup that was made, and one that was tested: the age of both is on the page Health."""

from __future__ import annotations

from dataclasses import dataclass

from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.refused import Refused

NOTED = {event.value: event for event in (Event.BACKUP_MADE, Event.RESTORE_TESTED)}


@dataclass(frozen=True, slots=True)
class NoteBackup(Act[None]):
    """Notes that a backup was made, or that one was tested. `what`: the name of its event."""

    what: str

    def check(self, table: ActTable) -> None:
        """Refuse any other event."""
        if self.what not in NOTED:
            raise Refused("Nothing was noted: this is neither a backup nor a test of one.")

    def change(self, table: ActTable) -> None:
        """Nothing: the event is all that is kept."""

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The event alone."""
        return LoggedEvent(NOTED[self.what], None)
