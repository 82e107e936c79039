"""The durable queue: once, after the commit, in steps, over crashes."""

from __future__ import annotations

import errno
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from service.jobs import KEPT, MOST_WORKERS_ON_SQLITE, REST, TRIES, WORK_VERSION, DbosJobs, Payload
from service.operations.health import Observation, check_workers
from service.operations.mailbox_status import MailboxStatus
from service.store import records
from service.store.tables import EventRow, WorkerRow
from tests.support.mails import wait_for
from tests.support.servers.postgres import Postgres, binaries
from tests.support.site import Site, make_site

MakeJobs = Callable[..., DbosJobs]


@pytest.fixture
def make_jobs() -> Iterator[MakeJobs]:
    queues: list[DbosJobs] = []

    def make(site: Site, **more: object) -> DbosJobs:
        queues.append(DbosJobs(site.engine, poll_seconds=0.05, pauses=(0.05,),
            **more))  # type: ignore[arg-type]
        queues[-1].prepare()
        return queues[-1]

    yield make
    for jobs in queues:
        jobs.stop()


# At each landing whole_site/test_mailroom.py runs the queue on PostgreSQL.
SLOW_ON_POSTGRES = True


def enqueue(site: Site, jobs: DbosJobs, name: str, key: str, payload: Payload | None = None) -> None:
    with site.store.begin() as session:
        jobs.enqueue(session, name, key, payload or {})


def test_work_runs_once_under_its_key_with_its_payload(any_site: Site, make_jobs: MakeJobs) -> None:
    jobs, payloads = make_jobs(any_site), list[Payload]()
    jobs.register("note", payloads.append)
    payload = {"mail": "abc", "n": 3, "deep": {"list": [1, None, "ü"]}}
    enqueue(any_site, jobs, "note", "note:1", payload)
    enqueue(any_site, jobs, "note", "note:1", {"mail": "other"})
    jobs.start()
    assert jobs.wait_idle(60)
    assert payloads == [payload]
    enqueue(any_site, jobs, "note", "note:1")
    enqueue(any_site, jobs, "note", "note:2", {"n": 2})
    assert jobs.wait_idle(60)
    assert payloads == [payload, {"n": 2}]


def test_work_and_the_fact_it_comes_from_are_one_transaction(any_site: Site, make_jobs: MakeJobs) -> None:
    jobs, payloads = make_jobs(any_site), list[Payload]()
    jobs.register("note", payloads.append)
    with any_site.store() as session:
        records.log_event(session, any_site.clock.now(), "lost")  # type: ignore[arg-type]
        jobs.enqueue(session, "note", "note:lost", {})
        session.rollback()
    with any_site.store.begin() as session:
        records.log_event(session, any_site.clock.now(), "kept")  # type: ignore[arg-type]
        jobs.enqueue(session, "note", "note:kept", {"kept": True})
    jobs.start()
    assert jobs.wait_idle(60)
    assert payloads == [{"kept": True}]
    with any_site.store() as session:
        assert session.scalars(select(EventRow.what)).all() == ["kept"]


def test_steps_run_in_order_and_a_failing_one_is_tried_again(site: Site, make_jobs: MakeJobs) -> None:
    jobs, steps = make_jobs(site), list[str]()

    def second(payload: Payload) -> None:
        steps.append("second")
        if steps.count("second") < TRIES:
            raise ValueError("not yet")

    jobs.register("work", lambda _: steps.append("first"), second, lambda _: steps.append("third"))
    enqueue(site, jobs, "work", "w")
    jobs.start()
    assert jobs.wait_idle(60)
    assert steps == ["first", "second", "second", "second", "third"]


def test_after_three_failures_the_caller_is_told_and_the_rest_is_left(
    site: Site, make_jobs: MakeJobs, caplog: pytest.LogCaptureFixture
) -> None:
    jobs, tries, failures = make_jobs(site), list[int](), list[tuple[Payload, str]]()

    def poison(payload: Payload) -> None:
        tries.append(1)
        raise ValueError("the words of a mail")

    jobs.register("mail", poison, lambda _: tries.append(99), failed=lambda p, e: failures.append((p, e)))
    enqueue(site, jobs, "mail", "mail:1", {"mail": "abc"})
    jobs.start()
    assert jobs.wait_idle(60)
    assert tries == [1] * TRIES
    assert failures == [({"mail": "abc"}, "ValueError: the words of a mail")]
    # Logs hold no text of exceptions, which may quote a mail.
    assert "the words of a mail" not in caplog.text


