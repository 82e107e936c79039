"""Whether the figures of documents are still true (SCA-12): the quick commands that made them run again, and
what drifted is printed.

`figures.toml` in the folder of documents names for each figure its page, its words there,
the command and the day that made it, and the `what` of the line that the command prints.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TextIO

from adjudicator.errors import UserFacingError
from bench.figure import print_line

FILE = "figures.toml"
DRIFT = 1.4
"""A figure has drifted if the new one is more than so many times as large or as small. By hand: the same
program gave up to 1.15 times as much on a busy machine, and 1.3 times for what takes milliseconds (`galloper
bench growth`, three runs)."""
_PROGRAM = "from service.cli.main import main; main()"


class NoFigures(UserFacingError):
    """There is no list of figures, or it is damaged; the sentence names the file."""


@dataclass(frozen=True, slots=True)
class DocumentFigure:
    """A figure of a document. `page`: its file; `words`: how it is there; `command` and `made`: what made
    it, and when; `what` and `value`: of the line that the command printed; `is_quick`: whether the command
    takes minutes and no hours."""

    page: str
    words: str
    command: str
    made: date
    what: str
    value: float
    is_quick: bool = True


def read_figures(folder: Path) -> list[DocumentFigure]:
    """The figures that a folder of documents lists. Raises NoFigures."""
    path = folder / FILE
    try:
        entries = tomllib.loads(path.read_text("utf-8"))["figure"]
        return [DocumentFigure(**entry) for entry in entries]
    except (OSError, KeyError, TypeError, tomllib.TOMLDecodeError) as error:
        raise NoFigures(f"{path} lists no figures ({error}); name the folder of documents.") from error


def compare(folder: Path, out: TextIO, progress: TextIO) -> int:
    """Run each quick command once and print a JSON line for each of its figures; 1 if one drifted or was not
    printed, else 0. Raises NoFigures."""
    figures = [figure for figure in read_figures(folder) if figure.is_quick]
    drifted = 0
    for command in dict.fromkeys(figure.command for figure in figures):
        print(f"{command} ...", file=progress, flush=True)
        values = _values(command)
        for figure in figures:
            if figure.command == command:
                drifted += _print(figure, values.get(figure.what), out)
    return min(drifted, 1)


def _print(figure: DocumentFigure, value: float | None, out: TextIO) -> bool:
    has_drifted = drift_of(figure.value, value) > DRIFT
    print_line(out, what=figure.what, value=value, documented=figure.value, page=figure.page,
               made=figure.made.isoformat(), command=figure.command, drifted=has_drifted)
    return has_drifted


def drift_of(documented: float, value: float | None) -> float:
    """How many times as large or as small a figure is now, 1 or more; without a value it is infinite."""
    if not value or not documented:
        return 1.0 if value == documented else float("inf")
    return max(value / documented, documented / value)


def _values(command: str) -> Mapping[str, float]:
    """What a command prints, by name."""
    lines = _output(shlex.split(command)[1:]).splitlines()
    answers = [json.loads(line) for line in lines if line.startswith("{")]
    return {answer["what"]: answer["value"] for answer in answers if answer.get("value") is not None}


def _output(words: Sequence[str]) -> str:
    command = [sys.executable, "-c", _PROGRAM, *words]
    return subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE,  # noqa: S603 our own
                          stderr=subprocess.DEVNULL).stdout
