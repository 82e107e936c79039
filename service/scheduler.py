"""When to look. Deadlines are in the database; a job here only says "look now", so a restart loses nothing.
The key of the work it enqueues makes a double firing one effect.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from threading import Condition, Event, Thread
from time import monotonic, time

from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler

from service.clock import Clock
from service.games import mailbox_waits
from service.jobs import Jobs
from service.mail.mailbox import ingest
from service.notices import reminders
from service.store import records
from service.store.engine import Store

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

# One look costs 4 ms of processor time.
LETTER_SECONDS = 1.0
"""How long a letter that was just written waits at most."""

# A clock that NTP keeps moves by less between two looks.
SET_SECONDS = 5.0
"""A jump of the machine's clock that counts as setting it."""

AGAIN = timedelta(minutes=5)
"""How long work on a phase has before it is enqueued once more."""

AGAIN_WAITING = timedelta(minutes=1)
"""The same for a deadline that waits for the mailbox."""


def due_now(clock: Clock, store: Store, jobs: Jobs, anew: str = "") -> tuple[str, ...]:
    """Enqueue everything whose time has come, and return the keys; what is enqueued already is not run again.

    The scheduler calls this, and so does the demo after it has moved its clock. `anew` names the instant at
    which the clock was last set, or is "".
    """
    now = clock.now()
    keys: list[str] = []
    with store.begin() as session:
        for row in records.phases_to_open(session, now):
            keys.append(_key(OPEN, row.id, row.opens_at, now, anew))
            jobs.enqueue(session, OPEN, keys[-1], {"phase": row.id, "instant": _text(row.opens_at)})
        waiting = {phase.id for phase, _wait in mailbox_waits.all_standing(session)}
        for row in records.phases_past_deadline(session, now):
            # One that waits for the mailbox is looked at every minute, under keys of its own.
            again = AGAIN_WAITING if row.id in waiting else AGAIN
            keys.append(_key(DEADLINE, row.id, row.deadline, now, anew, again))
            jobs.enqueue(session, DEADLINE, keys[-1], {"phase": row.id, "instant": _text(row.deadline)})
        for row, hours in reminders.due(session, now):
            keys.append(_key(f"{REMIND}{hours}", row.id, row.deadline, now, anew))
            jobs.enqueue(session, REMIND, keys[-1], {"phase": row.id})
        for mail in records.mails_to_try_again(session, now):
            keys.append(f"{ingest.WORK}:{mail.sha256}:{mail.tries}")
            jobs.enqueue(session, ingest.WORK, keys[-1], {"mail": mail.sha256})
        due = records.due_letters(session, now) or records.letters_with_dead_claims(session, now)
        if due:
            # While the server is away the same letters stay due: the instant makes it a new key twice a
            # minute.
            half_minute = now - timedelta(seconds=now.second % 30)
            keys.append(f"{LETTERS}:{_text(half_minute)}:{due[0].id}-{due[-1].id}:{len(due)}")
            jobs.enqueue(session, LETTERS, keys[-1], {})
    return tuple(keys)


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

    Jobs are kept in memory and rebuilt from the database every `sweep_seconds`. Two processes may run one
    each.
    """

    def __init__(
        self, clock: Clock, store: Store, jobs: Jobs, *, sweep_seconds: float = SWEEP_SECONDS
    ) -> None:
        self._clock = clock
        self._store = store
        self._jobs = jobs
        self._seconds = sweep_seconds
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
        self.every("letters", min(sweep_seconds, LETTER_SECONDS), self._look)

    def every(self, name: str, seconds: float, body: Callable[[], object]) -> None:
        """Call `body` now and then: mailbox poll, purge. It must be quick, or only enqueue. `seconds` pass
        between the end of a call and the next."""
        self._intervals[name] = seconds
        self._plan(name, body, timedelta())

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

    def _look(self) -> None:
        # Every look compares the clocks: a jump shorter than a sweep went unnoticed when only the sweep did.
        before, self._apart = self._apart, time() - monotonic()
        if abs(self._apart - before) > SET_SECONDS:
            log.warning("the clock was set by %.0f seconds", self._apart - before)
            self._anew = _text(datetime.now(UTC))
        due_now(self._clock, self._store, self._jobs, self._anew)

    def _sweep(self) -> None:
        self._look()
        if not self._stop.is_set():
            self._rebuild()

    def _rebuild(self) -> None:
        """Keep one job for each coming instant; those of phases that moved or ended are removed."""
        with self._store() as session:
            rows = records.phases_ahead(session)
            run_times = {f"{OPEN}:{r.id}": r.opens_at for r in rows} | {
                f"{DEADLINE}:{r.id}": r.deadline for r in rows
            }
        now = datetime.now(UTC)
        ahead = {name: run_at for name, run_at in run_times.items() if run_at > now}
        for job in self._scheduler.get_jobs():
            if job.id not in self._intervals and job.id not in ahead:
                self._scheduler.remove_job(job.id)
        for name, run_at in ahead.items():
            self._scheduler.add_job(
                lambda: self._run(self._look), "date", run_date=run_at, id=name, replace_existing=True
            )

    def _keep_time(self) -> None:
        """Run jobs that a clock set back has left far ahead."""
        # APScheduler plans by the wall clock: one that was ahead and is set back would leave it waiting for
        # the difference. This thread counts seconds.
        while not self._stop.wait(self._seconds):
            now = datetime.now(UTC)
            for name, seconds in self._intervals.items():
                planned = getattr(self._scheduler.get_job(name), "next_run_time", None)
                if planned is not None and planned - now > timedelta(seconds=seconds * 1.5):
                    log.warning("the clock was set back; %s runs now", name)
                    # Gone if it began to run meanwhile; then it plans itself anew.
                    with suppress(JobLookupError):
                        self._scheduler.modify_job(name, next_run_time=now)
