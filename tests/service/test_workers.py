"""Several processes work for one site on PostgreSQL, each in its own network where the kernel allows:
every deadline has one effect, no matter who dies (faults 22, 23 and 24). On SQLite one process serves."""

from __future__ import annotations

import io
import signal
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, text, update

from service.cli.games import create_game
from service.cli.serve import run_worker
from service.jobs import LEASE
from service.site_folder import SiteError, opened, settings_of
from service.store.engine import Store, open_engine
from service.store.tables import EventRow, PhaseRow, PhaseState, WorkerRow
from tests.support.mails import wait_for
from tests.support.own_site import SETTINGS, game_file, own_site
from tests.support.servers.postgres import Postgres, binaries
from tests.support.servers.proxy import Proxy
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
    with pytest.raises(SiteError, match="an SQLite file, which allows one process"):
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


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.postgres
@pytest.mark.skipif(binaries() is None, reason="PostgreSQL's server is not installed")
def test_a_worker_cut_off_for_minutes_and_back_does_nothing_twice_and_works_again(
    tmp_path: Path, cluster: Postgres, processes: list[Served]
) -> None:
    """MBX-06: a split. The line to the database swallows what is stated on it, so the worker thinks that it
    runs its jobs, and the site takes them over; then the line is back, with new connections."""
    with open_engine(cluster.url()).begin() as connection:
        # The program requests five minutes where the server has no limit.
        connection.execute(text("ALTER ROLE galloper SET idle_in_transaction_session_timeout = '20s'"))
    proxy = Proxy(f"{cluster.root}/.s.PGSQL.5432").start()
    database = f'database = "{cluster.url()}"\n{SETTINGS}'
    folder = own_site(tmp_path / "site", database)
    games = [f"Game {number}" for number in range(GAMES)]
    for name in games:
        assert create_game(folder, game_file(tmp_path, name=name), io.StringIO()) == 0
    # The same site, by a line that can be cut.
    far = tmp_path / "far"
    far.mkdir()
    by_proxy = database.replace(cluster.address, f"postgresql://galloper@127.0.0.1:{proxy.port}/postgres")
    (far / "galloper.toml").write_text(
        by_proxy.replace('"data"', f'"{folder / "data"}"').replace('"box"', f'"{folder / "box"}"')
        .replace('"outbox"', f'"{folder / "outbox"}"'), "utf-8")
    try:
        processes.append(Served(far, ("worker", "--threads", "2")))
        processes[0].ready(WORKING)
        with opened(settings_of(folder)) as store:
            instant = datetime.now(UTC) + timedelta(seconds=2)
            with store.begin() as session:
                session.execute(update(PhaseRow).where(PhaseRow.ordinal == 1).values(deadline=instant))
            # Its clockwork leads, and the first deadline is under way when the line goes.
            assert wait_for(lambda: len(events(store, "phase_closed")) >= 1, 60)
            proxy.silent = True
            processes.append(Served(folder))
            processes[1].ready()
            assert wait_for(lambda: len(events(store, "phase_judged")) == GAMES,
                            2 * LEASE.total_seconds() + 90)
            proxy.silent = False
            proxy.cut()
            # Both work now; nothing of what the worker still had in hand is done a second time.
            assert wait_for(lambda: _seen(store, processes[0].process.pid), 120)
            time.sleep(5)
            assert set(events(store, "phase_closed").values()) == {1}
            assert set(events(store, "phase_judged").values()) == {1}
        assert [process.end(signal.SIGTERM) for process in processes] == [0, 0], processes[0].said[-20:]
    finally:
        proxy.stop()


def _seen(store: Store, process: int) -> bool:
    """Whether a worker was heard of within the last half minute."""
    with store() as session:
        return any(f":{process}:" in row.executor and datetime.now(UTC) - row.seen_at < timedelta(seconds=40)
                   for row in session.scalars(select(WorkerRow)))


def _alive(store: Store) -> int:
    with store() as session:
        return len(session.scalars(select(WorkerRow.executor)).all())
