"""A played site moved from its SQLite file to a real PostgreSQL server (INS-07)."""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import shutil
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Engine, select, text

from service.archive.export import Edition, write_archive
from service.archive.move_database import MoveFault, move
from service.cli.migrate import move_site
from service.config import ConfigError
from service.jobs import DbosJobs
from service.record import chain
from service.record.sessions import sessions
from service.site_folder import SiteError, settings_of
from service.store import records
from service.store.blobs import Blobs
from service.store.engine import open_engine
from service.store.tables import EventRow, TableBase
from tests.support import keeper
from tests.support.checks import print_check
from tests.support.own_site import own_site
from tests.support.servers.postgres import Postgres, binaries

pytestmark = [pytest.mark.postgres, pytest.mark.skipif(binaries() is None, reason="no PostgreSQL here")]


JOBS = 60
"""Rows of the queue: work that is done or waits."""
GAME = "powick-bridge"
NOW = datetime(2027, 6, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of a site whose game has two results, and the letters of its players in `letters`."""
    folder = tmp_path_factory.mktemp("played")
    keeper.start(folder)
    with keeper.opened(folder / "site", folder / "sent") as table:
        letters = keeper.evidence(table).shown(keeper.PLAYERS)
        jobs = DbosJobs(table.site.engine)
        jobs.prepare()
        jobs.register("note", lambda _: None)
        with table.site.store.begin() as session:
            for number in range(JOBS):
                jobs.enqueue(session, "note", f"note:{number}", {"number": number})
        jobs.stop()
    (folder / "letters").mkdir()
    for name, data in letters.items():
        (folder / "letters" / name).write_bytes(data)
    return folder


@pytest.fixture
def site_folder(played: Path, tmp_path: Path) -> Path:
    """A copy of the site, to be written to."""
    folder = own_site(tmp_path / "site")
    shutil.copytree(played / "site", folder / "data")
    return folder


def old_file(site_folder: Path) -> Path:
    return site_folder / "data" / "galloper.sqlite"


def rows_of(engine: Engine) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, in the order of the keys."""
    with engine.connect() as connection:
        return {table.name: [tuple(row) for row in connection.execute(
            select(table).order_by(*table.primary_key))] for table in TableBase.metadata.sorted_tables}


@pytest.fixture
def address(cluster: Postgres) -> str:
    """An empty database of a running server."""
    return cluster.url()


def moved(site_folder: Path, address: str) -> str:
    """What the command prints on its standard output."""
    out = io.StringIO()
    assert move_site(site_folder, address, out, io.StringIO()) == 0
    return out.getvalue()


def test_everything_is_there_and_the_record_has_the_same_root(
    played: Path, site_folder: Path, address: str, tmp_path: Path
) -> None:
    """INS-07: every row, job and record; the product's own verification of an archive from the new database,
    with the letters that players kept of the old one; the old file unchanged to the byte; numbers count
    on."""
    file = old_file(site_folder)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    source = open_engine(settings_of(site_folder, {}).database_url)
    before = rows_of(source)
    with sessions(source)() as session:
        root = chain.root(session, GAME)
    source.dispose()
    assert min(len(before[name]) for name in ("lines", "outbox", "record", "submissions")) > 3
    printed = moved(site_folder, address)
    assert hashlib.sha256(file.read_bytes()).hexdigest() == digest
    assert f'    database = "{address.replace("/tmp", "%2Ftmp").replace("/pg", "%2Fpg")}"' in printed
    assert root.link in printed
    engine = open_engine(address)
    try:
        assert rows_of(engine) == before
        store, whole = sessions(engine), tmp_path / "whole.zip"
        blobs = Blobs(site_folder / "data" / "blobs")
        with store() as session, whole.open("w+b") as archive:
            write_archive(session, blobs, GAME, Edition.WHOLE, NOW, "x", archive)
        report = io.StringIO()
        code = print_check(whole, sorted((played / "letters").iterdir()), report)
        assert code == 0, report.getvalue()
        with zipfile.ZipFile(whole) as archived:
            assert json.loads(archived.read("manifest.json"))["root"] == root.link
        assert set(DbosJobs(engine).all_keys()) == {f"note:{number}" for number in range(JOBS)}
        with engine.connect() as connection:
            assert connection.execute(text("select count(*) from record_due")).scalar_one() == 0
        with store() as session:
            highest = max(session.scalars(select(EventRow.id)))
        with store.begin() as session:
            records.log_event(session, NOW, "after the move")  # type: ignore[arg-type]
        with store() as session:
            assert max(session.scalars(select(EventRow.id))) == highest + 1
    finally:
        engine.dispose()


def test_a_connection_that_breaks_half_way_leaves_nothing(site_folder: Path, address: str) -> None:
    """INS-07: the server ends the connection while lines are copied. The new database has no rows, a sentence
    says so, and the same command works afterwards."""

    def cut(table: str, _copied: int, _total: int) -> None:
        if table == "submissions":
            with psycopg.connect(address, autocommit=True) as other:
                other.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                              " where pid <> pg_backend_pid() and datname = current_database()")

    source, target = open_engine(f"sqlite:///{old_file(site_folder)}"), open_engine(address)
    try:
        with pytest.raises(MoveFault, match="Nothing was moved: it has at most empty tables"):
            move(source, target, cut)
        assert list(DbosJobs(target).all_keys()) == []
        with target.connect() as connection:
            tables = connection.execute(
                text("select count(*) from information_schema.tables where table_schema = 'public'"))
            assert tables.scalar_one() == 0
        assert len(move(source, target, lambda *_: None).roots) == 1
    finally:
        source.dispose()
        target.dispose()


def test_a_database_that_is_not_empty_is_refused(site_folder: Path, address: str) -> None:
    with psycopg.connect(address, autocommit=True) as other:
        other.execute("create table invoices (id int)")
    with pytest.raises(MoveFault, match="not empty: it has invoices"):
        moved(site_folder, address)
    with psycopg.connect(address, autocommit=True) as other:
        other.execute("drop table invoices")
    moved(site_folder, address)
    with pytest.raises(MoveFault, match="not empty: it has acts"):
        moved(site_folder, address)


def test_a_site_that_is_served_is_refused(site_folder: Path, address: str) -> None:
    with (site_folder / "data" / "serving").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(SiteError, match="serves this site already"):
            moved(site_folder, address)


def test_a_password_comes_in_a_file_and_is_never_printed(
    site_folder: Path, address: str, tmp_path: Path
) -> None:
    whole = address.replace("galloper@", "galloper:s3cret@")
    with pytest.raises(ConfigError, match="has a password") as refusal:
        moved(site_folder, whole)
    assert "s3cret" not in str(refusal.value)
    secret = tmp_path / "address"
    secret.write_text(whole + "\n")
    printed = moved(site_folder, str(secret))
    assert f"GALLOPER_DATABASE_FILE={secret}" in printed
    assert "s3cret" not in printed
