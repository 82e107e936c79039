"""A board typed into our own tables, as a spreadsheet saves them: commas, semicolons or tabs, UTF-8 or
UTF-16."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from maps.importers.board_files import (
    BORDERS,
    HEADING,
    NAMES,
    PROVINCES,
    RULINGS,
    SETUP,
    WORDING,
    ModelBoard,
    heading_text,
)
from maps.importers.draft import DraftPower, ImportReport
from maps.importers.source import SourceFiles, file_bytes, file_lines

_NEEDED = (PROVINCES, BORDERS)
_EMPTY = {SETUP: "power,unit,region\n", NAMES: "text,region,spelling,ambiguous\n"}
_COPIED = (WORDING, RULINGS, "LICENCE.txt", "partition.geojson", "placing-a3.json", "placing-a4.json")
_SEPARATORS = ",;\t"


def read(files: SourceFiles, title: str, model: ModelBoard | None,
         report: ImportReport) -> dict[str, str | bytes]:
    """Every file of the board by its name; tables row for row, so that a fault's row is that of the source.

    Without a heading of its own the board gets the heading, the wording and the house rules of `model`, with
    the powers of `setup.csv` where they are others, and `title`. `model` may be None only next to a heading.
    """
    tables = {name: _table(files, name, report)
              for name in (*_NEEDED, *_EMPTY) if name in _NEEDED or name in files}
    board: dict[str, str | bytes] = {**tables}
    for name, empty in _EMPTY.items():
        if name not in tables:
            board[name] = tables[name] = empty
            report.note(name, 0, "the file is missing, and is written with only its heading")
    if HEADING in files:
        # Through `file_lines`, because an editor may have saved it as UTF-16.
        board[HEADING] = "\n".join(file_lines(files, HEADING, report) or [""]) + "\n"
    else:
        assert model is not None
        board[HEADING] = _heading(tables, title, model)
        board |= model.wording
        report.note(HEADING, 0, (f"the file is missing; calendar, units and rules are those of {model.slug}: "
                                 "look them over"))
    for name in _COPIED:
        if name in files and (data := file_bytes(files, name, report)) is not None:
            board[name] = data
    return board


def _table(files: SourceFiles, name: str, report: ImportReport) -> str:
    """The table with commas, one line a line; a column's heading in lower case."""
    source_lines = file_lines(files, name, report)
    if not source_lines:
        return ""
    # The heading shows it: a spreadsheet saves semicolons where the comma is the decimal sign, and tabs as
    # Unicode text.
    separator = max(_SEPARATORS, key=source_lines[0].count)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, line in enumerate(source_lines, start=1):
        try:
            # Line by line: a quotation mark that is never closed would swallow the rest of the table.
            cells = next(csv.reader([line], delimiter=separator, strict=True), [])
        except csv.Error as error:
            report.fault(name, number, f"the line cannot be parted into cells ({error})")
            continue
        if number == 1:
            cells = [cell.strip().lower() for cell in cells]
        if cells:
            writer.writerow(cells)
        else:
            # An empty line stays one, so that a fault's row is that of the source.
            text.write("\n")
    return text.getvalue()


def _heading(tables: Mapping[str, str], title: str, model: ModelBoard) -> str:
    powers = list(dict.fromkeys(power for power in _column(tables[SETUP], "power") if power))
    known = {power["id"] for power in model.heading["powers"]}
    are_others = bool(powers) and not set(powers) <= known
    seats = tuple(DraftPower(power, power) for power in powers) if are_others else ()
    centres = _column(tables[PROVINCES], "centre").count("yes")
    one_way = _column(tables[BORDERS], "one_way").count("yes")
    top: dict[str, object] = {"title": title, "note": "Typed in from tables."}
    if seats:
        # More than half, as on the classic board; the model's number belongs to the model's centres.
        top["victory"] = centres // 2 + 1
    return heading_text(model, seats, top, counts={"one_way": one_way} if one_way else {})


def _column(table: str, name: str) -> list[str]:
    return [(row.get(name) or "").strip() for row in csv.DictReader(io.StringIO(table))]
