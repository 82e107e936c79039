"""The database: one SQLite file or a PostgreSQL server, the same code above both.

On SQLite a transaction takes the write lock at its first write and other writers wait up to `LOCK_SECONDS`;
what was read before may have changed by then, exactly as on PostgreSQL's read committed. So work is claimed
by updates that name the state they expect, and a session is never held open over slow work.
"""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.orm import Session, sessionmaker

import migrations
from adjudicator.errors import UserFacingError
from service.config import ConfigError
from service.store.record_triggers import TRIGGERS

if TYPE_CHECKING:
    from alembic.config import Config

LOCK_SECONDS = 30
CONNECTIONS = 7
"""Connections to a PostgreSQL server of one engine, unless it is set otherwise."""
PATIENCE = 120.0
"""Seconds that a thread waits for one of them."""

Store = sessionmaker[Session]
"""What modules are handed: `with store.begin() as session:` is one transaction."""


SQLITE_OF_QUEUE = (3, 42)
"""From Python 3.12 on the job queue (DBOS 3.4) asks SQLite for milliseconds; older ones answer with NULL."""


class MissingDriver(ConfigError):
    """The database cannot be used by this Python: a package is not installed, or its SQLite is too old."""


class BrokenReference(UserFacingError):
    """A migration script left a reference that leads nowhere; its steps were taken back."""


class NewerTables(RuntimeError):
    """The tables of a database were made by a newer Galloper."""


def check_sqlite_of_queue(
    python: tuple[int, ...] = sys.version_info[:2], sqlite: tuple[int, ...] = sqlite3.sqlite_version_info
) -> None:
    """Raise MissingDriver where this Python's SQLite library cannot hold the job queue."""
    if python >= (3, 12) and sqlite < SQLITE_OF_QUEUE:
        names = [".".join(map(str, version)) for version in (python, sqlite)]
        raise MissingDriver(
            f"database: this Python ({names[0]}) has SQLite {names[1]}, and "
            "the job queue needs 3.42 or newer; use Python 3.11, a Python with a newer SQLite, or PostgreSQL"
        )


def full_url(url: str) -> URL:
    """The address with its driver: psycopg 3 for PostgreSQL. Raises ValueError for any other kind of
    database."""
    parsed = make_url(url)
    match parsed.get_backend_name():
        case "sqlite":
            return parsed
        case "postgresql":
            return parsed.set(drivername="postgresql+psycopg")
        case other:
            raise ValueError(
                f"the database setting names {other}; Galloper keeps its data in sqlite or postgresql"
            )


def open_engine(url: str, connections: int = CONNECTIONS) -> Engine:
    """An engine for an SQLAlchemy address; the folder of an SQLite file is made when it is missing.
    `connections`: to a server, at most. Raises MissingDriver."""
    parsed = full_url(url)
    if parsed.get_backend_name() != "sqlite":
        try:
            # None beyond the pool: a server that refuses a connection refuses it to the backup too.
            # No prepared statements: behind a pooler the next transaction may meet another connection.
            return create_engine(parsed, pool_pre_ping=True, hide_parameters=True, pool_size=connections,
                                 max_overflow=0, pool_timeout=PATIENCE,
                                 connect_args={"prepare_threshold": None})
        except ImportError as error:
            raise MissingDriver('database: a site on PostgreSQL needs a Python package that is not installed '
                                f'({error.name or error}); pip install "galloper[postgres]"') from error
    if parsed.database and parsed.database != ":memory:":
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(parsed, connect_args={"timeout": LOCK_SECONDS}, hide_parameters=True)
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "savepoint", _begin_before_savepoint)
    return engine


def is_pooled(connection: Connection) -> bool:
    """Whether a pooler stands between this process and the PostgreSQL server."""
    # A pooler greets with a number of its own; the server's is that of the process behind it.
    greeted = cast("Any", connection.connection.dbapi_connection).info.backend_pid
    return bool(greeted != connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())


ROOM = 7
"""Connections of a server that a site leaves: to a backup, an upgrade, and a person with psql."""


def connections_for_sites(connection: Connection) -> int | None:
    """How many connections to this PostgreSQL server the processes of a site may have together; None for a
    database in a file, and behind a pooler, which has its own limit."""
    if connection.dialect.name != "postgresql" or is_pooled(connection):
        return None
    most, reserved = (int(connection.exec_driver_sql(f"SHOW {name}").scalar_one())
                  for name in ("max_connections", "superuser_reserved_connections"))
    return most - reserved - ROOM


