"""How a command prints its result: as sentences, as JSON lines, or not at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Annotated, Any, TextIO

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line, instead of text.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print only errors, no progress and no confirmations.")
]


def print_result(
    out: TextIO, sentences: str, data: Mapping[str, Any], *, as_json: bool = False, quiet: bool = False
) -> None:
    """Print what was done: `data` as one JSON object with `as_json`, else `sentences`; with `quiet` the
    sentences are left out."""
    if as_json:
        print(json.dumps(data, ensure_ascii=False), file=out, flush=True)
    elif not quiet:
        print(sentences, file=out, flush=True)


def print_progress(sentence: str, *, quiet: bool = False) -> None:
    """Say on standard error what goes on, unless `quiet`."""
    if not quiet:
        print(sentence, file=sys.stderr, flush=True)


def letters_wait(count: int, noun: str) -> str:
    """The fate of letters that a command wrote; true whether the site is being served or not."""
    if count == 1:
        return f"1 {noun} is written; galloper serve sends it."
    return f"{count} {noun}s are written; galloper serve sends them."
