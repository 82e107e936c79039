"""A site behind PgBouncer, which hands each transaction to another connection (SCA-08)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.servers import pooler
from bench.servers.pooler import Pooler
from service.config import ConfigError
from service.jobs import DbosJobs
from service.operations.findings import FindingState
from service.operations.health import Observation, check_connections
from service.operations.mailbox_status import MailboxStatus
from service.store.engine import connections_for_sites, migrate, open_engine
from tests.support.servers.postgres import Postgres, binaries
from tests.support.site import make_site

pytestmark = [pytest.mark.postgres,
              pytest.mark.skipif(binaries() is None or pooler.program() is None, reason="no PgBouncer here")]
JOBS = 60


@pytest.fixture
def url() -> Iterator[str]:
    cluster = Postgres().start()
    front = Pooler(cluster, size=4).start()
    migrate(cluster.address)
    yield front.address
    front.stop()
    cluster.stop()


def prepare_directly(url: str) -> None:
    engine = open_engine(url.replace(f"&port={pooler.PORT}", ""))
    DbosJobs(engine).prepare()
    engine.dispose()


def test_a_queue_works_through_a_pooler(url: str, tmp_path: Path) -> None:
    """SCA-08: a prepared statement of one transaction is not there in the next, and is not needed."""
    prepare_directly(url)
    done: list[int] = []
    with make_site(tmp_path, url, migrated=True) as site:
        jobs = DbosJobs(site.engine, poll_seconds=0.05, connections=2)
        jobs.register("note", lambda payload: done.append(payload["number"]))
        jobs.start()
        try:
            for number in range(JOBS):
                with site.store.begin() as session:
                    jobs.enqueue(session, "note", f"note:{number}", {"number": number})
            jobs.tend(datetime.now(UTC))
            assert jobs.wait_idle(30)
        finally:
            jobs.stop()
        assert sorted(done) == list(range(JOBS))


def test_the_limit_of_a_server_is_not_that_of_its_pooler(url: str, tmp_path: Path) -> None:
    """Thirty-three processes would be an alarm, though the server never sees their connections."""
    engine = open_engine(url.replace(f"&port={pooler.PORT}", ""))
    with engine.connect() as connection:
        assert connections_for_sites(connection) == 90
    engine.dispose()
    with make_site(tmp_path, url, migrated=True) as site, site.store() as session:
        finding = check_connections(Observation(
            session, datetime.now(UTC), MailboxStatus(site.clock), site.blobs.root, engines_loaded=False))
    assert finding.state is FindingState.WELL
    assert "pooler" in finding.sentence


def test_the_tables_of_the_queue_are_not_made_through_a_pooler(url: str, tmp_path: Path) -> None:
    """DBOS makes them under a lock of its session: thirty-three processes that start together would wait for
    one that no process can give back."""
    with make_site(tmp_path, url, migrated=True) as site:
        with pytest.raises(ConfigError, match="start Galloper once with the address of the server"):
            DbosJobs(site.engine).prepare()
        prepare_directly(url)
        DbosJobs(site.engine).prepare()
