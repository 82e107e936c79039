"""The boards that games are played on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from types import MappingProxyType

import maps
from adjudicator.serialize.cases import CaseReader
from galloper.errors import BoardError
from maps.valid_moves import find_regions, valid_moves
from maps.variant import Variant


@dataclass(frozen=True, slots=True)
class Province:
    """One territory of a board.

    `id` is its name in JSON and in the text of units: a code on some boards ("PAR"), the full name on others.
    `name` is the full name, `terrain` "inland", "coastal" or "sea". `centre`: it is a supply centre. `home`
    is the power whose home centre it is. `coasts` are the ids of its coasts where it has several.
    """

    id: str
    name: str
    terrain: str
    centre: bool = False
    home: str | None = None
    coasts: tuple[str, ...] = ()


class Board:
    """A board with its rules: provinces, powers, kinds of units, phases. Get one by `load_board`.

    Boards are equal if they are the same board, and can be copied and pickled.
    """

    __slots__ = ("cases", "inner", "provinces")

    def __init__(self, inner: Variant) -> None:
        self.inner = inner
        self.cases = CaseReader(inner.context(), inner.rules, inner.start.phase.year)
        self.provinces: Mapping[str, Province] = MappingProxyType({
            p.id: Province(p.id, p.name, p.terrain.value, p.centre, p.home, tuple(c.id for c in p.coasts))
            for p in inner.board.provinces.values()
        })

    @property
    def name(self) -> str:
        """The board's name here: "standard"."""
        return self.inner.slug

    @property
    def title(self) -> str:
        """The game's name as printed."""
        return self.inner.title

    @property
    def powers(self) -> tuple[str, ...]:
        """The ids of the powers, as JSON and the text of units have them."""
        return tuple(self.inner.powers)

    @property
    def centres(self) -> tuple[str, ...]:
        """The ids of the supply centres, sorted."""
        return self.inner.board.centres()

    @property
    def unit_kinds(self) -> Mapping[str, str]:
        """The letter of each kind of unit with its name: {"A": "Army", "F": "Fleet"}."""
        return {letter: kind.name for letter, kind in self.inner.kinds.items()}

    @property
    def phases(self) -> tuple[tuple[str, str], ...]:
        """The season and kind of each phase of a year, in playing order: (("Spring", "movement"), ...)."""
        return tuple((season, kind.value) for season, kind in self.inner.calendar.steps)

    def power(self, name: str) -> str:
        """The id of a power by its id, name or any other name of it, in any case. Raises BoardError, which
        names the powers and the nearest of them."""
        # A sheet may call a power by any of its names, so a programmer may too; JSON has only ids.
        names = {
            spelling.casefold(): power.id
            for power in self.inner.powers.values() for spelling in (*power.aliases, power.name, power.id)
        }
        key = name.casefold().strip()
        if key not in names:
            raise BoardError(f"There is no power {name!r} on the board {self.name}{_nearest(key, names)}. "
                             f"The powers are {', '.join(self.powers)}.")
        return names[key]

    def moves(self, place: str, unit_kind: str) -> tuple[str, ...]:
        """The regions that a unit of that kind ("A") may enter in one step from a place, sorted by name.

        `place` is any spelling of a province, with a coast as "Spain/North Coast" if one is wanted. Empty if
        such a unit cannot be there. Raises BoardError for an unknown place or kind.
        """
        regions = find_regions(self.inner, place)
        if not regions:
            names = {province.name.casefold(): province.name for province in self.provinces.values()}
            raise BoardError(f"There is no place {place!r} on the board {self.name}"
                             f"{_nearest(place.casefold(), names)}.")
        if unit_kind not in self.inner.kinds:
            raise BoardError(f"There is no kind of unit {unit_kind!r} on the board {self.name}; its kinds "
                             f"are {', '.join(self.inner.kinds)}.")
        # A fleet on a province of two coasts has a list for each, and both may lead to the same sea.
        moves = [moves for moves in valid_moves(self.inner, regions[0]) if moves.kind == unit_kind]
        return tuple(dict.fromkeys(str(region) for move in moves for region in move.to))

    def __eq__(self, other: object) -> bool:
        # A board is read once a process, so that equal boards are one object and no table need be compared.
        return isinstance(other, Board) and self.inner is other.inner

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"Board({self.name!r})"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        # By name: a pickle with tables in it would judge by the tables of the day it was written.
        return load_board, (self.name,)


def boards() -> tuple[str, ...]:
    """The names of all boards, sorted: those of Galloper and those of folders that `add_boards` named."""
    return maps.variants()


def load_board(name: str) -> Board:
    """A board by its name. It is read once. Raises BoardError if there is no board of that name, or if its
    tables have faults."""
    return _loaded(name)


# What it raises is not kept, so that a board may be named before `add_boards` brings it.
@cache
def _loaded(name: str) -> Board:
    if name not in maps.variants():
        known = {board.casefold(): board for board in boards()}
        raise BoardError(f"There is no board {name!r}{_nearest(name.casefold(), known)}. "
                         f"The boards are {', '.join(boards())}.")
    try:
        return Board(maps.load(name))
    except maps.MapError as fault:
        raise BoardError(str(fault)) from fault


def add_boards(folder: str | PathLike[str]) -> None:
    """Add the boards in a folder of your own (docs/boards.md), each in its own folder. Adding a folder
    twice changes nothing. Raises BoardError if there is no such folder, or if a name is taken."""
    try:
        maps.add_folder(Path(folder))
    except maps.MapError as fault:
        raise BoardError(str(fault)) from fault


def as_board(board: str | Board) -> Board:
    """The board itself, or the board of that name. Raises BoardError."""
    return load_board(board) if isinstance(board, str) else board


def _nearest(key: str, names: Mapping[str, str] | Iterable[str]) -> str:
    table = names if isinstance(names, Mapping) else {name: name for name in names}
    near = difflib.get_close_matches(key, table, 1)
    return f"; the nearest is {table[near[0]]}" if near else ""
