"""The valid moves from a region, for a page that informs players and advises none (MOVE-01, MOVE-02).

Neither units nor games are known here: the answer is what the map itself states, and no more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from adjudicator.calendar import PhaseKind
from adjudicator.geo import LAND, SEA, Region
from maps.names import regions_named
from maps.variant import Variant

_WITH_COAST = re.compile(r"(?P<place>.+?)\s*(?:/\s*(?P<slash>[^/()]+)|\(\s*(?P<bracket>[^()]+)\))\s*")


@dataclass(frozen=True, slots=True)
class ValidMoves:
    """Where one kind of unit may go from `region` in one step. `kind` is the unit's letter; `to` is sorted by
    printed name and holds coasts where the unit needs one."""

    region: Region
    kind: str
    to: tuple[Region, ...]


def find_regions(variant: Variant, text: str) -> tuple[Region, ...]:
    """The regions `text` may mean, surest first: any spelling of a province, with a coast as `Devon/South
    Coast` or `Devon (South Coast)` if one is wanted. Empty when no spelling or no such coast is known."""
    named_regions = regions_named(variant.names, text)
    # The whole text first: "Portland (Sea)" is its own name, and no coast of Portland.
    if named_regions:
        return named_regions
    parts = _WITH_COAST.fullmatch(text)
    if parts is None:
        return ()
    coast = (parts["slash"] or parts["bracket"]).strip()
    regions = []
    for region in regions_named(variant.names, parts["place"]):
        known = variant.board.provinces[region.province].coast_id(coast)
        if known is not None:
            regions.append(Region(region.province, known))
    return tuple(regions)


def valid_moves(variant: Variant, region: Region) -> tuple[ValidMoves, ...]:
    """One entry for each kind of unit that may be in `region`, in the order of the variant's kinds; for a
    province with several coasts and no coast given, one for each coast. Where no phase moves units a king
    rides, over land or across one sea (WSB-14)."""
    moves = []
    overseas = {} if has_movement_phases(variant) else neighbours_by_sea(variant, region.province)
    rides = {other for others in overseas.values() for other in others}
    for kind in variant.kinds.values():
        movements = sorted(kind.moves)
        standing = {
            place for movement in movements for place in variant.board.regions(region.province, movement)}
        if region.coast is not None:
            standing &= {region}
        for place in sorted(standing, key=lambda region: region.coast or ""):
            to = rides.union(*(variant.board.neighbours(place, movement) for movement in movements))
            ordered = sorted(to, key=lambda other: variant.board.region_text(other).casefold())
            moves.append(ValidMoves(place, kind.letter, tuple(ordered)))
    return tuple(moves)


def has_movement_phases(variant: Variant) -> bool:
    """True if units move over the board; on other boards states attack states, and only neighbours matter."""
    return any(kind is PhaseKind.MOVEMENT for _, kind in variant.calendar.steps)


def neighbours_by_sea(variant: Variant, province: str) -> dict[str, tuple[Region, ...]]:
    """The neighbours of a province on a board without movement, sorted by printed name: under "" those over
    land, under a sea's id those across that sea; for a sea the land that it touches."""
    board = variant.board
    neighbours = {"": {other for other in board.near(province, LAND) | board.near(province, SEA)
                  if not board.provinces[other].is_sea and (
                      board.provinces[province].is_sea or other in board.near(province, LAND))}}
    for sea in sorted(board.near(province, SEA)):
        if board.provinces[sea].is_sea and not board.provinces[province].is_sea:
            neighbours[sea] = {other for other in board.near(sea, SEA)
                          if other not in {province, *neighbours[""]} and not board.provinces[other].is_sea}
    return {sea: tuple(sorted(map(Region, others), key=lambda other: board.region_text(other).casefold()))
            for sea, others in neighbours.items()}
