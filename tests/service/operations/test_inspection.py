"""The nightly inspection of stored files and of the database, with files and pages that are truly damaged
(MBX-04)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError

from service.cli.program.faults import sentence_for
from service.operations import inspection
from service.operations.findings import Finding, FindingState
from service.operations.inspection import Inspection, database_finding, files_finding
from service.store.blobs import Blobs
from service.store.engine import open_engine
from service.store.named_blobs import named_blobs
from service.store.tables import MailRow, PageRow
from tests.support.servers.postgres import Postgres, binaries
from tests.support.site import Site, make_site
from tests.support.table import Table

DAY = timedelta(days=1)


def inspected(site: Site) -> Inspection:
    return Inspection(site.engine, site.store, site.blobs, site.clock)


def finding(site: Site, find: Callable[..., Finding]) -> Finding:
    with site.store() as session:
        return find(session)


def photograph(table: Table) -> Path:
    table.take(table.mail("Montrose"), table.phase().opens_at)
    with table.site.store() as session:
        key = session.scalars(select(PageRow.original)).first()
    assert key is not None
    return table.site.blobs.path(key)


def test_a_lost_and_a_changed_file_are_found_and_forgotten_once_they_are_back(table: Table) -> None:
    site = table.site
    path = photograph(table)
    whole = path.read_bytes()
    with site.store() as session:
        mail = site.blobs.path(session.scalars(select(MailRow.sha256)).one())
    look = inspected(site)
    look.run()
    assert finding(site, files_finding).state is FindingState.WELL
    path.unlink()
    mail.write_bytes(mail.read_bytes()[:-1] + b"x")
    look.run()
    shown = finding(site, files_finding)
    assert shown.is_trouble
    assert shown.sentence.startswith("2 files of mails, photographs or letters cannot be read")
    assert "older backup" in shown.advice
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(whole)
    look.run()
    assert "1 file of mails" in finding(site, files_finding).sentence


def test_a_night_inspects_once_in_slices_and_the_next_night_again(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = table.site
    path = photograph(table)
    monkeypatch.setattr(inspection, "SLICE_SECONDS", 0.0001)
    look = inspected(site)
    for _ in range(50):
        look.look()
    assert finding(site, files_finding).state is FindingState.WELL
    path.unlink()
    for _ in range(50):
        look.look()
    assert finding(site, files_finding).state is FindingState.WELL
    # Another process of the site does not do it once more.
    other = inspected(site)
    other.look()
    other.look()
    assert finding(site, files_finding).state is FindingState.WELL
    site.clock.advance(DAY)
    for _ in range(50):
        look.look()
    assert finding(site, files_finding).is_trouble


def test_on_a_large_site_a_week_reads_every_file_and_a_fault_stays_until_it_is_mended(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = table.site
    for power in ("Montrose", "Argyll", "Newcastle"):
        table.take(table.mail(power), table.phase().opens_at)
    path = photograph(table)
    path.unlink()
    monkeypatch.setattr(inspection, "LARGE", 1)
    read: list[str] = []
    plain = type(site.blobs).read

    def noted(blobs: Blobs, key: str) -> bytes:
        read.append(key)
        return plain(blobs, key)

    monkeypatch.setattr(type(site.blobs), "read", noted)
    look, nights, troubles = inspected(site), [], []
    for _ in range(7):
        read.clear()
        for _ in range(5):
            look.look()
        nights.append(set(read))
        troubles.append(finding(site, files_finding).is_trouble)
        site.clock.advance(DAY)
    with site.store() as session:
        named = named_blobs(session.connection())
    assert set.union(*nights) == set(named)
    assert max(map(len, nights)) < len(named)
    assert troubles == sorted(troubles)
    assert troubles[-1]


def damage(path: Path, words: bytes) -> None:
    """Overwrite the page of a database in which some words are."""
    raw = bytearray(path.read_bytes())
    place = raw.find(words)
    assert place > 0
    start = place - place % 4096
    raw[start : start + 2048] = b"\xaa" * 2048
    path.write_bytes(bytes(raw))


def add_mails(site: Site) -> None:
    """Mails enough for several pages of their table."""
    with site.store.begin() as session:
        session.add_all(MailRow(sha256=f"{number:064d}", size=1, received_at=site.clock.now(),
                                stored_at=site.clock.now(), state="ignored", tries=0)
                        for number in range(500))


def test_a_damaged_page_of_sqlite_is_found_and_told_in_words(tmp_path: Path) -> None:
    """It was "a fault of Galloper, not of yours", and no alarm left."""
    with make_site(tmp_path / "site") as site:
        add_mails(site)
        look = inspected(site)
        look.run()
        assert finding(site, database_finding).state is FindingState.WELL
        url, file = site.url, tmp_path / "site" / "galloper.sqlite"
    with closing(sqlite3.connect(file)) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    damage(file, f"{321:064d}".encode())
    with make_site(tmp_path / "site") as site:
        look = inspected(site)
        look.run()
        shown = finding(site, database_finding)
        assert shown.is_trouble
        assert shown.is_urgent
        assert "The database is damaged" in shown.sentence
        assert "restore the newest backup" in shown.advice
    engine = open_engine(url)
    with engine.connect() as connection, pytest.raises(DBAPIError) as error:
        connection.execute(select(func.sum(MailRow.size), func.max(MailRow.reason))).all()
    engine.dispose()
    words = sentence_for(error.value)
    assert words is not None
    assert "malformed" in words
    assert "restore the newest backup" in words


@pytest.fixture
def cluster() -> Iterator[Postgres]:
    if binaries() is None:
        pytest.skip("PostgreSQL is not installed")
    postgres = Postgres().start()
    yield postgres
    postgres.stop()


@pytest.mark.postgres
@pytest.mark.slow
def test_a_damaged_page_of_postgresql_is_found(cluster: Postgres, tmp_path: Path) -> None:
    with make_site(tmp_path / "site", cluster.url()) as site:
        add_mails(site)
        look = inspected(site)
        look.run()
        assert finding(site, database_finding).state is FindingState.WELL
    with psycopg.connect(cluster.address, autocommit=True) as connection:
        connection.execute("VACUUM mails")
        connection.execute("CHECKPOINT")
        row = connection.execute("SELECT pg_relation_filepath('mails')").fetchone()
    assert row is not None
    file = cluster.root / "data" / row[0]
    raw = bytearray(file.read_bytes())
    # The head of its second page.
    raw[8192 : 8192 + 24] = b"\xaa" * 24
    cluster.halt()
    file.write_bytes(bytes(raw))
    cluster.start()
    with make_site(tmp_path / "site", cluster.address, migrated=True) as site:
        inspected(site).run()
        shown = finding(site, database_finding)
        assert shown.is_trouble
        assert "invalid page" in shown.sentence
