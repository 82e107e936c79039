"""The old site moved from its SQLite file to a real PostgreSQL server (INS-07)."""

from __future__ import annotations

import fcntl
import hashlib
import io
import sqlite3
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import select, text

from service.archive import job_rows
from service.archive.export import Edition, write_archive
from service.archive.move_database import MoveFault, move
from service.cli.migrate import move_site
from service.config import ConfigError
from service.record.chain import sessions
from service.site_folder import SiteError, bring_up_to_date, settings_of
from service.store import records
from service.store.blobs import Blobs
from service.store.engine import open_engine
from service.store.tables import EventRow
from tests.support.servers.postgres import Postgres, binaries
from tests.whole_site.old_site import (
    BRIDGE,
    CROWN,
    EXPECTED,
    STOPPED,
    kept_letters,
    letters_as_json,
    lines_as_json,
    mails_as_json,
    phases_as_json,
    submissions_as_json,
    verified,
)

pytestmark = [pytest.mark.postgres, pytest.mark.skipif(binaries() is None, reason="no PostgreSQL here")]


@pytest.fixture
def site_folder(site_folder: Path) -> Path:
    """The old site with today's tables: a database is moved after `galloper migrate` without --to."""
    bring_up_to_date(settings_of(site_folder, {}))
    return site_folder


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
    old: Path, site_folder: Path, address: str, tmp_path: Path
) -> None:
    """INS-07: rows, jobs and records as the old commit described them; the product's own verification of an
    archive from the new database, with the letters that players kept of the old one; the old file unchanged
    to the byte; numbers count on."""
    file = site_folder / "galloper.sqlite"
    before = hashlib.sha256(file.read_bytes()).hexdigest()
    jobs = sqlite3.connect(file).execute("select count(*) from workflow_status").fetchone()[0]
    printed = moved(site_folder, address)
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before
    assert f'    database = "{address.replace("/tmp", "%2Ftmp").replace("/pg", "%2Fpg")}"' in printed
    engine = open_engine(address)
    try:
        store, blobs = sessions(engine), Blobs(site_folder / "blobs")
        with store() as session:
            assert lines_as_json(session) == EXPECTED["lines"]
            assert phases_as_json(session) == EXPECTED["phases"]
            assert mails_as_json(session) == EXPECTED["mails"]
            assert submissions_as_json(session) == EXPECTED["papers"]
            assert letters_as_json(session) == EXPECTED["letters"]
        for game in (BRIDGE, CROWN):
            name = f"{game}-whole.zip"
            with store() as session, (tmp_path / name).open("w+b") as archive:
                write_archive(session, blobs, game, Edition.WHOLE, STOPPED, "x", archive)
            code, report = verified(tmp_path / name, kept_letters(old, name))
            root = EXPECTED["records"][game]["root"]
            assert (code, report.splitlines()[-1]) == (0, f"Root {root}"), report
            assert root in printed
        with engine.connect() as connection:
            assert job_rows.count(connection) == jobs > 50
            assert connection.execute(text("select count(*) from record_due")).scalar_one() == 0
        with store() as session:
            highest = max(session.scalars(select(EventRow.id)))
        with store.begin() as session:
            records.log_event(session, STOPPED, "after the move")  # type: ignore[arg-type] # made up
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

    source, target = open_engine(f"sqlite:///{site_folder / 'galloper.sqlite'}"), open_engine(address)
    try:
        with pytest.raises(MoveFault, match="Nothing was moved: it has empty tables at most"):
            move(source, target, cut)
        with target.connect() as connection:
            assert job_rows.count(connection) == 0
            tables = connection.execute(
                text("select count(*) from information_schema.tables where table_schema = 'public'"))
            assert tables.scalar_one() == 0
        assert len(move(source, target, lambda *_: None).roots) == 2
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
    with (site_folder / "serving").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(SiteError, match="serves this site already"):
            moved(site_folder, address)


def test_a_password_comes_in_a_file_and_is_never_printed(
    site_folder: Path, address: str, tmp_path: Path
) -> None:
    whole = address.replace("galloper@", "galloper:s3cret@")
    with pytest.raises(ConfigError, match="has a password in it") as refusal:
        moved(site_folder, whole)
    assert "s3cret" not in str(refusal.value)
    secret = tmp_path / "address"
    secret.write_text(whole + "\n")
    printed = moved(site_folder, str(secret))
    assert f"GALLOPER_DATABASE_FILE={secret}" in printed
    assert "s3cret" not in printed
