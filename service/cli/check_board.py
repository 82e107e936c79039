"""`galloper map check` and `galloper map moves`: a board's faults and its valid moves, as text or JSON
lines."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TextIO

import maps
from adjudicator.geo import LAND, SEA, Board, Province, Region, Terrain
from maps.geometry import FILE
from maps.names import suggestions
from maps.valid_moves import ValidMoves, find_regions, valid_moves
from service.cli.program.faults import did_you_mean
from service.cli.program.results import print_result
from service.cli.program.streams import fold
from service.games.acts.boards import board_faults


def run_check(slug_or_path: str, out: TextIO, *, as_json: bool = False, quiet: bool = False) -> int:
    """Print every fault of a board that comes with the program, or of a folder anywhere, one a line.

    Exit status: 0 and one line of figures for a sound board; 1 with a sentence on standard error otherwise.
    """
    path = Path(slug_or_path)
    if slug_or_path in maps.variants():
        path = maps.folder(slug_or_path)
    elif not path.is_dir():
        known = ", ".join(maps.variants())
        sys.stderr.write(
            f"galloper map check: {slug_or_path} is not the name of a board, nor a folder."
            f"{did_you_mean(slug_or_path, maps.variants())} The boards are {known}.\n"
        )
        return 1
    faults = board_faults(path)
    for fault in faults:
        print_result(out, str(fault), {"file": fault.file, "row": fault.row, "message": fault.message},
                     as_json=as_json)
    if faults:
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        sys.stderr.write(f"galloper map check: {path.name} has {count}; correct the rows named and check "
                         f"again\n")
        return 1
    if not as_json and not quiet:
        out.write(f"{fold(_figures(maps.load_folder(path), (path / FILE).exists()), 2, out)}\n")
    return 0


def _figures(variant: maps.Variant, drawing: bool) -> str:
    board = variant.board
    terrain = Counter(province.terrain for province in board.provinces.values())
    drawing_state = "drawn" if drawing else "not drawn"
    return (f"{variant.slug}: no fault. {variant.title}: {len(board.provinces)} regions "
            f"({', '.join(f'{terrain[kind]} {kind.value}' for kind in Terrain)}), {len(board.centres())} "
            f"centres, {_link_count(board, LAND)} borders by land and {_link_count(board, SEA)} by sea, "
            f"{len(variant.powers)} powers, {len(variant.start.units)} units, {len(variant.names)} "
            f"spellings, {drawing_state}.")


def _link_count(board: Board, movement: str) -> int:
    table = board.links[movement]
    return len(
        # A border is in the table from both sides and counts once.
        {frozenset({province, neighbour}) for province, others in table.items() for neighbour in others}
    )


def run_moves(variant: maps.Variant, name: str, unit: str | None, as_json: bool, out: TextIO) -> int:
    """Print every valid move from the region called `name`, for each kind of unit and each coast (MOVE-01).

    `unit` keeps one kind, by its letter. As JSON: an object a line for each kind and coast, `region`, `name`,
    `unit`, `moves` (ids as `adjudicate` takes them) and `names` (the same in full words). A spelling of two
    regions prints both. Exit status: 0; 1 when no region is called so, with the nearest spellings on standard
    error; 2 for a kind of unit this game does not have.
    """
    letter = unit.strip().upper() if unit is not None else None
    if letter is not None and letter not in variant.kinds:
        known = " or ".join(variant.kinds)
        sys.stderr.write(f"galloper map moves: --unit {unit} is not a kind of unit of this board; write "
                         f"{known}\n")
        return 2
    regions = find_regions(variant, name)
    if not regions:
        sys.stderr.write(f"galloper map moves: {_unknown_name(variant, name)}\n")
        return 1
    for region in regions:
        moves_shown = [moves for moves in valid_moves(variant, region) if letter in {None, moves.kind}]
        out.write(
            _as_json(variant, moves_shown) if as_json
            else "".join(f"{fold(line, 4, out)}\n" for line in _as_text(variant, region, letter, moves_shown))
        )
    return 0


def _unknown_name(variant: maps.Variant, name: str) -> str:
    spellings = list(suggestions(variant.names, name))
    place = name.partition("/")[0].partition("(")[0].strip()
    for region in find_regions(variant, place)[:1]:
        coasts = variant.board.provinces[region.province].coasts
        if coasts:
            spellings = [variant.board.region_text(Region(region.province, coast.id)) for coast in coasts]
        else:
            # The province is known, so the coast was the mistake.
            spellings = [f"{variant.board.region_text(region)}, which has no named coasts"]
    if not spellings:
        return f"no region of {variant.title} is called {name!r}; see the map and its list of names"
    return f"no region of {variant.title} is called {name!r}; did you mean {', '.join(spellings)}?"


def _as_json(variant: maps.Variant, moves_shown: list[ValidMoves]) -> str:
    lines = (
        {
            "region": str(moves.region),
            "name": variant.board.region_text(moves.region),
            "unit": moves.kind,
            "moves": [str(other) for other in moves.to],
            "names": [variant.board.region_text(other) for other in moves.to],
        }
        for moves in moves_shown
    )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _as_text(
    variant: maps.Variant, region: Region, letter: str | None, moves_shown: list[ValidMoves]
) -> list[str]:
    province = variant.board.provinces[region.province]
    lines = [f"{variant.board.region_text(region)} ({_description(province)})"]
    for moves in moves_shown:
        kind = variant.kinds[moves.kind].name
        coast = moves.region.coast
        where = f"{kind}, {variant.board.region_text(moves.region).partition('/')[2]}" if coast else kind
        reach = ", ".join(variant.board.region_text(other) for other in moves.to)
        # An army on an island still has convoys, so "nowhere" alone would be wrong.
        lines.append(f"  {where}: {reach or 'nowhere by land'}")
    if not moves_shown:
        kind = variant.kinds[letter].name.lower() if letter else "unit"
        lines.append(f"  No {kind} can be here.")
    return lines


def _description(province: Province) -> str:
    """"coastal, England" or "local sea region, Portland area"."""
    if province.is_sea:
        role = f"{province.role.value} sea region" if province.role else "sea region"
        return f"{role}, {province.area} area" if province.area else role
    words = [province.terrain.value, province.area or "", "supply centre" if province.centre else ""]
    return ", ".join(word for word in words if word)
