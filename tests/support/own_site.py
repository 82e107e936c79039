"""A site's folder as a person would have it: settings on a Maildir and a folder of letters, and a game
file."""

from __future__ import annotations

import mailbox
import os
from datetime import UTC, date, datetime
from pathlib import Path

import maps
from bench.desk import site

SETTINGS = site.SETTINGS.format(data="data", port=0)


def own_site(folder: Path, settings: str = SETTINGS, *, box: bool = True) -> Path:
    """Write the settings and, unless `box` is False, make the Maildir; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "galloper.toml").write_text(settings, "utf-8")
    if box:
        mailbox.Maildir(str(folder / "box"), create=True)
    return folder


def deliver(folder: Path, raw: bytes, *, received_at: datetime | None = None) -> None:
    """Put a mail into the site's Maildir as a mail server would."""
    key = mailbox.Maildir(str(folder / "box"), create=True).add(raw)
    if received_at is not None:
        # In a Maildir a mail was received when its file was last changed.
        os.utime(folder / "box" / "new" / key, (received_at.timestamp(), received_at.timestamp()))


def game_file(
    folder: Path,
    start: date | None = None,
    player: str = "ada@example.org",
    name: str = "Powick Bridge",
    variant: str = "w3k",
) -> Path:
    """A game of w3k whose ten powers are one person's; it begins today unless another day is given."""
    day = start or datetime.now(UTC).date()
    seats = "".join(f'"{power}" = "Ada"\n' for power in maps.load("w3k").powers)
    path = folder / "game.toml"
    path.write_text(
        f'name = "{name}"\nvariant = "{variant}"\nstart = {day.isoformat()}\n'
        f'[[player]]\nname = "Ada"\nmail = ["{player}"]\n[seats]\n{seats}', "utf-8")
    return path
