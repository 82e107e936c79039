"""What is written on a photograph, as one entry of truth.json: as the scorer reads it, with boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from training.handwriting.draw import DrawnLine, DrawnPage
from training.handwriting.ink import Extent, plain
from training.handwriting.sheet import PX_PER_MM, SheetStyle, WrittenLineKind
from training.photographs.camera import LeafPlace, Photograph
from training.sheets.order_meaning import is_common_order, meaning


def entry(sheet: SheetStyle, page: DrawnPage, photo: Photograph, file: str) -> dict[str, Any]:
    """One object of `sheets[]`: whose sheet it is, how it was made, and its lines from top to bottom."""
    look = sheet.look
    rows, columns = photo.colour.shape[:2]
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
        "lines": [line_entry(written, photo.leaves[0]) for written in page.written],
    }


def line_entry(written: DrawnLine, leaf: LeafPlace) -> dict[str, Any]:
    """One object of `lines[]`. `boxes` has four corners a row, in pixels of the photograph as shown; `as_` is
    what a misspelt line means."""
    line = written.line
    facts: dict[str, Any] = {"text": plain(line.markup), "kind": line.kind.value, "struck": line.struck}
    if line.kind is WrittenLineKind.ORDER and line.order is not None:
        facts["order"] = line.order
        if is_common_order(line.order):  # an order that only one game has is compared as text
            facts["meaning"] = meaning(line.order)
    if line.want is not None:
        facts["want"] = line.want
    if line.trap is not None:
        facts["trap"] = line.trap
    if line.meant is not None:
        facts["as_"] = line.meant
    facts["rows"] = list(written.rows)
    facts["boxes"] = [_corners(extent, leaf) for extent in written.extents]
    return facts


def _corners(extent: Extent, leaf: LeafPlace) -> list[list[int]]:
    left, top, right, bottom = extent.left, extent.top, extent.right, extent.bottom
    box = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    return [[round(float(x)), round(float(y))] for x, y in leaf.to_photograph(box)]
