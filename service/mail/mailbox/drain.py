"""The mailbox at a deadline: is everything out of it that came in time?

One look serves every deadline before it, in all processes of the site: what it left behind is in the table
`mailbox_drains`. It goes over the connection that the poller has open, so a deadline logs in only where no
poller answers.

"Emptied" must not be a lie: a connection that drips, a folder that is rebuilt midway, a mail that was listed
and then not handed out all look like an empty mailbox to anyone who only counts exceptions. So a look that
went well is followed by a listing, in which every mail has to be known. """

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock
from time import monotonic, sleep

from sqlalchemy import or_

from service.clock import Clock, SystemClock
from service.jobs import Jobs
from service.mail.mailbox import mark
from service.mail.mailbox.imap_client import LoginRefused
from service.mail.mailbox.ingest import (
    Expects,
    IngestCounts,
    expects_all,
    in_words,
    may_be_of_players,
    take_in,
)
from service.mail.mailbox.source import MailboxError, MailSource
from service.store import mail_troubles, records
from service.store.blobs import Blobs
from service.store.engine import Store
from service.store.tables import MailboxDrainRow

log = logging.getLogger(__name__)

# Set by hand. Every game of a site may have its deadline at 07:00, and a site has four workers.
LONGEST = 120.0
"""Seconds that one try to empty the mailbox may take."""
LONGEST_TURN = 10.0
"""Seconds for which a deadline waits for a try that another one has begun."""
FIRST_WATCHED = 5.0
"""Seconds for which the poller's own look is waited for, before a connection of one's own."""
LONGEST_WATCHED = 20.0
"""The same where a connection of one's own is refused."""
LONGEST_ASKED = 8.0
"""Seconds for which a process without a poller waits for one that has it."""
CLAIM = timedelta(seconds=LONGEST + 2 * LONGEST_WATCHED + 10)
"""After so long a process that claimed the look is dead."""
REST = 30.0
"""Seconds after a try that left something behind in which its answer represents further deadlines."""
REST_EMPTIED = 300.0
"""The same for a try that left nothing: many games close at 07:00, and providers count log-ins."""
ROUNDS = 6
"""Looks of one try: one more than the tries after which a mail is left that breaks the connection."""
SETTLING = timedelta(seconds=3)
"""What a server needs to show a mail that it has stamped."""

_NAME = "orders"
_STEP = 0.2
"""Seconds between two questions whether another process has ended its look."""

BUSY = "The mailbox is still being emptied for another deadline."


