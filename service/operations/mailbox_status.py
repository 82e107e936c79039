"""When the mailbox was last asked, what it answered, and whether a check is under way: in the memory of the
process that asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from threading import Condition, Event

from service.clock import Clock
from service.mail.mailbox.ingest import IngestCounts


@dataclass(frozen=True, slots=True)
class PollResult:
    """One answer of the mailbox: when it was asked (UTC), and a sentence of trouble or ""."""

    asked_at: datetime
    trouble: str


@dataclass(slots=True)
class MailboxStatus:
    """The last answer, the last good one, and the look under way. Safe to share between threads.

    `look_began_at`: since when a look is under way; None between looks. `complete_from`: when the newest look
    began that listed everything and ended well. `wanted` is set to have the poller look now. `is_refused`
    shows whether the mail server refused the newest login; `settings_fault` is why the settings were not
    taken again, or "". """

    clock: Clock
    last: PollResult | None = None
    good_at: datetime | None = None
    look_began_at: datetime | None = None
    complete_from: datetime | None = None
    wanted: Event = field(default_factory=Event, repr=False)
    is_refused: Callable[[], bool] = lambda: False
    settings_fault: str = ""
    _changed: Condition = field(default_factory=Condition, repr=False)

    def look(self, take: Callable[[], IngestCounts]) -> IngestCounts:
        """Take in, and note from when to when."""
        began_at = self.clock.now()
        with self._changed:
            self.look_began_at = began_at
        try:
            counts = take()
        finally:
            with self._changed:
                self.look_began_at = None
        with self._changed:
            # A mail that was listed and then gone may have another number now.
            self.complete_from = self.complete_from if counts.gone or counts.left else began_at
            self._changed.notify_all()
        return counts

    def wait_for_look(self, after: datetime, seconds: float) -> bool:
        """Have the poller look, and wait until a look that began after an instant ended well; whether one
        did."""
        self.wanted.set()
        with self._changed:
            return self._changed.wait_for(
                lambda: self.complete_from is not None and self.complete_from >= after, seconds)

    def recording(self, report: Callable[[str], None]) -> Callable[[str], None]:
        """A reporter for `service.mail.mailbox.ingest.watch` that also notes each answer here."""
        def note(trouble: str) -> None:
            now = self.clock.now()
            # One thread watches the mailbox, and others show what it answered.
            with self._changed:
                self.last = PollResult(now, trouble)
                if not trouble:
                    self.good_at = now
            report(trouble)

        return note
