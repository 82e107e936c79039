"""Pictures that leave: the map of control, the written results, copies of executed sheets."""

from importlib import import_module
from typing import TYPE_CHECKING

from service.pictures.drawing.embedded_fonts import with_faces
from service.pictures.drawing.fonts import SCRIPT_PACKAGES, missing_letters
from service.pictures.drawing.render import RenderError, to_pdf, to_png, to_pngs
from service.pictures.drawing.values import A3, A4, MapOptions
from service.pictures.paper.order_sheet import (
    BlankSheet,
    FormSheet,
    PaperEnvelope,
    SheetPaper,
    envelopes_pdf,
    filled_sheet_picture,
    form_pdf,
    labels_pdf,
    sheets_pdf,
)
from service.pictures.paper.receipt_picture import BoxedLine, reading_picture
from service.pictures.paper.results_sheet import (
    correction_html,
    correction_pictures,
    results_html,
    results_pdf,
    results_pictures,
)
from service.pictures.paper.sheet_copy import SheetUnusable, page_photograph, sheet_copy, sheet_window

if TYPE_CHECKING:
    from service.pictures.board.map_sheet import MapPlan, NoShapes, draw_map, map_pdf, plan_map
    from service.pictures.board.shipped_maps import board_changes, board_pdf, board_plan, board_png, board_svg
    from service.pictures.history import centre_chart, game_over_pdf

__all__ = [
    "A3",
    "A4",
    "SCRIPT_PACKAGES",
    "BlankSheet",
    "BoxedLine",
    "FormSheet",
    "MapOptions",
    "MapPlan",
    "NoShapes",
    "PaperEnvelope",
    "RenderError",
    "SheetPaper",
    "SheetUnusable",
    "board_changes",
    "board_pdf",
    "board_plan",
    "board_png",
    "board_svg",
    "centre_chart",
    "correction_html",
    "correction_pictures",
    "draw_map",
    "envelopes_pdf",
    "filled_sheet_picture",
    "form_pdf",
    "game_over_pdf",
    "labels_pdf",
    "map_pdf",
    "missing_letters",
    "page_photograph",
    "plan_map",
    "reading_picture",
    "results_html",
    "results_pdf",
    "results_pictures",
    "sheet_copy",
    "sheet_window",
    "sheets_pdf",
    "to_pdf",
    "to_png",
    "to_pngs",
    "with_faces",
]  # fmt: skip

_MODULES = {
    **dict.fromkeys(("MapPlan", "NoShapes", "draw_map", "map_pdf", "plan_map"), "board.map_sheet"),
    **dict.fromkeys(("board_changes", "board_pdf", "board_plan", "board_png", "board_svg"),
                    "board.shipped_maps"),
    **dict.fromkeys(("centre_chart", "game_over_pdf"), "history"),
}


def __getattr__(name: str) -> object:
    # What draws boards needs shapely and 4 MB, and an idle site draws none.
    if name not in _MODULES:
        raise AttributeError(name)
    return getattr(import_module(f"service.pictures.{_MODULES[name]}"), name)
