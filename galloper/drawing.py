"""Maps of a position. Needs the packages that draw."""

from __future__ import annotations

import importlib
from os import PathLike
from pathlib import Path

from galloper.errors import DrawingError
from galloper.games import Game
from galloper.libraries import needed_for
from galloper.positions import Position

FORMS = ("svg", "png", "pdf")


def draw_map(
    position: Position | Game, path: str | PathLike[str] | None = None, *, form: str | None = None,
    title: str = "", units: bool = True,
) -> bytes:
    """The map of a position: who holds what, and the units. Returns the bytes of the picture, and writes
    them to `path` if there is one.

    `form` is "svg", "png" or "pdf"; without it the ending of `path` decides, and without both it is svg.
    `title`: the board's unless given. `units`: False leaves the units out. Raises DrawingError for another
    form or a board without drawn shapes, MissingLibraryError, and OSError if the file cannot be written.
    """
    shown = position.position if isinstance(position, Game) else position
    # The name of the form, not the type of a file: `path` may be missing, and the bytes are wanted.
    target = None if path is None else Path(path)
    chosen = form or ("svg" if target is None else target.suffix.lower().removeprefix("."))
    if chosen not in FORMS:
        raise DrawingError(f"A map is drawn as {', '.join(FORMS)}, and not as {chosen!r}; the ending of the "
                           f"file's name says which.")
    picture = _drawing(shown, chosen, title or shown.board.title, with_units=units)
    if target is not None:
        target.write_bytes(picture)
    return picture


def _drawing(position: Position, form: str, title: str, *, with_units: bool) -> bytes:
    with needed_for("Drawing a map"):
        from service.pictures import NoShapes, board_pdf, board_png, board_svg

        if form != "svg":
            # It loads system libraries, which may be missing.
            importlib.import_module("weasyprint")
    variant, centres = position.board.inner, position.inner.centres
    subtitle = f"as they were in {position.phase.season} {position.phase.year}"
    units = position.inner.units if with_units else frozenset()
    try:
        if form == "pdf":
            return board_pdf(variant, centres, title, subtitle, units=units)
        if form == "png":
            return board_png(variant, centres, title, subtitle, units=units)
        return board_svg(variant, centres, title, subtitle, units=units).encode()
    except NoShapes as fault:
        raise DrawingError(f"{fault}, so there is no map to draw.") from fault
