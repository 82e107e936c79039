"""A board as the judge reads it: who reaches what by unit kind, and which seas touch which land.

The tables are built once for each board and stored with the `Context`, because a judge looks into them
thousands of times a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from adjudicator.geo import LAND, SEA, Board, Region
from adjudicator.units import UnitKind

Reach = dict[str, tuple[Region, ...]]
"""Never changed. The tables that are asked for every order are dicts by type too, because compiled code tests
a dict at once and a Mapping by a call."""
NOWHERE: Reach = {}


@dataclass(frozen=True, slots=True)
class ReachTables:
    """Tables by province and by kind letter.

    Steps: `reach[kind][province][coast]` maps each province one step away to its regions there, sorted by
    coast. It has every province and coast; where a kind cannot be, it has nothing. `stands[kind][province]`
    are the regions of a province where a kind can be. `neighbours[province]` are the provinces one step
    away by any link.

    Convoys: `seas` are the sea provinces, `waters[province]` those that touch a province, `shores` the land
    provinces that seas touch, `basin[shore]` the shores that it shares connected seas with. `carrying[kind]`
    are the seas where a kind can convoy, `landings[kind]` the shores it can be convoyed to, `boardings[kind]`
    the places it can be convoyed from. A set of seas is also stored as a whole number: `bit[sea]` has one bit
    set, `touched[province]` is `waters`, and `beside[n]` is `touched` of the sea whose bit has length n.

    Traits: `base_defence[kind]`; `has_other_defences`, True if any kind's is not 1; and `non_attackers`, the
    kinds that may not attack.
    """

    reach: dict[str, dict[str, dict[str | None, Reach]]]
    stands: Mapping[str, Mapping[str, tuple[Region, ...]]]
    waters: Mapping[str, frozenset[str]]
    seas: frozenset[str]
    bit: dict[str, int]
    touched: dict[str, int]
    beside: tuple[int, ...]
    shores: frozenset[str]
    landings: dict[str, frozenset[str]]
    boardings: dict[str, frozenset[str]]
    neighbours: Mapping[str, frozenset[str]]
    basin: Mapping[str, frozenset[str]]
    carrying: Mapping[str, frozenset[str]]
    base_defence: Mapping[str, int]
    has_other_defences: bool
    non_attackers: frozenset[str]

    def steps(self, kind: str, region: Region) -> Reach:
        """The provinces one step away for a unit of that kind, each with its regions; empty if it cannot be
        in that region."""
        return self.reach[kind][region.province].get(region.coast, NOWHERE)


def build_reach_tables(board: Board, kinds: Mapping[str, UnitKind]) -> ReachTables:
    """The tables of a board for its unit kinds."""
    seas = frozenset(p.id for p in board.provinces.values() if p.is_sea)
    waters = {p: board.near(p, SEA) & seas for p in board.provinces}
    # A sea next to a sea touches water too, and is not a shore.
    shores = frozenset(p for p, touching in waters.items() if touching) - seas
    bit = {sea: 1 << index for index, sea in enumerate(sorted(seas))}
    touched = {p: sum(bit[sea] for sea in touching) for p, touching in waters.items()}
    stands = {letter: _by_province(_regions(board, kind)) for letter, kind in kinds.items()}
    # A one-way link may let a fleet out of a harbour that no sea leads back to: no unit lands there.
    open_shores = shores.intersection([place for sea in seas for place in board.near(sea, SEA)])
    embarking = {
        letter: shores.intersection(stands[letter]) if kind.can_be_convoyed else frozenset()
        for letter, kind in kinds.items()
    }
    return ReachTables(
        reach={letter: _reach(board, kind) for letter, kind in kinds.items()},
        stands=stands,
        waters=waters,
        seas=seas,
        bit=bit,
        touched=touched,
        beside=(0, *(touched[sea] for sea in bit)),
        shores=shores,
        landings={letter: places & open_shores for letter, places in embarking.items()},
        boardings={
            # A boat bunch at sea may be convoyed too (BRE-16).
            letter: places | seas.intersection(stands[letter]) if kinds[letter].boards_at_sea else places
            for letter, places in embarking.items()
        },
        neighbours={
            p: frozenset().union(*(board.near(p, movement) for movement in board.links))
            for p in board.provinces
        },
        basin=_basins(shores, seas, waters),
        carrying={
            letter: seas.intersection(stands[letter]) if kind.can_convoy else frozenset()
            for letter, kind in kinds.items()
        },
        base_defence={letter: kind.base_defence for letter, kind in kinds.items()},
        has_other_defences=any(kind.base_defence != 1 for kind in kinds.values()),
        non_attackers=frozenset(letter for letter, kind in kinds.items() if not kind.can_attack),
    )


def _basins(
    shores: frozenset[str], seas: frozenset[str], waters: Mapping[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    """For each shore, the shores of all connected seas that touch it."""
    basins: dict[str, frozenset[str]] = {}
    unvisited = set(seas)
    while unvisited:
        connected = {unvisited.pop()}
        edge = set(connected)
        while edge:
            edge = {other for sea in edge for other in waters[sea]} - connected
            connected |= edge
        unvisited -= connected
        around = frozenset(shore for shore in shores if not waters[shore].isdisjoint(connected))
        # An isthmus touches two bodies of water and gets the shores of both.
        for shore in around:
            basins[shore] = basins.get(shore, frozenset()) | around
    return basins


def _regions(board: Board, kind: UnitKind) -> set[Region]:
    regions = {region for movement in kind.moves for region in board.links.get(movement, {})}
    if LAND in kind.moves:
        # An island has no neighbour by land, so no link names it; an army can be there all the same.
        linked = {region.province for region in board.links.get(LAND, {})}
        regions.update(
            Region(p.id) for p in board.provinces.values() if not p.is_sea and p.id not in linked)
    return regions


def _reach(board: Board, kind: UnitKind) -> dict[str, dict[str | None, Reach]]:
    reach: dict[str, dict[str | None, Reach]] = {
        p.id: {None: NOWHERE, **{coast.id: NOWHERE for coast in p.coasts}} for p in board.provinces.values()
    }
    for region in _regions(board, kind):
        neighbours = {other for movement in kind.moves for other in board.neighbours(region, movement)}
        reach[region.province][region.coast] = _by_province(neighbours)
    return reach


def _by_province(regions: Iterable[Region]) -> dict[str, tuple[Region, ...]]:
    grouped: dict[str, list[Region]] = {}
    for region in sorted(regions, key=lambda r: (r.province, r.coast or "")):
        grouped.setdefault(region.province, []).append(region)
    return {province: tuple(coasts) for province, coasts in grouped.items()}
