"""When the mailbox was last asked, and what it answered: kept in memory by the process that asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from service.clock import Clock


@dataclass(frozen=True, slots=True)
class PollResult:
    """One answer of the mailbox: when it was asked (UTC), and a sentence of trouble or ""."""

    asked_at: datetime
    trouble: str


@dataclass(slots=True)
class MailboxStatus:
    """The last answer and the last good one. Safe to share between threads."""

    clock: Clock
    last: PollResult | None = None
    good_at: datetime | None = None
    _lock: Lock = field(default_factory=Lock, repr=False)

    def recording(self, report: Callable[[str], None]) -> Callable[[str], None]:
        """A reporter for `service.mail.ingest.watch` that also notes each answer here."""
        def note(trouble: str) -> None:
            now = self.clock.now()
            # One thread watches the mailbox, and others show what it answered.
            with self._lock:
                self.last = PollResult(now, trouble)
                if not trouble:
                    self.good_at = now
            report(trouble)

        return note
