"""`galloper upgrade`: what is due, a copy first, and a process that is killed half way (INS-07)."""

from __future__ import annotations

import io
import shutil
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

import migrations
from service.cli.migrate import DATABASE_NEWER, STEPS_DUE, migrate_site
from service.facts.events import Event
from service.site_folder import SiteError, settings_of
from service.store.engine import BrokenReference, migrate, open_engine
from service.store.upgrade import difference
from tests.support.own_site import own_site
from tests.support.servers.postgres import Postgres, binaries

ROOT = Path(__file__).parents[3]
OLD, NEWEST = "0001", "0003"
SCRIPT = """'''{sentence}'''
import sqlalchemy as sa
from alembic import op
revision, down_revision = "{own}", "{before}"
def upgrade():
    op.create_table("{table}", sa.Column("id", sa.Integer(), primary_key=True))
"""


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """The scripts of a later program: today's, and two more."""
    folder = tmp_path / "later"
    shutil.copytree(Path(migrations.__file__).parent, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for own, before, table, sentence in (("0002", "0001", "kites", "Where kites fly."),
                                         ("0003", "0002", "strings", "What they hang on.")):
        script = SCRIPT.format(own=own, before=before, table=table, sentence=sentence)
        (folder / "versions" / f"{own}_{table}.py").write_text(script)
    return folder


def upgrade_program(scripts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on this program is the later one."""
    monkeypatch.setattr(migrations, "__file__", str(scripts / "__init__.py"))


@pytest.fixture
def folder(tmp_path: Path, scripts: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site whose database has the tables of the program before, and a user."""
    own_site(tmp_path)
    make_old(settings_of(tmp_path, {}).database_url)
    upgrade_program(scripts, monkeypatch)
    return tmp_path


def make_old(url: str) -> None:
    migrate(url)
    engine = open_engine(url)
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO users (name, password, role, created_at) "
                                "VALUES ('Ada', 'x', 'coordinator', '2026-01-01 00:00:00+00')"))
    engine.dispose()


def file_of(folder: Path) -> Path:
    return folder / "data" / "galloper.sqlite"


def revision(file: Path) -> str:
    with sqlite3.connect(file) as connection:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def run(folder: Path, *, check: bool = False, agreed: bool = False) -> tuple[int, str]:
    out = io.StringIO()
    return migrate_site(folder, out, check=check, agreed=agreed), out.getvalue()