def test_one_poison_job_does_not_hold_up_the_others(site: Site, make_jobs: MakeJobs) -> None:
    jobs, numbers = make_jobs(site, workers=1), list[int]()

    def handler(payload: Payload) -> None:
        if payload["n"] == 0:
            raise RuntimeError("poison")
        numbers.append(payload["n"])

    jobs.register("mail", handler)
    for n in range(5):
        enqueue(site, jobs, "mail", f"mail:{n}", {"n": n})
    jobs.start()
    assert jobs.wait_idle(60)
    assert sorted(numbers) == [1, 2, 3, 4]


def test_on_sqlite_no_more_than_eight_run_at_once(site: Site, make_jobs: MakeJobs) -> None:
    jobs = make_jobs(site, workers=50)
    running, most = list[int](), list[int]()
    all_started = Event()

    def slow(payload: Payload) -> None:
        # A job waits until all workers have one. A busy machine may start the eighth late.
        running.append(1)
        most.append(len(running))
        if len(running) >= MOST_WORKERS_ON_SQLITE:
            all_started.set()
        all_started.wait(30)
        time.sleep(0.1)
        running.pop()

    jobs.register("slow", slow)
    for n in range(24):
        enqueue(site, jobs, "slow", f"slow:{n}")
    jobs.start()
    assert jobs.wait_idle(60)
    assert len(most) == 24
    assert max(most) == MOST_WORKERS_ON_SQLITE


def test_ended_jobs_are_forgotten_after_their_time_and_waiting_ones_are_not(
    site: Site, make_jobs: MakeJobs
) -> None:
    jobs, runs = make_jobs(site), list[int]()
    jobs.register("note", lambda _: runs.append(1))
    enqueue(site, jobs, "note", "note:1")
    jobs.start()
    assert jobs.wait_idle(60)
    jobs.stop()
    enqueue(site, jobs, "note", "note:2")
    assert jobs.purge(datetime.now(UTC) - timedelta(hours=1)) == 0
    assert jobs.purge(datetime.now(UTC) + timedelta(minutes=1)) == 1
    jobs.start()
    assert jobs.wait_idle(60)
    assert len(runs) == 2


def test_work_of_a_worker_that_never_comes_back_is_taken_over(
    database_url: str, tmp_path: Path, make_jobs: MakeJobs
) -> None:
    with make_site(tmp_path, database_url) as site:
        jobs, payloads, now = make_jobs(site, executor="second"), list[Payload](), datetime.now(UTC)
        first: list[Payload] = []
        jobs.register("work", first.append, payloads.append)
        enqueue(site, jobs, "work", "work:1", {"word": "x"})
        assert work(site, tmp_path, "first") == -signal.SIGKILL
        # The lease is on the database's clock (SCA-09), which no test moves.
        with site.store.begin() as session:
            session.add(WorkerRow(executor="first", seen_at=now - timedelta(seconds=60)))
        jobs.start()
        jobs.beat(now)
        assert jobs.take_over(now) == 0
        assert not jobs.wait_idle(1)
        with site.store.begin() as session:
            session.get_one(WorkerRow, "first").seen_at = now - timedelta(seconds=100)
        assert jobs.take_over(now) == 1
        assert jobs.wait_idle(60)
        # The first step ended with the dead worker and does not run again.
        assert (first, payloads) == ([], [{"word": "x"}])
        assert jobs.take_over(now) == 0


@pytest.mark.postgres
@pytest.mark.skipif(binaries() is None, reason="no PostgreSQL here")
def test_a_clock_ahead_takes_no_work_of_the_living(
    cluster: Postgres, tmp_path: Path, make_jobs: MakeJobs
) -> None:
    """The clock of a second machine is two minutes ahead, and the first reported a moment ago."""
    begun, release = list[Payload](), Event()

    def work_until_released(payload: Payload) -> None:
        begun.append(payload)
        release.wait(20)

    with make_site(tmp_path, cluster.url()) as site:
        living, ahead = make_jobs(site), make_jobs(site, workers=1, executor="ahead")
        living.register("long", work_until_released)
        living.start()
        living.tend(datetime.now(UTC))
        enqueue(site, living, "long", "long:1")
        wait_for(lambda: bool(begun))
        living.beat(datetime.now(UTC))
        try:
            assert ahead.take_over(datetime.now(UTC) + timedelta(seconds=120)) == 0
            # It is named.
            ahead.beat(datetime.now(UTC) + timedelta(seconds=120))
            with site.store() as session:
                found = check_workers(Observation(
                    session, datetime.now(UTC), MailboxStatus(site.clock), tmp_path, engines_loaded=False))
            assert found.is_trouble
            assert "The clock of ahead is 120 seconds ahead of the database's." in found.sentence
        finally:
            release.set()
            living.wait_idle(60)
    assert len(begun) == 1


