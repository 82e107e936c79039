"""A group of commands whose first command may be left out: `galloper user DIR NAME` is `galloper user add DIR
NAME`."""

from __future__ import annotations

import difflib
from pathlib import Path

import typer
from typer.core import TyperGroup

DEFAULT = "add"


class GroupWithDefault(TyperGroup):
    """Takes the words after the group's name for those of `add`, unless they begin with another command."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """The words with `add` before them where no command was named."""
        if args and args[0] not in self.commands and not args[0].startswith("-") and not self._is_slip(
            args[0]
        ):
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def _is_slip(self, word: str) -> bool:
        """Whether a word is a command that was misspelt, and no folder."""
        near = difflib.get_close_matches(word, list(self.commands), 1, 0.7)
        return bool(near) and not Path(word).expanduser().exists()
