"""Backup and restore, on SQLite and PostgreSQL and from one to the other (issue "Trust", 6; requirements H
8)."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select, text, update

from service.archive import export
from service.archive.after_loading import BrokenRecord
from service.features.backup import site_file
from service.features.backup.site_file import BackupFault
from service.mail.sending import hold, outbox
from service.mail.sending.smtp import FolderTransport
from service.notices.results import ResultsAnnouncer
from service.operations import inspection
from service.record import chain
from service.store import dump
from service.store.blobs import Blobs
from service.store.engine import newest_migration
from service.store.tables import OutboxRow, OutboxState, PageRow
from tests.support.checks import print_check
from tests.support.played import archived, begin, finish, played
from tests.support.site import NOON, MemoryJobs, Site, make_site
from tests.support.table import Table, open_table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with make_site(tmp_path_factory.mktemp("site")) as site:
        yield played(site)


@pytest.fixture(scope="module")
def backup_bytes(table: Table) -> bytes:
    out = io.BytesIO()
    with table.site.store.begin() as session:
        session.execute(update(OutboxRow).values(state=OutboxState.QUEUED, sent_at=None))
    site_file.write(table.site.engine, table.site.blobs, out, NOON, "test")
    return out.getvalue()


def everything(site: Site) -> dict[str, list[bytes]]:
    """Every row of every kept table but what a restored site adds by itself."""
    with site.engine.connect() as connection:
        return {
            table.name: list(dump.lines(connection, table))
            for table in dump.tables()
            if table.name not in {"switches", "events", "inspections"}
        }


def put_back(data: bytes, site: Site, jobs: MemoryJobs | None = None) -> site_file.Restored:
    return site_file.restore(io.BytesIO(data), site.engine, site.blobs, jobs, NOON)


def test_a_backup_comes_back_whole_on_either_database(table: Table, backup_bytes: bytes,
        any_site: Site) -> None:
    restored = put_back(backup_bytes, any_site)
    assert everything(any_site) == everything(table.site)
    with table.site.store() as session:
        root = chain.root(session, table.game)
    assert restored.roots == (root,)
    with any_site.store() as session:
        assert session.scalar(text("SELECT count(*) FROM record_due")) == 0
    assert restored.rows["record"] == root.number


def test_a_restore_is_entered_with_what_the_backup_had(
    table: Table, backup_bytes: bytes, any_site: Site
) -> None:
    """TRU-05: so that the checkers can show what was lost by it."""
    restored = put_back(backup_bytes, any_site, MemoryJobs())
    with any_site.store() as session:
        entries = list(chain.entries(session, table.game))[restored.roots[0].number:]
    body = json.loads(entries[0].body)
    assert body["what"] == "event"
    assert body["tells"]["event"] == "restored"
    assert body["tells"]["detail"] == {"entries": restored.roots[0].number, "root": restored.roots[0].link}
    assert body["entered"] == body["tells"]["at"]


def test_what_was_put_back_goes_on_where_it_stopped(backup_bytes: bytes, any_site: Site,
        table: Table) -> None:
    """The chain grows from its old head, and rows get numbers that none had."""
    put_back(backup_bytes, any_site)
    any_site.clock.set(table.site.clock.now())
    restored = Table(any_site, table.variant, table.game, table.announce)
    restored.announce = ResultsAnnouncer(restored.writer, drawing=False)
    with any_site.store.begin() as session:
        session.execute(update(OutboxRow).values(state=OutboxState.SENT, sent_at=any_site.clock.now()))
    finish(restored)
    begin(restored)
    with any_site.store() as session, table.site.store() as other:
        entries, before = list(chain.entries(session, restored.game)), list(chain.entries(other,
            restored.game))
    assert [row.link for row in entries[:len(before)]] == [row.link for row in before]
    assert len(entries) > len(before)
    archived(restored)


def test_nothing_is_sent_until_a_person_lets_it_go(backup_bytes: bytes, site: Site, tmp_path: Path) -> None:
    restored = put_back(backup_bytes, site)
    assert restored.letters > 0
    folder = tmp_path / "sent"
    folder.mkdir()
    outbox.send_due(site.store, site.blobs, FolderTransport(folder), site.clock, sender="a@example.org")
    assert list(folder.iterdir()) == []
    with site.store() as session:
        # The site that the backup is from may have sent these letters since.
        assert hold.current_hold(session) is not None
        assert (
            session.scalar(
                select(func.count()).select_from(OutboxRow).where(OutboxRow.state == OutboxState.SENT)
            )
            == 0
        )


def test_work_that_was_not_done_is_enqueued_again(site: Site, tmp_path: Path) -> None:
    table = open_table(site)
    table.take(table.mail("Montrose"), table.phase().opens_at)  # taken in, not read
    key = table.arrive(table.mail("Argyll", 99), table.phase().opens_at)  # stored, not judged
    out = io.BytesIO()
    site_file.write(site.engine, site.blobs, out, NOON, "test")
    with make_site(tmp_path / "new") as other:
        jobs = MemoryJobs()
        put_back(out.getvalue(), other, jobs)
        assert sorted(jobs.keys) == [f"mail:{key}", f"read:{table.submissions()[0].id}"]


def test_nothing_is_written_over(backup_bytes: bytes, site: Site) -> None:
    table = open_table(site)
    before = everything(site)
    with pytest.raises(BackupFault, match="nothing was restored or overwritten"):
        put_back(backup_bytes, site)
    assert everything(site) == before
    assert table.game


@pytest.mark.parametrize("part", [0.0, 0.3, 0.8, 1.0])
def test_a_backup_that_was_cut_off_is_put_back_nowhere(backup_bytes: bytes, site: Site, part: float) -> None:
    """1.0: in the midst of its last file."""
    # A tar file has up to 10 kB of zeros at its end; without them it is still whole.
    end = backup_bytes.index(b"manifest.json") + 700
    with pytest.raises(BackupFault, match=r"(cut off|damaged)"):
        put_back(backup_bytes[:int(end * part)], site)
    assert not any(everything(site).values())


def changed(backup_bytes: bytes, name: str, old: bytes, new: bytes) -> bytes:
    """The backup with other bytes in one of its files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(backup_bytes)) as source, tarfile.open(fileobj=out, mode="w") as tar:
        for member in source:
            file = source.extractfile(member)
            assert file is not None
            data = file.read()
            if member.name.startswith(name):
                assert old in data
                data, name = data.replace(old, new, 1), "no other"
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