@pytest.mark.postgres
@pytest.mark.skipif(binaries() is None, reason="no PostgreSQL here")
def test_one_process_at_a_time_puts_work_back(
    cluster: Postgres, tmp_path: Path, make_jobs: MakeJobs
) -> None:
    """SCA-10: of two that found the same dead worker, the second would put back what a living one has just
    begun."""
    with make_site(tmp_path, cluster.url()) as site:
        first, second, now = (make_jobs(site, executor="a"), make_jobs(site, executor="b"), datetime.now(UTC))
        enqueue(site, first, "work", "work:1", {"word": "x"})
        assert work(site, tmp_path, "dead") == -signal.SIGKILL
        with site.store.begin() as session:
            session.add(WorkerRow(executor="dead", seen_at=now - timedelta(seconds=100)))
        with first._alone() as is_alone:
            assert is_alone
            assert second.take_over(now) == 0
        assert [second.take_over(now), first.take_over(now)] == [1, 0]


def test_the_tables_of_the_queue_are_its_own() -> None:
    """SCA-10: another minor version of the queue may have others."""
    root, private = Path(__file__).parents[2], re.compile(r"workflow_status|workflow_uuid|_sys_db")
    files = [path for name in ("service", "bench", "tools", "demo") for path in (root / name).rglob("*.py")]
    assert [path for path in files if private.search(path.read_text())] == []


def test_tending_the_queue_notes_that_the_worker_lives_and_forgets_what_is_old(
    site: Site, make_jobs: MakeJobs
) -> None:
    jobs, now = make_jobs(site), datetime.now(UTC)
    jobs.register("note", lambda _: None)
    enqueue(site, jobs, "note", "note:1")
    jobs.start()
    assert jobs.wait_idle(60)
    jobs.tend(now)
    jobs.tend(now + timedelta(seconds=30))
    with site.store() as session:
        assert session.scalars(select(WorkerRow.seen_at)).all() == [now + timedelta(seconds=30)]
    assert jobs.purge(now - timedelta(hours=1)) == 0
    jobs.tend(now + KEPT + timedelta(minutes=1))
    # Tending purged it already.
    assert jobs.purge(datetime.now(UTC) + timedelta(minutes=1)) == 0


def test_the_version_of_the_work_is_kept_by_hand(site: Site, make_jobs: MakeJobs) -> None:
    jobs = make_jobs(site)
    jobs.register("note", lambda _: None)
    jobs.start()
    versions = [v["version_name"] for v in jobs._door().list_application_versions()]
    # Fault 29: DBOS would hash the source of the steps, and work begun before an upgrade would wait for the
    # old code.
    assert versions == [WORK_VERSION]


def test_a_name_is_registered_once_and_with_a_step(site: Site, make_jobs: MakeJobs) -> None:
    jobs = make_jobs(site)
    jobs.register("a", lambda _: None)
    with pytest.raises(ValueError, match="'a' is registered already"):
        jobs.register("a", lambda _: None)
    with pytest.raises(ValueError, match="at least one step"):
        jobs.register("b")


WORKER = """
import os, signal, sys, time
from pathlib import Path
from service.jobs import DbosJobs
from service.store.engine import open_engine
url, folder = sys.argv[1], Path(sys.argv[2])
def note(word):
    with (folder / "log").open("a") as file:
        file.write(word + "\\n")
        file.flush()
        os.fsync(file.fileno())
def middle(payload):
    note("middle begins")
    if not (folder / "calm").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    note("middle ends")
REST = None
jobs = DbosJobs(open_engine(url), poll_seconds=0.05, pauses=(0.05,), executor=sys.argv[3])
jobs.register("work", lambda p: note("first " + p["word"]), middle, lambda p: note("last"))
jobs.start()
while not (folder / "calm").exists():
    jobs.wake()  # as every half minute in a site
    time.sleep(0.05)
jobs.wait_idle(20)
jobs.stop()
"""