@dataclass(frozen=True, slots=True)
class DrainOutcome:
    """What a look left behind. `trouble`: "", or the sentence that shows why the mailbox was not emptied.
    `left`: the stamps of mails that were listed and did not come in; `unreadable`: how many more the server
    does not hand out."""

    began_at: datetime
    trouble: str = ""
    left: tuple[datetime, ...] = ()
    unreadable: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing was left behind."""
        return not (self.trouble or self.left or self.unreadable)

    def in_time(self, deadline: datetime) -> int:
        """How many of the mails left behind were stamped by a deadline."""
        return sum(received_at <= deadline for received_at in self.left)


@dataclass(frozen=True, slots=True)
class DrainLimits:
    """The seconds above, for tests."""

    longest: float = LONGEST
    longest_turn: float = LONGEST_TURN
    first_watched: float = FIRST_WATCHED
    longest_watched: float = LONGEST_WATCHED
    longest_asked: float = LONGEST_ASKED
    rest: float = REST
    rest_emptied: float = REST_EMPTIED


class MailboxDrain:
    """Empties the mailbox for deadlines, one look at a time in a site. Safe to share between threads.

    `open_source` gives a source that ends whatever it does at an instant of `time.monotonic`. `watched` has
    the poller of this process look, waits until a look that began after an instant (by the machine's clock)
    has emptied the mailbox, at most some seconds, and shows whether one did. `has_poller`: this process has
    one; others ask it for a look by a row that it reads (`answer`).
    """

    def __init__(
        self, open_source: Callable[[float], MailSource], store: Store, blobs: Blobs, jobs: Jobs,
        clock: Clock, watched: Callable[[datetime, float], bool] = lambda _after, _seconds: False,
        limits: DrainLimits | None = None, *, has_poller: bool = True,
        expects: Expects = expects_all,
    ) -> None:
        self._open_source = open_source
        self._store = store
        self._blobs = blobs
        self._jobs = jobs
        self._clock = clock
        self._watched = watched
        self._limits = limits or DrainLimits()
        self._has_poller = has_poller
        self._expects = expects
        self._turn = Lock()

    def empty(self, deadline: datetime) -> DrainOutcome:
        """Empty the mailbox by a look that began after `deadline`; never raises.

        Deadlines that come together share one look, whichever process had it.
        """
        known = self._shared(deadline)
        if known is not None:
            return known
        until = monotonic() + self._limits.longest_turn
        if not self._turn.acquire(timeout=self._limits.longest_turn):
            return DrainOutcome(self._clock.now(), BUSY)
        try:
            return self._shared(deadline) or self._empty(deadline, until)
        finally:
            self._turn.release()

    def answer(self) -> None:
        """Look, if a process without a poller needs one."""
        with self._store() as session:
            row = session.get(MailboxDrainRow, _NAME)
        if row is not None and row.wanted_at is not None and (
                row.ended_at is None or row.ended_at < row.wanted_at):
            self.empty(self._clock.now())

    def look(self, source: MailSource) -> IngestCounts:
        """A look of the poller, and a listing after it: only one that emptied the mailbox represents one at a
        deadline."""
        counts = take_in(source, self._store, self._blobs, self._jobs, self._clock, self._expects)
        return counts + IngestCounts(left=len(self._outcome(source, self._clock.now()).left))

    def _empty(self, deadline: datetime, until: float) -> DrainOutcome:
        """Have the mailbox looked into by anyone who can, and share what was left behind."""
        is_asked = not self._has_poller
        asked_until = monotonic() + self._limits.longest_asked
        if is_asked:
            self._note(wanted_at=self._database_now())
        while True:
            # The process that has the poller goes first: it has a connection open.
            if (not is_asked or monotonic() >= asked_until) and self._claim():
                outcome = self._try(deadline)
                self._share(outcome)
                return outcome
            known = self._shared(deadline)
            if known is not None:
                return known
            if monotonic() >= max(until, asked_until + _STEP):
                return DrainOutcome(self._clock.now(), BUSY)
            sleep(_STEP)

    def _shared(self, deadline: datetime) -> DrainOutcome | None:
        """What the newest look left behind, if it began after a deadline and is fresh enough to stand."""
        with self._store() as session:
            row, now = session.get(MailboxDrainRow, _NAME), records.database_now(session)
        if row is None or row.began_at is None or row.ended_at is None or row.began_at <= deadline:
            return None
        outcome = DrainOutcome(row.began_at, row.trouble, tuple(map(datetime.fromisoformat, row.left)),
                               row.unreadable)
        rest = self._limits.rest_emptied if outcome.is_empty else self._limits.rest
        age = now - row.ended_at
        # One of the future was noted before the machine's clock was set back.
        return outcome if timedelta() <= age < timedelta(seconds=rest) else None

    def _claim(self) -> bool:
        """Whether this process is the one to look now."""
        self._note()
        with self._store.begin() as session:
            now = records.database_now(session)
            free = or_(MailboxDrainRow.claimed_until.is_(None), MailboxDrainRow.claimed_until <= now,
                       MailboxDrainRow.claimed_until > now + CLAIM)
            return records.claim(
                session, MailboxDrainRow, MailboxDrainRow.name == _NAME, free, claimed_until=now + CLAIM)

    def _share(self, outcome: DrainOutcome) -> None:
        self._note(
            began_at=outcome.began_at, ended_at=self._database_now(), trouble=outcome.trouble,
            left=[received_at.isoformat() for received_at in outcome.left], unreadable=outcome.unreadable,
            claimed_until=None)

    def _database_now(self) -> datetime:
        with self._store() as session:
            return records.database_now(session)

    def _note(self, **values: object) -> None:
        with self._store.begin() as session:
            records.insert_once(session, MailboxDrainRow, name=_NAME, trouble="", left=[], unreadable=0)
            if values:
                records.claim(session, MailboxDrainRow, MailboxDrainRow.name == _NAME, **values)

    def _try(self, deadline: datetime) -> DrainOutcome:
        if isinstance(self._clock, SystemClock):
            settled = deadline + SETTLING - self._clock.now()
            sleep(min(max(settled, timedelta()), SETTLING).total_seconds())
        began_at, asked_at = self._clock.now(), datetime.now(UTC)
        if self._watched(asked_at, self._limits.first_watched):
            return DrainOutcome(began_at)
        until = monotonic() + self._limits.longest
        outcome = DrainOutcome(began_at)
        try:
            source = self._open_source(until)
            try:
                for _ in range(ROUNDS):
                    outcome, may_pass = self._look(source, began_at)
                    if not (outcome.trouble or outcome.left) or not may_pass or monotonic() >= until:
                        break
            finally:
                source.close()
        except Exception as error:
            # Whatever it is, the claim is given back, and the deadline waits.
            outcome = DrainOutcome(began_at, in_words(error))
        if outcome.trouble and self._watched(asked_at, self._limits.longest_watched):
            outcome = DrainOutcome(began_at)
        if outcome.trouble:
            log.warning("at a deadline: %s", outcome.trouble)
        return outcome

    def _look(self, source: MailSource, began_at: datetime) -> tuple[DrainOutcome, bool]:
        """One look and a listing after it: what it left behind, and whether another look may help."""
        try:
            take_in(source, self._store, self._blobs, self._jobs, self._clock, self._expects,
                    patience=self._limits.longest)
            return self._outcome(source, began_at), True
        except MailboxError as error:
            return DrainOutcome(began_at, str(error)), not isinstance(error, LoginRefused | mark.MailboxTaken)
        except Exception as error:
            return DrainOutcome(began_at, in_words(error)), False

    def _outcome(self, source: MailSource, began_at: datetime) -> DrainOutcome:
        """The mails in the mailbox of which the bytes are not known, and that may be a player's."""
        with self._store() as session:
            row = mark.row_of(session, source.name)
            since = None if row is None else row.since
        waiting_mails = source.list_waiting(since)
        with self._store() as session:
            known = records.places_known(session, [mail.place for mail in waiting_mails])
        # A thousand mails of strangers must not keep a deadline open.
        unknown = may_be_of_players(
            source, self._store, [mail for mail in waiting_mails if mail.place not in known])
        with self._store() as session:
            left = tuple(
                mail.received_at for mail in unknown if not mail_troubles.is_known(session, mail.place))
        return DrainOutcome(began_at, "", left, len(unknown) - len(left))
