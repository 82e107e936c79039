"""`galloper player`: forget a player, or write all that is stored of one into a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO

from service.archive import away, forget as forgetting
from service.archive.player_data import write_player_data
from service.cli.program.results import print_result
from service.clock import SystemClock
from service.games.names import pseudonym
from service.site_folder import SiteError, opened, settings_of
from service.store.blobs import open_blobs

STAYS = ("Not deleted: earlier backups and archives, mails on the mail server, and letters of other "
         "players. Orders stay, since they are part of the game.")


def forget_player(
    folder: Path, name_or_address: str, out: TextIO, *, as_json: bool = False, quiet: bool = False
) -> int:
    """Forget a player whose games are over. Raises NotForgotten, and then nothing was changed."""
    settings = settings_of(folder)
    with opened(settings) as store:
        done = forgetting.forget(
            store, open_blobs(settings), name_or_address, "galloper player forget", SystemClock().now())
    games, files, entries = list(done.entries), len(done.files), sum(map(len, done.entries.values()))
    print_result(
        out, f"{done.player} is forgotten: {files} files and the contents of {entries} entries were "
             f"deleted. The record notes it in {', '.join(games) or 'no game'}.\n{STAYS}",
        {"player": done.player, "games": games, "files": files, "entries": entries},
        as_json=as_json, quiet=quiet)
    return 0


def player_data(
    folder: Path, name_or_address: str, output: Path, out: TextIO, *, as_json: bool = False,
    quiet: bool = False,
) -> int:
    """Write all that the site keeps of a player into a new file, which only its owner may read. Raises
    SiteError, NotForgotten for an unknown player."""
    settings = settings_of(folder)
    if output.exists():
        raise SiteError(f"{output} exists already and was not overwritten; choose another name.")
    blobs = open_blobs(settings)
    with opened(settings) as store:
        with store() as session:
            player_id = forgetting.player_called(session, name_or_address).id
        away.bring_back_all_of(store, blobs, player_id, SystemClock().now())
        with store() as session:
            player = forgetting.player_called(session, name_or_address)
            with os.fdopen(os.open(output, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as file:
                files = write_player_data(session, blobs, player, file)
            name = pseudonym(player)
    print_result(
        out, f"Wrote {output}: all data that this site has of {name}, {files} files. Give it only to that "
             "player.",
        {"file": str(output), "player": name, "files": files}, as_json=as_json, quiet=quiet)
    return 0
