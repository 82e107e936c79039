"""What one game, one mail and one look cost on a site of many games, in processor seconds.

The site has `games` games of ten powers on PostgreSQL. Most of them are copies of one, made by the database,
whose deadlines are far away; `closing` games are real and close in one minute, each with ten sheets on file,
through the queue; `mails` mails of 2 MB come in and are judged. So the cost of a game, a mail and a look
shows for each size of the site, with few processor seconds. Letters go into a folder. Reading is not done.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from sqlalchemy import func, select, text, update

from bench.figure import Figure
from bench.process import processor_seconds
from bench.scale.parts import Sizes
from bench.servers.postgres import Postgres
from bench.storm.child import OneOrderRecognizer
from bench.storm.deadline import file_sheets
from bench.storm.site import StormSite, add_games, order_mail, photograph, storm_site, wait_for
from service.bootstrap import Site, open_site
from service.clock import SystemClock
from service.intake.filing import READ_WORK
from service.mail.mailbox.ingest import WORK
from service.mail.mailbox.source import MailSource
from service.scheduler import due_now
from service.store.tables import MailRow, MailState, OutboxRow, PhaseRow, PhaseState

PHOTO_BYTES = 2_000_000
POWERS = 10
LONGEST = 3600.0
_TICKS = 100.0
"""Ticks of the kernel's clock in a second (proc(5), on Linux)."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Processor seconds on a site of `games` games, the database's next to ours where both were measured."""

    games: int
    mail: float
    look: float
    close: float
    database: float
    results: float
    letter: float
    letters_a_game: float


def measure(sizes: Sizes, games: int, every: list[Costs]) -> Iterator[Figure]:
    """The figures of a site of so many games; their costs are added to `every`."""
    cluster = Postgres().start()
    try:
        with tempfile.TemporaryDirectory(prefix="galloper-scale-") as folder, \
                storm_site(Path(folder), url=cluster.url()) as place:
            phases = add_games(place, sizes.closing + 1)
            copy_games(place, games - len(phases))
            before = processor_seconds()
            site = open_site(place.settings, recognizer=OneOrderRecognizer())
            prefix = f"{games} games: "
            yield Figure(f"{prefix}start of a process", round(processor_seconds() - before, 2), "CPU s")
            try:
                yield from _parts(site, place, phases, cluster, sizes, every, games)
            finally:
                site.jobs.stop()
                site.engine.dispose()
    finally:
        cluster.stop()


def _parts(
    site: Site, place: StormSite, phases: Sequence[int], cluster: Postgres, sizes: Sizes,
    every: list[Costs], games: int,
) -> Iterator[Figure]:
    prefix = f"{games} games: "
    mail = _mail_cost(site, place, sizes.mails)
    yield Figure(f"{prefix}a mail of {PHOTO_BYTES // 1_000_000} MB, taken in and judged", round(mail, 3),
                 "CPU s", of=sizes.mails)
    file_sheets(place, list(phases[:-1]))
    look, again = _look_cost(site, place, phases[:-1])
    name = f"{prefix}a look that finds {sizes.closing} deadlines"
    yield Figure(name, round(look, 4), "CPU s", of=sizes.closing)
    yield Figure(f"{prefix}a look that finds nothing new", round(again, 4), "CPU s", of=3)
    log_ins: list[float] = []
    open_source = site.drain._open_source  # noqa: SLF001 counted here alone

    def counted(until: float) -> MailSource:
        log_ins.append(until)
        return open_source(until)

    site.drain._open_source = counted  # noqa: SLF001
    close, database, seconds = _close_cost(site, place, phases[:-1], cluster)
    yield Figure(f"{prefix}closed and judged, a game", round(close, 3), "CPU s", of=sizes.closing,
                 how=f"PostgreSQL beside it {database:.3f}; all judged after {seconds:.0f} s by the clock")
    yield Figure(f"{prefix}log-ins to the mailbox for the deadlines", len(log_ins), "log-ins",
                 of=sizes.closing, how="a process without a poller; with one there are none")
    before = processor_seconds()
    for phase in phases[:sizes.approved]:
        site.approve_phase(phase, "bench")
    results = (processor_seconds() - before) / sizes.approved
    with place.store() as session:
        letters = session.scalar(select(func.count()).select_from(OutboxRow)) or 0
    yield Figure(f"{prefix}results drawn and written, a game", round(results, 2), "CPU s", of=sizes.approved)
    before = processor_seconds()
    site.send_letters()
    letter = (processor_seconds() - before) / max(1, letters)
    yield Figure(f"{prefix}a letter handed over", round(letter, 4), "CPU s", of=letters)
    yield from _storage(place, prefix)
    every.append(Costs(games, mail, look / sizes.closing, close, database, results, letter,
                       letters / sizes.approved))


def copy_games(place: StormSite, count: int) -> None:
    """Copies of the last game, with players and calendar of their own; the record of a copy is empty."""
    names = [column.name for column in PhaseRow.__table__.columns if column.name != "id"]
    taken = ", ".join("'copy-' || n" if name == "game_id" else name for name in names)
    copies = {
        "games": "select 'copy-' || n, 'Copied ' || n || ' of ' || chr((65 + n % 26)::int), aliases, "
                 "variant, options, created_at from games, generate_series(1, :count) n where id = :game",
        "players": "select 1000000 + n * 10 + row_number() over (partition by n order by p.id), p.name, "
                   "p.zone, null, p.reminders, p.accommodation, p.language from players p "
                   "join seats s on s.player_id = p.id, generate_series(1, :count) n where s.game_id = :game",
        "addresses": "select 'p' || id || '@copies.example', id from players where id > 1000000",
        "seats": "select 'copy-' || n, s.power, 1000000 + n * 10 + row_number() "
                 "over (partition by n order by s.power) from seats s, generate_series(1, :count) n "
                 "where s.game_id = :game",
        "phases": f"select {taken} from phases, "  # noqa: S608
                  "generate_series(1, :count) n where game_id = :game",
        "record_heads": "select 'copy-' || n, number, link from record_heads, "
                        "generate_series(1, :count) n where game_id = :game",
    }
    with place.engine.begin() as connection:
        game = connection.scalar(text("select game_id from phases order by id desc limit 1"))
        # Without triggers: a hundred thousand facts would go into the record one by one.
        connection.execute(text("set local session_replication_role = replica"))
        for table, query in copies.items():
            columns = f" ({', '.join(names)})" if table == "phases" else ""
            values = {key: value for key, value in (("count", count), ("game", game)) if f":{key}" in query}
            connection.execute(text(f"insert into {table}{columns} {query}"), values)
    with place.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("analyze"))


def _mail_cost(site: Site, place: StormSite, mails: int) -> float:
    powers = sorted(place.variant.powers)
    for number in range(mails):
        raw = order_mail(place, 0, powers[number % POWERS], 1 + number // POWERS,
                         photograph(number, PHOTO_BYTES))
        (place.folder / "box" / "new" / f"{number}.scale").write_bytes(raw)
    before = processor_seconds()
    site.take_in()
    with place.store() as session:
        keys = list(session.scalars(select(MailRow.sha256).where(MailRow.state == MailState.STORED)))
    for key in keys:
        site.process_mail(key)
    spent = (processor_seconds() - before) / mails
    with place.store.begin() as session:
        used = session.scalar(
            select(func.count()).select_from(MailRow).where(MailRow.state == MailState.USED))
        if used != mails:
            raise RuntimeError(f"{used} of {mails} mails were used")
        # They are charged and not read; their game closes without them.
        session.execute(text("delete from pages where submission_id in "
                             "(select id from submissions where read_at is null)"))
        session.execute(text("delete from submissions where read_at is null"))
    site.jobs.forget([key for key in site.jobs.all_keys() if key.startswith((f"{READ_WORK}:", f"{WORK}:"))])
    return spent


def _look_cost(site: Site, place: StormSite, phases: Sequence[int]) -> tuple[float, float]:
    with place.store.begin() as session:
        session.execute(update(PhaseRow).where(PhaseRow.id.in_(phases))
                        .values(deadline=SystemClock().now() - timedelta(seconds=1)))
    before = processor_seconds()
    due_now(site.clock, site.store, site.jobs)
    look, before = processor_seconds() - before, processor_seconds()
    for _ in range(3):
        due_now(site.clock, site.store, site.jobs)
    return look, (processor_seconds() - before) / 3


def _close_cost(
    site: Site, place: StormSite, phases: Sequence[int], cluster: Postgres
) -> tuple[float, float, float]:
    def judged() -> bool:
        site.look()  # as the clockwork does, so that a deadline that was called back comes again
        with place.store() as session:
            return not session.scalar(select(func.count()).select_from(PhaseRow).where(
                PhaseRow.id.in_(phases), PhaseRow.state != PhaseState.READY))

    before, database, begun = processor_seconds(), seconds_of(cluster), time.monotonic()
    site.jobs.start()
    if not wait_for(judged, LONGEST, step=2.0):
        raise RuntimeError("not every game was judged")
    seconds = time.monotonic() - begun
    return ((processor_seconds() - before) / len(phases),
            (seconds_of(cluster) - database) / len(phases), seconds)


def seconds_of(cluster: Postgres) -> float:
    """Processor seconds of the cluster's processes, those that ended included (proc(5))."""
    postmaster = int((cluster.root / "data" / "postmaster.pid").read_text().splitlines()[0])
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if int(fields[1]) == postmaster or stat.parent.name == str(postmaster):
            ticks += int(fields[11]) + int(fields[12])
            ticks += int(fields[13]) + int(fields[14]) if stat.parent.name == str(postmaster) else 0
    return ticks / _TICKS


def _storage(place: StormSite, prefix: str) -> Iterator[Figure]:
    with place.engine.connect() as connection:
        size = connection.scalar(text("select pg_database_size(current_database())")) or 0
        rows = connection.scalar(text("select sum(reltuples)::bigint from pg_class where relkind = 'r' "
                                      "and relnamespace = 'public'::regnamespace")) or 0
        connections = connection.scalar(text("select count(*) from pg_stat_activity "
                                             "where datname = current_database()")) or 0
    files = [path.stat().st_size for path in (Path(place.settings.data) / "blobs").rglob("*")
             if path.is_file()]
    yield Figure(f"{prefix}database", round(size / 1e6, 1), "MB", of=int(rows), how="of: rows, about")
    yield Figure(f"{prefix}files", round(sum(files) / 1e6, 1), "MB", of=len(files))
    yield Figure(f"{prefix}connections to the database of one process", connections, "connections")
