"""The processing steps of a sheet, with their settings and results."""

from __future__ import annotations

from collections.abc import Sequence

from ocr.engines import Engine, RowFinder
from ocr.image.find_sheet import FlattenedSheet, photo_points
from ocr.image.geometry import upright_frame
from ocr.image.quality import Quality
from ocr.page import Step

EVENED = "divided by the paper's own light"


def processing_steps(
    sheet: FlattenedSheet, rule_pixels: int, quality: Quality, finder: RowFinder, rows: int,
    engines: Sequence[Engine]
) -> tuple[Step, ...]:
    """The steps of one sheet, in their order.

    `sheet`: as it was read, upright. `rule_pixels`: pixels of printed rules that were removed. `rows`: how
    many were found. `engines`: those that were asked, the one that read every row first.
    """
    height, width = sheet.image.shape[:2]
    # Pixels of the photograph as shown, from the writing's top left clockwise: a person can look there.
    corners = " ".join(f"{x:.0f},{y:.0f}" for x, y in photo_points(sheet, upright_frame(width, height)))
    return (
        Step(
            "squared",
            (("found", int(sheet.is_outlined)), ("width", width), ("height", height), ("corners", corners)),
        ),
        Step("evened", (("by", EVENED),)),
        Step("rules_removed", (("pixels", rule_pixels),)),
        Step("turned", (("degrees", sheet.rotation),)),
        Step("rows", (("finder", finder.name), ("rows", rows))),
        Step("read", (("engines", " ".join(engine.name for engine in engines)),)),
        Step(
            "measured",
            (
                ("light", quality.light),
                ("sharpness", quality.sharpness),
                ("ink", quality.ink),
                ("depth", quality.depth),
                ("softest", quality.softest),
            ),
        ),
    )
