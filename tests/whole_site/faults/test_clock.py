"""A site that was down over a deadline (fault 25), and one whose wall clock jumps (fault 26): real processes,
real waits."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_string
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest
from sqlalchemy import select, update

from service.cli.games import create_game
from service.scheduler import DEADLINE, SWEEP_SECONDS, Schedule, due_now
from service.site_folder import opened, settings_of
from service.store.engine import Store
from service.store.tables import EventRow, OutboxRow, PhaseRow, PhaseState, SubmissionRow
from tests.service.cli.test_serve import _orders
from tests.service.test_scheduler import Counting, add_phase
from tests.support.mails import wait_for
from tests.support.own_site import deliver, game_file, own_site
from tests.support.servers.served import Served
from tests.support.site import NOON, Site


@pytest.fixture
def served() -> Iterator[list[Served]]:
    begun: list[Served] = []
    yield begun
    for server in begun:
        server.close()


def move_deadline(store: Store, instant: datetime) -> None:
    with store.begin() as session:
        session.execute(update(PhaseRow).where(PhaseRow.ordinal == 1).values(deadline=instant))


def closed(store: Store) -> list[datetime]:
    with store() as session:
        return list(session.scalars(select(EventRow.at).where(EventRow.what == "phase_closed")))


@pytest.mark.slow
def test_down_for_half_an_hour_over_a_deadline_it_closes_at_the_start_and_counts_what_came_in_time(
    tmp_path: Path, served: list[Served]
) -> None:
    folder = own_site(tmp_path / "site")
    assert create_game(folder, game_file(tmp_path), io.StringIO()) == 0
    deadline = (datetime.now(UTC) - timedelta(minutes=30)).replace(microsecond=0)
    deliver(folder, _orders(), received_at=deadline - timedelta(minutes=5))
    second_version = _orders().replace(b"v1", b"v2").replace(b"<1@", b"<2@")
    deliver(folder, second_version, received_at=deadline + timedelta(minutes=5))
    with opened(settings_of(folder)) as store:
        with store.begin() as session:
            first = session.scalars(select(PhaseRow).where(PhaseRow.ordinal == 1)).one()
            first.opens_at, first.deadline, first.state = (
                deadline - timedelta(days=3),
                deadline,
                PhaseState.OPEN,
            )
        begun = datetime.now(UTC)
        served.append(Served(folder))
        served[0].ready()
        assert wait_for(lambda: closed(store), 90)
        assert closed(store)[0] - begun < timedelta(seconds=60)
        assert wait_for(lambda: _judged(store), 60)
        with store() as session:
            fates = {row.version: row.fate for row in session.scalars(select(SubmissionRow))}
            phases = {row.version: row.phase_id for row in session.scalars(select(SubmissionRow))}
        # A blank photograph is held, not late: it was taken for the phase that was open when it came.
        assert fates[1] == "held"
        assert phases[1] == first.id
        assert fates.get(2) in {None, "late"} or phases[2] != first.id
    assert len(closed(store)) == 1


def _judged(store: Store) -> bool:
    with store() as session:
        return session.scalar(select(EventRow.id).where(EventRow.what == "phase_judged")) is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "jump", [timedelta(hours=2), timedelta(seconds=75)], ids=["two hours", "just over the deadline"]
)
def test_a_clock_that_jumps_ahead_and_back_closes_each_phase_once_and_in_time(
    tmp_path: Path, served: list[Served], jump: timedelta
) -> None:
    """The whole program under a wall clock that is set; its mailbox's clock, the disk's, stays right, so the
    deadline that the jump seems to have passed is held (`service.operations.clock_check`), and kept when it
    comes."""
    folder, dial = own_site(tmp_path / "site"), tmp_path / "dial"
    assert create_game(folder, game_file(tmp_path), io.StringIO()) == 0
    _set(dial, timedelta())
    served.append(Served(folder, program=("tests.support.processes.jumping_child", str(folder), str(dial))))
    served[0].ready()
    with opened(settings_of(folder)) as store:
        deadline = datetime.now(UTC) + timedelta(seconds=70)
        move_deadline(store, deadline)
        time.sleep(2)
        _set(dial, jump)
        assert wait_for(lambda: _held(store), 45)
        assert closed(store) == []
        _set(dial, timedelta())
        # Otherwise the jump back would come too late to prove anything.
        assert datetime.now(UTC) < deadline
        assert wait_for(lambda: closed(store), (deadline - datetime.now(UTC)).total_seconds() + 90)
        late = datetime.now(UTC) - deadline
        time.sleep(3)
        (closed_at,) = closed(store)
        assert closed_at >= deadline
        # the sweep, and what closing takes on a busy machine
        assert late < timedelta(seconds=SWEEP_SECONDS + 10)


@pytest.mark.slow
def test_a_time_zone_that_is_changed_on_a_live_site_moves_nothing(
    tmp_path: Path, served: list[Served]
) -> None:
    """MBX-06: from one hour to fourteen hours ahead of GMT, while a deadline comes near and a sheet comes in.
    It is not a clock that was set: the deadline is kept to the second, the sheet is stamped by the same
    clock, and letters have the right time."""
    folder, zone = own_site(tmp_path / "site"), tmp_path / "zone"
    assert create_game(folder, game_file(tmp_path), io.StringIO()) == 0
    _write(zone, "CET-1")
    served.append(Served(folder, program=("tests.support.processes.zoned_child", str(folder), str(zone))))
    served[0].ready()
    with opened(settings_of(folder)) as store:
        deadline = datetime.now(UTC) + timedelta(seconds=45)
        move_deadline(store, deadline)
        time.sleep(2)
        _write(zone, "LINT-14")
        assert wait_for(lambda: zone.with_suffix(".in_force").read_text() == "+1400", 20)
        came = datetime.now(UTC)
        deliver(folder, _orders())
        assert wait_for(lambda: _letters(store), 60)
        assert closed(store) == []
        assert wait_for(lambda: closed(store), (deadline - datetime.now(UTC)).total_seconds() + 90)
        assert timedelta() <= closed(store)[0] - deadline < timedelta(seconds=SWEEP_SECONDS + 10)
        with store() as session:
            first = session.scalars(select(PhaseRow).where(PhaseRow.ordinal == 1)).one()
            (sheet,) = session.scalars(select(SubmissionRow))
            happened = set(session.scalars(select(EventRow.what)))
        assert sheet.phase_id == first.id
        assert abs(sheet.received_at - came) < timedelta(seconds=30)
        assert not happened & {"clock_off", "clock_set"}
        for words in _letters(store):
            written_at = message_from_string(words)["Date"]
            assert abs(parsedate_to_datetime(written_at) - came) < timedelta(seconds=120)


def _letters(store: Store) -> list[str]:
    with store() as session:
        return [words or "" for words in session.scalars(select(OutboxRow.words))]


def _write(dial: Path, words: str) -> None:
    new = dial.with_suffix(".new")
    new.write_text(f"{words}\n")
    new.replace(dial)  # the reader must never see half a file


def _set(dial: Path, ahead: timedelta) -> None:
    _write(dial, f"{ahead.total_seconds()}")


def _held(store: Store) -> bool:
    with store() as session:
        return session.scalar(select(EventRow.id).where(EventRow.what == "clock_off")) is not None


def test_a_deadline_that_a_wrong_clock_had_enqueued_is_enqueued_anew_once_the_clock_is_set(
    site: Site,
) -> None:
    """The first key is used up, and its work did nothing: without another key the phase would wait five
    minutes."""
    deadline = NOON + timedelta(hours=6)
    phase = add_phase(site, 1, PhaseState.OPEN, NOON, deadline)
    site.clock.set(deadline + timedelta(minutes=1))
    wrong = due_now(site.clock, site.store, site.jobs)
    site.clock.set(deadline)
    # The moment at which the clock was set makes the key another one.
    right = due_now(site.clock, site.store, site.jobs, "2026-03-01T17:58:00Z")
    assert right == (f"{wrong[0]}@2026-03-01T17:58:00Z",)
    assert [payload["phase"] for name, _, payload in site.jobs.queue if name == DEADLINE] == [phase, phase]


def test_the_schedule_notices_that_the_clock_was_set(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, ahead = Counting(), [0.0]
    monkeypatch.setattr("service.scheduler.time", lambda: time.time() + ahead[0])
    add_phase(site, 1, PhaseState.OPEN, NOON, datetime.now(UTC) - timedelta(seconds=1))
    schedule = Schedule(_Now(), site.store, jobs, sweep_seconds=0.2)
    schedule.start()
    try:
        assert wait_for(lambda: jobs.asked, 20)
        assert not any("@" in key for _, key in jobs.asked)
        # Two hours back, as when a machine starts with a wrong clock and is then corrected.
        ahead[0] = -7200.0
        assert wait_for(lambda: any("@" in key for _, key in jobs.asked), 20)
    finally:
        schedule.stop()
    with site.store() as session:
        entered = session.scalars(select(EventRow).where(EventRow.what == "clock_set")).one()
    before, after = (datetime.fromisoformat(entered.detail[name]) for name in ("from", "to"))
    assert timedelta(minutes=119) < before - after < timedelta(minutes=121)
    assert entered.game_id is not None


class _Now:
    def now(self) -> datetime:
        return datetime.now(UTC)
