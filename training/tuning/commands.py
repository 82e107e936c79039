"""What the command lines of the scripts here have alike."""

from __future__ import annotations

import argparse
from pathlib import Path

from training.handwriting import fonts


def described(prog: str, words: str | None) -> argparse.ArgumentParser:
    """A parser that its module's docstring explains: `words`, as they stand below its first line."""
    summary, _, example = (words or "").partition("\n")
    return argparse.ArgumentParser(
        prog=prog, description=summary, epilog=example, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def drawing(lines: argparse.ArgumentParser, count: int) -> None:
    """What a command that draws rows is told: the boards' names, `count` rows where nothing else is said, and
    the fonts."""
    lines.add_argument("--names", type=Path, nargs="+", required=True,
                       help="one JSON list of regions for each board")
    lines.add_argument("--count", type=int, default=count)
    lines.add_argument("--cache", type=Path, default=fonts.default_cache())