@contextmanager
def running(site: Site, folder: Path, executor: str, program: str) -> Iterator[None]:
    """A worker next to this process, until it is instructed to be calm."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, site.url, str(folder), executor], cwd=Path(__file__).parents[2],
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        (folder / "calm").touch()
        process.wait(60)


def work(site: Site, folder: Path, executor: str = "one", program: str = WORKER) -> int:
    completed_process = subprocess.run(
        [sys.executable, "-c", program, site.url, str(folder), executor],
        check=False,
        timeout=60,
        capture_output=True,
        cwd=Path(__file__).parents[2],
    )
    if completed_process.returncode not in {0, -signal.SIGKILL}:
        raise RuntimeError(completed_process.stderr.decode()[-2000:])
    return completed_process.returncode


@pytest.mark.slow
def test_a_worker_killed_in_a_step_goes_on_at_that_step(
    any_site: Site, make_jobs: MakeJobs, tmp_path: Path
) -> None:
    jobs = make_jobs(any_site)
    enqueue(any_site, jobs, "work", "work:1", {"word": "x"})
    assert work(any_site, tmp_path) == -signal.SIGKILL
    assert work(any_site, tmp_path) == -signal.SIGKILL
    (tmp_path / "calm").touch()
    assert work(any_site, tmp_path) == 0
    assert (tmp_path / "log").read_text().splitlines() == [
        # Fault 22: "first" once, since its end is a checkpoint; "middle" as often as it was begun.
        "first x",
        "middle begins",
        "middle begins",
        "middle begins",
        "middle ends",
        "last",
    ]


@pytest.mark.slow
def test_a_job_rests_after_its_worker_died_three_times_and_the_others_go_first(
    site: Site, make_jobs: MakeJobs, tmp_path: Path
) -> None:
    # Fault 17: what kills its worker holds up no one. Fault 22: what died with it through no fault of its
    # own still runs.
    jobs = make_jobs(site)
    enqueue(site, jobs, "work", "work:1", {"word": "x"})
    for _ in range(3):
        assert work(site, tmp_path) == -signal.SIGKILL
    runs = list[tuple[str, float]]()
    jobs = make_jobs(site, executor="one")
    jobs.register("work", lambda _: None, lambda _: runs.append(("work", time.monotonic())), lambda _: None)
    jobs.register("other", lambda _: runs.append(("other", time.monotonic())))
    enqueue(site, jobs, "other", "other:1")
    jobs.start()
    assert jobs.wait_idle(60)
    assert [name for name, _ in runs] == ["other", "work"]
    assert runs[1][1] - runs[0][1] > REST[2] / 2


@pytest.mark.slow
def test_a_storm_of_kills_is_not_taken_for_the_fault_of_the_work_it_meets(
    any_site: Site, make_jobs: MakeJobs, tmp_path: Path
) -> None:
    # Faults 7 and 22: twelve deaths within a minute, each while the same job was under way, as on a machine
    # that is too busy to end it in one life of its worker. The job waits, and is done when they are over.
    enqueue(any_site, make_jobs(any_site), "work", "work:1", {"word": "x"})
    hasty = WORKER.replace("REST = None", "import service.jobs; service.jobs.REST = (0.0, 0.0, 0.1)")
    for _ in range(12):
        assert work(any_site, tmp_path, program=hasty) == -signal.SIGKILL
    (tmp_path / "calm").touch()
    assert work(any_site, tmp_path, program=hasty) == 0
    assert (tmp_path / "log").read_text().splitlines()[-2:] == ["middle ends", "last"]


@pytest.mark.slow
def test_work_that_kills_one_worker_after_the_other_is_given_up_though_taken_over(
    any_site: Site, make_jobs: MakeJobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Fault 23 beside fault 17: each dead worker's work is taken over by the next, and its deaths are counted
    # all the same.
    monkeypatch.setattr("service.jobs.MOST_RESTARTS", 1)
    jobs, now, failures = make_jobs(any_site, executor="tending"), datetime.now(UTC), list[Payload]()
    jobs.register("work", lambda _: None, failed=lambda p, _: failures.append(p))
    enqueue(any_site, jobs, "work", "work:1", {"word": "x"})
    for name in ("first", "second"):
        assert jobs.report_given_up() == 0
        assert work(any_site, tmp_path, name) == -signal.SIGKILL
        with any_site.store.begin() as session:
            session.add(WorkerRow(executor=name, seen_at=now - timedelta(seconds=100)))
        assert jobs.take_over(now) == 1
    with running(any_site, tmp_path, "third", WORKER):
        jobs.tend(now)
    assert failures == [{"word": "x"}]
    assert (tmp_path / "log").read_text().splitlines().count("middle begins") == 2


@pytest.mark.slow
def test_a_job_that_kills_every_worker_is_given_up_and_reported(
    site: Site, make_jobs: MakeJobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.jobs.MOST_RESTARTS", 1)
    jobs, failures = make_jobs(site), list[Payload]()
    jobs.register("work", lambda _: None, failed=lambda p, _: failures.append(p))
    enqueue(site, jobs, "work", "work:1", {"word": "x"})
    program = WORKER.replace(
        "from service.jobs import DbosJobs",
        "import service.jobs\nfrom service.jobs import DbosJobs\nservice.jobs.MOST_RESTARTS = 1",
    )
    for _ in range(4):
        process = subprocess.Popen(
            [sys.executable, "-c", program, site.url, str(tmp_path), "one"],
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).parents[2],
        )
        assert wait_for(lambda: process.poll() is not None or jobs.report_given_up(), 60)  # noqa: B023
        if process.poll() is None:
            (tmp_path / "calm").touch()
            process.wait(20)
            break
        assert process.returncode == -signal.SIGKILL
    assert failures == [{"word": "x"}]
    assert jobs.report_given_up() == 0


def test_what_comes_last_waits_for_all_other_work(any_site: Site, make_jobs: MakeJobs) -> None:
    """BOX-05: mails of strangers that were there first hold up no player's."""
    jobs, order = make_jobs(any_site, workers=1), list[int]()
    jobs.register("note", lambda payload: order.append(payload["n"]))
    with any_site.store.begin() as session:
        for number in range(10):
            jobs.enqueue(session, "note", f"note:{number}", {"n": number}, is_last=number < 8)
    jobs.start()
    assert jobs.wait_idle(60)
    assert order == [8, 9, *range(8)]


