"""What was done to a sheet before its lines were read, as steps that are kept with the reading."""

from __future__ import annotations

from collections.abc import Sequence

from ocr.engines import Engine, RowFinder
from ocr.image.find_sheet import FlattenedSheet, photo_points
from ocr.image.geometry import upright_frame
from ocr.image.quality import Quality
from ocr.page import Step

EVENED = "divided by the paper's own light"


def processing_steps(
    sheet: FlattenedSheet, taken: int, quality: Quality, finder: RowFinder, rows: int,
    engines: Sequence[Engine]
) -> tuple[Step, ...]:
    """The steps of one sheet: `sheet` as it was read, upright, and `taken` pixels of printed rules.

    "squared" names the corners that were cut out, in pixels of the photograph as shown, from the writing's
    top left clockwise; "read" the engines that were asked, the one that read every row first.
    """
    high, wide = sheet.image.shape[:2]
    corners = " ".join(f"{x:.0f},{y:.0f}" for x, y in photo_points(sheet, upright_frame(wide, high)))
    return (
        Step(
            "squared",
            (("found", int(sheet.is_outlined)), ("width", wide), ("height", high), ("corners", corners)),
        ),
        Step("evened", (("by", EVENED),)),
        Step("rules_removed", (("pixels", taken),)),
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