def _set_up_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    # IMMEDIATE: a transaction that begins by writing must not find out at its second statement that it lost
    # the race.
    connection.isolation_level = "IMMEDIATE"
    # The default synchronous=FULL stays: a mail is moved on the server once its row is committed, so a commit
    # that a power cut could undo would lose it.
    for pragma in ("journal_mode=WAL", f"busy_timeout={LOCK_SECONDS * 1000}", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


_SILENCE = "300s"
"""After how long within a transaction PostgreSQL ends a connection of ours that is silent, where the server
has no limit of its own."""
_KEEP_ALIVE = {"tcp_keepalives_idle": "60", "tcp_keepalives_interval": "10", "tcp_keepalives_count": "3"}
"""After what silence it checks whether the other end is there at all."""


def end_when_silent(engine: Engine) -> None:
    """Have PostgreSQL end connections of a worker that is cut off. Not for a command: a restore looks at
    every photograph within its transaction, which may take hours."""
    # A worker that was cut off within a transaction holds its locks, and the deadline that another one takes
    # over waits for them, by PostgreSQL's own settings for two hours or for ever.
    if engine.dialect.name == "postgresql":
        event.listen(engine, "connect", _limit_silence)


def _limit_silence(connection: DBAPIConnection, _record: Any) -> None:
    cursor = connection.cursor()
    for name, value in _KEEP_ALIVE.items():
        cursor.execute("SELECT set_config(%s, %s, false)", (name, value))
    cursor.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, false) "
                   "WHERE current_setting('idle_in_transaction_session_timeout') = '0'", (_SILENCE,))
    cursor.close()
    connection.commit()


def _begin_before_savepoint(connection: Connection, _name: str) -> None:
    # The sqlite3 module opens no transaction for SAVEPOINT, so releasing the first one would commit.
    _lock_sqlite(connection)


def _lock_sqlite(connection: Connection) -> None:
    raw = connection.connection.dbapi_connection
    if isinstance(raw, sqlite3.Connection) and not raw.in_transaction:
        raw.execute("BEGIN IMMEDIATE")


def alembic_config(connection: Connection | None = None) -> Config:
    """Alembic's settings without an ini file: the scripts lie in the `migrations` package."""
    # Its libraries take a quarter of a second, and most commands find the tables as they need them.
    from alembic.config import Config

    # Alembic's default is the output of the moment when it was imported, which may be closed by now.
    config = Config(stdout=sys.stdout)
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.attributes["connection"] = connection
    return config


def newest_migration() -> str:
    """The number of the newest migration script, with which its file's name begins: what the tables look
    like."""
    scripts = (Path(migrations.__file__).parent / "versions").glob("[0-9]*_*.py")
    return max(script.name.partition("_")[0] for script in scripts)


def revision_of(connection: Connection) -> str | None:
    """The number of the migration script that a database has; None for one without tables of a site."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if revision is None else str(revision)


def migrate(url: str) -> None:
    """Bring the database to the newest tables; does nothing when they are there. Safe to call at every
    start."""
    engine = open_engine(url)
    try:
        with engine.connect() as connection:
            raw = connection.connection.dbapi_connection
            if isinstance(raw, sqlite3.Connection):
                # A step that changes a column copies its table and drops the old one, to which rows of others
                # refer. The pragma counts outside a transaction alone, and this connection serves
                # nothing else.
                raw.execute("PRAGMA foreign_keys=OFF")
            with connection.begin():
                # Two processes that start together must not both create the tables.
                _lock_sqlite(connection)
                before = revision_of(connection)
                migrate_within(connection)
                if before not in {None, newest_migration()}:
                    _mend_sqlite(connection)
    finally:
        engine.dispose()


def _mend_sqlite(connection: Connection) -> None:
    """Make the triggers of the record again that went with an old table, and look at all references. Raises
    BrokenReference, which takes the steps back."""
    if connection.dialect.name != "sqlite":
        return
    present = set(
        connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'trigger'").scalars())
    for trigger in TRIGGERS:
        if trigger.name not in present:
            for statement in trigger.statements("sqlite"):
                connection.exec_driver_sql(statement)
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if broken is not None:
        raise BrokenReference(
            f"A step of this upgrade left a row of the table {broken[0]} that refers to a row of {broken[2]} "
            "that is gone. Nothing was changed; stay with the old program, and report it to the makers of "
            "Galloper.")


def migrate_within(connection: Connection) -> None:
    """Bring the tables to the newest shape in the caller's transaction, which may still be rolled back.
    Raises NewerTables."""
    if revision_of(connection) == newest_migration():
        return
    from alembic import command
    from alembic.util import CommandError

    try:
        command.upgrade(alembic_config(connection), "head")
    except CommandError as error:
        raise NewerTables(str(error)) from error
