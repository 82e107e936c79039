"""Connections of a site to a PostgreSQL server (SCA-08), and how often an idle one requests work."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import psycopg
import pytest
from sqlalchemy import text, update

from service import jobs as jobs_module
from service.jobs import IDLE_SECONDS, POLL_SECONDS, QUEUE_CONNECTIONS, DbosJobs
from service.operations.findings import Finding
from service.operations.health import Observation, check_connections
from service.operations.mailbox_status import MailboxStatus
from service.store.engine import CONNECTIONS, ROOM, open_engine
from service.store.tables import WorkerRow
from tests.support.mails import wait_for
from tests.support.servers.postgres import Postgres, binaries
from tests.support.site import Site, make_site

pytestmark = [pytest.mark.postgres, pytest.mark.skipif(binaries() is None, reason="no PostgreSQL here")]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Postgres]:
    postgres = Postgres().start()
    yield postgres
    postgres.stop()


@pytest.fixture
def site(cluster: Postgres, tmp_path: Path) -> Iterator[Site]:
    with make_site(tmp_path, cluster.url()) as new_site:
        yield new_site


def connections(cluster: Postgres) -> int:
    with psycopg.connect(cluster.address, autocommit=True) as connection:
        row = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
                                 " AND pid <> pg_backend_pid()").fetchone()
    assert row is not None
    return int(row[0])


def test_a_process_waits_for_a_connection_and_opens_no_more_than_it_may(site: Site) -> None:
    """Nine processes opened a hundred, and the server refused them, psql and pg_dump."""
    site.engine.dispose()
    engine = open_engine(site.url, 4)

    def look(_number: int) -> int:
        with engine.connect() as connection:
            connection.execute(text("SELECT pg_sleep(0.1)"))
            return connection.scalar(text(
                "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")) or 0

    with ThreadPoolExecutor(40) as pool:
        counts = list(pool.map(look, range(40)))
    engine.dispose()
    assert max(counts) == 4


def test_a_worker_at_work_has_the_connections_that_it_reports(cluster: Postgres, site: Site) -> None:
    jobs = DbosJobs(site.engine)
    held, go_on = [], Event()

    def hold(payload: dict[str, object]) -> None:
        with site.store() as session:
            session.execute(text("SELECT 1"))
            held.append(payload)
            go_on.wait(20)

    jobs.register("hold", hold)
    jobs.start()
    try:
        with site.store.begin() as session:
            for number in range(20):
                jobs.enqueue(session, "hold", f"hold:{number}", {})
        jobs.beat(datetime.now(UTC))
        assert wait_for(lambda: len(held) == 4)
        assert connections(cluster) <= CONNECTIONS + QUEUE_CONNECTIONS
        with site.store() as session:
            row = session.get_one(WorkerRow, jobs.executor)
            assert row.connections == CONNECTIONS + QUEUE_CONNECTIONS
        go_on.set()
        assert jobs.wait_idle(60)
    finally:
        go_on.set()
        jobs.stop()


def found(site: Site) -> Finding:
    with site.store() as session:
        return check_connections(Observation(
            session, datetime.now(UTC), MailboxStatus(site.clock), site.blobs.root, engines_loaded=False))


def test_health_adds_up_what_the_processes_may_have(site: Site) -> None:
    """Nine with ten each fit a server as it is installed, and one more is reported."""
    now = datetime.now(UTC)
    with site.store.begin() as session:
        session.add_all(WorkerRow(executor=f"w{number}", seen_at=now, connections=10) for number in range(9))
    assert not found(site).is_trouble
    assert f"90 connections to the database together; its server has room for {100 - 3 - ROOM}" in (
        found(site).sentence)
    with site.store.begin() as session:
        session.add(WorkerRow(executor="w9", seen_at=now, connections=10))
    assert found(site).is_trouble
    # One that is silent has none.
    with site.store.begin() as session:
        session.execute(update(WorkerRow).where(WorkerRow.executor == "w9").values(
            seen_at=now - timedelta(hours=1)))
    assert not found(site).is_trouble


def test_an_idle_queue_is_asked_once_a_second_and_a_busy_one_five_times(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "IDLE_AFTER", 0.5)
    monkeypatch.setattr(jobs_module, "PACE_SECONDS", 0.0)
    jobs = DbosJobs(site.engine)
    done: list[object] = []
    jobs.register("note", done.append)
    jobs.start()
    try:
        queue = jobs._queue
        assert queue is not None
        time.sleep(0.6)
        jobs.tend(datetime.now(UTC))
        assert queue.polling_interval_sec == IDLE_SECONDS
        with site.store.begin() as session:
            jobs.enqueue(session, "note", "note:1", {})
        assert wait_for(lambda: len(done) == 1)
        assert queue.polling_interval_sec == POLL_SECONDS
    finally:
        jobs.stop()
