"""The durable queue behind a small port. DBOS does the work; only this file imports it.

A job is enqueued in the transaction of the fact that causes it, under a key; the same key is one job for as
long as its record is stored. A job runs as one or more steps, each a plain function of the payload. A step
that was cut off by a crash runs again, a step that ended does not; so a step claims what it changes (house
section 8). """

from __future__ import annotations

import errno
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from os import getpid
from secrets import token_hex
from socket import gethostname
from threading import Lock
from time import monotonic, sleep, time
from typing import Any, Protocol, cast

from dbos import DBOS, DBOSClient, EnqueueOptions, Queue, WorkflowSerializationFormat
from sqlalchemy import Connection, Engine, delete, func, select
from sqlalchemy.exc import DBAPIError, ProgrammingError, TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from sqlalchemy.pool import QueuePool

from service.config import ConfigError
from service.record.sessions import sessions
from service.store import records
from service.store.engine import check_sqlite_of_queue, end_when_silent, full_url, is_pooled, open_engine
from service.store.tables import WorkerRow


class NotRecorded(BaseException):
    """The database took no note of how a step ended, or there was no room for what it makes.

    No Exception: DBOS notes one as the end of the job, once there is room again, and a deadline would never
    be closed. So the job stays begun, and `DbosJobs.tend` puts it back.
    """


_FULL, _LOCKED, _READ_ONLY = "53100", "55P03", "25006"
"""PostgreSQL's numbers; SQLite has none that SQLAlchemy hands on."""


def is_of_the_store(error: BaseException) -> bool:
    """Whether an error, or what brought it about, is a disk that is full or can only be read, or a database
    that another person holds: it ends without this job, and no job is to be given up for it."""
    cause: BaseException | None = error
    while cause is not None:
        # Also where every connection of this process is in use.
        if isinstance(cause, PoolTimeout) or (
                isinstance(cause, OSError) and cause.errno in {errno.ENOSPC, errno.EDQUOT, errno.EROFS}):
            return True
        if isinstance(cause, DBAPIError):
            words = f"{cause.orig}"
            if getattr(cause.orig, "sqlstate", "") in {_FULL, _LOCKED, _READ_ONLY} or any(
                    each in words for each in ("disk is full", "database is locked", "readonly database")):
                return True
        cause = cause.__cause__ or cause.__context__
    return False


log = logging.getLogger(__name__)

Payload = dict[str, Any]
Handler = Callable[[Payload], None]
Failed = Callable[[Payload, str], None]

TRIES = 3
PAUSES = (2.0, 15.0)
"""Seconds between the first, second and third try of a step."""

# Kept by hand: DBOS would take a hash of the code and leave work of the version before it waiting for ever.
# Raise it only when steps are reordered, and drain the queue before.
WORK_VERSION = "1"
# More than this stalled SQLite for half a minute at a time when tried.
MOST_WORKERS_ON_SQLITE = 8
# A death alone states little: a power cut, a new version or a machine that is out of memory ends work that is
# sound. With 10 deaths a storm of kills on a busy machine gave up sound mails.
MOST_RESTARTS = 20
"""Deaths of its worker after which a job is taken to be their cause; it is given up and reported like one
that fails."""
# So other jobs go first if one job kills its worker, and twenty deaths take at least a quarter of an hour.
REST: Sequence[float] = (0.0, 0.0, 5.0, 15.0, 60.0)
"""Seconds that a job is left alone, at least, after the first, second ... death of a worker that had begun
it; the last after every further one."""
LEASE = timedelta(seconds=90)
"""A worker that is silent for so long is dead."""
KEPT = timedelta(days=60)
"""How long ended jobs are remembered. A key that is forgotten could run again, so it is longer than anything
is delivered twice."""
LOST_SECONDS = 60.0
"""A job that this worker has begun so long ago, and that it does not run, was lost on the way."""
QUEUE_CONNECTIONS = 3
"""Connections to a PostgreSQL server with which the queue fetches work and notes steps, at most."""
POLL_SECONDS = 0.2
"""Between two questions for work, while there is some."""
IDLE_SECONDS = 2.0
"""The same after `IDLE_AFTER` seconds without any: five questions a second were most of what an idle site
costs."""
IDLE_AFTER = 30.0
PACE_SECONDS = 5.0
"""A worker looks so often whether another one has called the queue idle."""
_ONLY_WORKER = "local"
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
_APPLICATION = "galloper"
_QUEUE = "galloper"
_WORKFLOW = "galloper-job"
_LAST = 2_000_000_000
"""Priority of work that waits for all other; without any it is 0, and the lowest goes first."""
MOST_RANK = 1_999_999_999
"""The highest rank of a job."""
_ENDED_QUEUE = "galloper-ended"
"""A queue that nobody works: its jobs ended in the database from which the site was moved. They wait there so
that their keys are known."""
_WAITING = ["ENQUEUED", "PENDING", "DELAYED"]
_OVER = ["SUCCESS", "ERROR"]
_RESTING = ["CANCELLED"]
"""Nothing else here cancels a job."""
_DEATHS, _DUE = "deaths", "due"
"""Attributes of a job that was put back: how many workers died with it, and until when it rests, in seconds
of the Unix epoch."""
_LOCK = 7_204_415_537_021_866
"""Of PostgreSQL's advisory locks: whoever has it puts back jobs of the queue."""
_PAGE = 500
"""Jobs that are listed at once."""


