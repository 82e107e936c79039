"""`galloper upgrade`: a site's database brought to the tables of this program. `galloper migrate --to`: moved
to PostgreSQL."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TextIO

from sqlalchemy import select
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.orm import Session

from service.archive.move_database import move
from service.cli.serve import site_lock
from service.clock import SystemClock
from service.config import ConfigError, Settings
from service.facts.events import Event
from service.site_folder import SiteError, bring_up_to_date, database_name, database_sentence, settings_of
from service.store.engine import full_url, open_engine
from service.store.tables import WorkerRow
from service.store.upgrade import Difference, copy_beside, difference, file_of

STEPS_DUE = 3
"""Exit code of --check where steps are due."""
DATABASE_NEWER = 4
"""Exit code of --check where the database belongs to a newer program."""
FRESH = timedelta(hours=24)
"""How old a noted backup may be to count as the one before an upgrade."""
ALIVE = timedelta(seconds=90)
"""A worker that reported since then still runs (`service.jobs.LEASE`)."""
# Measured on 2026-11-23 with 800,000 rows in 266 MB: the copy took 2.8 s and 0006 to 0008 took 2.9 s. This is
# twice the slower of the two, for older disks.
SECONDS_A_GIGABYTE = 20.0
"""A rough upper bound for the copy, and for each step."""


def migrate_site(folder: Path, out: TextIO, *, check: bool, agreed: bool) -> int:
    """Bring the tables of a site to this program's, after a copy or a backup; with `check` only show what is
    due.

    Returns 0, or with `check` 0, `STEPS_DUE` or `DATABASE_NEWER`. `agreed`: the caller has a backup of a
    PostgreSQL database. Raises SiteError, CopyFault.
    """
    settings = settings_of(folder)
    name, now = database_name(settings), SystemClock().now()
    try:
        state = difference(settings.database_url, Event.BACKUP_MADE)
    except DBAPIError as error:
        raise SiteError(database_sentence(name, error)) from error
    if state.is_newer and not check:
        raise SiteError(f"The database {name} belongs to a newer Galloper (tables {state.revision}). "
                        "Nothing was changed; install that version.")
    _report(name, state, settings, now, out)
    if check:
        return DATABASE_NEWER if state.is_newer else STEPS_DUE if state.steps else 0
    if not state.steps:
        return 0
    with site_lock(settings):
        file = file_of(settings.database_url)
        if state.revision is None:
            print("The database is empty, so no backup is needed.", file=out)
        elif file is not None:
            copy = copy_beside(file, state.revision, state.newest, now)
            print(f"Copied to {copy} first; delete the copy once the site runs well.", file=out, flush=True)
        else:
            _check_quiet(settings)
            _back_up_server(settings, state, folder, now, out, agreed=agreed)
        bring_up_to_date(settings)
    print(f"Done: the tables are at {state.newest} now. Start galloper serve.", file=out)
    return 0


def _report(name: str, state: Difference, settings: Settings, now: datetime, out: TextIO) -> None:
    print(f"The database {name} has tables {state.revision or 'not yet'}; this program needs {state.newest}.",
          file=out)
    if state.is_newer:
        print("They belong to a newer Galloper. Nothing was changed; install that version.", file=out)
        return
    if not state.steps:
        print("They are up to date.", file=out)
        return
    print(f"{_counted(len(state.steps), 'step')} {'is' if len(state.steps) == 1 else 'are'} due:", file=out)
    for step in state.steps:
        print(f"  {step.number}  {step.sentence}", file=out)
    if state.revision is None:
        return
    print(f"The database has {state.size / 1e6:.1f} MB: {_duration(state)}.", file=out)
    made_at = state.backup_made_at
    noted = (f"The last backup on record was made {_ago(now - made_at)} ago." if made_at is not None
             else "No backup is on record.")
    copy = (" The upgrade first copies the file to the same folder."
              if file_of(settings.database_url) is not None
              else "" if made_at is not None and now - made_at < FRESH
              else " The upgrade first writes the database into a file with pg_dump.")
    print(noted + copy, file=out, flush=True)


def _duration(state: Difference) -> str:
    seconds = SECONDS_A_GIGABYTE * state.size / 1e9 * (1 + len(state.steps))
    if seconds < 5:
        return "a few seconds"
    return "up to a minute" if seconds < 60 else f"up to {round(seconds / 60) + 1} minutes"


def _ago(age: timedelta) -> str:
    hours = age / timedelta(hours=1)
    if hours < 1:
        return "less than an hour"
    return _counted(round(hours), "hour") if hours < 48 else _counted(age.days, "day")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


@contextmanager
def stopped(settings: Settings) -> Iterator[None]:
    """No one serves the site: on SQLite no one can begin to, on PostgreSQL no worker reports. Raises
    SiteError."""
    with site_lock(settings):
        if file_of(settings.database_url) is None:
            _check_quiet(settings)
        yield


def _check_quiet(settings: Settings) -> None:
    """Raises SiteError while a worker of a site on PostgreSQL still reports."""
    engine = open_engine(settings.database_url)
    try:
        with Session(engine) as session:
            alive = session.scalars(
                select(WorkerRow.executor).where(WorkerRow.seen_at > datetime.now(UTC) - ALIVE)).all()
    finally:
        engine.dispose()
    if alive:
        raise SiteError(
            f"The site runs: {', '.join(alive[:3])} reported within the last 90 seconds. Nothing was "
            "changed; stop serve and all workers, and try again.")


def _back_up_server(
    settings: Settings, state: Difference, folder: Path, now: datetime, out: TextIO, *, agreed: bool
) -> None:
    """Write a dump of a PostgreSQL database into the site's folder, unless a fresh backup is known or the
    caller has one. Raises SiteError where pg_dump is missing or fails."""
    if agreed or (state.backup_made_at is not None and now - state.backup_made_at < FRESH):
        return
    url = full_url(settings.database_url)
    address = url.set(drivername="postgresql", password=None).render_as_string()
    dump = folder / f"before-{state.newest}.{now:%Y%m%dT%H%M%SZ}.dump"
    program, unfinished = shutil.which("pg_dump"), dump.with_name(f".{dump.name}.unfinished")
    reason = "pg_dump is not installed here"
    if program is not None:
        print(f"Writing {dump} first ...", file=out, flush=True)
        password = {"PGPASSWORD": url.password} if isinstance(url.password, str) else {}
        done = subprocess.run(  # noqa: S603 - our own command; the password goes by the environment
            [program, "--format=custom", f"--file={unfinished}", address], env=os.environ | password,
            capture_output=True, text=True, check=False)
        if done.returncode == 0:
            unfinished.replace(dump)
            print("It is complete; delete it once the site runs well.", file=out, flush=True)
            return
        unfinished.unlink(missing_ok=True)
        reason = f"pg_dump failed ({done.stderr.strip().rpartition(chr(10))[2]})"
    raise SiteError(
        f"No backup from the last 24 hours is on record, and {reason}. Nothing was changed. Make a backup "
        f"on a machine that has it:\n    pg_dump --format=custom --file=before-{state.newest}.dump "
        f"'{address}'\nthen repeat the command with --yes. (A backup by galloper backup, made with the "
        "program that these tables belong to, counts without --yes.)")


# To PostgreSQL ----------------------------------------------------------------------------------------------


def move_site(folder: Path, where: str, out: TextIO, progress: TextIO) -> int:
    """Move a site from its SQLite file into the empty PostgreSQL database that `where` names: an address
    without a password, or a file that holds a whole one.

    Raises ConfigError, SiteError or MoveFault; then the site is as it was.
    """
    settings = settings_of(folder)
    old_name, file = database_name(settings), file_of(settings.database_url)
    if file is None:
        raise SiteError(f"The site is on {old_name} already; --to takes it from SQLite to PostgreSQL. "
                        f"Nothing was changed.")
    if not file.exists():
        raise SiteError(f"There is no database {file} yet, so there is nothing to move. Set database in the "
                        "settings and start there.")
    address, secret_file = _address(where)
    new_name = full_url(address).set(drivername="postgresql").render_as_string(hide_password=True)
    with site_lock(settings):
        source, target = open_engine(settings.database_url), open_engine(address)
        try:
            moved = move(source, target, Bar(progress).show)
        finally:
            source.dispose()
            target.dispose()
    print(f"{sum(moved.rows.values())} rows of {len(moved.rows)} tables and {moved.jobs} rows of the queue "
          f"are in {new_name}; each was compared with the old one.", file=out)
    for root in moved.roots:
        print(f"{root.game_id}: {root.number} entries, unbroken, with the same root {root.link}", file=out)
    print(f"The old database {file} was only read. Keep it until a turn has been played on the new one, and "
          "never serve both.", file=out)
    if secret_file is None:
        print(f"Now put this line into {folder / 'galloper.toml'}, above the first line in square brackets, "
              "in place of any other database line:", file=out)
        print(f'    database = "{new_name}"', file=out)
    else:
        print("Now set this in the environment of serve and of every worker; it overrides the settings file:",
              file=out)
        print(f"    GALLOPER_DATABASE_FILE={secret_file}", file=out)
    print(f"Then run: galloper check {folder}", file=out)
    return 0


def _address(where: str) -> tuple[str, Path | None]:
    """The address of the new database, and the file that holds it if one does."""
    if "://" in where:
        text, file = where, None
    else:
        file = Path(where).expanduser().absolute()
        try:
            text = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"--to: {where} is not an address such as postgresql://galloper@db/galloper, "
                              f"nor a readable file ({error})") from error
    try:
        url = full_url(text)
    except (ValueError, ArgumentError) as error:
        # The text may hold a password, so it is not repeated.
        raise ConfigError(f"--to: {where if file else 'this'} is not an address such as "
                          f"postgresql://galloper@db/galloper") from error
    if url.get_backend_name() != "postgresql":
        raise ConfigError("--to is an SQLite file; a site can be moved only to PostgreSQL")
    if file is None and url.password:
        raise ConfigError(
            "--to has a password, which all users of this machine could read while the command runs; change "
            "that password, write the whole address into a file that only you can read, and give that file")
    return url.set(drivername="postgresql").render_as_string(hide_password=False), file


class Bar:
    """How far a move is: one line that is written over on a terminal, a line for each table elsewhere."""

    def __init__(self, out: TextIO) -> None:
        self._out, self._is_terminal = out, out.isatty()

    def show(self, table: str, copied: int, total: int) -> None:
        """`copied` of `total` rows of a table are in the new database."""
        ended = copied >= total
        if self._is_terminal:
            share = 1.0 if total == 0 else copied / total
            line = f"\r{table:<16} [{'#' * round(24 * share):<24}] {copied} of {total}"
            print(f"{line:<70}", end="\n" if ended else "", file=self._out, flush=True)
        elif ended:
            print(f"{table}: {total} rows", file=self._out, flush=True)
