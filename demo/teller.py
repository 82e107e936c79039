"""What the demo prints: plain lines, and one moving line where a terminal shows it."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import RLock
from typing import TextIO

WIDEST = 100
"""Columns of the longest line; a narrower terminal gets shorter ones."""

QUIET_SECONDS = 4.0
"""Seconds without a line after which one is printed where no line can move."""

_CLEAR = "\r\x1b[K"
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


class AudienceGone(Exception):
    """No one reads the output any more."""


class Teller:
    """Prints the story. Safe to share between threads."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        is_terminal = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._moves = is_terminal
        # https://no-color.org: any value that is not empty.
        self._colours = is_terminal and not os.environ.get("NO_COLOR")
        self._moving = False
        self._printed_at = time.monotonic()
        self._lock = RLock()
        self._copy: Path | None = None
        self._before: list[str] = []

    @property
    def width(self) -> int:
        """Columns that a line may have."""
        return max(30, min(WIDEST, shutil.get_terminal_size((WIDEST + 1, 24)).columns - 1))

    def copy_to(self, path: Path) -> None:
        """Keep a copy of everything that is printed in a file, what was printed before too."""
        with self._lock:
            self._copy = path
            path.write_text("".join(self._before), encoding="utf-8")

    def say(self, text: str = "", *, indent: int = 0, hang: int = 0) -> None:
        """Print a sentence, wrapped; further lines stand `hang` columns to the right of its first."""
        head = " " * indent
        # Addresses and paths are never broken: they are copied.
        rows = textwrap.wrap(text, self.width, initial_indent=head, subsequent_indent=head + " " * hang,
                             break_long_words=False, break_on_hyphens=False)
        self._print(rows or [""])

    def title(self, text: str) -> None:
        """Print the name of a part, after an empty line."""
        self._print(["", *textwrap.wrap(text, self.width, subsequent_indent="  ")], style=_BOLD)

    def quote(self, lines: Iterable[str]) -> None:
        """Print lines of another person's text as they are, cut at the width."""
        rows = [f"    | {line}".rstrip() for line in lines]
        self._print([row if len(row) <= self.width else row[: self.width - 1] + "…" for row in rows],
                    style=_DIM)

    def link(self, label: str, where: str) -> None:
        """Print an address or path under its name; on its own line where both do not fit."""
        row = f"  {label:<12}{where}"
        self._print([row] if len(row) <= self.width else [f"  {label}", f"    {where}"])

    def move(self, text: str) -> None:
        """Say what goes on now: as the moving line, or every few seconds as a plain one."""
        with self._lock:
            if self._moves:
                shown = text if len(text) < self.width else text[: self.width - 2] + "…"
                self._write(_CLEAR + (f"{_DIM}{shown}{_PLAIN}" if self._colours else shown))
                self._moving = True
            elif time.monotonic() - self._printed_at >= QUIET_SECONDS:
                self.say(text, indent=2)

    def clear(self) -> None:
        """Take the moving line away."""
        with self._lock:
            if self._moving:
                self._moving = False
                self._write(_CLEAR)

    def _print(self, rows: Sequence[str], style: str = "") -> None:
        with self._lock:
            text = "".join(f"{row}\n" for row in rows)
            clear = _CLEAR if self._moving else ""
            self._moving = False
            self._write(clear + (f"{style}{text}{_PLAIN}" if style and self._colours else text))
            self._printed_at = time.monotonic()
            if self._copy is None:
                self._before.append(text)
            else:
                with self._copy.open("a", encoding="utf-8") as copy:
                    copy.write(text)

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except BrokenPipeError as error:
            raise AudienceGone from error
