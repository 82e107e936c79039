"""What the queue itself costs: a job whose work is nothing, enqueued in a transaction, begun, and noted as
done (SCA-10)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.figure import Figure
from bench.process import processor_seconds
from bench.scale.costs import seconds_of
from bench.scale.parts import Sizes
from bench.servers.postgres import Postgres
from service.jobs import DbosJobs
from service.record.sessions import sessions
from service.store.engine import migrate, open_engine

_WORK = "nothing"
_LONGEST = 600.0


def measure(sizes: Sizes) -> Iterator[Figure]:
    """The figures of the part. Raises RuntimeError if a job is not done."""
    with tempfile.TemporaryDirectory(prefix="galloper-jobs-") as folder:
        cost = _cost(f"sqlite:///{Path(folder) / 'galloper.sqlite'}", sizes.jobs)
        yield Figure("a job without work, SQLite", round(cost, 4), "CPU s", of=sizes.jobs)
    cluster = Postgres().start()
    try:
        before = seconds_of(cluster)
        cost = _cost(cluster.url(), sizes.jobs)
        database = (seconds_of(cluster) - before) / sizes.jobs
        yield Figure("a job without work, PostgreSQL", round(cost, 4), "CPU s", of=sizes.jobs,
                     how=f"the server beside it {database:.4f}")
    finally:
        cluster.stop()


def _cost(url: str, count: int) -> float:
    """Processor seconds of a job in this process."""
    migrate(url)
    engine = open_engine(url)
    store, jobs = sessions(engine), DbosJobs(engine)
    jobs.register(_WORK, lambda _: None)
    jobs.start()
    try:
        for number in range(-1, count):
            if number == 0:
                # The first pays for what is loaded once.
                _wait(jobs)
                before = processor_seconds()
            with store.begin() as session:
                jobs.enqueue(session, _WORK, f"{_WORK}:{number}", {"number": number})
        _wait(jobs)
        return (processor_seconds() - before) / count
    finally:
        jobs.stop()
        engine.dispose()


def _wait(jobs: DbosJobs) -> None:
    if not jobs.wait_idle(_LONGEST):
        raise RuntimeError("not every job was done")
