"""`galloper backup` and `galloper restore`."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

from sqlalchemy import Engine, select

from service.archive import copies
from service.archive.copies import Copy, CopySheets
from service.cli.program.results import print_result
from service.clock import SystemClock
from service.facts.events import Event
from service.features.backup import age, site_file
from service.features.backup.health import NoteBackup
from service.features.backup.site_file import Restored
from service.games.acts.act import ActTable, perform
from service.jobs import DbosJobs
from service.operations import inspection
from service.record.sessions import sessions
from service.site_folder import bring_up_to_date, new_path, settings_of, unfinished_path
from service.store import records
from service.store.blobs import Blobs, open_blobs
from service.store.engine import migrate, open_engine
from service.store.tables import EventRow
from service.version import version

BY = "galloper backup"
USUAL_BACKUP = "a backup of the whole site"
"""The reason of a backup for which none was given."""
RESTORED_ADVICE = (
    "No letter leaves until you allow it on the Health page. The restore is entered in the record of each "
    "game, and the next results name it to all players. Ask them for their newest letter: compare it with "
    "galloper game export and galloper verify (or restore with --letter FILE). If it names more entries, "
    "use a newer backup, or have the lost sheets sent again.")


def backup_site(
    folder: Path, output: Path, out: TextIO, *, reason: str = "", as_json: bool = False, quiet: bool = False
) -> int:
    """Write a whole site into a new file, which has its name only once it is whole. `reason`: why it is made
    while sheets are sealed, where it is not a usual backup. Raises SiteError."""
    settings = settings_of(folder)
    bring_up_to_date(settings)
    engine, unfinished = open_engine(settings.database_url), unfinished_path(output)
    try:
        store, now = sessions(engine), SystemClock().now()
        keys = settings.backup_recipients
        with store.begin() as session:
            _enter_copies(ActTable(session, BY, now), reason or USUAL_BACKUP,
                          Copy.ENCRYPTED if keys else Copy.BACKUP)
        with unfinished.open("wb") as file:
            write = partial(site_file.write, engine, open_blobs(settings), now=now, version=version())
            written = age.write_encrypted(write, file, keys) if keys else write(file)
        unfinished.replace(new_path(output))
        with store.begin() as session:
            # Noted only now: the Health page must not count a backup that was cut off.
            perform(NoteBackup(Event.BACKUP_MADE), ActTable(session, BY, now))
            if written.missing:
                inspection.add_faulty(session, written.missing, now)
    finally:
        unfinished.unlink(missing_ok=True)
        engine.dispose()
    size, digest = output.stat().st_size, site_file.digest_of(output)
    blobs = open_blobs(settings)
    print_result(
        out, "\n".join([
            f"Wrote {output}: {written.blobs} files, {size // 1024} KB, SHA-256 {digest}",
            *(f"Missing or damaged, and left out: {blobs.path(key)}" for key in written.missing),
            *(["Restore them from an older backup; Health shows them until then."]
              if written.missing else []),
            f"Test it from time to time: galloper restore {output} --drill"]),
        {"file": str(output), "files": written.blobs, "missing": list(written.missing), "bytes": size,
         "sha256": digest}, as_json=as_json, quiet=quiet)
    return 0


def _enter_copies(table: ActTable, why: str, how: Copy) -> None:
    """Enter in the record of each game that a backup is made while its sheets are sealed: once for a phase
    and a kind of backup, since one that is made every night would fill every letter."""
    for game in records.games(table.session):
        for phase in copies.phases_with_sealed_sheets(table.session, game.id):
            events = table.session.scalars(select(EventRow).where(
                EventRow.game_id == game.id, EventRow.what == Event.OPEN_PHASE_COPIED))
            if not any((event.detail.get("phase_id"), event.detail.get("as")) == (phase.id, how.value)
                       for event in events):
                perform(CopySheets(phase.id, how, why), table)


def restore_site(
    file: Path, folder: Path | None, out: TextIO, *, key: Path | None = None, letters: Sequence[Path] = (),
    as_json: bool = False, quiet: bool = False
) -> int:
    """Restore a backup into an empty site; without one, for a drill, into a temporary folder. `key`: the file
    of the secret key of an encrypted one. `letters`: the newest that anybody has, which show what was lost.
    Raises BackupFault, KeyFault, SiteError."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="galloper-drill-") as place:
            url = f"sqlite:///{Path(place) / 'galloper.sqlite'}"
            migrate(url)
            # Without jobs: work that a drill enqueued would be done a second time.
            restored = _restore(file, open_engine(url), Blobs(Path(place) / "blobs"), key, letters,
                                jobs=False)
        _print_restored(
            restored, "The drill succeeded: every digest is right, nothing was sent, and the copy was "
                      "deleted. Note it on the Health page.",
            out, as_json=as_json, quiet=quiet)
        return 0
    settings = settings_of(folder)
    bring_up_to_date(settings)
    _print_restored(
        _restore(file, open_engine(settings.database_url), open_blobs(settings), key, letters, jobs=True),
        RESTORED_ADVICE, out, as_json=as_json, quiet=quiet)
    return 0


def go_on_after_restore(
    folder: Path, out: TextIO, *, letters: Sequence[Path] = (), as_json: bool = False, quiet: bool = False
) -> int:
    """Have a site go on whose database was put back by the database's own tools. Raises BackupFault."""
    settings = settings_of(folder)
    bring_up_to_date(settings)
    engine = open_engine(settings.database_url)
    try:
        queue = DbosJobs(engine)
        queue.prepare()
        restored = site_file.go_on_after_restore(
            engine, open_blobs(settings), queue, SystemClock().now(),
            [letter.read_bytes() for letter in letters])
    finally:
        engine.dispose()
    _print_restored(restored, RESTORED_ADVICE, out, as_json=as_json, quiet=quiet)
    return 0


def _restore(
    file: Path, engine: Engine, blobs: Blobs, key: Path | None, letters: Sequence[Path], *, jobs: bool
) -> Restored:
    try:
        queue = DbosJobs(engine) if jobs else None
        if queue is not None:
            queue.prepare()
        with age.opened(file, key) as source:
            return site_file.restore(source, engine, blobs, queue, SystemClock().now(),
                                  [letter.read_bytes() for letter in letters])
    finally:
        engine.dispose()


def _print_restored(restored: Restored, advice: str, out: TextIO, *, as_json: bool, quiet: bool) -> None:
    rows = sum(restored.rows.values())
    print_result(
        out, "\n".join([
            f"Restored {rows} rows and {restored.blobs} files; {restored.letters} letters wait." if rows else
            f"{restored.blobs} files named in the database were found; {restored.letters} letters wait.",
            *(f"{root.game_id}: {root.number} entries, unbroken. Root {root.link}"
              for root in restored.roots),
            *restored.lost,
            advice,
        ]),
        {"rows": rows, "files": restored.blobs, "letters": restored.letters,
         "lost": list(restored.lost),
         "games": [{"game": root.game_id, "entries": root.number, "root": root.link}
                   for root in restored.roots]}, as_json=as_json, quiet=quiet)
