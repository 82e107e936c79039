"""`galloper game new --rehearsal` and `galloper game remove-rehearsal`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from service.cli.commands.arguments import Site
from service.cli.program.results import AsJson, Quiet, print_result
from service.feature import CommandGroups, GameChange

if TYPE_CHECKING:
    from service.config import Settings
    from service.games.create import NewGame

DEFAULT_HOURS = 4.0
"""Hours for each phase of a rehearsal, unless its coordinator names others."""
STAYS = ("Not removed: backups and archives made meanwhile, letters already sent, and mails on the mail "
         "server.")
"""Data that a removal does not reach."""


def add_commands(groups: CommandGroups) -> None:
    """Add `galloper game remove-rehearsal`, and the options of a rehearsal to `galloper game new`."""
    groups.new_game(game_new_rehearsal)
    groups.games.command(
        "remove-rehearsal",
        epilog="Example: galloper game remove-rehearsal ~/galloper-site rehearsal-powick-bridge",
    )(game_remove_rehearsal)


def game_new_rehearsal(
    *,
    rehearsal: Annotated[
        bool, typer.Option("--rehearsal", help="Create a rehearsal that starts now and can be removed again.")
    ] = False,
    hours: Annotated[
        float | None,
        typer.Option("--hours", min=0.25, max=72.0, help="Hours of each phase of a rehearsal; 4 by default."),
    ] = None,
) -> GameChange:
    """Has the game of a file rehearsed; see `service.feature.CommandGroups.new_game`."""
    if hours is not None and not rehearsal:
        raise typer.BadParameter("--hours needs --rehearsal; a real game has the deadlines of the handbook.")
    length = hours or DEFAULT_HOURS

    def change(new: NewGame, now: datetime, folder: Path) -> tuple[NewGame, str]:
        if not rehearsal:
            return new, ""
        rehearsed = as_rehearsal(new, now, length)
        each = "an hour" if length == 1 else f"{length:g} hours"
        return rehearsed, (
            f"It is a rehearsal, {each} a phase: every letter is marked so, and mails for it name "
            f"{rehearsed.name}.\nRemove it with: galloper game remove-rehearsal {folder} {rehearsed.slug}")

    return change


def as_rehearsal(new: NewGame, begins: datetime, hours: float) -> NewGame:
    """A game as a rehearsal that begins at an instant, with `hours` for each phase, under its own name:
    the real game may be on the same site."""
    from dataclasses import replace

    from service.games.deadlines import REHEARSAL_PREFIX

    return replace(new, name=REHEARSAL_PREFIX + new.name,
                   aliases=tuple(REHEARSAL_PREFIX + alias for alias in new.aliases), start=begins,
                   hours=hours)


def game_remove_rehearsal(
    folder: Site,
    game: Annotated[str, typer.Argument(metavar="GAME", help="The rehearsal's short name.")],
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Remove a rehearsal without trace, while the site is not served. A real game is never removed."""
    raise typer.Exit(remove_game(folder, game, sys.stdout, as_json=as_json, quiet=quiet))


def remove_game(
    folder: Path, game: str, out: TextIO, *, as_json: bool = False, quiet: bool = False
) -> int:
    """Remove a rehearsal with everything of it alone, while the site is not served. Raises Refused for
    a real game, SiteError for a site that is served; then nothing was removed."""
    from service.cli.migrate import stopped
    from service.features.rehearsal.removal import remove_rehearsal
    from service.site_folder import bring_up_to_date, settings_of
    from service.store.blobs import open_blobs
    from service.store.engine import open_engine

    settings = settings_of(folder)
    bring_up_to_date(settings)
    with stopped(settings):
        engine = open_engine(settings.database_url)
        try:
            removed = remove_rehearsal(engine, open_blobs(settings), game)
        finally:
            engine.dispose()
    files = removed.files + _remove_letter_files(settings, removed.letters)
    others = [f"{root.game_id}: {root.number} entries, unbroken, as before. Root {root.link}"
              for root in removed.roots]
    print_result(
        out, "\n".join([
            f"{removed.name} is gone: {sum(removed.rows.values())} rows and {files} files.", *others,
            STAYS]),
        {"game": game, "rows": removed.rows, "files": files,
         "records": {root.game_id: root.link for root in removed.roots}},
        as_json=as_json, quiet=quiet)
    return 0


def _remove_letter_files(settings: Settings, letters: Iterable[str]) -> int:
    """Delete letters that a site keeps as files in place of sending them; how many."""
    outgoing = settings.mail_out
    if outgoing.kind != "folder":
        return 0
    file_names = {f"{re.sub(r'[^A-Za-z0-9.-]', '', name.partition('@')[0])}.eml" for name in letters}
    paths = [path for path in Path(outgoing.path).glob("*.eml") if path.name.partition("-")[2] in file_names]
    for path in paths:
        path.unlink()
    return len(paths)
