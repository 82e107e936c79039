"""What stands on a photograph, as one entry of truth.json: the shape the scorer reads, with boxes added."""

from __future__ import annotations

from typing import Any

import numpy as np

from training.handwriting.draw import DrawnLine, DrawnPage
from training.handwriting.ink import Extent, plain
from training.handwriting.sheet import PX_PER_MM, SheetStyle, WrittenLineKind
from training.photographs.one_sheet import Shot
from training.sheets.order_meaning import meaning


def entry(sheet: SheetStyle, page: DrawnPage, shot: Shot, file: str) -> dict[str, Any]:
    """One object of `sheets[]`. `boxes` has four corners a row, in pixels of the photograph as shown."""
    look = sheet.look
    rows, columns = shot.colour.shape[:2]
    return {
        "id": sheet.name,
        "file": file,
        "power": sheet.power,
        "phase": sheet.phase,
        "style": {"source": "font", "font": look.hand, "tidy": look.tidy},
        "paper": look.paper.value,
        "ink": look.ink.value,
        "pen_px": round(look.size * PX_PER_MM / 17, 1),
        "rows": sum(len(written.rows) for written in page.written),
        "photo": [columns, rows],
        "rotation_deg": look.turn,
        "hard": look.gloom,
        "jpeg_quality": look.quality,
        "exif_orientation": look.orientation,
        "exif_gps": look.gps,
        "lines": [_line(written, shot) for written in page.written],
    }


def _line(written: DrawnLine, shot: Shot) -> dict[str, Any]:
    line = written.line
    facts: dict[str, Any] = {"text": plain(line.markup), "kind": line.kind.value, "struck": line.struck}
    if line.kind is WrittenLineKind.ORDER and line.order is not None:
        facts["order"] = line.order
        facts |= _meant(line.order)
    facts["rows"] = list(written.rows)
    facts["boxes"] = [_corners(extent, shot) for extent in written.extents]
    return facts


def _meant(order: str) -> dict[str, Any]:
    """The order taken apart; nothing for one of a form that a single game has for itself."""
    try:
        return {"meaning": meaning(order)}
    except ValueError:
        return {}


def _corners(extent: Extent, shot: Shot) -> list[list[int]]:
    box = np.array(
        [
            [extent.left, extent.top],
            [extent.right, extent.top],
            [extent.right, extent.bottom],
            [extent.left, extent.bottom],
        ]
    )
    return [[round(float(x)), round(float(y))] for x, y in shot.place(box)]
