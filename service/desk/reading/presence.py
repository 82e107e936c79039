"""Who is reading which line: a note for the others that expires after a minute. It is kept in this process
only, since it decides nothing; `service.games.decisions` settles what two people save on one line."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

CLAIM = timedelta(seconds=60)
"""How long a person without further requests is taken to be reading a line."""


@dataclass(slots=True)
class Presence:
    """The line each person is reading, by phase."""

    _seen: dict[tuple[int, str], tuple[int, datetime]] = field(default_factory=dict)

    def note(self, phase_id: int, person: str, line_id: int, now: datetime) -> dict[int, str]:
        """Note that this person is reading this line; the lines that others are reading, each with a name."""
        # Expired claims go at each note, so the table holds nobody who closed the browser.
        self._seen = {key: claim for key, claim in self._seen.items() if now - claim[1] < CLAIM}
        self._seen[phase_id, person] = (line_id, now)
        return {
            line: name for (phase, name),
            (line, _) in self._seen.items() if phase == phase_id and name != person
        }
