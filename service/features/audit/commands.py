"""`galloper verify`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from service.cli.program.results import AsJson, Quiet
from service.feature import CommandGroups


def add_commands(groups: CommandGroups) -> None:
    """Add `galloper verify`."""
    groups.program.command(epilog="Example: galloper verify powick-bridge.zip letters/*.eml")(verify)


def verify(
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="A game's archive, as a ZIP file.")],
    letters: Annotated[
        list[Path] | None, typer.Argument(metavar="[LETTER.eml...]", help="Letters that you saved.")
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="ARCHIVE is a site's folder: compare its database and files with "
                                          "its own record, and enter the differences.")
    ] = False,
    pool: Annotated[Path | None, typer.Option(
        "--letters", metavar="DIR", help="A folder with letters of several players: all files in it and its "
        "subfolders are compared with the archive and with each other.")] = None,
    receipt: Annotated[bool, typer.Option(
        "--receipt", help="The first file is a receipt, the others are its sheet: a mail or photographs. No "
        "archive is needed.")] = False,
    authority: Annotated[Path | None, typer.Option(
        "--authority", metavar="FILE", help="The certificate, as PEM, of the authority that stamped roots: "
        "each stamp must be signed by it.")] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Check a game's archive: its record, its photographs, its lots, the judge, and letters that were
    mailed; or with --receipt one receipt alone."""
    if live:
        if letters:
            raise typer.BadParameter("--live compares a site with its own record, and takes no letters.")
        from service.features.audit.running_site import verify_site

        raise typer.Exit(verify_site(archive, sys.stdout, as_json=as_json, quiet=quiet))
    if receipt:
        from service.features.audit.verify import run_verify_receipt

        raise typer.Exit(
            run_verify_receipt(archive, letters or [], sys.stdout, as_json=as_json, quiet=quiet))
    from service.features.audit.jailed import verify_in_child
    from service.features.audit.time_stamps import certificates_in

    letter_paths = list(letters or [])
    if pool is not None:
        if not pool.is_dir():
            raise typer.BadParameter(f"{pool} is not a folder.", param_hint="--letters")
        letter_paths += sorted(path for path in pool.rglob("*") if path.is_file())
    authorities = "" if authority is None else certificates_in(authority)
    raise typer.Exit(verify_in_child(
        archive, letter_paths, sys.stdout, as_json=as_json, quiet=quiet, authorities=authorities))
