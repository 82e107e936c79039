"""A board typed into our own tables, as a spreadsheet saves them: commas, semicolons or tabs, UTF-8 or
UTF-16."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

import maps
from maps.importers import text as map_import_text
from maps.importers import write
from maps.importers.draft import DraftPower, ImportReport
from maps.importers.write import BORDERS, HEADING, NAMES, PROVINCES, RULINGS, SETUP, WORDING

_NEEDED = (PROVINCES, BORDERS)
_BLANK = {SETUP: "power,unit,region\n", NAMES: "text,region,spelling,ambiguous\n"}
_ALONG = (WORDING, RULINGS, "LICENCE.txt", "partition.geojson", "placing-a3.json", "placing-a4.json")
_BETWEEN = ",;\t"


def read(folder: Path, like: str, troubles: ImportReport) -> dict[str, str | bytes]:
    """Every file of the board by its name: the tables row for row, so that a fault's row is that of the
    source. Without a heading of its own it gets that of the board `like`, its wording and its house rules
    too, with the powers of `setup.csv` where they are others."""
    files: dict[str, str | bytes] = {}
    for name in (*_NEEDED, *_BLANK):
        if name in _NEEDED or (folder / name).exists():
            files[name] = _table(folder / name, troubles)
        else:
            files[name] = _BLANK[name]
            troubles.note(name, 0, "the file is missing, and is written with its heading alone")
    if (folder / HEADING).exists():
        files[HEADING] = "\n".join(map_import_text.lines(folder / HEADING, troubles) or [""]) + "\n"
    else:
        files[HEADING] = _heading(
            folder, {name: str(files[name]) for name in (SETUP, PROVINCES, BORDERS)}, like
        )
        files |= write.wording(like)
        troubles.note(HEADING, 0, (f"the file is missing; calendar, units and rules are those of {like}: "
                                   f"look them over"))
    for name in _ALONG:
        if (folder / name).is_file() and (data := map_import_text.raw(folder / name, troubles)) is not None:
            files[name] = data
    return files


def _table(path: Path, troubles: ImportReport) -> str:
    """The table with commas, one line a line; a column's heading in small letters."""
    source_lines = map_import_text.lines(path, troubles)
    if not source_lines:
        return ""
    between = max(_BETWEEN, key=source_lines[0].count)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, line in enumerate(source_lines):
        try:
            cells = next(csv.reader([line], delimiter=between, strict=True), [])
        except csv.Error as error:
            troubles.fault(path.name, number + 1, f"the line cannot be parted into cells ({error})")
            continue
        if number == 0:
            cells = [cell.strip().lower() for cell in cells]
        if cells:
            writer.writerow(cells)
        else:
            text.write("\n")
    return text.getvalue()


def _heading(folder: Path, tables: Mapping[str, str], like: str) -> str:
    powers = list(dict.fromkeys(power for power in _column(tables[SETUP], "power") if power))
    known = maps.load(like).powers
    seats = (
        tuple(DraftPower(power, power) for power in powers)
        if powers and not set(powers) <= set(known)
        else ()
    )
    centres, one_way = (
        _column(tables[table], name).count("yes")
        for table, name in ((PROVINCES, "centre"), (BORDERS, "one_way"))
    )
    top = {"title": folder.resolve().name.replace("_", " ").title(), "note": "Typed in from tables."}
    return write.heading(
        like, seats, top | ({"victory": centres // 2 + 1} if seats else {}),
        counts={"one_way": one_way} if one_way else {})


def _column(table: str, name: str) -> list[str]:
    return [(row.get(name) or "").strip() for row in csv.DictReader(io.StringIO(table))]