class Jobs(Protocol):
    """The queue as the rest of the service sees it."""

    def enqueue(
        self, session: Session, name: str, key: str, payload: Payload, *, is_last: bool = False,
        rank: int = 0,
    ) -> None:
        """Put work in the caller's transaction. `key` names the effect ("deadline:7:2026-01-02T18:00:00Z"); a
        key that is known changes nothing. `rank`, 0..MOST_RANK: of the work that waits the lowest goes first;
        `is_last`: all other work does."""

    def hasten(self, keys: Sequence[str]) -> None:
        """Let those of these jobs that wait still go before others. The work of such a job is enqueued a
        second time, so it must be safe to run twice."""


@dataclass(frozen=True, slots=True)
class Work:
    """The work of one name: its steps in order, and what is called when one of them has failed `TRIES`
    times."""

    steps: Sequence[Handler]
    failed: Failed | None


def share_of_queue(connections: int) -> int:
    """How many of the connections of a process, at least three, are the queue's: two or three."""
    # DBOS holds one for its lock while it uses another.
    return min(QUEUE_CONNECTIONS, max(2, connections // 3))


def _options(key: str) -> EnqueueOptions:
    return {
        "workflow_name": _WORKFLOW,
        "queue_name": _QUEUE,
        "workflow_id": key,
        "serialization_type": WorkflowSerializationFormat.PORTABLE,
    }


def _work_of(job: Any) -> tuple[str, Payload]:
    """The name and payload of a job that was listed with its input."""
    name, payload = (job.input or {"args": ("", {})})["args"]
    return name, payload


def _attribute(job: Any, name: str) -> int:
    return int((job.attributes or {}).get(name, 0))


def _parts(keys: Sequence[str]) -> Iterator[list[str]]:
    for begin in range(0, len(keys), _PAGE):
        yield list(keys[begin : begin + _PAGE])


def _sentence(error: Exception) -> str:
    """An exception in one line, at most 500 characters."""
    # Its text may quote a mail, so it goes to the `failed` callback and never to the log.
    return f"{type(error).__name__}: {error}"[:500]


class DbosJobs:
    """Jobs stored by DBOS in the same database as our tables (schema "dbos" on PostgreSQL).

    One at a time in a process. Register every name, then `start`, and call `tend` twice a minute; a process
    that only enqueues calls `prepare` once and never starts. `executor` names this worker among those of one
    database. `connections`: to a PostgreSQL server, while it runs, besides those of `engine`.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        workers: int = 4,
        executor: str = "",
        connections: int = QUEUE_CONNECTIONS,
        poll_seconds: float = POLL_SECONDS,
        pauses: Sequence[float] = PAUSES,
        lost_seconds: float = LOST_SECONDS,
    ) -> None:
        url = full_url(engine.url.render_as_string(hide_password=False))
        on_sqlite = url.get_backend_name() == "sqlite"
        if on_sqlite:
            check_sqlite_of_queue()
        else:
            url = url.set(drivername="postgresql")
        self._on_sqlite = on_sqlite
        self._queue_connections = connections
        self._connections = 0 if on_sqlite else cast("QueuePool", engine.pool).size() + connections
        self._url = url.render_as_string(hide_password=False)
        self._engine = engine
        self._queue_engine: Engine | None = None
        self._workers = min(workers, MOST_WORKERS_ON_SQLITE) if on_sqlite else workers
        # SQLite has one worker. Its name stays the same over restarts, so that it takes up its own work at
        # once. On PostgreSQL chance is in the name: in two containers host and process may have the same
        # names, and each would put back what the other runs.
        self._executor = executor or (
            _ONLY_WORKER if on_sqlite else f"{gethostname()}:{getpid()}:{token_hex(4)}")
        self._store = sessions(engine)
        self._purged_at: datetime | None = None
        self._poll = poll_seconds
        self._queue: Queue | None = None
        # When this worker last had work, and when it last looked at the pace of the queue (`monotonic`).
        self._worked_at = self._paced_at = 0.0
        self._pauses = pauses
        self._lost_seconds = lost_seconds
        self._under_way: set[str] = set()
        self._work: dict[str, Work] = {}
        self._client: DBOSClient | None = None
        self._lock = Lock()
        self._running = False

    @property
    def executor(self) -> str:
        """The name of this worker."""
        return self._executor

    def register(self, name: str, *steps: Handler, failed: Failed | None = None) -> None:
        """Say what work of this name does. Raises ValueError when it has no step or the name is taken."""
        if not steps:
            raise ValueError(f"work {name!r} needs at least one step")
        if name in self._work:
            raise ValueError(f"work {name!r} is registered already")
        self._work[name] = Work(steps, failed)

    def prepare(self) -> None:
        """Bring the queue's own tables up to date; `start` does so too. Raises ConfigError where they are
        missing behind a pooler."""
        logging.getLogger("dbos").setLevel(logging.ERROR)
        if self._is_pooled():
            try:
                self._waits()
            except ProgrammingError as error:
                raise ConfigError("database: the tables of the queue are missing or old, and are not made "
                                  "through a pooler; start Galloper once with the address of the server"
                                  ) from error
            return
        DBOS.migrate(self._url)

    def _is_pooled(self) -> bool:
        # DBOS migrates under a lock of its session, which a pooler would hand to another process.
        if self._on_sqlite:
            return False
        with self._engine.connect() as connection:
            return is_pooled(connection)

    def enqueue(
        self, session: Session, name: str, key: str, payload: Payload, *, is_last: bool = False,
        rank: int = 0,
    ) -> None:
        """See `Jobs`. The session must be on this engine's database."""
        options = _options(key)
        if is_last or rank:
            options["priority"] = _LAST if is_last else min(rank, MOST_RANK)
        self._door().enqueue_in_transaction(session, options, name, payload)

    def hasten(self, keys: Sequence[str]) -> None:
        """See `Jobs`."""
        # A priority is fixed when a job is enqueued, so another job does the work; the first one finds it
        # done.
        for part in _parts(keys):
            for job in self._list(
                    ["ENQUEUED"], queue_name=_QUEUE, workflow_ids=part, load_input=True):
                if job.priority:
                    name, payload = _work_of(job)
                    self._door().enqueue(_options(f"{job.workflow_id}:first"), name, payload)

    def start(self) -> None:
        """Run work, what was cut off first, in threads of this process. Raises RuntimeError when already
        running."""
        if self._running:
            raise RuntimeError("the jobs are running already")
        self._running = True
        self.prepare()
        if not self._on_sqlite:
            # A thread with a session uses the queue within it. From one pool two such threads could each hold
            # the connection that the other one waits for.
            self._queue_engine = open_engine(self._url, self._queue_connections)
            end_when_silent(self._queue_engine)
            self._close_door()
        # Before the launch: a queue that appears later is found up to a second later.
        self._worked_at = monotonic()
        self._queue = self._door().register_queue(
            _QUEUE,
            worker_concurrency=self._workers,
            polling_interval_sec=self._poll,
            on_conflict="always_update",
            application_name=_APPLICATION,
        )
        DBOS(
            config={
                "name": _APPLICATION,
                "system_database_url": self._url,
                "application_version": WORK_VERSION,
                "executor_id": self._executor,
                "log_level": "ERROR",
                "run_migrations": False,
                "system_database_engine": self._queue_engine,
                # No code here waits for a workflow's event, and the listener would keep a connection.
                "use_listen_notify": False,
            }
        )
        # DBOS's own count of attempts begins again with each job that is put back.
        DBOS.workflow(name=_WORKFLOW, max_recovery_attempts=None)(self._workflow())
        # Before the launch too, which would put back at once what this worker had begun in an earlier life.
        self._put_back_of_dead(self._executor)
        DBOS.launch()

    def stop(self, *, patience_seconds: int = 10) -> None:
        """Take no more work and wait for what runs; what is not done by then runs again at the next start."""
        if self._running:
            DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=patience_seconds)
            self._running = False
            # Unfinished work belongs to no one now: the next worker that tends the queue takes it over.
            with self._store.begin() as session:
                records.claim(session, WorkerRow, WorkerRow.executor == self._executor, seen_at=_LONG_AGO)
        self._close_door()
        if self._queue_engine is not None:
            self._queue_engine.dispose()
            self._queue_engine = None

    def wait_idle(self, timeout_seconds: float) -> bool:
        """Wait until nothing is queued or running, and no job rests; False when that took longer than the
        timeout."""
        end = monotonic() + timeout_seconds
        while self._waits():
            if monotonic() > end:
                return False
            self.wake()
            sleep(0.05)
        return True

    def tend(self, now: datetime) -> None:
        """Everything that keeps the queue healthy: note that this worker lives, put back what it lost, take
        over from dead ones, report jobs that kill their workers, forget old ones once a day."""
        # `now` is the machine's time: a simulated clock that is moved on would make every worker look dead.
        # On PostgreSQL it decides only when old jobs are forgotten.
        self.beat(now)
        self.put_back_lost()
        self.take_over(now)
        self.wake()
        self.report_given_up()
        self._slow_down()
        if self._purged_at is None or now - self._purged_at > timedelta(days=1):
            self._purged_at = now
            self.purge(now - KEPT)

    def _slow_down(self) -> None:
        """Have all workers ask less often while there is nothing to do."""
        if self._queue is not None and monotonic() - self._worked_at > IDLE_AFTER and not self._waits():
            self._set_pace(self._queue, max(self._poll, IDLE_SECONDS))

    def _speed_up(self) -> None:
        """Have them ask as often as they can while there is work."""
        now = monotonic()
        self._worked_at = now
        if self._queue is not None and now - self._paced_at > PACE_SECONDS:
            self._paced_at = now
            self._set_pace(self._queue, self._poll)

    @staticmethod
    def _set_pace(queue: Queue, seconds: float) -> None:
        if queue.polling_interval_sec != seconds:
            queue.set_polling_interval_sec(seconds)

    def beat(self, now: datetime) -> None:
        """Note that this worker lives."""
        with self._store.begin() as session:
            at = self._shared_now(session, now)
            values = {"seen_at": at, "ahead": (now - at).total_seconds(), "connections": self._connections}
            if not records.insert_once(session, WorkerRow, executor=self._executor, **values):
                records.claim(session, WorkerRow, WorkerRow.executor == self._executor, **values)

    def _shared_now(self, session: Session, now: datetime) -> datetime:
        """The time by which workers are found silent: the database's, where several machines share it. A
        clock that was two minutes ahead took over what the living ran, and one job ran four times at once."""
        return now if self._on_sqlite else records.database_now(session)

    @contextmanager
    def _alone(self) -> Iterator[Session | None]:
        """A transaction in which no other process puts jobs back: of two that did, the second would put back
        what a living worker has just begun. None while another process does."""
        with self._store.begin() as session:
            # One process serves a site on SQLite. On PostgreSQL a process that dies gives the lock back.
            is_alone = self._on_sqlite or session.scalar(select(func.pg_try_advisory_xact_lock(_LOCK)))
            yield session if is_alone else None

    def take_over(self, now: datetime) -> int:
        """Put the work of workers that fell silent for `LEASE` back into the queue; returns how many jobs."""
        # A worker that only slept does no harm: DBOS refuses it when it records the end of a job that was
        # taken over.
        taken = 0
        with self._alone() as session:
            if session is None:
                return 0
            silent = session.scalars(
                select(WorkerRow).where(WorkerRow.seen_at < self._shared_now(session, now) - LEASE,
                                        WorkerRow.executor != self._executor)
            ).all()
            for worker in silent:
                taken += self._put_back_of_dead(worker.executor)
            # Afterwards: on SQLite the queue could not write behind a row that this transaction has changed.
            for worker in silent:
                session.execute(delete(WorkerRow).where(
                    WorkerRow.executor == worker.executor, WorkerRow.seen_at == worker.seen_at))
        return taken

    def put_back_lost(self) -> int:
        """Put back the jobs that this worker has begun and does not run: where a disk is full, nothing notes
        how a step ended, and its thread is gone. Returns how many."""
        with self._alone() as session:
            if session is None:
                return 0
            begun = self._list(["PENDING"], executor_id=self._executor)
            with self._lock:
                under_way = set(self._under_way)
            # A clock that was set back leaves instants to come.
            lost = [job.workflow_id for job in begun if job.workflow_id not in under_way
                    and abs(time() - (job.dequeued_at or 0) / 1000) > self._lost_seconds]
            self._resume(lost)
        return len(lost)

    def _put_back_of_dead(self, executor: str) -> int:
        """Put what a dead worker had begun back into the queue, each job after its `REST`; one with which
        more than `MOST_RESTARTS` died stays out. Returns how many jobs."""
        begun = self._list(["PENDING"], executor_id=executor)
        for job in begun:
            deaths = _attribute(job, _DEATHS) + 1
            rest = REST[min(deaths, len(REST)) - 1]
            self._door().update_workflow_attributes(
                job.workflow_id, {_DEATHS: deaths, _DUE: int(time() + rest)})
            if rest or deaths > MOST_RESTARTS:
                self._door().cancel_workflow(job.workflow_id)
            else:
                self._resume([job.workflow_id])
        return len(begun)

    def wake(self) -> int:
        """Put the jobs back that have rested since their workers died; returns how many."""
        with self._alone() as session:
            if session is None:
                return 0
            due = [job.workflow_id for job in self._list(_RESTING)
                   if _attribute(job, _DEATHS) <= MOST_RESTARTS and _attribute(job, _DUE) <= time()]
            self._resume(due)
        return len(due)

    def _resume(self, keys: list[str]) -> None:
        if keys:
            self._door().resume_workflows(keys, queue_name=_QUEUE)

    def report_given_up(self) -> int:
        """Call the `failed` callback of each job with which more than `MOST_RESTARTS` workers died; returns
        how many."""
        given_up = [job for job in self._list(_RESTING, load_input=True)
                    if _attribute(job, _DEATHS) > MOST_RESTARTS]
        for job in given_up:
            self._report(*_work_of(job), "the worker stopped at every attempt")
            self._door().delete_workflow(job.workflow_id)
        return len(given_up)

    def purge(self, before: datetime) -> int:
        """Forget jobs that ended before an instant, or were moved here before it when they had ended; returns
        how many."""
        at, purged_count = before.isoformat(), 0
        while ids := [job.workflow_id for job in (
                self._list(_OVER, completed_before=at, limit=_PAGE)
                or self._list(["ENQUEUED"], queue_name=_ENDED_QUEUE, end_time=at, limit=_PAGE))]:
            self._door().delete_workflows(ids)
            purged_count += len(ids)
        return purged_count

    def forget(self, keys: Sequence[str]) -> int:
        """Forget these jobs, whatever state they are in; returns how many there were."""
        forgotten = 0
        for part in _parts(keys):
            known = [job.workflow_id for job in self._list([], workflow_ids=part)]
            self._door().delete_workflows(known)
            forgotten += len(known)
        return forgotten

    def all_keys(self) -> Iterator[str]:
        """The key of every job that is known, those that ended included, the oldest first."""
        return (job.workflow_id for job in self._every())

    def copy_into(self, target: DbosJobs, connection: Connection) -> int:
        """Enqueue every job in the caller's transaction of another database; returns how many there are. What
        was begun begins again, what ended stays so: a key that is forgotten could run again."""
        copied = 0
        for job in self._every(load_input=True):
            copied += 1
            options = _options(job.workflow_id)
            if job.priority:
                options["priority"] = job.priority
            if job.attributes:
                options["attributes"] = job.attributes
            if job.status in _OVER or job.queue_name == _ENDED_QUEUE:
                options["queue_name"] = _ENDED_QUEUE
            target._door().enqueue_in_transaction(connection, options, *_work_of(job))
        return copied

    def _every(self, *, load_input: bool = False) -> Iterator[Any]:
        known = 0
        while page := self._list([], load_input=load_input, limit=_PAGE, offset=known):
            yield from page
            known += len(page)

    def _waits(self) -> bool:
        """Whether a job waits, rests or is under way."""
        return bool(self._list(_WAITING, queue_name=_QUEUE, limit=1) or self._list(_RESTING, limit=1))

    def _list(self, states: list[str], *, load_input: bool = False, **more: Any) -> list[Any]:
        return list(
            self._door().list_workflows(
                status=states or None, name=_WORKFLOW, load_input=load_input, load_output=False, **more
            )
        )

    def _door(self) -> DBOSClient:
        with self._lock:
            if self._client is None:
                self._client = DBOSClient(system_database_engine=self._queue_engine or self._engine,
                                          application_name=_APPLICATION, lazy=True)
            return self._client

    def _close_door(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.destroy()
                self._client = None

    def _workflow(self) -> Callable[[str, Payload], str]:
        # A closure, because DBOS keys what it decorates by function and a bound method is a new one every
        # time.
        def run(name: str, payload: Payload) -> str:
            work = self._work.get(name)
            if work is None:
                raise LookupError(f"no work is registered under the name {name!r}")
            for number, step in enumerate(work.steps, start=1):
                error = self._run_step(f"{name}.{number}", step, payload)
                if error is not None:
                    DBOS.run_step({"name": f"{name}.failed"}, self._tell, name, payload, error)
                    return error
            return ""

        def run_noted(name: str, payload: Payload) -> str:
            key = str(DBOS.workflow_id)
            with self._lock:
                self._under_way.add(key)
            try:
                self._speed_up()
                return run(name, payload)
            except (DBAPIError, PoolTimeout) as fault:
                log.warning("%s is queued again: the database did not record it", name)
                raise NotRecorded from fault
            finally:
                with self._lock:
                    self._under_way.discard(key)

        return run_noted

    def _run_step(self, label: str, step: Handler, payload: Payload) -> str | None:
        """None when one of `TRIES` tries went well, else the last error."""
        # Each try is its own checkpoint, so the count survives a restart.
        error: str | None = None
        for number in range(TRIES):
            error = DBOS.run_step({"name": f"{label}#{number + 1}"}, _attempt, step, payload)
            if error is None:
                return None
            log.warning("%s failed, try %d of %d (%s)", label, number + 1, TRIES, error.partition(":")[0])
            if number + 1 < TRIES:
                DBOS.sleep(self._pauses[min(number, len(self._pauses) - 1)])
        return error

    def _tell(self, name: str, payload: Mapping[str, Any], error: str) -> None:
        try:
            self._report(name, payload, error)
        except (DBAPIError, OSError) as fault:
            raise NotRecorded from fault

    def _report(self, name: str, payload: Mapping[str, Any], error: str) -> None:
        work = self._work.get(name)
        if work is not None and work.failed is not None:
            work.failed(dict(payload), error)
        else:
            log.error("%s was given up after %d tries", name, TRIES)


def _attempt(step: Handler, payload: Payload) -> str | None:
    try:
        step(dict(payload))
    except Exception as error:
        # No fault of the job, and no try of it.
        if is_of_the_store(error):
            raise NotRecorded from error
        return _sentence(error)
    return None
