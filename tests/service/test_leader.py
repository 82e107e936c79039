"""One process of a site leads (SCA-01)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event, select, update

from service.games import mailbox_waits
from service.scheduler import LEASE, MOST_AT_ONCE, Leadership, Schedule, due_now
from service.store.tables import LeaseRow, PhaseRow, PhaseState
from tests.service.test_scheduler import DEADLINE_AT, add_phase
from tests.support.mails import wait_for
from tests.support.site import NOON, Site


def end_lease(site: Site, by: timedelta) -> None:
    with site.store.begin() as session:
        session.execute(update(LeaseRow).values(ends_at=datetime.now(UTC) + by))


def test_one_leads_until_it_falls_silent_or_resigns(any_site: Site) -> None:
    """SCA-01: one leader by lease; another takes over when the lease is over, and at once when it is left."""
    first, second = (Leadership(any_site.store, name) for name in ("first", "second"))
    assert (first.leads(), second.leads(), first.leads()) == (True, False, True)
    end_lease(any_site, -timedelta(seconds=1))
    assert second.leads()
    second.resign()
    third = Leadership(any_site.store, "third")
    assert third.leads()
    with any_site.store() as session:
        assert session.scalars(select(LeaseRow.holder)).all() == ["third"]


def test_a_lease_that_a_wrong_clock_wrote_far_ahead_is_taken(site: Site) -> None:
    """The clock of the leader's machine was a day ahead, was set back, and the leader died."""
    Leadership(site.store, "first").leads()
    end_lease(site, timedelta(days=1))
    assert Leadership(site.store, "second").leads()


def test_a_lease_that_was_written_a_moment_later_is_not_taken_for_a_wrong_clock(any_site: Site) -> None:
    """Two ask at the same time: who waited for the row finds a lease from just after its own look at the
    clock."""
    Leadership(any_site.store, "first").leads()
    end_lease(any_site, LEASE + timedelta(seconds=2))
    assert not Leadership(any_site.store, "second").leads()


def test_a_killed_leader_is_followed_in_seconds(site: Site) -> None:
    """SCA-01: the clockwork of a second process looks as soon as the lease of the first is over."""
    Leadership(site.store, "killed").leads()
    second = Leadership(site.store, "second")
    phase = add_phase(site, 1, PhaseState.OPEN, NOON, DEADLINE_AT)
    site.clock.set(DEADLINE_AT)
    schedule = Schedule(site.clock, site.store, site.jobs, sweep_seconds=0.2, leads=second.leads)
    schedule.start()
    try:
        assert not site.jobs.queue
        wait_for(lambda: bool(site.jobs.queue), seconds=LEASE.total_seconds() + 30)
    finally:
        schedule.stop()
    assert [payload["phase"] for _, _, payload in site.jobs.queue] == [phase]


@pytest.mark.parametrize("backlog", [MOST_AT_ONCE + 20])
def test_a_look_at_a_backlog_asks_a_few_questions_and_loads_no_board(any_site: Site, backlog: int) -> None:
    """SCA-01: what is in the queue already is not put there again, and costs no row."""
    site = any_site
    for number in range(backlog):
        add_phase(site, number + 1, PhaseState.OPEN, NOON, DEADLINE_AT)
    site.clock.set(DEADLINE_AT)
    assert len(due_now(site.clock, site.store, site.jobs)) == backlog == len(site.jobs.queue)
    statements: list[str] = []
    event.listen(site.engine, "before_cursor_execute",
                 lambda _c, _cursor, statement, *_rest: statements.append(statement))
    assert due_now(site.clock, site.store, site.jobs) == ()
    assert len(statements) < 15
    assert not [statement for statement in statements if "phases.position," in statement]


def test_a_phase_that_begins_to_wait_for_the_mailbox_is_looked_at_a_minute_later(site: Site) -> None:
    phase_id = add_phase(site, 1, PhaseState.OPEN, NOON, DEADLINE_AT)
    site.clock.set(DEADLINE_AT)
    due_now(site.clock, site.store, site.jobs)
    site.clock.advance(timedelta(seconds=10))
    with site.store.begin() as session:
        assert mailbox_waits.waits(session, session.get_one(PhaseRow, phase_id), "down", site.clock.now())
    due_now(site.clock, site.store, site.jobs)
    assert len(site.jobs.queue) == 1
    site.clock.advance(timedelta(seconds=51))
    assert due_now(site.clock, site.store, site.jobs) == (f"deadline:{phase_id}:2026-03-01T18:00:00Z:1m",)
