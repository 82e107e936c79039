"""The placement of a board's names, computed once and shipped next to the board as `placing-a3.json` and
`placing-a4.json`.

Computing it takes seconds, and no one who requests a map should wait for that. A file shows which board it
was made from. A file made from another board, or on a machine whose type has other widths, is reported as out
of date and not used: the names are placed again, which gives the same map, only later. Made by `python -m
service.pictures.board.place_names`. """

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from maps.geometry import Shape
from maps.variant import Variant
from service.pictures.board import inset
from service.pictures.board.base_map import BaseMap, drawn_names
from service.pictures.board.inset import Inset
from service.pictures.board.map_sheet import MapPlan, plan_map
from service.pictures.drawing.name_variants import extent
from service.pictures.drawing.shapes import MapPaper, lay_out_map
from service.pictures.drawing.values import KINGDOM, OFF_BOARD, Label, NameVariant, PaperSize, Rect

COMMAND = "python -m service.pictures.board.place_names"
TYPE_MM = 0.01
"""By so much a name may be wider or higher than it was when it was placed."""

log = logging.getLogger(__name__)


class PlacementOutdated(Exception):
    """A file of placing that is not of this board; the sentence shows what differs."""


def placement_file(folder: Path, paper: PaperSize) -> Path:
    """Where a board's placing on a paper is stored."""
    return folder / f"placing-{paper.name.lower()}.json"


def board_digest(variant: Variant, shapes: Mapping[str, Shape], paper: PaperSize) -> str:
    """A digest of all that the placing depends on: paper, shapes, names, marks, and the room that title and
    legend take."""
    content = [
        asdict(paper),
        variant.title,
        variant.middle,
        len(variant.powers),
        sorted((variant.capitals or {}).items()),
        [(name, shape.polygons) for name, shape in shapes.items()],
        [
            (
                province.id,
                province.name,
                province.abbr,
                province.terrain,
                province.centre,
                province.area,
                province.role,
            )
            for province in variant.board.provinces.values()
        ],
    ]
    marked = sorted(province.id for province in variant.board.provinces.values() if KINGDOM in province.marks)
    # Added only where a board has them, so that the digests of boards without them stay valid.
    content += [marked] if marked else []
    boxes = sorted(province.id for province in variant.board.provinces.values()
                   if OFF_BOARD in province.marks)
    content += [["boxes", *boxes]] if boxes else []
    content += ["open east", variant.strip] if variant.open_east else []
    homes = sorted((name, shape.name_at) for name, shape in shapes.items() if shape.name_at is not None)
    content += [homes] if homes else []
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def placement_text(variant: Variant, shapes: Mapping[str, Shape], plan: MapPlan, paper: PaperSize) -> str:
    """A plan as the text of its file."""
    content = {
        "made_by": f"{COMMAND} {variant.slug}",
        "board": variant.slug,
        "paper": paper.name,
        "of": board_digest(variant, shapes, paper),
        "pieces": {name: _corners(box) for name, box in plan.pieces.items()},
        "labels": [_label_json(label) for label in plan.labels],
        "below": plan.base.below,
        "lines": plan.base.lines,
        "insets": [
            {
                "window": _corners(map_inset.window),
                "box": _corners(map_inset.box),
                "labels": [_label_json(name) for name in map_inset.labels],
                "below": map_inset.base.below,
                "lines": map_inset.base.lines,
            }
            for map_inset in plan.insets
        ],
    }
    return json.dumps(content, ensure_ascii=False, indent=0) + "\n"


def read_placement(text: str, variant: Variant, shapes: Mapping[str, Shape], paper: PaperSize) -> MapPlan:
    """The plan in a file. Raises PlacementOutdated where it is not of this board and paper, or type is wider
    here."""
    try:
        content = json.loads(text)
        digest = content["of"]
    except (ValueError, KeyError, TypeError) as fault:
        raise PlacementOutdated("it cannot be read") from fault
    if digest != board_digest(variant, shapes, paper):
        raise PlacementOutdated("board or paper have changed since it was made")
    sheet = lay_out_map(variant, shapes, paper)
    labels = _labels(content["labels"])
    insets = tuple(_read_inset(saved, sheet) for saved in content["insets"])
    # Another version of a font has other widths, and names placed by one would overlap in the other.
    _check_type_widths([*labels, *(name for map_inset in insets for name in map_inset.labels)])
    base = BaseMap(content["below"], content["lines"], drawn_names(sheet, labels))
    return MapPlan(sheet, labels, {name: Rect(*box) for name, box in content["pieces"].items()}, base, insets)


def plan_from(folder: Path, variant: Variant, shapes: Mapping[str, Shape], paper: PaperSize) -> MapPlan:
    """The plan kept in a board's folder, or one worked out now where none is stored or what is stored is out
    of date; the log shows which file that was. Raises NoShapes."""
    path = placement_file(folder, paper)
    if path.exists():
        try:
            return read_placement(path.read_text(encoding="utf-8"), variant, shapes, paper)
        except PlacementOutdated as fault:
            log.warning(("%s is not used (%s); its names are placed again, which takes seconds. Make it "
                         "again: %s %s"),
                        path, fault, COMMAND, variant.slug)
    return plan_map(variant, shapes, paper)


def _check_type_widths(labels: Sequence[Label]) -> None:
    for label in labels:
        width, height = extent(label.wording)
        if abs(width - label.box.width) > TYPE_MM or abs(height - label.box.height) > TYPE_MM:
            raise PlacementOutdated(f"type is of another size on this machine: "
                                    f"{' '.join(label.wording.lines)}")


def _corners(box: Rect) -> list[float]:
    return [box.x0, box.y0, box.x1, box.y1]


def _label_json(label: Label) -> dict[str, Any]:
    return {
        "region": label.region,
        **asdict(label.wording),
        "box": _corners(label.box),
        "leader": label.leader,
    }


def _labels(rows: Sequence[Mapping[str, Any]]) -> tuple[Label, ...]:
    return tuple(_read_label(row) for row in rows)


def _read_label(row: Mapping[str, Any]) -> Label:
    wording = NameVariant(
        tuple(row["lines"]),
        row["face"],
        row["size"],
        row["spacing"],
        row["cost"],
        row["upright"],
        row["short"],
    )
    ends = row["leader"]
    leader = None if ends is None else ((ends[0][0], ends[0][1]), (ends[1][0], ends[1][1]))
    return Label(row["region"], wording, Rect(*row["box"]), leader)


def _read_inset(content: Mapping[str, Any], sheet: MapPaper) -> Inset:
    window, labels = Rect(*content["window"]), _labels(content["labels"])
    detail = inset.enlarged(sheet, window)
    base = BaseMap(content["below"], content["lines"], drawn_names(detail, labels))
    return Inset(window, Rect(*content["box"]), detail, labels, base)
