"""`galloper map sketch`: shapes for a board that brings none, made of its tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

import maps
from adjudicator.errors import UserFacingError
from maps.geometry import FILE
from maps.variant import Variant
from service.cli.program.faults import file_sentence
from service.cli.program.results import print_result

_WIDE = 30
"""Characters of the line that shows how far the work is."""
_STEPS = 600
"""About as many steps as a board of 150 provinces takes; only the line of progress uses it."""


class NoLayout(UserFacingError):
    """The package that lays borders flat is not installed."""


def run_sketch(
    folder: Path, north: str, west: str, out: TextIO, *, as_json: bool = False, quiet: bool = False
) -> int:
    """Write the shapes into the board's folder. Exit code 0, or 1 with one sentence on standard error. A
    folder that has shapes is left as it is. Raises MapError for a board with faults."""
    try:
        from service.features.sketch.outlines import sketch_board
        from service.features.sketch.planar import Scattered
    except ImportError as error:
        raise NoLayout("A sketch needs the package networkx, which is not installed. Nothing was written. "
                       "Install it with: pip install 'galloper[sketch]'") from error
    variant, path = maps.load_folder(folder), folder / FILE
    if path.exists():
        return _refuse(f"{folder} has a drawing already, {FILE}, which was not changed. Move that file away "
                       "to make a sketch.")
    try:
        up, left = (_province(variant, name) for name in (north, west))
    except KeyError as error:
        return _refuse(f"{error.args[0]} is not a province of {variant.slug}. Nothing was written.")
    shows = sys.stderr.isatty() and not quiet
    try:
        sketch = sketch_board(variant.board, up, left, _progress if shows else lambda _step: None)
    except Scattered as error:
        rest = ", ".join(variant.board.provinces[each].name for part in error.parts[1:] for each in part)
        return _refuse(f"No sketch can be drawn and nothing was written: no border connects the rest of the "
                       f"board to {rest}. Give each a border, or take it out of the tables.")
    finally:
        if shows:
            print("\r" + " " * (_WIDE + 12), end="\r", file=sys.stderr)
    try:
        path.write_text(sketch.geojson(), encoding="utf-8")
    except OSError as error:
        return _refuse(file_sentence(error, path))
    names = {province.id: province.name for province in variant.board.provinces.values()}
    left_out = [[names[first], names[second]] for first, second in sketch.left_out]
    print_result(out, str(path), {"file": str(path), "adjacent_without_touching": left_out}, as_json=as_json,
                 quiet=quiet)
    if left_out and not quiet:
        pairs = "; ".join(" and ".join(pair) for pair in left_out)
        print(f"These are adjacent but do not touch on the sketch, which lists them below its border: "
              f"{pairs}.",
              file=sys.stderr)
    return 0


def _province(variant: Variant, name: str) -> str:
    """The id of a province by its id or name, in any case; "" for "". Raises KeyError."""
    if not name:
        return ""
    folded = name.casefold()
    for province in variant.board.provinces.values():
        if folded in (province.id.casefold(), province.name.casefold()):
            return province.id
    raise KeyError(name)


def _progress(step: int) -> None:
    done = min(_WIDE, step * _WIDE // _STEPS)
    print(f"\rSketching [{'#' * done}{' ' * (_WIDE - done)}]", end="", file=sys.stderr, flush=True)


def _refuse(sentence: str) -> int:
    print(f"galloper: {sentence}", file=sys.stderr)
    return 1
