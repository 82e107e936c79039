"""What is between a database and this program: the steps that are due, and a copy of the file before they
are taken."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from alembic.script import Script, ScriptDirectory
from sqlalchemy import Connection, inspect, text

from adjudicator.errors import UserFacingError
from service.store.engine import alembic_config, full_url, open_engine, revision_of


class CopyFault(UserFacingError):
    """The copy before an upgrade could not be made; the sentence shows why. The tables are as they were."""


@dataclass(frozen=True, slots=True)
class Step:
    """One migration script: its number, and what it does in a sentence."""

    number: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A database and this program. `revision`: what the tables look like, None where there are none;
    `newest`: what the program needs; `steps`: from the one to the other, in order; `is_newer`: the tables
    belong to a newer program; `size`: bytes; `backup_made_at`: when a backup was last noted."""

    revision: str | None
    newest: str
    steps: tuple[Step, ...] = ()
    is_newer: bool = False
    size: int = 0
    backup_made_at: datetime | None = None


def file_of(url: str) -> Path | None:
    """The file of an SQLite database; None for a server."""
    parsed = full_url(url)
    return Path(parsed.database or "") if parsed.get_backend_name() == "sqlite" else None


def difference(url: str, backup_event: str) -> Difference:
    """How a database differs from what this program needs. Changes nothing, and makes no file.

    `backup_event` is the name under which a backup is noted in the log. Raises DBAPIError where the database
    cannot be reached.
    """
    scripts = ScriptDirectory.from_config(alembic_config())
    newest = str(scripts.get_current_head())
    path = file_of(url)
    if path is not None and not path.exists():
        return Difference(None, newest, _steps(scripts, None))
    engine = open_engine(url)
    try:
        with engine.connect() as connection:
            revision = revision_of(connection)
            made_at = None if revision is None else _backup_made_at(connection, backup_event)
            size = path.stat().st_size if path is not None else int(
                connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one())
    finally:
        engine.dispose()
    if revision is not None and revision not in {script.revision for script in scripts.walk_revisions()}:
        return Difference(revision, newest, is_newer=True, size=size, backup_made_at=made_at)
    return Difference(revision, newest, _steps(scripts, revision), size=size, backup_made_at=made_at)


def _steps(scripts: ScriptDirectory, revision: str | None) -> tuple[Step, ...]:
    due: list[Script] = list(scripts.iterate_revisions("head", revision or "base"))
    return tuple(Step(script.revision, _sentence(script)) for script in reversed(due))


def _sentence(script: Script) -> str:
    return " ".join((script.doc or "").partition("\n\n")[0].split())


def _backup_made_at(connection: Connection, backup_event: str) -> datetime | None:
    # In SQL and not by our classes: the tables may be those of an older program.
    if not inspect(connection).has_table("events"):
        return None
    made_at = connection.execute(
        text("SELECT max(at) FROM events WHERE what = :what"), {"what": backup_event}).scalar()
    if isinstance(made_at, str):
        # SQLite has the instant as text, and forgets its zone.
        made_at = datetime.fromisoformat(made_at).replace(tzinfo=UTC)
    return made_at if isinstance(made_at, datetime) else None


def copy_beside(file: Path, revision: str, newest: str, now: datetime) -> Path:
    """Copy an SQLite database next to itself, check the copy, and return its path. The database may be in
    use.

    Nothing is written over, and a copy that was cut off never has its name. Raises CopyFault.
    """
    name = f"{file.name}.{revision}-before-{newest}.{now:%Y%m%dT%H%M%S.%fZ}"
    copy, unfinished = file.with_name(name), file.with_name(f".{name}.unfinished")
    try:
        if copy.exists():
            raise CopyFault(f"{copy} exists already and was not overwritten; nothing was changed. Try again "
                            f"in a moment.")
        # SQLite's own copying: the bytes of the file alone lack what is still in its write-ahead log.
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(unfinished)) as target:
            source.backup(target)
            # One file, whichever program opens it: without this a copy would get its own log next to it.
            target.execute("PRAGMA journal_mode=DELETE")
            fault = target.execute("PRAGMA quick_check").fetchone()[0]
        if fault != "ok":
            raise CopyFault(f"The copy of {file} is damaged ({fault}), so the database may be too. Nothing "
                            f"was changed; test it with galloper backup.")
        unfinished.replace(copy)
    except (OSError, sqlite3.Error) as error:
        raise CopyFault(f"{file} could not be copied to {copy} ({error}). Nothing was changed; make room, "
                        "or make the folder writable.") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return copy
