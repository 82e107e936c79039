"""Who has which line before them: a note for the others, gone after a minute. Kept in this process only,
since it decides nothing; what two people save on one line is settled by versions
(`service.games.decisions`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

CLAIM = timedelta(seconds=60)
"""How long a person who says nothing more is thought to look at a line."""


@dataclass(slots=True)
class Presence:
    """The line each person looks at, by phase."""

    _seen: dict[tuple[int, str], tuple[int, datetime]] = field(default_factory=dict)

    def note(self, phase_id: int, person: str, line_id: int, now: datetime) -> dict[int, str]:
        """This person looks at this line now; the lines that others have, each with a name."""
        self._seen = {key: claim for key, claim in self._seen.items() if now - claim[1] < CLAIM}
        self._seen[phase_id, person] = (line_id, now)
        return {
            line: name for (phase, name), (line, _) in self._seen.items() if phase == phase_id and name != person
        }
