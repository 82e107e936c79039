"""`galloper game shelve` and `unshelve`."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from service.cli.program.results import print_result
from service.clock import SystemClock
from service.features.shelf import shelf
from service.games.names import game_called
from service.site_folder import opened, settings_of
from service.store.blobs import open_blobs


def shelve_game(folder: Path, game: str, out: TextIO, *, as_json: bool = False, quiet: bool = False) -> int:
    """Put a game that is over on the shelf. Raises ShelfFault, and then nothing was changed."""
    settings = settings_of(folder)
    with opened(settings) as store:
        with store() as session:
            key = game_called(session, game).id
        shelved = shelf.shelve(store, open_blobs(settings), key, SystemClock().now())
    count = sum(shelved.rows.values())
    print_result(
        out, f"{key} is on the shelf: {count} rows in a file of {shelved.size // 1024} KB. It comes back "
             "when one of its pages is opened.",
        {"game": key, "rows": shelved.rows, "bytes": shelved.size}, as_json=as_json, quiet=quiet)
    return 0


def unshelve_game(folder: Path, game: str, out: TextIO, *, as_json: bool = False, quiet: bool = False) -> int:
    """Bring a game back. Raises ShelfFault or BlobError, and then nothing was changed."""
    settings = settings_of(folder)
    with opened(settings) as store:
        with store() as session:
            key = game_called(session, game).id
        is_back = shelf.bring_back(store, open_blobs(settings), key, SystemClock().now())
    print_result(out, f"{key} is back, with every row." if is_back else f"{key} is here already.",
                 {"game": key, "came_back": is_back}, as_json=as_json, quiet=quiet)
    return 0
