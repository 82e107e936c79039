"""Deadlines fire once, whatever the schedule, the clock and the restarts do."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from apscheduler.jobstores.base import JobLookupError
from sqlalchemy import event
from sqlalchemy.orm import Session

from service.clock import Clock, SimulatedClock, SystemClock
from service.jobs import DbosJobs, Jobs, Payload
from service.mail.sending.outbox import OutLetter, put
from service.scheduler import Schedule, due_now, send_soon
from service.store import records
from service.store.tables import GameRow, PhaseRow, PhaseState
from tests.support.desk_site import NO_LOTS
from tests.support.mails import wait_for
from tests.support.site import NOON, Site

DEADLINE_AT = NOON + timedelta(hours=6)


def add_phase(
    site: Site, ordinal: int, state: PhaseState, opens_at: datetime, deadline: datetime, *, known: bool = True
) -> int:
    with site.store.begin() as session:
        if session.get(GameRow, "powick") is None:
            session.add(GameRow(id="powick", name="Powick Bridge", variant="w3k", created_at=NOON))
            session.flush()
        row = PhaseRow(
            game_id="powick",
            ordinal=ordinal,
            year=1642,
            season="Summer",
            kind="movement",
            opens_at=opens_at,
            deadline=deadline,
            state=state,
            position={"format": 1} if known else None,
            **NO_LOTS,
        )
        session.add(row)
        session.flush()
        return row.id


def keys(site: Site) -> list[str]:
    return [key for _, key, _ in site.jobs.queue]


def test_nothing_is_due_before_its_time_and_at_it_everything_is(any_site: Site) -> None:
    site = any_site
    phase = add_phase(site, 1, PhaseState.OPEN, NOON, DEADLINE_AT)
    site.clock.set(DEADLINE_AT - timedelta(seconds=1))
    assert due_now(site.clock, site.store, site.jobs) == ()
    site.clock.set(DEADLINE_AT)
    assert due_now(site.clock, site.store, site.jobs) == (f"deadline:{phase}:2026-03-01T18:00:00Z",)
    due_now(site.clock, site.store, site.jobs)
    assert list(site.jobs.queue) == [
        (
            "deadline",
            f"deadline:{phase}:2026-03-01T18:00:00Z",
            {"phase": phase, "instant": "2026-03-01T18:00:00Z"},
        )
    ]


def test_a_deadline_that_was_moved_has_another_key(site: Site) -> None:
    phase = add_phase(site, 1, PhaseState.OPEN, NOON, DEADLINE_AT)
    with site.store.begin() as session:
        session.get_one(PhaseRow, phase).deadline = DEADLINE_AT + timedelta(days=1)
    site.clock.set(DEADLINE_AT)
    assert due_now(site.clock, site.store, site.jobs) == ()
    site.clock.advance(timedelta(days=1))
    assert due_now(site.clock, site.store, site.jobs) == (f"deadline:{phase}:2026-03-02T18:00:00Z",)


def test_a_deadline_whose_work_failed_for_good_comes_again_every_five_minutes(site: Site) -> None:
    phase = add_phase(site, 1, PhaseState.OPEN, NOON, DEADLINE_AT)
    site.clock.set(DEADLINE_AT)
    for _ in range(21):  # ten minutes of sweeps
        due_now(site.clock, site.store, site.jobs)
        site.clock.advance(timedelta(seconds=30))
    assert keys(site) == [f"deadline:{phase}:2026-03-01T18:00:00Z{again}" for again in ("", ":1", ":2")]
    with site.store.begin() as session:
        assert records.claim_phase(session, phase, PhaseState.OPEN, PhaseState.CLOSED)
        assert not records.claim_phase(session, phase, PhaseState.OPEN, PhaseState.CLOSED)
    site.clock.advance(timedelta(hours=1))
    assert due_now(site.clock, site.store, site.jobs) == ()


def test_a_service_that_was_down_over_the_deadline_catches_up(site: Site) -> None:
    phase = add_phase(site, 1, PhaseState.OPEN, NOON, DEADLINE_AT)
    site.clock.set(DEADLINE_AT + timedelta(minutes=30))
    assert [k.split(":")[:2] for k in due_now(site.clock, site.store, site.jobs)] == [
        ["deadline", str(phase)]
    ]


def test_a_waiting_phase_opens_at_its_hour_but_never_before_the_one_before_it(any_site: Site) -> None:
    site = any_site
    first = add_phase(site, 1, PhaseState.WAITING, NOON, DEADLINE_AT)
    second = add_phase(site, 2, PhaseState.WAITING, NOON, DEADLINE_AT)
    site.clock.set(NOON - timedelta(seconds=1))
    assert due_now(site.clock, site.store, site.jobs) == ()
    site.clock.set(NOON)
    assert due_now(site.clock, site.store, site.jobs) == (f"open:{first}:2026-03-01T12:00:00Z",)
    with site.store.begin() as session:
        records.claim_phase(session, first, PhaseState.WAITING, PhaseState.CLOSED)
    assert due_now(site.clock, site.store, site.jobs) == (f"open:{second}:2026-03-01T12:00:00Z",)


def test_a_phase_whose_board_is_not_known_does_not_open(any_site: Site) -> None:
    """PHA-01: the results before it are not sent, so its players are not asked."""
    site = any_site
    add_phase(site, 1, PhaseState.READY, NOON, DEADLINE_AT)
    add_phase(site, 2, PhaseState.WAITING, NOON, DEADLINE_AT, known=False)
    site.clock.set(DEADLINE_AT)
    assert due_now(site.clock, site.store, site.jobs) == ()


def test_letters_that_are_due_are_sent_for(site: Site) -> None:
    letter = OutLetter("k1", "results", "a@example.org", "S", "T")

    def write(letter: OutLetter) -> None:
        with site.store.begin() as session:
            put(session, site.blobs, letter, sender="orders@galloper.example", now=site.clock.now())

    write(letter)
    assert len(due_now(site.clock, site.store, site.jobs)) == 1
    assert due_now(site.clock, site.store, site.jobs)[0] in site.jobs.keys
    assert len(site.jobs.queue) == 1
    write(replace(letter, key="k2"))  # at the same instant of a clock that is still
    due_now(site.clock, site.store, site.jobs)
    site.clock.advance(timedelta(seconds=30))  # still there: the server was away
    due_now(site.clock, site.store, site.jobs)
    assert [name for name, _, _ in site.jobs.queue] == ["letters"] * 3


def test_a_letter_that_a_mail_caused_waits_for_no_look(any_site: Site) -> None:
    """SCA-11: a receipt waited up to a second, in which the reading of its sheet took the processor."""
    site = any_site
    send_soon(site.clock, site.store, site.jobs)
    assert list(site.jobs.queue) == []
    with site.store.begin() as session:
        put(session, site.blobs, OutLetter("k1", "receipt", "a@example.org", "S", "T"),
            sender="orders@galloper.example", now=site.clock.now())
    for _ in range(2):
        send_soon(site.clock, site.store, site.jobs)
    assert [name for name, _, _ in site.jobs.queue] == ["letters"]


class Counting:
    """A queue that counts how often each key was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, str]] = []

    def enqueue(
        self, session: Session, name: str, key: str, payload: Payload, *, is_last: bool = False,
        rank: int = 0,
    ) -> None:
        self.asked.append((time.time(), key))

    def hasten(self, keys: Sequence[str]) -> None:
        raise AssertionError("the clockwork hastens nothing")


