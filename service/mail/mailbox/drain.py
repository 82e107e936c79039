"""The mailbox at a deadline: is everything out of it that came in time?

"Emptied" must not be a lie: a connection that drips, a folder that is rebuilt midway, a mail that was listed
and then not handed out all look like an empty mailbox to whoever only counts exceptions. So a look that went
well is followed by a listing, in which every mail has to be known.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from time import monotonic, sleep

from service.clock import Clock, SystemClock
from service.jobs import Jobs
from service.mail.mailbox.imap_client import LoginRefused
from service.mail.mailbox.ingest import MailboxError, MailSource, WaitingMail, in_words, take_in
from service.store import mail_troubles, records
from service.store.blobs import Blobs
from service.store.engine import Store

log = logging.getLogger(__name__)

# Set by hand. Every game of a site may have its deadline at 07:00, and a site has four workers.
LONGEST = 120.0
"""Seconds that one try to empty the mailbox may take."""
LONGEST_TURN = 10.0
"""Seconds for which a deadline waits for a try that another one has begun."""
LONGEST_WATCHED = 20.0
"""Seconds for which the poller's own look is waited for, where a connection of one's own is refused."""
REST = 30.0
"""Seconds after a try that left something behind in which its answer stands for further deadlines."""
REST_EMPTIED = 300.0
"""The same for a try that left nothing: many games close at 07:00, and providers count log-ins."""
ROUNDS = 6
"""Looks of one try: one more than the tries after which a mail is left that breaks the connection."""
SETTLING = timedelta(seconds=3)
"""What a server needs to show a mail that it has stamped."""

BUSY = "The mailbox is still being emptied for another deadline."


@dataclass(frozen=True, slots=True)
class DrainOutcome:
    """What a try left behind. `trouble`: "", or the sentence that says why the mailbox was not emptied.
    `left`: mails that were listed and did not come in; `unreadable`: how many more the server does not hand
    out."""

    began_at: datetime
    trouble: str = ""
    left: tuple[WaitingMail, ...] = ()
    unreadable: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing was left behind."""
        return not (self.trouble or self.left or self.unreadable)

    def in_time(self, deadline: datetime) -> int:
        """How many of the mails left behind were stamped by a deadline."""
        return sum(mail.received_at <= deadline for mail in self.left)


@dataclass(frozen=True, slots=True)
class DrainLimits:
    """The seconds above, for tests."""

    longest: float = LONGEST
    longest_turn: float = LONGEST_TURN
    longest_watched: float = LONGEST_WATCHED
    rest: float = REST
    rest_emptied: float = REST_EMPTIED


class MailboxDrain:
    """Empties the mailbox for deadlines, one try at a time in a process. Safe to share between threads.

    `open_source` gives a source that ends whatever it does at an instant of `time.monotonic`. `watched`
    waits until the poller has finished a look that began after an instant, at most some seconds, and says
    whether it did: where a provider allows one connection, the poller has it.
    """

    def __init__(
        self, open_source: Callable[[float], MailSource], store: Store, blobs: Blobs, jobs: Jobs,
        clock: Clock, watched: Callable[[datetime, float], bool] = lambda _after, _seconds: False,
        limits: DrainLimits | None = None,
    ) -> None:
        self._open_source = open_source
        self._store = store
        self._blobs = blobs
        self._jobs = jobs
        self._clock = clock
        self._watched = watched
        self._limits = limits or DrainLimits()
        self._turn = Lock()
        self._last: DrainOutcome | None = None
        self._rests_until = 0.0

    def empty(self, deadline: datetime) -> DrainOutcome:
        """Empty the mailbox by a try that began after `deadline`; never raises.

        Deadlines that come together share one try.
        """
        if not self._turn.acquire(timeout=self._limits.longest_turn):
            return DrainOutcome(self._clock.now(), BUSY)
        try:
            last = self._last
            if last is None or last.began_at <= deadline or monotonic() >= self._rests_until:
                last = self._last = self._try(deadline)
                limits = self._limits
                self._rests_until = monotonic() + (limits.rest_emptied if last.is_empty else limits.rest)
            return last
        finally:
            self._turn.release()

    def _try(self, deadline: datetime) -> DrainOutcome:
        if isinstance(self._clock, SystemClock):
            settled = deadline + SETTLING - self._clock.now()
            sleep(min(max(settled, timedelta()), SETTLING).total_seconds())
        began_at, until = self._clock.now(), monotonic() + self._limits.longest
        source = self._open_source(until)
        outcome = DrainOutcome(began_at)
        try:
            for _ in range(ROUNDS):
                outcome, may_pass = self._look(source, began_at)
                if not (outcome.trouble or outcome.left) or not may_pass or monotonic() >= until:
                    break
        finally:
            source.close()
        if outcome.trouble and self._watched(began_at, self._limits.longest_watched):
            outcome = DrainOutcome(began_at)
        if outcome.trouble:
            log.warning("at a deadline: %s", outcome.trouble)
        return outcome

    def _look(self, source: MailSource, began_at: datetime) -> tuple[DrainOutcome, bool]:
        """One look and a listing after it: what it left behind, and whether another look may help."""
        try:
            take_in(source, self._store, self._blobs, self._jobs, self._clock)
            return self._outcome(source, began_at), True
        except MailboxError as error:
            return DrainOutcome(began_at, str(error)), not isinstance(error, LoginRefused)
        except Exception as error:
            return DrainOutcome(began_at, in_words(error)), False

    def _outcome(self, source: MailSource, began_at: datetime) -> DrainOutcome:
        """The mails in the mailbox of which the bytes are not known."""
        waiting_mails = source.list_waiting()
        with self._store() as session:
            unknown = [mail for mail in waiting_mails if not records.place_known(session, mail.place)]
            left = tuple(mail for mail in unknown if not mail_troubles.is_known(session, mail.place))
        return DrainOutcome(began_at, "", left, len(unknown) - len(left))
