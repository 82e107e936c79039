"""Standard input and output as they may be: closed, a pipe that ends early, a terminal without UTF-8."""

from __future__ import annotations

import codecs
import io
import os
import shutil
import sys
import textwrap
from typing import TextIO

ESCAPED = "galloper.escaped"
"""The name of our codec error handler."""


def prepare() -> None:
    """Make the three streams usable: a closed one becomes an empty one, and a character that a terminal
    cannot show is written by its number, as JSON writes it."""
    codecs.register_error(ESCAPED, _escape)
    # With `>&-` Python has no stream at all, and every print of a command would fail.
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 open until the end
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ESCAPED)
    if isinstance(sys.stdin, io.TextIOWrapper) and sys.stdin.errors == "surrogateescape":
        # LC_ALL=C lets bytes that are not text pass, and they would be taken for letters.
        sys.stdin.reconfigure(errors="strict")


def _escape(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start:error.end].encode("utf-16-be", "surrogatepass")
    # Pairs of UTF-16, as JSON needs them; `backslashreplace` would write \xe9, which no JSON reader takes.
    words = (int.from_bytes(units[index:index + 2], "big") for index in range(0, len(units), 2))
    return "".join(f"\\u{word:04x}" for word in words), error.end


def finish() -> None:
    """Write out what is still held back. Raises OSError, such as BrokenPipeError."""
    sys.stdout.flush()
    sys.stderr.flush()


def silence() -> None:
    """Send the rest of standard output nowhere: no one reads it any more."""
    # Python flushes at its end, and would report the closed pipe then.
    try:
        empty = os.open(os.devnull, os.O_WRONLY)
        os.dup2(empty, sys.stdout.fileno())
        os.close(empty)
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 open until the end


def fold(line: str, indent: int, out: TextIO) -> str:
    """A line folded to the terminal, later rows indented; unchanged where `out` is not a terminal, since a
    program reads lines."""
    if not out.isatty():
        return line
    columns = shutil.get_terminal_size().columns
    return textwrap.fill(line, max(columns, indent + 20), subsequent_indent=" " * indent,
                         break_long_words=False, break_on_hyphens=False)