@pytest.fixture
def started() -> Iterator[list[Schedule]]:
    schedules: list[Schedule] = []
    yield schedules
    for schedule in schedules:
        schedule.stop()


def run(
    started: list[Schedule], site: Site, jobs: Jobs, clock: Clock | None = None, sweep: float = 30.0
) -> Schedule:
    schedule = Schedule(clock or SystemClock(), site.store, jobs, sweep_seconds=sweep)
    schedule.start()
    started.append(schedule)
    return schedule


def test_the_schedule_looks_at_the_deadline_to_the_second(site: Site, started: list[Schedule]) -> None:
    jobs, deadline = Counting(), datetime.now(UTC) + timedelta(seconds=1.5)
    add_phase(site, 1, PhaseState.OPEN, NOON, deadline)
    run(started, site, jobs)
    assert wait_for(lambda: jobs.asked, 20)
    assert 0 <= jobs.asked[0][0] - deadline.timestamp() < 0.7


def test_a_deadline_that_passed_while_nothing_ran_is_looked_at_at_once(
    site: Site, started: list[Schedule]
) -> None:
    jobs = Counting()
    add_phase(site, 1, PhaseState.OPEN, NOON, datetime.now(UTC) - timedelta(days=2))
    run(started, site, jobs)
    assert wait_for(lambda: jobs.asked, 20)


def test_a_deadline_that_is_set_later_is_found_by_the_sweep(site: Site, started: list[Schedule]) -> None:
    jobs = Counting()
    run(started, site, jobs, sweep=0.3)
    time.sleep(0.5)
    deadline = datetime.now(UTC) + timedelta(seconds=1)
    add_phase(site, 1, PhaseState.OPEN, NOON, deadline)
    assert wait_for(lambda: jobs.asked, 20)
    assert jobs.asked[0][0] >= deadline.timestamp()