@pytest.mark.parametrize(("name", "old", "new", "message"), [
    ("tables/phases", b"Spring", b"Autumn", "the rows of phases were changed"),
    ("blobs/", b"\xff\xd9", b"\xff\xd8", "does not match its digest"),
    ("manifest", b'"0009"', b'"9999"', "with tables 9999"),
    ("manifest", b'"format": 1', b'"format": 2', "install the newer"),
])  # fmt: skip
def test_damage_is_told_in_a_sentence(
    backup_bytes: bytes, site: Site, name: str, old: bytes, new: bytes, message: str
) -> None:
    if name == "manifest" and old not in backup_bytes:
        old = f'"{newest_migration()}"'.encode()
    if name == "blobs/":
        with tarfile.open(fileobj=io.BytesIO(backup_bytes)) as tar:
            names = tar.getnames()
        name = next(name for name in names if name.startswith("blobs/") and old in _data(backup_bytes, name))
    with pytest.raises(BackupFault, match=message):
        put_back(changed(backup_bytes, name, old, new), site)
    assert not any(everything(site).values())


def _data(backup_bytes: bytes, name: str) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(backup_bytes)) as tar:
        file = tar.extractfile(name)
        assert file is not None
        return file.read()


def test_a_broken_chain_is_put_back_nowhere(site: Site, tmp_path: Path) -> None:
    """The backup itself is whole: what it was made of was not."""
    table = open_table(site)
    with site.engine.begin() as connection:
        # By hand in the database: the chain itself is altered.
        connection.execute(text("UPDATE record SET body = 'x' WHERE number = 7"))
    out = io.BytesIO()
    site_file.write(site.engine, site.blobs, out, NOON, "test")
    words = "powick-bridge is broken at entry 7"
    with make_site(tmp_path / "new") as other, pytest.raises(BrokenRecord, match=words):
        put_back(out.getvalue(), other)
    assert table.game