def test_the_check_says_what_is_due_and_changes_nothing(folder: Path) -> None:
    """INS-07: each step in a sentence, the backup, and an exit code for each of the three states."""
    before = file_of(folder).read_bytes()
    code, printed = run(folder, check=True)
    assert code == STEPS_DUE
    assert f"has tables {OLD}; this program needs {NEWEST}." in printed
    assert "2 steps are due:\n  0002  Where kites fly.\n  0003  What they hang on.\n" in printed
    assert "No backup is on record." in printed
    assert file_of(folder).read_bytes() == before
    assert run(folder)[0] == 0
    code, printed = run(folder, check=True)
    assert (code, printed.splitlines()[-1]) == (0, "They are up to date.")
    with sqlite3.connect(file_of(folder)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    code, printed = run(folder, check=True)
    assert (code, "newer Galloper." in printed) == (DATABASE_NEWER, True)
    with pytest.raises(SiteError, match="newer Galloper"):
        run(folder)


def test_a_copy_lies_beside_the_database_before_the_first_step(folder: Path) -> None:
    """INS-07: the copy is the database as it was, readable by the program that left it."""
    code, printed = run(folder)
    copies = list((folder / "data").glob(f"galloper.sqlite.{OLD}-before-{NEWEST}.*"))
    assert code == 0
    assert len(copies) == 1
    assert str(copies[0]) in printed
    assert (revision(copies[0]), revision(file_of(folder))) == (OLD, NEWEST)
    with sqlite3.connect(copies[0]) as connection:
        assert connection.execute("SELECT name FROM users").fetchall() == [("Ada",)]
    assert run(folder)[1].endswith("They are up to date.\n")
    assert len(list((folder / "data").glob("galloper.sqlite.*-before-*"))) == 1


LOST_REFERENCE = SCRIPT.replace("def upgrade():", """def upgrade():
    op.execute("CREATE TABLE knots (string INTEGER REFERENCES strings (id))")
    op.execute("INSERT INTO knots VALUES (7)")""")


def test_a_step_that_loses_a_row_is_taken_back(folder: Path, scripts: Path) -> None:
    """REL-04: references are not enforced while a table is made again, and are looked at before the
    commit."""
    (scripts / "versions" / "0003_strings.py").write_text(LOST_REFERENCE.format(
        own="0003", before="0002", table="strings", sentence="A knot without a string."))
    with pytest.raises(BrokenReference, match="a row of the table knots that refers to a row of strings"):
        run(folder)
    assert revision(file_of(folder)) == OLD


KILLED = """
import sys
import migrations
from alembic import op
from service.cli.main import app
real = op.create_table
def create_table(name, *columns, **more):
    real(name, *columns, **more)
    if name == "strings":
        print("half way", flush=True)
        sys.stdin.read()
op.create_table = create_table
migrations.__file__ = sys.argv[2]
app(["upgrade", sys.argv[1]])
"""


def test_a_process_killed_between_two_statements_changes_nothing(folder: Path, scripts: Path) -> None:
    """INS-07: kill -9 in the middle of the last step; the tables are as before, and the same command ends the
    work."""
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder), str(scripts / "__init__.py")], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    assert process.stdin is not None
    assert any("half way" in line for line in process.stdout)
    process.send_signal(signal.SIGKILL)
    assert process.wait(30) == -signal.SIGKILL
    process.stdout.close()
    process.stdin.close()
    assert difference(settings_of(folder, {}).database_url, Event.BACKUP_MADE).revision == OLD
    with sqlite3.connect(file_of(folder)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert not {"kites", "strings"} & tables
    assert run(folder)[0] == 0
    assert revision(file_of(folder)) == NEWEST


@pytest.mark.postgres
@pytest.mark.skipif(binaries() is None, reason="no PostgreSQL here")
def test_a_database_on_a_server_wants_a_backup_first(
    cluster: Postgres, tmp_path: Path, scripts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """INS-07: without a backup of the last day and without pg_dump its line is printed and nothing is
    changed."""
    database_url = cluster.url()
    own_site(tmp_path)
    make_old(database_url)
    upgrade_program(scripts, monkeypatch)
    monkeypatch.setenv("GALLOPER_DATABASE", database_url)
    monkeypatch.setattr(shutil, "which", lambda _program: None)
    command = f"pg_dump --format=custom --file=before-{NEWEST}.dump 'postgresql://"
    with pytest.raises(SiteError, match=command):
        run(tmp_path)
    engine = open_engine(database_url)
    note = "INSERT INTO events (at, actor, what, detail) VALUES (:at, 'x', :what, '{}')"
    with engine.begin() as connection:
        connection.execute(text(note), {
            "at": datetime.now(UTC) - timedelta(days=3), "what": Event.BACKUP_MADE})
    with pytest.raises(SiteError, match="No backup from the last 24 hours"):
        run(tmp_path)
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO workers (executor, seen_at, ahead, connections) "
                                "VALUES ('mill:7', :at, 0, 10)"), {"at": datetime.now(UTC)})
    with pytest.raises(SiteError, match="The site runs: mill:7"):
        run(tmp_path, agreed=True)
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM workers"))
        connection.execute(text(note), {
            "at": datetime.now(UTC) - timedelta(hours=1), "what": Event.BACKUP_MADE})
    assert run(tmp_path)[0] == 0
    with engine.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == NEWEST
    engine.dispose()


@pytest.mark.postgres
@pytest.mark.skipif(binaries() is None, reason="no PostgreSQL here")
def test_a_database_on_a_server_is_dumped_before_the_first_step(
    cluster: Postgres, tmp_path: Path, scripts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REL-04: the dump holds the tables as they were, and is whole."""
    database_url = cluster.url()
    own_site(tmp_path)
    make_old(database_url)
    upgrade_program(scripts, monkeypatch)
    monkeypatch.setenv("GALLOPER_DATABASE", database_url)
    folder = binaries()
    assert folder is not None
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    code, printed = run(tmp_path)
    (dump,) = tmp_path.glob(f"before-{NEWEST}.*.dump")
    assert (code, str(dump) in printed) == (0, True)
    listed = subprocess.run([folder / "pg_restore", "--data-only", "--table=users", "--file=-", dump],
                            capture_output=True, text=True, check=True).stdout
    assert "Ada\tx\tcoordinator" in listed
    assert not list(tmp_path.glob(".before-*"))