def test_a_sweep_planned_hours_ahead_by_a_clock_set_back_runs_all_the_same(
    site: Site, started: list[Schedule]
) -> None:
    jobs, beats = Counting(), list[float]()
    schedule = run(started, site, jobs, sweep=0.3)
    schedule.every("beat", 0.3, lambda: beats.append(time.monotonic()))
    assert wait_for(lambda: len(beats) >= 2, 20)

    def plan_far_ahead(name: str) -> bool:
        try:
            schedule._scheduler.modify_job(name, next_run_time=datetime.now(UTC) + timedelta(hours=2))
        except JobLookupError:  # it runs just now, and is planned again afterwards
            return False
        return True

    # What a clock that ran two hours fast leaves behind.
    assert wait_for(lambda: plan_far_ahead("sweep"), 5)
    assert wait_for(lambda: plan_far_ahead("beat"), 5)
    beats_before = len(beats)
    assert wait_for(lambda: len(beats) >= beats_before + 2, 20)


def test_a_second_in_which_nothing_is_due_asks_one_question(site: Site, started: list[Schedule]) -> None:
    """SCA: a look cost six milliseconds of each second of an idle site."""
    statements: list[str] = []
    run(started, site, Counting(), sweep=600)
    time.sleep(1.5)  # the first sweep looks at everything
    event.listen(site.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    time.sleep(4)
    assert 2 <= len(statements) <= 5
    assert all("EXISTS" in statement for statement in statements)


def test_a_body_that_fails_runs_again(site: Site, started: list[Schedule]) -> None:
    calls: list[int] = []

    def fails() -> None:
        calls.append(1)
        raise OSError("away")

    schedule = run(started, site, Counting())
    schedule.every("poll", 0.2, fails)
    assert wait_for(lambda: len(calls) >= 3, 20)


def test_a_body_longer_than_its_interval_is_never_a_warning(
    site: Site, started: list[Schedule], caplog: pytest.LogCaptureFixture
) -> None:
    """INS-06: on a slow machine a look takes longer than the second between two looks."""
    begun, running = list[float](), threading.Lock()

    def slow() -> None:
        assert running.acquire(blocking=False), "two runs at a time"
        begun.append(time.monotonic())
        time.sleep(0.25)
        running.release()

    schedule = run(started, site, Counting())
    schedule.every("slow", 0.05, slow)
    assert wait_for(lambda: len(begun) >= 4, 20)
    # The pause is counted from the end of a run.
    assert min(after - before for before, after in pairwise(begun)) >= 0.3
    assert [record.getMessage() for record in caplog.records if record.name.startswith("apscheduler")] == []


def test_it_ends_while_a_sweep_is_planning(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    planning, go_on = threading.Event(), threading.Event()
    schedule = Schedule(SystemClock(), site.store, Counting())
    get_jobs = schedule._scheduler.get_jobs

    def slow() -> object:
        planning.set()
        go_on.wait(20)
        return get_jobs()

    monkeypatch.setattr(schedule._scheduler, "get_jobs", slow)
    schedule.start()
    assert planning.wait(20)
    ending = threading.Thread(target=schedule.stop)
    ending.start()
    time.sleep(0.3)  # the end is under way, and waits for the sweep
    assert ending.is_alive()
    go_on.set()
    ending.join(20)
    assert not ending.is_alive()


def test_three_schedules_and_twenty_deadlines_have_twenty_effects(
    site: Site, started: list[Schedule]
) -> None:
    jobs = DbosJobs(site.engine, poll_seconds=0.05, pauses=(0.05,))
    closed: list[int] = []
    lock = threading.Lock()

    def close(payload: Payload) -> None:
        with site.store.begin() as session:
            # Fault 24: the key of a job keeps most doubles away; the claim is what makes a second one do
            # nothing.
            if records.claim_phase(session, payload["phase"], PhaseState.OPEN, PhaseState.CLOSED):
                with lock:
                    closed.append(payload["phase"])

    jobs.register("deadline", close)
    jobs.start()
    try:
        now = datetime.now(UTC)
        phases = [
            add_phase(site, n, PhaseState.OPEN, NOON, now + timedelta(seconds=1 + n / 20))
            for n in range(1, 21)
        ]
        for _ in range(3):
            run(started, site, jobs, sweep=0.5)
        assert wait_for(lambda: len(closed) >= 20, 60)
        assert jobs.wait_idle(60)
        assert sorted(closed) == phases
    finally:
        while started:
            started.pop().stop()
        jobs.stop()


def test_the_demo_moves_its_clock_and_looks(site: Site) -> None:
    phase = add_phase(site, 1, PhaseState.OPEN, NOON, DEADLINE_AT)
    clock = SimulatedClock(NOON)
    assert due_now(clock, site.store, site.jobs) == ()
    clock.advance(timedelta(hours=6))
    assert due_now(clock, site.store, site.jobs) == (f"deadline:{phase}:2026-03-01T18:00:00Z",)
