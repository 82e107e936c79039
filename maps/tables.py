"""The four CSV tables of a board, row by row, with every fault located."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from maps.board_text import board_text
from maps.faults import Faults


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
            faults.add(file, 1, f"the column {name!r} stands twice")
    return not missing and len(set(heading)) == len(heading)
