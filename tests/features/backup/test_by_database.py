"""A database that its own tools put back, with the files in a store that was never lost (SCA-05)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import select, update

from bench.servers.postgres import Postgres, binaries
from bench.storm.child import OneOrderRecognizer
from bench.storm.deadline import file_sheets
from bench.storm.site import StormSite, add_games, storm_site
from service.archive.after_loading import BrokenRecord
from service.bootstrap import open_site
from service.clock import SystemClock
from service.facts.events import Event
from service.features.backup import site_file
from service.features.backup.site_file import BackupFault, go_on_after_restore
from service.mail.sending import hold
from service.record import live
from service.store.blobs import Blobs
from service.store.engine import Store
from service.store.tables import EntryRow, EventRow, OutboxRow, OutboxState, PageRow, PhaseRow, PhaseState
from tests.support.mails import wait_for
from tests.support.site import Site
from tests.support.table import Table, open_table

POINT = "before the disaster"


@pytest.fixture
def table(site: Site) -> Table:
    table = open_table(site)
    table.file("Montrose", ["A Perth H"], answered=True)
    return table


def go_on(table: Table) -> site_file.Restored:
    return go_on_after_restore(
        table.site.engine, table.site.blobs, table.site.jobs, table.site.clock.now())


def test_no_letter_leaves_and_the_restore_is_entered(table: Table) -> None:
    """(SCA-05)"""
    restored = go_on(table)
    assert restored.letters == 1
    with table.site.store() as session:
        assert hold.current_hold(session) is not None
        restores = session.scalars(select(EventRow.what).where(EventRow.what == Event.RESTORED)).all()
        assert restores == ["restored"]
        assert live.differences(session, table.game, frozenset()) == []


def test_a_missing_file_is_named_and_nothing_is_changed(table: Table) -> None:
    """(SCA-05)"""
    with table.site.store() as session:
        photograph = session.scalars(select(PageRow.original)).one()
    table.site.blobs.remove(photograph)
    with pytest.raises(BackupFault, match=f"1 of .* files .*{photograph}.*Nothing was changed"):
        go_on(table)
    with table.site.store() as session:
        assert hold.current_hold(session) is None
        assert session.scalars(select(EventRow).where(EventRow.what == Event.RESTORED)).all() == []


def test_a_record_that_was_changed_is_refused(table: Table) -> None:
    """(SCA-05)"""
    with table.site.engine.begin() as connection:
        connection.execute(update(EntryRow).where(EntryRow.number == 2).values(salt="0" * 64))
    with pytest.raises(BrokenRecord, match="broken at entry 2"):
        go_on(table)


# PostgreSQL's own tools
# ---------------------------------------------------------------------------------------------------


@pytest.fixture
def archived(tmp_path: Path) -> Iterator[tuple[Postgres, Path]]:
    """A cluster that archives its log, and the folder of that archive."""
    if binaries() is None:
        pytest.skip("PostgreSQL's server is not installed")
    cluster = Postgres()
    log = cluster.root / "archive"
    log.mkdir(mode=0o777)
    log.chmod(0o777)
    cluster.start("wal_level=replica", "archive_mode=on", f"archive_command=cp %p {log}/%f")
    try:
        yield cluster, log
    finally:
        cluster.stop()


def let_deadline_come(store: Store, phase: int) -> None:
    with store.begin() as session:
        session.execute(update(PhaseRow).where(PhaseRow.id == phase)
                        .values(deadline=SystemClock().now() - timedelta(seconds=1)))


def play(place: StormSite, phase: int) -> None:
    """Close, judge and approve a game, and send its letters."""
    let_deadline_come(place.store, phase)
    site = open_site(place.settings, recognizer=OneOrderRecognizer())
    try:
        site.close_phase(phase)
        site.approve_phase(phase, "drill")
        assert site.send_letters().sent > 0
    finally:
        site.engine.dispose()


def archive_up_to_here(cluster: Postgres, log: Path) -> None:
    with psycopg.connect(cluster.address, autocommit=True) as connection:
        connection.execute("select pg_create_restore_point(%s)", [POINT])
        segment = connection.execute("select pg_walfile_name(pg_switch_wal())").fetchone()
    assert segment is not None
    assert wait_for((log / segment[0]).exists, 30)


@pytest.mark.slow
def test_a_drill_of_a_base_backup_and_the_archived_log(
    archived: tuple[Postgres, Path], tmp_path: Path
) -> None:
    """(SCA-05) What docs/how-to/back-up-a-large-site.md states, step by step: what was played after the base
    backup is there up to the point that was named, what came later is lost and said to be."""
    cluster, log = archived
    with storm_site(tmp_path, url=cluster.url()) as place:
        phases = add_games(place, 2)
        file_sheets(place, phases)
        blobs = Blobs(Path(place.settings.data) / "blobs")
        for phase in phases:
            for power in place.variant.powers:
                blobs.put(f"{phase} {power}".encode())  # what `file_sheets` names as the mail
        cluster.base_backup(cluster.root / "base")
        play(place, phases[0])
        archive_up_to_here(cluster, log)
        play(place, phases[1])
        newest = [path.read_bytes() for path in sorted((tmp_path / "outbox").glob("*.eml"))]
        assert newest

        restored_cluster = Postgres()
        data = restored_cluster.root / "data"
        shutil.copytree(cluster.root / "base", data)
        (data / "recovery.signal").touch()
        for path in (data, *data.rglob("*")):
            shutil.chown(path, *_owner(cluster.root))
        restored_cluster.start(
            f"restore_command=cp {log}/%f %p", f"recovery_target_name={POINT}",
            "recovery_target_action=promote")
        try:
            settings = place.settings.model_copy(update={"database": restored_cluster.address})
            assert wait_for(lambda: not _recovers(restored_cluster), 30)
            site = open_site(settings, recognizer=OneOrderRecognizer())
            restored = go_on_after_restore(
                site.engine, site.blobs, site.jobs, site.clock.now(), newest)
            with site.store() as session:
                states = dict(session.execute(select(PhaseRow.id, PhaseRow.state).where(
                    PhaseRow.id.in_(phases))).all())
                sent = session.scalars(select(OutboxRow.state).where(OutboxRow.phase_id == phases[0])).all()
                games = session.scalars(select(PhaseRow.game_id).where(PhaseRow.id.in_(phases))
                                        .order_by(PhaseRow.id)).all()
                for game in games:
                    assert live.differences(session, game, frozenset()) == []
            # The game before the point is as it was played, the one after it is open again.
            assert states == {phases[0]: PhaseState.SENT, phases[1]: PhaseState.OPEN}
            assert set(sent) == {OutboxState.SENT}
            assert [sentence.split(":")[0] for sentence in restored.lost] == [games[1]]
            assert site.send_letters().sent == 0
            # It plays on.
            let_deadline_come(site.store, phases[1])
            site.close_phase(phases[1])
            with site.store() as session:
                assert session.get_one(PhaseRow, phases[1]).state == PhaseState.READY
            site.engine.dispose()
        finally:
            restored_cluster.stop()


def _owner(path: Path) -> tuple[str, str]:
    return path.owner(), path.group()


def _recovers(cluster: Postgres) -> bool:
    with psycopg.connect(cluster.address) as connection:
        row = connection.execute("select pg_is_in_recovery()").fetchone()
    return bool(row and row[0])
