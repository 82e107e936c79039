"""What no single row can show: reach, symmetry, figures, and whether heading and tables fit each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from adjudicator.geo import LAND, SEA, Board, Province, Region, Terrain
from adjudicator.units import Unit
from maps.faults import Faults
from maps.provinces import BORDERS, PROVINCES, Borders
from maps.variant_file import FILE, VariantFile

ONE_WAY = "one_way"


@dataclass(frozen=True, slots=True)
class LoadedFolder:
    """All that was read of one folder. `rows` is the line of `provinces.csv` of each province."""

    board: Board
    borders: Borders
    rows: Mapping[str, int]
    heading: VariantFile
    units: frozenset[Unit]


def check_board(folder: LoadedFolder, faults: Faults) -> None:
    """Note every fault of the whole board."""
    _check_reach(folder.board, folder.rows, faults)
    check_symmetry(folder.board, folder.borders, faults)
    _check_counts(folder, faults)
    _check_kinds(folder.board, folder.heading, faults)
    _check_capitals(folder.board, folder.heading, faults)
    for province in folder.board.provinces.values():
        if province.home is not None and province.home not in folder.heading.powers:
            message = f"{province.id} is the home of {province.home!r}, which is not a power"
            faults.add(PROVINCES, folder.rows[province.id], message)


def _check_reach(board: Board, rows: Mapping[str, int], faults: Faults) -> None:
    """Every province, and every coast, is joined to the rest of the board by some movement class."""
    for province in board.provinces.values():
        row = rows[province.id]
        for coast in province.coasts:
            region = Region(province.id, coast.id)
            # Coasts are named for fleets only, so links by land do not count here.
            if not board.neighbours(region, SEA):
                faults.add(PROVINCES, row, f"nothing reaches {region}: no border names it")
        if province.terrain is Terrain.COASTAL and not board.near(province.id, SEA):
            faults.add(PROVINCES, row, f"{province.id} is coastal and no fleet can reach it")
    if board.provinces:
        first = next(iter(board.provinces))
        # Counted from the first province: of a board in two halves the half without it is reported.
        for missing in board.provinces.keys() - _joined_to(first, board):
            faults.add(PROVINCES, rows[missing], f"{missing} cannot be reached from {first} by land or sea")


def _joined_to(first: str, board: Board) -> set[str]:
    """Every province on the same piece of board, whichever way its links lead."""
    joined: defaultdict[str, set[str]] = defaultdict(set)
    for table in board.links.values():
        for region, others in table.items():
            for target in others:
                joined[region.province].add(target.province)
                joined[target.province].add(region.province)
    reached = {first}
    open_ends = [first]
    while open_ends:
        fresh = joined[open_ends.pop()] - reached
        reached |= fresh
        open_ends += fresh
    return reached


def check_symmetry(board: Board, borders: Borders, faults: Faults) -> None:
    """Anyone who can go can come back, except by rows marked one way."""
    one_way_steps = {(a, b) for _, a, b in borders.one_way}
    for movement, table in board.links.items():
        for region, others in table.items():
            for target in others:
                # A one-way border must be stated in its row, for a missing row back looks just like it.
                if region not in table.get(target, frozenset()) and (region, target) not in one_way_steps:
                    faults.add(BORDERS, 0, (f"by {movement} {region} borders {target} and {target} does not "
                                            f"border {region}"))


def _check_counts(folder: LoadedFolder, faults: Faults) -> None:
    """Figures of `[counts]` against the tables; one-way borders are none unless counted there."""
    heading = folder.heading
    actual = _counted(folder)
    # A row that is lost in a table breaks no rule by itself; only the figures show it.
    for name, declared in {ONE_WAY: 0, **heading.counts}.items():
        row = heading.row(f"counts.{name}")
        if name not in actual:
            faults.add(FILE, row, f"counts.{name} is not known; known are {', '.join(actual)}")
        elif actual[name] != declared:
            faults.add(FILE, row, f"counts.{name} is {declared} and the tables have {actual[name]}")
    # No one could ever win.
    if heading.victory > actual["centres"]:
        message = f"victory needs {heading.victory} centres and the board has {actual['centres']}"
        faults.add(FILE, heading.row("victory"), message)


def _counted(folder: LoadedFolder) -> dict[str, int]:
    """The figures a board may state of itself in `[counts]`."""
    provinces = folder.board.provinces.values()
    return {
        "provinces": len(provinces),
        **{kind.value: sum(p.terrain is kind for p in provinces) for kind in Terrain},
        "centres": len(folder.board.centres()),
        "land_borders": _pairs(folder.board, LAND),
        "sea_borders": _pairs(folder.board, SEA),
        "powers": len(folder.heading.powers),
        "units": len(folder.units),
        ONE_WAY: len(folder.borders.one_way),
    }


def _pairs(board: Board, movement: str) -> int:
    table: Mapping[Region, frozenset[Region]] = board.links[movement]
    return len({frozenset({region, target}) for region, others in table.items() for target in others})


def _check_kinds(board: Board, heading: VariantFile, faults: Faults) -> None:
    for kind in heading.kinds.values():
        row = heading.row(f"units.{kind.letter}.moves")
        if not kind.moves:
            faults.add(FILE, row, f"units.{kind.letter}.moves is empty: the unit could never move")
        # A slip in `moves` ("see" for "sea") gives a class that no border has.
        for movement in sorted(kind.moves - board.links.keys()):
            known = ", ".join(board.links)
            faults.add(FILE, row, f"units.{kind.letter}.moves has {movement!r}; borders know {known}")


def _check_capitals(board: Board, heading: VariantFile, faults: Faults) -> None:
    areas = {province.area for province in board.provinces.values() if not province.is_sea}
    for kingdom, capitals in heading.capitals.items():
        row = heading.row(f"capitals.{kingdom}")
        if kingdom not in areas:
            faults.add(FILE, row, f"capitals.{kingdom}: no province lies in that area")
        for name in capitals:
            province: Province | None = board.provinces.get(name)
            # A draw is open to anyone who holds both capitals of some kingdom (DRW-01), and only centres are
            # held.
            if province is None or not province.centre:
                faults.add(FILE, row, f"capitals.{kingdom} names {name!r}, which is not a supply centre")
    for number, power in enumerate(heading.powers.values(), start=1):
        if power.kingdom is not None and power.kingdom not in areas:
            row = heading.row(f"powers[{number}].kingdom")
            faults.add(FILE, row, (f"the power {power.id} belongs to {power.kingdom!r}, where no province "
                                   "lies"))
