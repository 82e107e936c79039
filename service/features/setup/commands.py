"""`galloper setup`, as it is typed."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from service.cli.commands.arguments import Site
from service.feature import CommandGroups


def add_commands(groups: CommandGroups) -> None:
    """Add `galloper setup`."""
    groups.program.command(epilog="Example: galloper setup ~/galloper-site")(setup)


def setup(
    folder: Site,
    page: Annotated[
        bool, typer.Option("--page", help="Ask in a browser: print the address of a page that works once.")
    ] = False,
    host: Annotated[
        str, typer.Option("--host", help="With --page: the address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="With --page: the port; 0 for any free port.")
    ] = 8643,
) -> None:
    """Set up a new site by answering questions: mailbox, trial mail, your account, and what to do next."""
    if page:
        from service.features.setup.page import serve_page

        raise typer.Exit(serve_page(folder, host, port, sys.stdout))
    from service.features.setup.conversation import Terminal, converse

    raise typer.Exit(converse(folder, Terminal(sys.stdin, sys.stdout)))
