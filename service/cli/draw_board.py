"""`galloper map draw`: a board with the control of its opening position, as SVG, PNG or PDF."""

from __future__ import annotations

import sys
from pathlib import Path

import maps
from maps.variant import Variant
from service.cli.program.faults import file_sentence
from service.cli.program.results import print_result
from service.pictures import board_pdf, board_svg, to_png

PNG_WIDTH = 3000
"""Pixels across; about 250 to the inch on A3."""

KINDS = (".svg", ".png", ".pdf")


def run_draw(variant: Variant, output: Path, *, as_json: bool = False, quiet: bool = False) -> int:
    """Write the map to `output`, in the form its ending names. Exit code 0, or 1 with one sentence on
    standard error."""
    fault = _refusal(variant, output)
    if not fault:
        try:
            output.write_bytes(_drawing(variant, output.suffix.lower()))
        except OSError as error:
            fault = file_sentence(error, output)
    if fault:
        print(f"galloper: {fault}", file=sys.stderr)
        return 1
    print_result(sys.stdout, str(output), {"file": str(output)}, as_json=as_json, quiet=quiet)
    return 0


def _refusal(variant: Variant, output: Path) -> str:
    if output.suffix.lower() not in KINDS:
        return f"{output} must end in .svg, .png or .pdf, the format of the picture."
    # A board may be tables alone: it can be played and judged without a drawing.
    if not maps.shapes(variant.slug):
        return (f"The board {variant.slug} has no drawn shapes, so no map can be drawn. `galloper map "
                "sketch FOLDER` draws a sketch from its tables.")
    return ""


def _drawing(variant: Variant, kind: str) -> bytes:
    phase, centres = variant.start.phase, variant.start.centres
    subtitle = f"in {phase.season} {phase.year}"
    if kind == ".pdf":
        return board_pdf(variant, centres, variant.title, subtitle)
    picture = board_svg(variant, centres, variant.title, subtitle)
    return picture.encode() if kind == ".svg" else to_png(picture, PNG_WIDTH)
