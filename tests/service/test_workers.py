"""Several processes work for one site on PostgreSQL, each in a network of its own where the kernel allows:
every deadline has one effect, whoever dies (faults 22, 23 and 24). On SQLite one process serves."""

from __future__ import annotations

import io
import signal
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from service.cli.games import create_game
from service.cli.serve import run_worker
from service.jobs import LEASE
from service.site_folder import SiteError, opened, settings_of
from service.store.engine import Store
from service.store.tables import EventRow, PhaseRow, PhaseState, WorkerRow
from tests.support.mails import wait_for
from tests.support.own_site import SETTINGS, game_file, own_site
from tests.support.servers.postgres import Postgres, binaries
from tests.support.servers.served import Served, own_network

GAMES = 6
WORKING = "Working with"


@pytest.fixture
def processes() -> Iterator[list[Served]]:
    begun: list[Served] = []
    yield begun
    for process in begun:
        process.close()


def events(store: Store, kind: str) -> Counter[str]:
    with store() as session:
        return Counter(
            str(game) for game in session.scalars(select(EventRow.game_id).where(EventRow.what == kind))
        )


def test_a_site_in_a_file_has_one_process(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match="one SQLite file, which one process serves"):
        run_worker(own_site(tmp_path / "site"))


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.skipif(binaries() is None, reason="PostgreSQL's server is not installed")
def test_a_desk_and_two_workers_share_the_deadlines_and_survive_the_death_of_one(
    tmp_path: Path, cluster: Postgres, processes: list[Served]
) -> None:
    folder = own_site(tmp_path / "site", f'database = "{cluster.url()}"\n{SETTINGS}')
    games = [f"Game {number}" for number in range(GAMES)]
    for name in games:
        assert create_game(folder, game_file(tmp_path, name=name), io.StringIO()) == 0
    processes += [
        Served(folder),
        *(Served(folder, ("worker", "--threads", "2"), before=own_network()) for _ in range(2)),
    ]
    processes[0].ready()
    for worker in processes[1:]:
        worker.ready(WORKING)
    with opened(settings_of(folder)) as store:
        assert wait_for(lambda: _alive(store) == 3, 60)
        instant = datetime.now(UTC) + timedelta(seconds=2)
        with store.begin() as session:
            session.execute(update(PhaseRow).where(PhaseRow.ordinal == 1).values(deadline=instant))
        assert wait_for(lambda: len(events(store, "phase_closed"))  >= 1, 60)
        processes[1].process.kill()  # in the midst of it
        assert wait_for(lambda: len(events(store, "phase_judged")) == GAMES, 2 * LEASE.total_seconds() + 60)
        time.sleep(1)
        assert set(events(store, "phase_closed").values()) == {1}
        assert set(events(store, "phase_judged").values()) == {1}
        with store() as session:
            assert set(session.scalars(select(PhaseRow.state).where(PhaseRow.ordinal == 1))) == {
                PhaseState.READY
            }
    assert [process.end(signal.SIGTERM) for process in (processes[0], processes[2])] == [0, 0]
    log_text = "".join(line for process in processes for line in process.said)
    assert "Traceback" not in log_text


def _alive(store: Store) -> int:
    with store() as session:
        return len(session.scalars(select(WorkerRow.executor)).all())
