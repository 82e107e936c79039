"""Arguments that the command lines here share."""

from __future__ import annotations

import argparse
from pathlib import Path

from training.handwriting import fonts


def described(prog: str, words: str | None) -> argparse.ArgumentParser:
    """A parser explained by its module's docstring, `words`: the first line, and the rest as an example."""
    summary, _, example = (words or "").partition("\n")
    return argparse.ArgumentParser(
        prog=prog, description=summary, epilog=example, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def drawing(lines: argparse.ArgumentParser, count: int | None) -> None:
    """Add the arguments of a command that draws rows: the boards' names, the number of rows (`count` by
    default) and the fonts' folder."""
    lines.add_argument("--names", type=Path, nargs="+", default=[],
                       help="one JSON list of regions for each board")
    lines.add_argument("--count", type=int, default=count)
    lines.add_argument("--cache", type=Path, default=fonts.default_cache())
