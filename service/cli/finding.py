"""What one test of `galloper check` found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How a test ended. Only MEND makes the whole check fail."""

    OK = "ok"
    NOTE = "note"
    MEND = "MEND"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one test found, in a sentence; for MEND the sentence says what to do."""

    mark: Severity
    said: str
