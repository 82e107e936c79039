"""LET-04: approving draws the letters in a job; the page answers at once, a failure names its letter, and
nothing is half sent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from threading import Barrier, Lock

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from adjudicator.outcome import Resolution
from service.clock import SimulatedClock
from service.games.turns import NotReady
from service.jobs import DbosJobs
from service.notices.phase_letters.approval import DRAWING, FAILED, SENT, WORK, Approvals
from service.notices.results import ResultsAnnouncer
from service.store.engine import Store
from service.store.tables import ApprovalRow, OutboxRow, PageRow, PhaseRow, PhaseState
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import Site
from tests.support.table import Table, autumn_1642, open_table

ROOT = Path(__file__).parents[4]
SECOND = timedelta(seconds=1)
ORDERS = ("A Lindsey - Kesteven & Holland", "A Norfolk S A Lindsey - Kesteven & Holland")


def approvals(table: Table, announcer: ResultsAnnouncer | None = None) -> Approvals:
    site = table.site
    return Approvals(
        site.store, site.jobs, site.clock, table.load, announcer or ResultsAnnouncer(table.writer))


def judged(site: Site) -> Table:
    """Autumn 1642, judged, with one sheet whose picture is copied to all."""
    table = open_table(site, position=autumn_1642())
    table.file("Manchester", ORDERS, heading=("Manchester", "Autumn 1642 Movement Orders"))
    site.clock.set(table.phase().deadline)
    table.close_phase(table.phase().id)
    assert table.phase().state == PhaseState.READY
    return table


@pytest.fixture
def table(site: Site) -> Table:
    return judged(site)


@pytest.fixture
def desk(table: Table) -> DeskTable:
    acts = approvals(table)
    table.site.jobs.register(WORK, acts.run)
    desk = open_desk(table, approve=acts.request, wall=SimulatedClock(table.site.clock.now()))
    # The orders of nine powers are missing on purpose, and one that orders two of six units is asked about.
    for submission in table.submissions():
        desk.post(f"/sheet/{submission.id}/right")
    return desk


def row(table: Table) -> ApprovalRow:
    with table.site.store() as session:
        return session.get_one(ApprovalRow, table.phase().id)


def test_the_page_answers_before_anything_is_drawn_and_shows_how_far_it_is(desk: DeskTable) -> None:
    table, phase = desk.table, desk.table.phase().id
    answer = desk.post(f"/results/{phase}/approve")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/results/{phase}")
    assert table.letters() == []
    page = desk.page(f"/results/{phase}")
    assert "The letters are being made" in page
    assert 'src="/static/drawing.js"' in page
    assert "Approve and send" not in page
    # A second press changes nothing.
    assert desk.post(f"/results/{phase}/approve").status_code == 303
    assert len(table.site.jobs.queue) == 1
    table.site.jobs.run()
    assert table.phase().state == PhaseState.SENT
    assert len(table.letters("draft_results")) == 10
    assert row(table).state == SENT
    assert row(table).done == row(table).total > 10
    assert "The letters</a>" in desk.page(f"/results/{phase}")


def test_a_letter_that_cannot_be_made_is_named_with_its_reason_and_nothing_leaves(desk: DeskTable) -> None:
    table, phase = desk.table, desk.table.phase().id
    with table.site.store() as session:
        upright = session.scalars(select(PageRow.upright)).one() or ""
    path = table.site.blobs.path(upright)
    data = path.read_bytes()
    path.unlink()
    desk.post(f"/results/{phase}/approve")
    table.site.jobs.run()
    assert (row(table).state, table.phase().state, table.letters()) == (FAILED, PhaseState.READY, [])
    text = desk.text(f"/results/{phase}")
    assert "sheet-manchester-1.png could not be made" in text
    assert "is missing" in text
    assert "Nothing was sent" in text
    path.write_bytes(data)
    table.site.clock.advance(SECOND)
    desk.post(f"/results/{phase}/approve")
    table.site.jobs.run()
    assert table.phase().state == PhaseState.SENT
    assert len(table.letters("draft_results")) == 10


class Broken(ResultsAnnouncer):
    """Results whose second letter meets a fault that no one foresaw."""

    def prepare(self, session: Session, phase: PhaseRow, resolution: Resolution) -> Callable[[Session], None]:
        self.progress(3, 12, "the letter to Argyll")
        raise ZeroDivisionError("Army Derry to Isle of Man")


def test_a_fault_that_nobody_foresaw_is_tried_again_and_then_told_without_its_text(table: Table) -> None:
    acts = approvals(table, Broken(table.writer))
    acts.request(table.phase().id, "ada")
    (_, _, payload) = table.site.jobs.queue[0]
    with pytest.raises(ZeroDivisionError):
        acts.run(payload)
    assert row(table).state == DRAWING
    acts.give_up(payload, "ZeroDivisionError: Army Derry to Isle of Man")
    assert row(table).state == FAILED
    assert "“the letter to Argyll” could not be made" in (row(table).error or "")
    assert "Derry" not in (row(table).error or "")
    assert table.letters() == []


def test_results_that_were_judged_again_meanwhile_are_not_sent(table: Table) -> None:
    acts = approvals(table)
    acts.request(table.phase().id, "ada")
    (_, _, payload) = table.site.jobs.queue[0]
    table.site.clock.advance(SECOND)
    table.judge_phase(table.phase().id)

    class Slow(ResultsAnnouncer):
        def prepare(
            self, session: Session, phase: PhaseRow, resolution: Resolution
        ) -> Callable[[Session], None]:
            put = super().prepare(session, phase, resolution)
            table.site.clock.advance(SECOND)
            table.judge_phase(phase.id)
            return put

    approvals(table, Slow(table.writer, drawing=False)).run(payload)
    assert (row(table).state, table.letters()) == (FAILED, [])
    assert "judged again" in (row(table).error or "")


def test_nothing_is_asked_of_a_phase_that_is_not_ready(table: Table) -> None:
    table.set_phase(1, state=PhaseState.CLOSED)
    with pytest.raises(NotReady):
        approvals(table).request(table.phase().id, "ada")


WORKER = """
import os, signal, sys
from pathlib import Path
from service.clock import SimulatedClock
from datetime import datetime
from service.jobs import DbosJobs
from service.notices.phase_letters.approval import WORK, Approvals
from service.notices.results import ResultsAnnouncer
from tests.support.site import make_site
from tests.support.table import Table
import maps
url, folder, now, at = sys.argv[1], Path(sys.argv[2]), datetime.fromisoformat(sys.argv[3]), int(sys.argv[4])
with make_site(folder, url, now, migrated=True) as site:
    table = Table(site, maps.load("w3k"), "powick-bridge", None)
    jobs = DbosJobs(site.engine, poll_seconds=0.05, pauses=(0.05,), executor="one")
    acts = Approvals(site.store, jobs, site.clock, table.load, ResultsAnnouncer(table.writer))
    seen = []
    note = Approvals._note
    def dying(self, *args, **values):
        note(self, *args, **values)
        seen.append(values)
        if len(seen) == at:
            os.kill(os.getpid(), signal.SIGKILL)
    Approvals._note = dying
    jobs.register(WORK, acts.run, failed=acts.give_up)
    jobs.start()
    jobs.wait_idle(90)
    jobs.stop()
