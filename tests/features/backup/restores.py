"""In an honest game a disk dies, and a backup is put back."""

from __future__ import annotations

import email
import email.utils
import io
from collections.abc import Callable
from datetime import datetime, timedelta

from service.features.backup import site_file
from tests.service.archive.honest.game import HonestGame
from tests.service.archive.honest.sheets import read_all


def restores(game: HonestGame, between: Callable[[HonestGame], None]) -> None:
    """A backup is made, the game goes on, the disk dies, and the backup is put back. Mails that the mailbox
    still has are fetched again."""
    backup_file = io.BytesIO()
    site_file.write(game.site.engine, game.site.blobs, backup_file, game.now, "test")
    sent_before = len(game.table.sent)
    between(game)
    game.keep_letters()
    fetched = game.table.sent[sent_before:]
    site = game.new_site()
    backup_file.seek(0)
    site_file.restore(backup_file, site.engine, site.blobs, site.jobs, site.clock.now())
    game.settle_in(site)
    for raw in fetched:
        game.wait(timedelta(minutes=1))
        game.table.take(raw, stamp_of(raw))
        read_all(game)


def stamp_of(raw: bytes) -> datetime:
    """When the mail server received a mail."""
    line = str(email.message_from_bytes(raw)["Received"])
    return email.utils.parsedate_to_datetime(line.rpartition(";")[2].strip())
