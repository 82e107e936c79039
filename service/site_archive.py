"""A site's archives from the command line."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from typing import TextIO

from service import archive, record
from service.clock import SystemClock
from service.site_settings import SiteError, opened, settings_of
from service.store.blobs_remote import open_blobs


def version() -> str:
    """This Galloper's version; "" where it runs from a folder that is not installed."""
    try:
        return installed("galloper")
    except PackageNotFoundError:
        return ""


def export_game(folder: Path, game: str, output: Path, *, players: bool, out: TextIO) -> int:
    """Write a game's archive into a new file. Raises SiteError where the file is there, NoSuchGame, BlobError."""
    settings = settings_of(folder)
    edition = archive.Edition.PLAYERS if players else archive.Edition.WHOLE
    with opened(settings) as store:
        record.begin_all(store)
        with store() as session:
            data = archive.write(session, open_blobs(settings), game, edition, SystemClock().now(), version())
            root = record.root(session, game)
    try:
        with output.open("xb") as file:
            file.write(data)
    except FileExistsError as error:
        raise SiteError(f"{output} is there already and was not written over; choose another name.") from error
    print(f"Wrote {output}: {root.number} entries, {len(data) // 1024} KB. Root {root.link}", file=out)
    print(f"Check it with: galloper verify {output}", file=out)
    return 0
