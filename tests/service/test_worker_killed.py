"""A worker killed before, in and after each step: it resumes at that step, and what it does to the database
is done once (fault 22); what a dead worker had is taken over within two lease times (fault 23); code that has
changed finishes the work of the code before it (fault 29). Every kill is a real SIGKILL of a process."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from service.cli.games import create_game
from service.jobs import DbosJobs
from service.scheduler import Schedule
from service.site_folder import opened, settings_of
from service.store.engine import Store
from service.store.tables import EventRow, MailRow, MailState, OutboxRow, OutboxState, PhaseRow, SubmissionRow
from tests.service.cli.test_serve import _orders
from tests.service.test_scheduler import Counting
from tests.support.mails import wait_for
from tests.support.own_site import deliver, game_file, own_site
from tests.support.servers.postgres import Postgres, binaries
from tests.support.site import Site, make_site

ROOT = Path(__file__).parents[2]

STEPS = """
import os, signal, sys
import service.jobs
service.jobs.REST = (0.0, 0.0, 0.1)  # so many deaths on purpose would else rest a minute each
from pathlib import Path
from service.jobs import DbosJobs
from service.store import records
from service.record.sessions import sessions
from service.store.engine import open_engine
from service.store.tables import SendHoldRow
from service.clock import SystemClock
url, folder, executor = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
engine = open_engine(url)
store, now = sessions(engine), SystemClock().now
def point(name):
    with (folder / "walk").open("a") as file:
        file.write(name + "\\n")
        file.flush()
        os.fsync(file.fileno())
    if (folder / "calm").exists() or (folder / name).exists():
        return
    (folder / name).touch()
    os.kill(os.getpid(), signal.SIGKILL)
def step(number):
    def run(payload):
        point(f"before {number}")
        with store.begin() as session:
            if records.insert_once(session, SendHoldRow, name=f"step {number}", by="a", why="b", at=now()):
                records.log_event(session, now(), f"step {number}")
            point(f"in {number}")
        point(f"after {number}")
    return run
jobs = DbosJobs(engine, poll_seconds=0.05, pauses=(0.05,), executor=executor)
jobs.register("work", step(1), step(2), step(3))
jobs.start()
jobs.wait_idle(40)
jobs.stop()
"""


def run(program: str, *arguments: str) -> int:
    completed_process = subprocess.run(
        [sys.executable, "-c", program, *arguments], check=False, timeout=120, capture_output=True, cwd=ROOT)
    if completed_process.returncode not in {0, -signal.SIGKILL}:
        raise RuntimeError(completed_process.stderr.decode()[-2000:])
    return completed_process.returncode


def enqueue(site: Site, name: str, key: str) -> None:
    jobs = DbosJobs(site.engine)
    jobs.prepare()
    with site.store.begin() as session:
        jobs.enqueue(session, name, key, {})
    jobs.stop()


@pytest.mark.slow
def test_killed_at_every_point_of_three_steps_each_has_one_effect(any_site: Site, tmp_path: Path) -> None:
    enqueue(any_site, "work", "work:1")
    points = [f"{when} {number}" for number in (1, 2, 3) for when in ("before", "in", "after")]
    for _ in points:
        assert run(STEPS, any_site.url, str(tmp_path), "one") == -signal.SIGKILL
    assert run(STEPS, any_site.url, str(tmp_path), "one") == 0
    assert all((tmp_path / name).exists() for name in points)
    with any_site.store() as session:
        events = list(session.scalars(select(EventRow.what).order_by(EventRow.id)))
    assert events == ["step 1", "step 2", "step 3"]
    walk = (tmp_path / "walk").read_text().splitlines()
    # Never a step back.
    assert [int(word.split()[1]) for word in walk] == sorted(int(word.split()[1]) for word in walk)
    # Three deaths in the first step, and the run that ended it.
    assert Counter(walk)["before 1"] == 4


POINTS = (
    ("service.intake.process_mail.process_mail", "before"),
    ("service.store.records.end_mail", "after"),
    ("service.intake.process_mail.process_mail", "after"),
    ("service.intake.sheets.read_submission.SubmissionReader.read", "before"),
    ("service.intake.sheets.read_submission.SubmissionReader._store", "after"),
    ("service.intake.sheets.read_submission.SubmissionReader.read", "after"),
    ("service.mail.sending.smtp.FolderTransport.send", "after"),
    ("service.bootstrap.Site.send_letters", "after"),
)
CLOSING = (
    ("service.games.turns.close_phase", "before"),
    ("service.store.records.claim_phase", "after"),
    ("service.games.turns._judge", "before"),
    ("service.games.turns.judge_when_read", "after"),
    ("service.games.turns.close_phase", "after"),
)


_LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


def time_passes(store: Store) -> None:
    """A quarter of an hour: claims of the dead and pauses between tries are over. What lives claims again."""
    now = datetime.now(UTC)
    with store.begin() as session:
        session.execute(update(OutboxRow).where(OutboxRow.state == OutboxState.QUEUED, OutboxRow.due_at > now)
                        .values(due_at=_LONG_AGO))
        session.execute(update(OutboxRow).where(
            OutboxRow.state == OutboxState.SENDING,
            OutboxRow.claimed_until < now + timedelta(minutes=9, seconds=40))
            .values(claimed_until=_LONG_AGO))


def child(folder: Path, *point: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.processes.killed_child", str(folder), *point], cwd=ROOT,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE)


def dies(folder: Path, point: tuple[str, str]) -> None:
    process = child(folder, *point)
    _, error = process.communicate(timeout=150)
    assert process.returncode == -signal.SIGKILL, (point, error.decode()[-2000:])


@pytest.mark.slow
def test_intake_reading_letters_and_closing_survive_a_death_at_each_point(tmp_path: Path) -> None:
    # On SQLite, whose one worker takes up its own work at its next start. On PostgreSQL another process takes
    # it over, which the test below and tests/service/test_workers.py show.
    folder = own_site(tmp_path / "site")
    assert create_game(folder, game_file(tmp_path), io.StringIO()) == 0
    deliver(folder, _orders())
    with opened(settings_of(folder)) as store:
        for point in POINTS:
            dies(folder, point)
            time_passes(store)
        with store.begin() as session:
            session.execute(update(PhaseRow).where(PhaseRow.ordinal == 1).values(deadline=datetime.now(UTC)))
        for point in CLOSING:
            dies(folder, point)
        last = child(folder)

        def over() -> bool:
            time_passes(store)
            with store() as session:
                judged = session.scalar(select(EventRow.id).where(EventRow.what == "phase_judged"))
                states = set(session.scalars(select(OutboxRow.state)))
            return judged is not None and not states & {OutboxState.QUEUED, OutboxState.SENDING}

        assert wait_for(over, 120)
        last.communicate(timeout=120)
        with store() as session:
            assert [row.state for row in session.scalars(select(MailRow))] == [MailState.USED]
            assert len(session.scalars(select(SubmissionRow)).all()) == 1
            happened = Counter(session.scalars(select(EventRow.what)))
            letters = list(session.scalars(select(OutboxRow)))
    assert {kind: happened[kind] for kind in ("mail_used", "phase_closed", "phase_judged")} == {
        "mail_used": 1, "phase_closed": 1, "phase_judged": 1}
    kinds = Counter(row.kind for row in letters)
    assert kinds["receipt"] + kinds["rejection"] >= 1
    # Killed between handing a letter over and noting it: it may have gone twice, and says so. If that happens
    # to it again, a person must decide.
    assert any(row.possibly_twice for row in letters)
    assert all(
        row.state == OutboxState.SENT or (row.state == OutboxState.FAILED and row.possibly_twice)
        for row in letters
    )
    assert len(list((folder / "outbox").glob("*.eml"))) == len(letters)


HOLDER = """
import sys, time
from datetime import UTC, datetime
from service.jobs import DbosJobs
from service.store.engine import open_engine
jobs = DbosJobs(open_engine(sys.argv[1]), poll_seconds=0.05, executor="dead")
def hold(payload):
    print("held", flush=True)
    time.sleep(600)
