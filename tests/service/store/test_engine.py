"""The database: tables as the scripts make them, one writer at a time, claims."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError, StatementError

from service.record.sessions import sessions
from service.store import records
from service.store.engine import alembic_config, end_when_silent, migrate, newest_migration, open_engine
from service.store.record_triggers import TRIGGERS
from service.store.tables import EventRow, GameRow, MailboxLocationRow, MailRow, MailState
from tests.support.servers.postgres import Postgres, binaries
from tests.support.site import NOON, Site


def test_the_scripts_make_the_tables_of_the_models(database_url: str) -> None:
    migrate(database_url)
    migrate(database_url)
    engine = open_engine(database_url)
    with engine.begin() as connection:
        command.check(alembic_config(connection))  # raises when a table or column differs
        if connection.dialect.name == "postgresql":
            made = connection.execute(text(
                "SELECT tgname, prosrc FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid"))
            bodies = {name: body.strip() for name, body in made if name.startswith("record_")}
            assert bodies == {each.name: f"BEGIN {each.note} RETURN NULL; END" for each in TRIGGERS}
        else:
            made = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
            assert dict(tuple(row) for row in made) == {
                each.name: next(each.statements("sqlite")) for each in TRIGGERS}
    engine.dispose()


def test_the_newest_script_is_the_one_that_alembic_ends_at() -> None:
    """Its number is read from the names of the files: alembic takes a quarter of a second to load."""
    assert newest_migration() == ScriptDirectory.from_config(alembic_config()).get_current_head()


def test_another_kind_of_database_is_refused_with_its_name() -> None:
    with pytest.raises(ValueError, match="mysql"):
        open_engine("mysql://localhost/galloper")


def test_sqlite_is_set_up_for_many_readers_and_safe_commits(site: Site) -> None:
    # An engine as a site opens it: the one of `site` waits for no disk.
    engine = open_engine(site.url)
    with engine.connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2  # FULL
        assert connection.execute(text("PRAGMA busy_timeout")).scalar() == 30_000
    engine.dispose()


def test_a_row_that_points_nowhere_is_refused(any_site: Site) -> None:
    with pytest.raises(IntegrityError), any_site.store.begin() as session:
        session.add(MailboxLocationRow(account="a", folder="f", uidvalidity="1", uid="1", sha256="0" * 64))


def test_an_instant_keeps_its_moment_and_comes_back_in_utc(any_site: Site) -> None:
    instant = datetime(2026, 7, 1, 20, 30, 15, 123456, tzinfo=timezone(timedelta(hours=2)))
    with any_site.store.begin() as session:
        records.log_event(session, instant, "x")  # type: ignore[arg-type]
    with any_site.store() as session:
        back = session.scalars(select(EventRow.at)).one()
    assert back == instant
    assert back.utcoffset() == timedelta(0)


def test_an_instant_without_zone_is_refused(site: Site) -> None:
    local = datetime(2026, 7, 1, 20, 30)  # noqa: DTZ001
    with pytest.raises(StatementError, match="without a zone"), site.store.begin() as session:
        records.log_event(session, local, "x")  # type: ignore[arg-type]


def test_a_savepoint_that_ends_commits_nothing_by_itself(any_site: Site) -> None:
    with any_site.store() as session:
        with session.begin_nested():
            session.add(GameRow(id="g", name="G", variant="w3k", created_at=NOON))
        session.rollback()
    with any_site.store() as session:
        assert session.get(GameRow, "g") is None


def test_a_locked_database_is_waited_for(site: Site) -> None:
    held = threading.Event()

    def hold() -> None:
        with site.store.begin() as session:
            records.log_event(session, NOON, "first")  # type: ignore[arg-type]
            held.set()
            time.sleep(0.7)

    other = threading.Thread(target=hold)
    other.start()
    held.wait(5)
    begun = time.monotonic()
    with site.store.begin() as session:
        records.log_event(session, NOON, "second")  # type: ignore[arg-type]
    other.join()
    assert time.monotonic() - begun > 0.3
    with site.store() as session:
        assert session.scalars(select(EventRow.what).order_by(EventRow.id)).all() == ["first", "second"]


def test_of_many_who_claim_one_gets_it(any_site: Site) -> None:
    with any_site.store.begin() as session:
        assert records.add_mail(session, "a" * 64, 1, NOON, NOON)
    claims: list[bool] = []

    def claim() -> None:
        with any_site.store.begin() as session:
            claims.append(records.end_mail(session, "a" * 64, MailState.USED))

    threads = [threading.Thread(target=claim) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claims) == [False] * 7 + [True]


def test_adding_what_is_there_changes_nothing_and_leaves_the_transaction_usable(any_site: Site) -> None:
    with any_site.store.begin() as session:
        assert records.add_mail(session, "b" * 64, 10, NOON, NOON, reason="too_large")
        assert not records.add_mail(session, "b" * 64, 20, NOON, NOON)
        records.log_event(session, NOON, "after")  # type: ignore[arg-type]
    with any_site.store() as session:
        row = session.get(MailRow, "b" * 64)
        assert row is not None
        assert (row.size, row.reason, row.state, row.tries) == (10, "too_large", MailState.STORED, 0)
        assert len(session.scalars(select(EventRow)).all()) == 1


def test_a_claim_shows_in_rows_already_loaded(any_site: Site) -> None:
    with any_site.store.begin() as session:
        records.add_mail(session, "c" * 64, 10, NOON, NOON)
        row = session.get_one(MailRow, "c" * 64)
        assert records.end_mail(session, "c" * 64, MailState.REFUSED, "no_photo")
        assert (row.state, row.reason) == (MailState.REFUSED, "no_photo")


def test_the_folder_of_the_database_is_made(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'new' / 'folder' / 'g.sqlite'}"
    migrate(url)
    engine = open_engine(url)
    with sessions(engine)() as session:
        assert records.games(session) == []
    engine.dispose()


def test_the_clock_of_the_tests_has_a_zone() -> None:
    assert NOON.tzinfo is UTC


@pytest.mark.postgres
@pytest.mark.skipif(binaries() is None, reason="no PostgreSQL here")
@pytest.mark.parametrize(("is_served", "server", "limit"), [(True, "0", "5min"), (True, "1h", "1h"),
                                                          (False, "0", "0")])
def test_only_a_served_site_is_ended_when_it_is_silent(
    cluster: Postgres, is_served: bool, server: str, limit: str
) -> None:
    """MBX-06. A command may be silent within its transaction for hours, as a restore is that looks at every
    photograph; the server's own limit counts before ours."""
    plain = open_engine(cluster.url())
    with plain.begin() as connection:
        connection.execute(text(f"ALTER ROLE galloper SET idle_in_transaction_session_timeout = '{server}'"))
    plain.dispose()
    engine = open_engine(cluster.url())
    if is_served:
        end_when_silent(engine)
    with engine.connect() as connection:
        shown = connection.execute(text("SHOW idle_in_transaction_session_timeout")).scalar()
    engine.dispose()
    assert shown == limit
