"""A site's archives and backups from the command line."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

from sqlalchemy import Engine

from service.archive import away, backup, copies, export
from service.archive.backup import Restored
from service.archive.import_game import import_archive
from service.cli.program.results import print_result
from service.clock import SystemClock
from service.facts.events import Event
from service.games.names import game_called
from service.jobs import DbosJobs
from service.operations.backup_key import opened as opened_backup
from service.operations.backup_key import write_encrypted
from service.record.chain import sessions
from service.site_folder import SiteError, bring_up_to_date, opened, settings_of
from service.store import records
from service.store.blobs import Blobs
from service.store.blobs_remote import open_blobs
from service.store.engine import migrate, open_engine
from service.version import version


def export_game(
    folder: Path, game: str, output: Path, *, players: bool, out: TextIO, reason: str = "",
    as_json: bool = False, quiet: bool = False
) -> int:
    """Write a game's archive into a new file. `reason`: why a whole one is made while sheets are sealed.
    Raises SiteError if the file exists, NoSuchGame, BlobError, Refused."""
    settings = settings_of(folder)
    edition = export.Edition.PLAYERS if players else export.Edition.WHOLE
    with opened(settings) as store:
        unfinished = _unfinished_path(output)
        try:
            with store() as session:
                key = game_called(session, game).id
            away.bring_back(store, open_blobs(settings), key, SystemClock().now())
            with store.begin() as session:
                if edition is export.Edition.WHOLE:
                    copies.enter_archive(session, key, reason, "galloper game export", SystemClock().now())
            with store() as session, unfinished.open("w+b") as file:
                root = export.write_archive(
                    session, open_blobs(settings), key, edition, SystemClock().now(), version(), file
                )
            # The file gets its name only once it is whole: a cut-off archive is never taken for one.
            unfinished.replace(_new_path(output))
        finally:
            unfinished.unlink(missing_ok=True)
    size = output.stat().st_size
    print_result(
        out, f"Wrote {output}: {root.number} entries, {size // 1024} KB. Root {root.link}\n"
             f"Check it with: galloper verify {output}",
        {"file": str(output), "game": root.game_id, "edition": edition.value, "entries": root.number,
         "root": root.link, "bytes": size}, as_json=as_json, quiet=quiet)
    return 0


def import_game(
    folder: Path, file: Path, out: TextIO, *, as_json: bool = False, quiet: bool = False
) -> int:
    """Import a game from its whole archive. Raises ImportFault, and then nothing was imported."""
    settings = settings_of(folder)
    bring_up_to_date(settings)
    engine = open_engine(settings.database_url)
    try:
        queue = DbosJobs(engine)
        queue.prepare()
        root = import_archive(file, engine, open_blobs(settings), queue, SystemClock().now())
    finally:
        engine.dispose()
    print_result(
        out, f"{root.game_id} is here: {root.number} entries, unbroken. Root {root.link}\n"
             "No letter leaves this site until you allow it on the Health page. Tell the players about the "
             "hand-over on the page Letters.",
        {"game": root.game_id, "entries": root.number, "root": root.link}, as_json=as_json, quiet=quiet)
    return 0


RESTORED_ADVICE = (
    "No letter leaves until you allow it on the Health page. The restore is entered in the record of each "
    "game, and the next results tell it to all players. Ask them for the newest letter that anybody has: "
    "compare it with galloper game export and galloper verify (or restore with --letter FILE). If it names "
    "more entries, take a newer backup, or have what was lost sent again.")


def _new_path(output: Path) -> Path:
    if output.exists():
        raise SiteError(f"{output} exists already and was not overwritten; choose another name.")
    return output


def _unfinished_path(output: Path) -> Path:
    """Where a file is written until it is whole."""
    return _new_path(output).with_name(f".{output.name}.unfinished")


def backup_site(
    folder: Path, output: Path, out: TextIO, *, reason: str = "", as_json: bool = False, quiet: bool = False
) -> int:
    """Write a whole site into a new file, which has its name only once it is whole. `reason`: why it is made
    while sheets are sealed, where it is no usual backup. Raises SiteError, BlobError."""
    settings = settings_of(folder)
    bring_up_to_date(settings)
    engine, unfinished = open_engine(settings.database_url), _unfinished_path(output)
    try:
        store, now = sessions(engine), SystemClock().now()
        keys = settings.backup_recipients
        with store.begin() as session:
            copies.enter_backup(session, reason, now, is_encrypted=bool(keys))
        with unfinished.open("wb") as file:
            write = partial(backup.write, engine, open_blobs(settings), now=now, version=version())
            blobs = write_encrypted(write, file, keys) if keys else write(file)
        unfinished.replace(_new_path(output))
        with store.begin() as session:
            # Noted only now: the Health page must not count a backup that was cut off.
            records.log_event(session, now, Event.BACKUP_MADE, actor="galloper backup")
    finally:
        unfinished.unlink(missing_ok=True)
        engine.dispose()
    size, digest = output.stat().st_size, backup.digest_of(output)
    print_result(
        out, f"Wrote {output}: {blobs} files, {size // 1024} KB, SHA-256 {digest}\n"
             f"Test it from time to time: galloper restore {output} --drill",
        {"file": str(output), "files": blobs, "bytes": size, "sha256": digest}, as_json=as_json, quiet=quiet)
    return 0


def restore_site(
    file: Path, folder: Path | None, out: TextIO, *, key: Path | None = None, letters: Sequence[Path] = (),
    as_json: bool = False, quiet: bool = False
) -> int:
    """Restore a backup into an empty site; without one, for a drill, into a temporary folder. `key`: the file
    of the secret key of an encrypted one. `letters`: the newest that anybody has, which tell what was lost.
    Raises BackupFault, KeyFault, SiteError."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="galloper-drill-") as place:
            url = f"sqlite:///{Path(place) / 'galloper.sqlite'}"
            migrate(url)
            # Without jobs: work that a drill enqueued would be done a second time.
            restored = _restore(file, open_engine(url), Blobs(Path(place) / "blobs"), key, letters,
                                jobs=False)
        _print_restored(
            restored, "The drill went well: every digest is right, nothing was sent, and the copy was "
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
        restored = backup.go_on_after_restore(
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
        with opened_backup(file, key) as source:
            return backup.restore(source, engine, blobs, queue, SystemClock().now(),
                                  [letter.read_bytes() for letter in letters])
    finally:
        engine.dispose()


def _print_restored(restored: Restored, advice: str, out: TextIO, *, as_json: bool, quiet: bool) -> None:
    rows = sum(restored.rows.values())
    print_result(
        out, "\n".join([
            f"Restored {rows} rows and {restored.blobs} files; {restored.letters} letters wait." if rows else
            f"{restored.blobs} files that the database names are there; {restored.letters} letters wait.",
            *(f"{root.game_id}: {root.number} entries, unbroken. Root {root.link}"
              for root in restored.roots),
            *restored.lost,
            advice,
        ]),
        {"rows": rows, "files": restored.blobs, "letters": restored.letters,
         "lost": list(restored.lost),
         "games": [{"game": root.game_id, "entries": root.number, "root": root.link}
                   for root in restored.roots]}, as_json=as_json, quiet=quiet)
