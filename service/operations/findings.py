"""The result of a check of the site. One value, shown in four places: the Health page, the coordinator's
letters, the numbers for machines, and `galloper check`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum


class FindingState(StrEnum):
    """How a check ended. Only TROUBLE needs a person now."""

    WELL = "well"
    NOTE = "note"
    TROUBLE = "trouble"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check: its name, its state, a sentence, and what to do ("" if nothing).

    `trouble_id` separates one trouble from the next of the same name, so that each is written about once; ""
    if the day separates them. `is_urgent`: worth a letter at once, however short it has lasted. `has_notice`:
    a notice was written when it began, so it needs no other letter.
    """

    name: str
    state: FindingState
    sentence: str
    advice: str = ""
    trouble_id: str = ""
    is_urgent: bool = False
    has_notice: bool = False

    @property
    def badge(self) -> str:
        """The state as a sign and words, so that no one needs to see its colour."""
        return {
            FindingState.WELL: "✓ well",
            FindingState.NOTE: "· note",
            FindingState.TROUBLE: "! needs attention",
            FindingState.UNKNOWN: "? not known",
        }[self.state]

    @property
    def is_trouble(self) -> bool:
        """Whether a person must act."""
        return self.state is FindingState.TROUBLE


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 mail", "2 mails"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def ago(age: timedelta) -> str:
    """An age in its largest unit: "just now", "12 seconds ago", "5 minutes ago", "3 hours ago", "2 days
    ago"."""
    # A clock that was set back makes an age below 0.
    seconds = max(0, int(age.total_seconds()))
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return f"{seconds} second{'' if seconds == 1 else 's'} ago" if seconds else "just now"
