"""`galloper backup` and `galloper restore`, as they are typed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from service.cli.commands.arguments import NewFile, Site
from service.cli.program.results import AsJson, Quiet
from service.feature import CommandGroups


def add_commands(groups: CommandGroups) -> None:
    """Add `galloper backup` and `galloper restore`."""
    groups.program.command(epilog="Example: galloper backup ~/galloper-site ~/backups/monday.tar")(backup)
    groups.program.command(epilog="Example: galloper restore ~/backups/monday.tar --drill")(restore)


def backup(
    folder: Site,
    output: NewFile,
    reason: Annotated[
        str, typer.Option("--reason", metavar="WORDS", help="The reason, if this is not a usual backup.")
    ] = "",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a whole site into one file, while it runs: every table, photograph, mail and letter.

    While sheets are sealed, the record states that the copy was made, and all players are informed.
    """
    from service.features.backup.site_commands import backup_site

    raise typer.Exit(
        backup_site(folder, output, sys.stdout, reason=reason, as_json=as_json, quiet=quiet))


def restore(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A file written by `galloper backup`.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="A site that has only its settings.")
    ] = None,
    drill: Annotated[
        bool, typer.Option("--drill", help="Restore to a temporary place, check it, and delete it.")
    ] = False,
    by_database: Annotated[
        Path | None,
        typer.Option("--by-database", metavar="DIR",
                     help="Without FILE: a site whose database was restored with PostgreSQL's tools."),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", metavar="FILE", help="The secret key of age, for an encrypted backup."),
    ] = None,
    letters: Annotated[
        list[Path] | None,
        typer.Option("--letter", metavar="LETTER.eml",
                     help="The newest letter of any player; it shows what was lost. May be repeated."),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Restore a backup into an empty site and check every digest. No letter leaves it until a person allows
    it."""
    from service.features.backup.site_commands import go_on_after_restore, restore_site

    if by_database is not None and file is None and not drill:
        raise typer.Exit(go_on_after_restore(
            by_database, sys.stdout, letters=letters or (), as_json=as_json, quiet=quiet))
    # A drill has no site, and a restore needs one.
    if file is None or by_database is not None or drill == (folder is not None):
        raise typer.BadParameter(
            "give a backup and the folder of an empty site, or a backup and --drill, or --by-database DIR.")
    raise typer.Exit(restore_site(
        file, folder, sys.stdout, key=key, letters=letters or (), as_json=as_json, quiet=quiet))
