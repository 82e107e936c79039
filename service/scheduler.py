"""When to look. Deadlines are in the database; a job here only states "look now", so a restart loses nothing.
The key of the work it enqueues makes a double firing one effect.

One process of a site does what only one should do. Which one is written in the database, for a few seconds
at a time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Condition, Event, Thread
from time import monotonic, time

from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler
from sqlalchemy import or_, select

from service.clock import Clock
from service.facts import events
from service.games import mailbox_waits
from service.jobs import Jobs
from service.mail.mailbox import ingest
from service.notices import reminders
from service.store import phase_looks, records
from service.store.engine import Store
from service.store.tables import LeaseRow, PhaseRow, PhaseState

log = logging.getLogger(__name__)

OPEN = "open"
"""Work that opens a waiting phase: {"phase": id, "instant": ISO 8601}."""

DEADLINE = "deadline"
"""Work that closes an open phase: {"phase": id, "instant": ISO 8601}. It reads the phase's deadline anew,
because the coordinator may have moved it meanwhile."""

REMIND = "remind"
"""Work that writes the reminders of an open phase: {"phase": id}."""

LETTERS = "letters"
"""Work that sends what is due: {}."""

SWEEP_SECONDS = 30.0

SWEEPS_AHEAD = 4
"""How many sweeps ahead an instant has its own job; a later one is planned by a later sweep."""

# A look costs 4 ms of processor time, and the question whether there is something to look at .5 ms.
LETTER_SECONDS = 1.0
"""How long a letter that was just written waits at most."""

TOLD_BACK = timedelta(minutes=1)
"""A jump back that is entered in the record of each running game: what comes twice by it may be a deadline. A
jump forward is not: a machine that slept looks the same."""

# A clock that NTP keeps moves by less between two looks.
SET_SECONDS = 5.0
"""A jump of the machine's clock that counts as setting it."""

AGAIN = timedelta(minutes=5)
"""How long work on a phase has before it is enqueued once more."""

AGAIN_WAITING = timedelta(minutes=1)
"""The same for a deadline that waits for the mailbox."""

MOST_AT_ONCE = 100
"""Phases that one transaction enqueues."""

LEASE = timedelta(seconds=6)
"""How long a process that fell silent still leads."""

CLOCKWORK = "clockwork"
"""Name of the lease on what the site does by the clock."""

_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def due_now(clock: Clock, store: Store, jobs: Jobs, anew: str = "") -> tuple[str, ...]:
    """Enqueue everything whose time has come, and return the keys; what is enqueued already is not run again.

    The demo calls this after it has moved its clock. `anew` names the instant at which the clock was last
    set, or is "".
    """
    keys: list[str] = []
    while True:
        more = _look_once(clock, store, jobs, anew)
        keys += more
        # A backlog is taken in bites, so that no person waits for one long transaction.
        if len(more) < MOST_AT_ONCE:
            return (*keys, *_other_work(clock, store, jobs), *_reminders(clock, store, jobs, anew))


def note_set_back(store: Store, before: datetime, now: datetime) -> None:
    """Enter in each running game that the clock was set back, by more than `TOLD_BACK`, from one instant to
    another."""
    if before - now <= TOLD_BACK:
        return
    with store.begin() as session:
        for game in session.scalars(select(PhaseRow.game_id).where(PhaseRow.state != PhaseState.SENT)
                                    .distinct().order_by(PhaseRow.game_id)):
            records.log_event(session, now, events.Event.CLOCK_SET, game_id=game,
                              detail={"from": _text(before), "to": _text(now)})


