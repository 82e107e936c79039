"""The files of a board: its four CSV tables, row by row, with every fault located; and the text of any of
them.

Boards are handed on from person to person, so a file may be anything."""

from __future__ import annotations

import csv
import json
import stat
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maps.faults import Faults

MOST_BYTES = 16_000_000
"""No file of a board is as large; the largest of the boards that are played has 0.4 MB."""
_TOO_DEEP = "it has brackets within brackets, deeper than any board's"


def board_text(path: Path, encoding: str = "utf-8") -> str:
    """The text of a file. Raises OSError for one that is missing, no plain file, or larger than any
    board's, and UnicodeDecodeError."""
    # A pipe is read for ever, and a device has no end.
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(0, "it is not a regular file", str(path))
    if status.st_size > MOST_BYTES:
        raise OSError(0, f"it has more than {MOST_BYTES:,} bytes, and no board has", str(path))
    return path.read_text(encoding)


def toml_table(text: str) -> dict[str, Any]:
    """The table of a TOML text. Raises tomllib.TOMLDecodeError, also where brackets nest too deep."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError(_TOO_DEEP) from None


def json_value(text: str) -> Any:
    """The value of a JSON text. Raises ValueError, also where brackets nest too deep."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One line of a table: its number in the file and its cells by column, blanks at both ends removed."""

    number: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]


@dataclass(frozen=True, slots=True)
class CsvTable:
    """One CSV file. `rows` holds the lines that have the right number of cells."""

    file: str
    rows: tuple[CsvRow, ...]

    def __iter__(self) -> Iterator[CsvRow]:
        return iter(self.rows)


def read_table(
    folder: Path, file: str, needed: Sequence[str], allowed: Sequence[str], faults: Faults
) -> CsvTable:
    """The table `file` of a board's folder. A missing file or column, an unknown column and a line of the
    wrong length are faults; a column of `allowed` that is absent reads as blank."""
    try:
        # A spreadsheet saves "CSV UTF-8" with a byte order mark in front.
        text = board_text(folder / file, "utf-8-sig")
    except FileNotFoundError:
        faults.add(file, 0, "the file is missing")
        return CsvTable(file, ())
    except UnicodeDecodeError as error:
        row = error.object.count(b"\n", 0, error.start) + 1
        faults.add(file, row, ("the file cannot be read as UTF-8 text (byte "
                               f"{error.object[error.start]:#04x})"))
        return CsvTable(file, ())
    except OSError as error:
        faults.add(file, 0, f"the file cannot be read: {error.strerror}")
        return CsvTable(file, ())
    reader = csv.reader(text.splitlines())
    heading = [name.strip() for name in next(reader, [])]
    if not _heading_is_good(file, heading, needed, allowed, faults):
        return CsvTable(file, ())
    rows: list[CsvRow] = []
    for cells in reader:
        # Spreadsheets leave rows of commas behind.
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(heading):
            faults.add(file, reader.line_num, f"{len(cells)} cells where the heading has {len(heading)}")
            continue
        filled = dict.fromkeys(allowed, "") | dict(
            zip(heading, (cell.strip() for cell in cells), strict=True)
        )
        rows.append(CsvRow(reader.line_num, filled))
    return CsvTable(file, tuple(rows))


def _heading_is_good(
    file: str, heading: Sequence[str], needed: Sequence[str], allowed: Sequence[str], faults: Faults
) -> bool:
    missing = [name for name in needed if name not in heading]
    for name in missing:
        faults.add(file, 1, f"the column {name!r} is missing")
    for name in dict.fromkeys(heading):
        if name not in (*needed, *allowed):
            faults.add(file, 1, (f"the column {name!r} is not known; known are "
                                 f"{', '.join((*needed, *allowed))}"))
        if heading.count(name) > 1:
            faults.add(file, 1, f"the column {name!r} occurs twice")
    return not missing and len(set(heading)) == len(heading)
