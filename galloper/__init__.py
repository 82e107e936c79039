"""Galloper for programmers: judge a position, play a game, parse orders, read a sheet, draw a map.

    >>> import galloper
    >>> game = galloper.Game("standard")
    >>> game.set_orders("France", [{"order": "move", "type": "A", "loc": "PAR", "to": "BUR"}])
    (<Order FRANCE: A Paris - Burgundy>,)
    >>> game.judge()
    <Resolution: 1 of 1 orders succeed, then Autumn 1901 Movement>

Boards, positions, orders in JSON, judging, games and saved games, also those of other programs, need the
standard library only.
`parse_order` and orders as text, `read_sheet` and `draw_map` import their libraries on first use, and say in
a sentence which package is missing. docs/api.md has an example of each call, and the promise of what stays.

A facade over Galloper's other packages: none of them imports it.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version as _installed

from galloper.own_names import keep_apart

# Before any module of ours that imports another package.
keep_apart()

from galloper.boards import Board, Province, add_boards, boards, load_board
from galloper.drawing import draw_map
from galloper.errors import (
    BoardError,
    DrawingError,
    FormatError,
    GalloperError,
    GameOverError,
    LotsError,
    MissingLibraryError,
    OrderError,
    PositionError,
    SavedGameError,
    SheetError,
)
from galloper.games import Game
from galloper.orders import Order
from galloper.other_formats import ExportedGame, ImportedGame, ImportedPhase, export_game, import_games
from galloper.parsing import parse_order, parse_orders
from galloper.played_phase import Difference, PlayedPhase
from galloper.positions import (
    LegalOrder,
    OrderLike,
    Outcome,
    Phase,
    PhaseKind,
    Position,
    Resolution,
    Result,
    SheetLike,
)
from galloper.sheets import Sheet, SheetLine, read_sheet
from galloper.units import Dislodgement, Unit

try:
    __version__ = _installed("galloper")
except PackageNotFoundError:
    __version__ = "unknown"
"""The version that is installed; "unknown" where the packages lie in a folder."""

__all__ = [
    "Board",
    "BoardError",
    "Difference",
    "Dislodgement",
    "DrawingError",
    "ExportedGame",
    "FormatError",
    "GalloperError",
    "Game",
    "GameOverError",
    "ImportedGame",
    "ImportedPhase",
    "LegalOrder",
    "LotsError",
    "MissingLibraryError",
    "Order",
    "OrderError",
    "OrderLike",
    "Outcome",
    "Phase",
    "PhaseKind",
    "PlayedPhase",
    "Position",
    "PositionError",
    "Province",
    "Resolution",
    "Result",
    "SavedGameError",
    "Sheet",
    "SheetError",
    "SheetLike",
    "SheetLine",
    "Unit",
    "__version__",
    "add_boards",
    "boards",
    "draw_map",
    "export_game",
    "import_games",
    "load_board",
    "parse_order",
    "parse_orders",
    "read_sheet",
]
