"""Arguments and options that several commands take."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer


def board_names(incomplete: str) -> list[str]:
    """The boards whose names begin so, for the completion of a shell."""
    import maps

    return [name for name in maps.variants() if name.startswith(incomplete)]


Site = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a site, with its galloper.toml.")]
Game = Annotated[
    str, typer.Argument(metavar="GAME", help="A game's name, or its short name as in its addresses.")
]
Board = Annotated[
    str, typer.Argument(metavar="V", help="A board, such as w3k or standard.", autocompletion=board_names)
]
Variant = Annotated[
    str, typer.Option("--variant", metavar="V", help="The board of the game, such as w3k or standard.",
                      autocompletion=board_names)
]
PHASES = "movement, retreat or adjustment; turn on brittania."
PhaseName = Annotated[str | None, typer.Option("--phase", metavar="P", help=PHASES)]
FormatName = Annotated[
    str | None,
    typer.Option("--format", metavar="F", help="For another program: diplomacy, jdip, datc or cases.")
]
PlayedOn = Annotated[
    str, typer.Option("--variant", metavar="V", help="The board of the game.", autocompletion=board_names)
]
Lossy = Annotated[
    bool, typer.Option("--lossy", help="Leave out and list what the format cannot hold.")
]
NewFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A new file; an existing one is never overwritten.")
]


def known_format(name: str, formats: Sequence[str]) -> str:
    """The name of a format of saved games. Raises BadParameter for one that is not among `formats`."""
    if name not in formats:
        raise typer.BadParameter(f"there is no format {name!r}; the formats are {', '.join(formats)}.")
    return name