"""


@pytest.mark.slow
@pytest.mark.parametrize("at", [1, 6])
def test_a_worker_killed_under_way_sends_each_letter_once(any_site: Site, at: int) -> None:
    """Killed by SIGKILL at the first file and among the letters; the queue begins the job again."""
    table = judged(any_site)
    jobs = DbosJobs(any_site.engine)
    jobs.prepare()
    acts = Approvals(any_site.store, jobs, any_site.clock, table.load, ResultsAnnouncer(table.writer))
    acts.request(table.phase().id, "ada")
    jobs.stop()
    arguments = [any_site.url, str(any_site.blobs.root.parent), any_site.clock.now().isoformat()]

    def work(die_at: int) -> int:
        done = subprocess.run(
            [sys.executable, "-c", WORKER, *arguments, str(die_at)], check=False, timeout=240,
            capture_output=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
        assert done.returncode in {0, -signal.SIGKILL}, done.stderr.decode()[-2000:]
        return done.returncode

    assert work(at) == -signal.SIGKILL
    assert letters(any_site.store) == []
    assert table.phase().state == PhaseState.READY
    assert work(0) == 0
    kinds = letters(any_site.store)
    assert kinds.count("draft_results") == 10
    assert len(kinds) == 11  # and one retreat is asked for
    assert table.phase().state == PhaseState.SENT


def letters(store: Store) -> list[str]:
    with store() as session:
        return list(session.scalars(select(OutboxRow.kind)))


class _Apart:
    """A clock that gives everybody another instant, as for people who press within a second."""

    def __init__(self, start: datetime) -> None:
        self._instants = (start + number * SECOND / 1000 for number in count())
        self._lock = Lock()

    def now(self) -> datetime:
        with self._lock:
            return next(self._instants)


SLOW_ON_POSTGRES = True


def test_of_four_who_approve_at_one_moment_one_sends(any_site: Site) -> None:
    """Two browsers, or two coordinators: each letter is put once, and none of them is informed that it
    failed."""
    table = judged(any_site)
    desk = open_desk(table, approve=lambda *_: None)
    for submission in table.submissions():
        desk.post(f"/sheet/{submission.id}/right")
    site, together = table.site, Barrier(4)
    acts = Approvals(site.store, site.jobs, _Apart(site.clock.now()), table.load,
                     ResultsAnnouncer(table.writer, drawing=False))
    site.jobs.register(WORK, acts.run)
    phase = table.phase().id

    def press(name: str) -> None:
        together.wait(20)
        acts.request(phase, name)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(press, ("Ada", "Bess", "Cara", "Dora")))
    site.jobs.run()
    assert (table.phase().state, row(table).state) == (PhaseState.SENT, SENT)
    assert set(Counter(table.written_letters()).values()) == {1}