def lose_one(site: Site) -> str:
    """Delete a photograph of the site, as a fault of the disk does."""
    with site.store() as session:
        lost = session.scalars(select(PageRow.original)).first()
    assert lost is not None
    site.blobs.remove(lost)
    return lost


def test_a_backup_goes_on_without_a_lost_photograph_and_names_it(site: Site, tmp_path: Path) -> None:
    """MBX-04: one lost photograph ended every backup, night after night."""
    table = open_table(site)
    table.take(table.mail("Montrose"), table.phase().opens_at)
    lost = lose_one(site)
    out = io.BytesIO()
    written = site_file.write(site.engine, site.blobs, out, NOON, "test")
    assert written.missing == (lost,)
    assert written.blobs > 0
    with make_site(tmp_path / "new") as other:
        restored = put_back(out.getvalue(), other)
        assert everything(other) == everything(site)
        assert any(lost[:12] in sentence for sentence in restored.lost)
        with other.store() as session:
            assert inspection.faulty_files(session) == [lost]
            assert lost in inspection.files_finding(session).sentence


def test_an_archive_goes_on_without_a_lost_photograph_and_the_checker_names_it(
    site: Site, tmp_path: Path
) -> None:
    table = open_table(site)
    table.take(table.mail("Montrose"), table.phase().opens_at)
    lost, path = lose_one(site), tmp_path / "game.zip"
    missing: list[str] = []
    with site.store() as session, path.open("w+b") as file:
        export.write_archive(
            session, site.blobs, table.game, export.Edition.WHOLE, NOON, "test", file, missing)
    assert missing == [lost]
    report = io.StringIO()
    assert print_check(path, [], report) == 1
    assert lost[:12] in report.getvalue()


def test_a_store_that_is_not_mounted_makes_no_backup(site: Site, tmp_path: Path) -> None:
    table = open_table(site)
    table.file("Montrose", ["A Montrose H"])
    with pytest.raises(BackupFault, match="check whether the store of photographs is mounted"):
        site_file.write(site.engine, Blobs(tmp_path / "elsewhere"), io.BytesIO(), NOON, "test")


def test_a_restore_that_fails_leaves_no_file(site: Site, tmp_path: Path) -> None:
    """MBX-05: "Nothing was put back", and the photographs lay there."""
    table = open_table(site)
    table.take(table.mail("Montrose"), table.phase().opens_at)
    out = io.BytesIO()
    site_file.write(site.engine, site.blobs, out, NOON, "test")
    cut = out.getvalue()[:-20_480]
    with make_site(tmp_path / "new") as other:
        ours = other.blobs.put(b"of this site")
        with pytest.raises(BackupFault):
            put_back(cut, other)
        assert [path.name for path in other.blobs.root.rglob("*") if path.is_file()] == [ours]


def test_counters_go_on_after_rows_that_were_numbered(any_site: Site) -> None:
    from service.store.tables import EventRow

    with any_site.engine.begin() as connection:
        connection.execute(insert(EventRow).values(id=41, at=NOON, actor="a", what="x", detail={}))
        # PostgreSQL counts on from its own sequence, which rows with numbers do not move.
        dump.settle_counters(connection)
        connection.execute(insert(EventRow).values(at=NOON, actor="a", what="y", detail={}))
        assert connection.scalar(select(EventRow.id).where(EventRow.what == "y")) == 42
