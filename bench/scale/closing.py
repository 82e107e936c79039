"""Many games close at one moment, their sheets read already: how long until all of them are judged.

A `serve` with a mailbox on a real Dovecot looks at the clock, empties the mailbox and works; the other
processes are workers. Each game's time is from its deadline to the instant at which it was judged, as the
database has it. Results are not approved, so no letter is drawn. A pooler is added where the server has
too few connections for all processes.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import func, select, text, update

import maps
from bench.figure import Figure, percentile
from bench.scale.costs import copy_games, seconds_of
from bench.scale.parts import Sizes
from bench.servers.dovecot import Dovecot
from bench.servers.pooler import Pooler
from bench.servers.postgres import Postgres
from bench.storm.deadline import file_sheets
from bench.storm.site import SETTINGS, VARIANT, StormError, StormProcess, StormSite, add_games, storm_site
from service.clock import SystemClock
from service.config import DEFAULT_CONNECTIONS, FEWEST_CONNECTIONS, Settings
from service.jobs import DbosJobs
from service.store.engine import connections_for_sites, migrate, open_engine
from service.store.tables import EventRow, PhaseRow, PhaseState

LONGEST = 3600.0
SAMPLE_SECONDS = 5.0
AHEAD = timedelta(seconds=5)
"""So long after everything is ready the deadline is."""


def measure(sizes: Sizes) -> Iterator[Figure]:
    """The figures of the part. Raises StormError if a game is not judged, or judged twice."""
    cluster, server, pooler = Postgres().start(), Dovecot().start(), None
    try:
        url, each = cluster.url(), DEFAULT_CONNECTIONS
        room = _room_for_sites(url) // sizes.processes
        if room < FEWEST_CONNECTIONS:
            migrate(url)
            engine = open_engine(url)
            DbosJobs(engine).prepare()
            engine.dispose()
            pooler = Pooler(cluster).start()
            url = pooler.address
        else:
            each = min(each, room)
        with tempfile.TemporaryDirectory(prefix="galloper-closing-") as folder, \
                storm_site(Path(folder), url=url, server=server, connections=each) as place:
            phases = _fill(place, sizes.at_once)
            if sizes.around:
                copy_games(place, sizes.around)
            behind = "; PostgreSQL behind a pooler" if pooler else f"; PostgreSQL, {each} connections each"
            yield from _close(place, phases, cluster, server, sizes, behind)
    finally:
        if pooler is not None:
            pooler.stop()
        cluster.stop()
        server.remove()


def _room_for_sites(url: str) -> int:
    engine = open_engine(url)
    try:
        with engine.connect() as connection:
            return connections_for_sites(connection) or 0
    finally:
        engine.dispose()


def _fill(place: StormSite, games: int) -> list[int]:
    """Games with their sheets on file, made by as many processes as there are cores."""
    share = -(-games // (os.cpu_count() or 1))
    parts = [(str(place.folder), first, min(share, games - first)) for first in range(0, games, share)]
    with ProcessPoolExecutor(len(parts)) as pool:
        return [phase for phases in pool.map(_fill_part, *zip(*parts, strict=True)) for phase in phases]


def _fill_part(folder: str, first: int, count: int) -> list[int]:
    settings = Settings.model_validate_json((Path(folder) / SETTINGS).read_text(encoding="utf-8"))
    engine = open_engine(settings.database_url)
    try:
        place = StormSite(Path(folder), settings, engine, maps.load(VARIANT))
        phases = add_games(place, count, first=first)
        file_sheets(place, phases)
        return phases
    finally:
        engine.dispose()


def _close(
    place: StormSite, phases: list[int], cluster: Postgres, server: Dovecot, sizes: Sizes, behind: str
) -> Iterator[Figure]:
    log_ins = _log_ins(server)
    roles = ["site", *["worker"] * (sizes.processes - 1)]
    processes = [StormProcess(place, role) for role in roles]
    try:
        for process in processes:
            process.ready()
        opened, before = _log_ins(server), _spent(processes)
        database = seconds_of(cluster)
        deadline = SystemClock().now() + AHEAD
        with place.store.begin() as session:
            session.execute(update(PhaseRow).where(PhaseRow.id.in_(phases)).values(deadline=deadline))
        backlog, connections = _watch(place, phases, deadline)
        spent, database = _spent(processes) - before, seconds_of(cluster) - database
        waits = _waits(place, phases, deadline)
        log_ins_at_deadline = _log_ins(server) - opened
    finally:
        for process in processes:
            process.kill()
    name, of = f"{len(phases)} games close at one moment, {sizes.processes} processes: ", len(phases)
    how = f"on a site of {len(phases) + sizes.around} games{behind}"
    yield Figure(f"{name}deadline to all judged", round(max(waits), 1), "s", of=of, target="300", how=how)
    for share in (0.5, 0.99):
        wait = percentile(waits, share)
        yield Figure(f"{name}deadline to judged, p{share * 100:.0f}", round(wait or 0.0, 1), "s", of=of)
    yield Figure(f"{name}processor time, a game", round(spent / of, 4), "CPU s", of=of)
    yield Figure(f"{name}processor time of PostgreSQL, a game", round(database / of, 4), "CPU s", of=of)
    on_two = (spent + database) / (os.cpu_count() or 1)
    yield Figure(f"{name}all judged, if the cores did nothing else", round(on_two, 1), "s", of=of,
                 how=f"processor time of all parts on {os.cpu_count()} cores: the least it can take")
    yield Figure(f"{name}log-ins to the mailbox from the deadline on", log_ins_at_deadline, "log-ins", of=of,
                 target="60", how=f"{opened - log_ins} at the start")
    yield Figure(f"{name}connections to the database", connections, "connections", of=sizes.processes)
    yield Figure(f"{name}backlog", len(backlog), "samples",
                 how=" ".join(f"{seconds:.0f}s:{left}" for seconds, left in backlog))


def _watch(
    place: StormSite, phases: list[int], deadline: datetime
) -> tuple[list[tuple[float, int]], int]:
    """Games that wait, every few seconds from the deadline on, and the most connections."""
    give_up_at, connections = time.monotonic() + LONGEST, 0
    backlog: list[tuple[float, int]] = []
    while time.monotonic() < give_up_at:
        with place.engine.connect() as connection:
            left = connection.scalar(select(func.count()).select_from(PhaseRow).where(
                PhaseRow.deadline == deadline, PhaseRow.state != PhaseState.READY)) or 0
            connections = max(connections, connection.scalar(text(
                "select count(*) from pg_stat_activity where datname = current_database()")) or 0)
        backlog.append(((SystemClock().now() - deadline).total_seconds(), left))
        if not left:
            return backlog, connections
        time.sleep(SAMPLE_SECONDS)
    raise StormError(f"{backlog[-1][1]} of {len(phases)} games were not judged in {LONGEST:.0f} s")


def _waits(place: StormSite, phases: list[int], deadline: datetime) -> list[float]:
    with place.store() as session:
        judged = session.scalar(
            select(func.count()).select_from(EventRow).where(EventRow.what == "phase_judged")) or 0
        instants = session.scalars(
            select(PhaseRow.judged_at).where(PhaseRow.deadline == deadline, PhaseRow.judged_at.is_not(None)))
        waits = [(instant - deadline).total_seconds() for instant in instants if instant is not None]
    if judged != len(phases) or len(waits) != len(phases):
        raise StormError(f"{len(phases)} games were judged {judged} times")
    return waits


def _spent(processes: list[StormProcess]) -> float:
    return sum(process.processor_seconds() for process in processes)


def _log_ins(server: Dovecot) -> int:
    log = server.root / "log"
    return log.read_text(errors="replace").count("imap-login: Info: Login") if log.exists() else 0