def test_work_that_a_deadline_waits_for_goes_before_other_work(any_site: Site, make_jobs: MakeJobs) -> None:
    """SCA-10: by a second job, since the queue has no door to change the place of the first."""
    jobs, order = make_jobs(any_site, workers=1), list[int]()
    jobs.register("note", lambda payload: order.append(payload["n"]))
    with any_site.store.begin() as session:
        for number in range(10):
            jobs.enqueue(session, "note", f"note:{number}", {"n": number}, is_last=number < 8)
    for _ in range(2):
        jobs.hasten(["note:6", "note:9", "note:unknown"])
    jobs.start()
    assert jobs.wait_idle(60)
    assert order == [6, 8, 9, *range(8)] or order == [8, 9, 6, *range(8)]


@pytest.mark.parametrize("fault", [
    OSError(errno.ENOSPC, "No space left on device"),
    OSError(errno.EROFS, "Read-only file system"),
    OperationalError("insert", {}, sqlite3.OperationalError("database is locked")),
    OperationalError("insert", {}, sqlite3.OperationalError("database or disk is full")),
    OperationalError("insert", {}, sqlite3.OperationalError("attempt to write a readonly database")),
], ids=["no room for a file", "a read-only disk", "locked", "no room for a row", "a read-only database"])
def test_work_that_finds_no_room_is_put_back_and_not_given_up(
    any_site: Site, make_jobs: MakeJobs, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    """A full disk, or a database that others hold for minutes, is not a fault of a job. Where nothing could
    be noted of its step, it was begun for ever; else it was given up after three tries."""
    monkeypatch.setattr("service.jobs.REST", (0.0,))
    jobs, tries, given_up = make_jobs(any_site, lost_seconds=0.2), list[Payload](), list[str]()

    def step(payload: Payload) -> None:
        tries.append(payload)
        if len(tries) <= TRIES + 1:
            raise fault

    jobs.register("note", step, failed=lambda _payload, error: given_up.append(error))
    enqueue(any_site, jobs, "note", "note:1")
    jobs.start()

    # Only what has failed is put back: a busy machine may need longer than `lost_seconds` from taking a job
    # to its first line, and what is put back in between runs twice.
    for number in range(1, TRIES + 2):
        assert wait_for(lambda: len(tries) == number and not jobs._under_way, 60)  # noqa: B023
        assert wait_for(lambda: jobs.put_back_lost() == 1, 60)
    assert wait_for(lambda: len(tries) == TRIES + 2, 60)
    assert jobs.wait_idle(60)
    jobs.tend(datetime.now(UTC))
    assert (len(tries), given_up) == (TRIES + 2, [])


def test_work_that_takes_long_is_not_taken_for_lost(any_site: Site, make_jobs: MakeJobs) -> None:
    jobs, begun, end = make_jobs(any_site, lost_seconds=0.1), list[Payload](), Event()

    def step(payload: Payload) -> None:
        begun.append(payload)
        end.wait(30)

    jobs.register("note", step)
    enqueue(any_site, jobs, "note", "note:1")
    jobs.start()
    assert wait_for(lambda: begun, 30)
    time.sleep(0.3)
    assert jobs.put_back_lost() == 0
    end.set()
    assert jobs.wait_idle(60)
    assert len(begun) == 1
