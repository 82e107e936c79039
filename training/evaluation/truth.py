"""What is written on photographed sheets: the `truth.json` next to them, as values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Meaning = Mapping[str, Any]
"""An order taken apart: `order`, `unit` and `target` (`type`, `at`, `coast`), `to`, `to_coast`, `to_type`,
`power`, `count`; parts that an order has not may be missing."""


class NoTruth(Exception):
    """The folder has no usable truth.json; the sentence names the file and what is wrong."""


@dataclass(frozen=True, slots=True)
class TrueLine:
    """One line as its writer meant it. `want` is None, "review", "read" or "snap"; `meant` the line spelt
    right where it is misspelt; `trap` shows what is odd about it ("unknown", "ambiguous", "conditional",
    "negated", ...). `boxes`: the corners of its rows on the photograph, pixels."""

    text: str
    is_order: bool
    struck: bool
    meaning: Meaning | None
    want: str | None
    meant: str | None
    trap: str | None
    boxes: tuple[Sequence[Sequence[float]], ...] = ()


@dataclass(frozen=True, slots=True)
class TrueSheet:
    """One photograph. `manner` is "tidy" or "hasty" where the truth tells, or what else it calls it; `source`
    where its hand is from ("font", "ink": recorded strokes of a person, "neural"), and `hand_style` how that
    person writes ("print", "mixed", "cursive")."""

    file: str
    manner: str | None
    lines: tuple[TrueLine, ...]
    source: str | None = None
    hand_style: str | None = None


@dataclass(frozen=True, slots=True)
class Truth:
    """A folder of photographs. `variant` is the folder of `maps/` whose names are read."""

    folder: Path
    variant: str
    sheets: tuple[TrueSheet, ...]


def load_truth(folder: Path) -> Truth:
    """The truth of a folder. Raises NoTruth."""
    path = folder / "truth.json"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        listed = document["sheets"] if "sheets" in document else document["files"]
        sheets = tuple(sheet_of(sheet) for sheet in listed)
    except OSError as error:
        raise NoTruth(f"{path} cannot be read ({error.strerror}); name a folder of photographs with "
                      f"truth.json") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoTruth(f"{path} is not a list of sheets and lines: {error!r}") from error
    if not sheets:
        raise NoTruth(f"{path} lists no sheet")
    return Truth(folder, str(document.get("variant", "w3k")), sheets)


def groups(sheets: Sequence[TrueSheet]) -> dict[str, tuple[TrueSheet, ...]]:
    """Sheets that figures are informed of together, by name: each manner, each source of hands, each of those
    by manner and by the writers' style, and all. A group of the same sheets as an earlier one is left out."""
    named: dict[str, list[TrueSheet]] = {}
    for sheet in sheets:
        source, manner, style = sheet.source, sheet.manner, sheet.hand_style
        for name in (manner, source, manner and source and f"{source}, {manner}",
                     style and source and f"{source}, {style}"):
            if name:
                named.setdefault(name, []).append(sheet)
    # Manners first, then a source and its parts.
    manners = {sheet.manner for sheet in sheets}
    order = sorted(named, key=lambda name: (name not in manners, name))
    distinct: dict[str, tuple[TrueSheet, ...]] = {}
    for name in order:
        chosen = tuple(named[name])
        if chosen not in distinct.values() and (name in manners or chosen != tuple(sheets)):
            distinct[name] = chosen
    return {**distinct, "all": tuple(sheets)}


def sheet_of(sheet: Mapping[str, Any]) -> TrueSheet:
    """One entry of truth.json."""
    style = sheet.get("style") or {}
    lines = tuple(_line(line) for line in sheet.get("lines") or ())
    return TrueSheet(
        str(sheet["file"]), style.get("manner"), lines, style.get("source"), style.get("hand_style"))


def _line(line: Mapping[str, Any]) -> TrueLine:
    return TrueLine(
        text=str(line["text"]), is_order=line["kind"] == "order", struck=bool(line["struck"]),
        meaning=line.get("meaning"), want=line.get("want"), meant=line.get("as_"), trap=line.get("trap"),
        boxes=tuple(line.get("boxes") or ()),
    )