jobs.register("work", lambda p: None, hold)
jobs.start()
jobs.beat(datetime.now(UTC))
time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.skipif(binaries() is None, reason="PostgreSQL's server is not installed")
def test_what_a_dead_worker_held_is_taken_over_within_two_lease_times(
    cluster: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its heartbeat row and the sweep of a living one, fully automatic."""
    # The real lease is 90 seconds; it is short here so that the test is.
    lease = timedelta(seconds=6)
    monkeypatch.setattr("service.jobs.LEASE", lease)
    with make_site(tmp_path, cluster.url()) as site:
        enqueue(site, "work", "work:1")
        dead = subprocess.Popen([sys.executable, "-c", HOLDER, site.url], cwd=ROOT, stdout=subprocess.PIPE)
        assert dead.stdout is not None
        assert dead.stdout.readline() == b"held\n"
        jobs, runs = DbosJobs(site.engine, poll_seconds=0.05, executor="alive"), list[float]()
        finished = threading.Event()

        def second(_payload: dict[str, object]) -> None:
            runs.append(time.monotonic())
            finished.set()

        jobs.register("work", lambda _: runs.append(-1), second)
        jobs.start()
        schedule = Schedule(site.clock, site.store, Counting())
        schedule.every("jobs", lease.total_seconds() / 3, lambda: jobs.tend(datetime.now(UTC)))
        schedule.start()
        try:
            time.sleep(1)
            # The other lives, so its work is its own.
            assert not runs
            os.kill(dead.pid, signal.SIGKILL)
            killed = time.monotonic()
            dead.communicate()
            assert finished.wait(2 * lease.total_seconds() + 1)
            assert jobs.wait_idle(30)
            # The step that the dead one had ended does not run again.
            assert len(runs) == 1
            assert runs[0] - killed <= 2 * lease.total_seconds()
        finally:
            schedule.stop()
            jobs.stop()


@pytest.mark.slow
def test_new_code_finishes_what_waits_from_the_code_before(any_site: Site, tmp_path: Path) -> None:
    """Both what was begun and what only waited; the version of the work is kept by hand, so that a release
    strands none."""
    for key in ("work:1", "work:2"):
        enqueue(any_site, "work", key)
    assert run(STEPS, any_site.url, str(tmp_path), "one") == -signal.SIGKILL
    # New code in every way that DBOS looks at: another source of a step, and one job more.
    changed = STEPS.replace("def step(number):", ("def improved(number):\n    return step(number)\ndef "
                                                  "step(number):\n    number = number"))
    changed = changed.replace("jobs.register(", 'jobs.register("new", improved(9))\njobs.register(')
    assert changed != STEPS
    (tmp_path / "calm").touch()
    assert run(changed, any_site.url, str(tmp_path), "one") == 0
    with any_site.store() as session:
        assert Counter(session.scalars(select(EventRow.what))) == {"step 1": 1, "step 2": 1, "step 3": 1}
    jobs = DbosJobs(any_site.engine)
    jobs.prepare()
    try:
        assert jobs.wait_idle(1)
    finally:
        jobs.stop()