def _look_once(clock: Clock, store: Store, jobs: Jobs, anew: str) -> list[str]:
    """Enqueue phases that open or close, at most `MOST_AT_ONCE` of each, and return the keys."""
    now = clock.now()
    look = phase_looks.Look(now, anew, MOST_AT_ONCE)
    keys: list[str] = []
    with store.begin() as session:
        opening = phase_looks.to_open(session, look)
        closing = phase_looks.past_deadline(session, look)
        waiting = mailbox_waits.standing_among(session, [phase.id for phase in closing]) if closing else set()
        for work, phases in ((OPEN, opening), (DEADLINE, closing)):
            looks = []
            for phase in phases:
                # One that waits for the mailbox is looked at every minute, under its own keys.
                again = AGAIN_WAITING if work == DEADLINE and phase.id in waiting else AGAIN
                keys.append(_key(work, phase.id, phase.instant, now, anew, again)
                            + (f"+{phase.turn}" if phase.turn else ""))
                jobs.enqueue(session, work, keys[-1], {"phase": phase.id, "instant": _text(phase.instant)})
                looks.append((phase, phase.instant + ((now - phase.instant) // again + 1) * again))
            phase_looks.note(session, work, looks, anew)
    return keys


def _other_work(clock: Clock, store: Store, jobs: Jobs) -> list[str]:
    """Enqueue mails to be tried again and letters, and return the keys."""
    now = clock.now()
    keys: list[str] = []
    with store.begin() as session:
        for mail, tries in records.mails_to_try_again(session, now):
            keys.append(f"{ingest.WORK}:{mail}:{tries}")
            jobs.enqueue(session, ingest.WORK, keys[-1], {"mail": mail})
        due = records.letters_to_send(session, now)
        if due:
            # While the server is away the same letters stay due: the instant makes it a new key twice a
            # minute.
            half_minute = now - timedelta(seconds=now.second % 30)
            keys.append(f"{LETTERS}:{_text(half_minute)}:{min(due)}-{max(due)}:{len(due)}")
            jobs.enqueue(session, LETTERS, keys[-1], {})
    return keys


def send_soon(clock: Clock, store: Store, jobs: Jobs) -> None:
    """Enqueue the letters that are due, such as a receipt: a sheet's reading, which begins before the next
    look, would make its sender wait."""
    now = clock.now()
    with store.begin() as session:
        if records.letters_to_send(session, now):
            # One a second: many mails at once have one round of letters.
            jobs.enqueue(session, LETTERS, f"{LETTERS}:{_text(now)}", {})


def _reminders(clock: Clock, store: Store, jobs: Jobs, anew: str) -> list[str]:
    """Enqueue reminders, and return the keys. Each phase is looked at once in five minutes."""
    now = clock.now()
    keys: list[str] = []
    with store.begin() as session:
        phases = reminders.to_look_at(session, phase_looks.Look(now, anew, MOST_AT_ONCE))
        for phase in phases:
            hours = reminders.due(session, phase.id, now)
            if hours is not None:
                keys.append(_key(f"{REMIND}{hours}", phase.id, phase.instant, now, anew))
                jobs.enqueue(session, REMIND, keys[-1], {"phase": phase.id})
        phase_looks.note(session, REMIND, [(phase, now + AGAIN) for phase in phases], anew)
    return keys


def _key(
    name: str, phase_id: int, instant: datetime, now: datetime, anew: str, again: timedelta = AGAIN
) -> str:
    """The name of one effect: "deadline:7:2026-03-01T18:00:00Z".

    While the phase stays as it is there is a new one every `AGAIN`, or every `again`.
    """
    # The work may have failed for good, with the mail server away. Its effect is still one: it claims the
    # phase. After the clock was set (`anew`) the key is new too: work that was enqueued by a clock that was
    # wrong did nothing, and its deadline would wait for five minutes.
    late = (now - instant) // again
    count = f":{late}{'' if again == AGAIN else 'm'}" if late else ""
    return f"{name}:{phase_id}:{_text(instant)}{count}" + (f"@{anew}" if anew else "")


def _text(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


class Schedule:
    """The clockwork of one process: looks every few seconds, and at each phase's instant to the second.

    Jobs are stored in memory and rebuilt from the database every `sweep_seconds`. Each process of a site runs
    one, and that which `leads` looks; the others are there when it is not.
    """

    def __init__(
        self, clock: Clock, store: Store, jobs: Jobs, *, sweep_seconds: float = SWEEP_SECONDS,
        leads: Callable[[], bool] = lambda: True,
    ) -> None:
        self._clock = clock
        self._store = store
        self._jobs = jobs
        self._seconds = sweep_seconds
        self._leads = leads
        self._intervals: dict[str, float] = {}
        self._anew, self._apart = "", time() - monotonic()
        self._stop = Event()
        self._active = 0
        self._idle = Condition()
        self._pulse = Thread(target=self._keep_time, name="galloper-pulse", daemon=True)
        # Never too late: a deadline that came while the machine slept is looked at as soon as it wakes. The
        # default grace of one second drops it.
        self._scheduler = BackgroundScheduler(
            timezone=UTC, job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
        )
        self.every("sweep", sweep_seconds, self._sweep)

    def every(
        self, name: str, seconds: float, body: Callable[[], object], *, leader_only: bool = False
    ) -> None:
        """Call `body` now and then: purge, alarms. It must be quick, or only enqueue. `seconds` pass between
        the end of a call and the next. `leader_only`: in one process of the site at a time."""
        self._intervals[name] = seconds
        self._plan(name, partial(self._lead, body) if leader_only else body, timedelta())

    def _lead(self, body: Callable[[], object]) -> None:
        if self._leads():
            body()

    def _plan(self, name: str, body: Callable[[], object], pause: timedelta) -> None:
        # A date and not an interval: on a slow machine a body may take longer than its interval, and each run
        # that was due meanwhile would be a skipped one with a warning in the log.
        self._scheduler.add_job(
            lambda: self._run_again(name, body), "date", run_date=datetime.now(UTC) + pause, id=name,
            replace_existing=True,
        )

    def _run_again(self, name: str, body: Callable[[], object]) -> None:
        try:
            self._run(body)
        finally:
            if not self._stop.is_set():
                self._plan(name, body, timedelta(seconds=self._intervals[name]))

    def start(self) -> None:
        """Begin, with one sweep at once."""
        self._scheduler.start()
        self._pulse.start()

    def stop(self) -> None:
        """End; a body that runs is waited for."""
        self._stop.set()
        self._pulse.join()
        # A shutdown that waits holds the lock which a body needs to plan its jobs: both would wait for ever.
        self._scheduler.shutdown(wait=False)
        with self._idle:
            self._idle.wait_for(lambda: self._active == 0)

    def _run(self, body: Callable[[], object]) -> None:
        with self._idle:
            if self._stop.is_set():
                return
            self._active += 1
        try:
            body()
        finally:
            with self._idle:
                self._active -= 1
                self._idle.notify_all()

    def _glance(self) -> None:
        """Look if one question to the database finds something due; reminders wait for the sweep."""
        with self._store() as session:
            is_due = phase_looks.is_anything_due(session, self._clock.now())
        self._look(is_due=is_due)

    def _look(self, *, is_due: bool = True) -> None:
        # Every look compares the clocks: a jump shorter than a sweep went unnoticed when only the sweep did.
        before, self._apart = self._apart, time() - monotonic()
        moved, now = self._apart - before, datetime.now(UTC)
        if abs(moved) > SET_SECONDS:
            log.warning("the clock was set by %.0f seconds", moved)
            self._anew = _text(now)
            if self._leads():
                note_set_back(self._store, now - timedelta(seconds=moved), now)
        if self._leads() and is_due:
            due_now(self._clock, self._store, self._jobs, self._anew)

    def _sweep(self) -> None:
        self._look()
        if not self._stop.is_set():
            self._rebuild()  # Also where another process leads: it may be gone at the hour itself.

    def _rebuild(self) -> None:
        """Keep one job for each instant before the next sweeps; those of phases that moved or ended are
        removed."""
        now = datetime.now(UTC)
        with self._store() as session:
            instants = phase_looks.coming(session, now + timedelta(seconds=SWEEPS_AHEAD * self._seconds))
        # All phases of one instant are one look.
        ahead = {f"instant:{_text(run_at)}": run_at for run_at in instants.values() if run_at > now}
        for job in self._scheduler.get_jobs():
            if job.id not in self._intervals and job.id not in ahead:
                self._scheduler.remove_job(job.id)
        for name, run_at in ahead.items():
            self._scheduler.add_job(
                lambda: self._run(self._look), "date", run_date=run_at, id=name, replace_existing=True
            )

    def _keep_time(self) -> None:
        """Glance each second, and run jobs that a clock set back has left far ahead."""
        # APScheduler plans by the wall clock: one that was ahead and is set back would leave it waiting for
        # the difference. This thread counts seconds, and takes a third of what a job each second would.
        checked_at = monotonic()
        while not self._stop.wait(min(self._seconds, LETTER_SECONDS)):
            try:
                self._run(self._glance)
            except Exception:
                log.exception("the check each second failed")
            if monotonic() - checked_at < self._seconds:
                continue
            checked_at, now = monotonic(), datetime.now(UTC)
            for name, seconds in self._intervals.items():
                planned = getattr(self._scheduler.get_job(name), "next_run_time", None)
                if planned is not None and planned - now > timedelta(seconds=seconds * 1.5):
                    log.warning("the clock was set back; %s runs now", name)
                    # Gone if it began to run meanwhile; then it plans itself anew.
                    with suppress(JobLookupError):
                        self._scheduler.modify_job(name, next_run_time=now)


class Leadership:
    """The lease of one process, `holder`, on the site's clockwork.

    It goes by the database's clock. Two that lead at once, because one of them slept, do no harm: each effect
    has one key in the queue.
    """

    def __init__(self, store: Store, holder: str, name: str = CLOCKWORK) -> None:
        self._store, self._holder, self._name = store, holder, name
        self._leads_until = 0.0

    def leads(self) -> bool:
        """Whether this process leads; the lease is renewed when half of it is over, and taken when no person
        has it."""
        # Counted in seconds of this process: a clock that is set must not lengthen a lease.
        left = self._leads_until - monotonic()
        if left > LEASE.total_seconds() / 2:
            return True
        begun = monotonic()
        with self._store.begin() as session:
            now = records.database_now(session)
            # One that ends far ahead was written before the clock was set back. Not by a moment: another
            # process that asked the clock just after this one ends a little later.
            is_free = or_(LeaseRow.holder == self._holder, LeaseRow.ends_at <= now,
                          LeaseRow.ends_at > now + 2 * LEASE)
            leads = records.claim(
                session, LeaseRow, LeaseRow.name == self._name, is_free,
                holder=self._holder, ends_at=now + LEASE,
            ) or records.insert_once(
                session, LeaseRow, name=self._name, holder=self._holder, ends_at=now + LEASE)
        self._leads_until = begun + LEASE.total_seconds() if leads else 0.0
        return leads

    def resign(self) -> None:
        """Leave the lease to the next process."""
        self._leads_until = 0.0
        with self._store.begin() as session:
            records.claim(session, LeaseRow, LeaseRow.name == self._name, LeaseRow.holder == self._holder,
                          ends_at=_LONG_AGO)
