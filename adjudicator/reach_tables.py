"""A board as the judge reads it: who reaches whom by unit kind, and which waters touch which land.

Worked out once per board and kept with the `Setting`, because a judge asks these questions thousands of times
a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from adjudicator.geo import LAND, SEA, Board, Region
from adjudicator.units import UnitKind

Reach = Mapping[str, tuple[Region, ...]]
NOWHERE: Reach = {}


@dataclass(frozen=True, slots=True)
class ReachTables:
    """Tables by province and by kind letter.

    `reach[kind][province][coast]`: province to the regions there one step away, sorted by coast; it has every
    province and coast, with nothing where the kind cannot stand. `stands[kind][province]`: the regions of a
    province where a kind may stand. `near[province]`: provinces one step away by any link at all.

    For convoys: `seas` are the sea provinces, `waters[province]` those that touch a province, `shores` the
    land that any touch, and `basin[shore]` the shores that the same sea joins it with. `carrying[kind]` are
    the seas where a kind may carry, `landings[kind]` the shores that one may be carried to, `boardings[kind]`
    where from. Sets of seas are also kept as whole numbers: `bit[sea]` is a set of one, `touched[province]`
    is `waters`, and `beside` is `touched` for a sea by the length of its bit.

    `alone`, `uneven` and `peaceful` are traits: strength without support, whether any kind has another than
    one, and the kinds that may not attack.
    """

    reach: Mapping[str, Mapping[str, Mapping[str | None, Reach]]]
    stands: Mapping[str, Mapping[str, tuple[Region, ...]]]
    waters: Mapping[str, frozenset[str]]
    seas: frozenset[str]
    bit: Mapping[str, int]
    touched: Mapping[str, int]
    beside: tuple[int, ...]
    shores: frozenset[str]
    landings: Mapping[str, frozenset[str]]
    boardings: Mapping[str, frozenset[str]]
    near: Mapping[str, frozenset[str]]
    basin: Mapping[str, frozenset[str]]
    carrying: Mapping[str, frozenset[str]]
    base_defence: Mapping[str, int]
    has_other_defences: bool
    non_attackers: frozenset[str]

    def steps(self, kind: str, region: Region) -> Reach:
        """Province to regions one step away for a unit of that kind in that region; empty where there are
        none."""
        return self.reach[kind][region.province].get(region.coast, NOWHERE)


def build_reach_tables(board: Board, kinds: Mapping[str, UnitKind]) -> ReachTables:
    """The chart of a board for its unit kinds."""
    seas = frozenset(p.id for p in board.provinces.values() if p.is_sea)
    waters = {p: board.near(p, SEA) & seas for p in board.provinces}
    shores = frozenset(p for p, touching in waters.items() if touching) - seas
    bit = {sea: 1 << at for at, sea in enumerate(sorted(seas))}
    touched = {p: sum(bit[sea] for sea in touching) for p, touching in waters.items()}
    stands = {letter: _grouped(_regions(board, kind)) for letter, kind in kinds.items()}
    open_shores = shores.intersection([place for sea in seas for place in board.near(sea, SEA)])
    aboard = {
        letter: shores.intersection(stands[letter]) if kind.can_be_convoyed else frozenset() for letter,
        kind in kinds.items()
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
        landings={letter: found & open_shores for letter, found in aboard.items()},
        boardings={
            letter: found | seas.intersection(stands[letter]) if kinds[letter].boards_at_sea else found
            for letter, found in aboard.items()
        },
        near={
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
    found: dict[str, frozenset[str]] = {}
    left = set(seas)
    while left:
        sea, edge = {left.pop()}, set(seas)
        while edge:
            edge = {other for place in sea for other in waters[place]} - sea
            sea |= edge
        left -= sea
        around = frozenset(shore for shore in shores if not waters[shore].isdisjoint(sea))
        for shore in around:
            found[shore] = found.get(shore, frozenset()) | around
    return found


def _regions(board: Board, kind: UnitKind) -> set[Region]:
    found = {region for movement in kind.moves for region in board.links.get(movement, {})}
    if LAND in kind.moves:
        # An island borders nothing by land, so links do not name it; an army may stand there all the same.
        ashore = {region.province for region in board.links.get(LAND, {})}
        found.update(Region(p.id) for p in board.provinces.values() if not p.is_sea and p.id not in ashore)
    return found


def _reach(board: Board, kind: UnitKind) -> dict[str, dict[str | None, Reach]]:
    found: dict[str, dict[str | None, Reach]] = {
        p.id: {None: NOWHERE, **{coast.id: NOWHERE for coast in p.coasts}} for p in board.provinces.values()
    }
    for region in _regions(board, kind):
        near = {other for movement in kind.moves for other in board.neighbours(region, movement)}
        found[region.province][region.coast] = _grouped(near)
    return found


def _grouped(regions: Iterable[Region]) -> dict[str, tuple[Region, ...]]:
    rows: dict[str, list[Region]] = {}
    for region in sorted(regions, key=lambda r: (r.province, r.coast or "")):
        rows.setdefault(region.province, []).append(region)
    return {province: tuple(found) for province, found in rows.items()}
