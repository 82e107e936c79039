"""A board as the judge reads it: who reaches whom by unit kind, and which waters touch which land.

Worked out once per board and kept with the `Setting`, because a judge asks these questions thousands of times a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from adjudicator.geo import SEA, Board, Region
from adjudicator.units import UnitKind

Reach = Mapping[str, tuple[Region, ...]]
_NOWHERE: Reach = {}


@dataclass(frozen=True, slots=True)
class Chart:
    """`reach[kind letter][region]`: province to the regions there one step away, sorted by coast. `waters[province]`: the sea
    provinces that touch it, and `shores` the land provinces that any touch. `stands[kind letter][province]`: the regions of a province where a kind may stand.
    `near[province]`: provinces one step away by any link at all."""

    reach: Mapping[str, Mapping[Region, Reach]]
    stands: Mapping[str, Mapping[str, tuple[Region, ...]]]
    waters: Mapping[str, frozenset[str]]
    shores: frozenset[str]
    near: Mapping[str, frozenset[str]]

    def steps(self, kind: str, region: Region) -> Reach:
        """Province to regions one step away for a unit of that kind in that region; empty where there are none."""
        return self.reach[kind].get(region, _NOWHERE)


def draw(board: Board, kinds: Mapping[str, UnitKind]) -> Chart:
    """The chart of a board for its unit kinds."""
    reach = {letter: _reach(board, kind) for letter, kind in kinds.items()}
    seas = frozenset(p.id for p in board.provinces.values() if p.is_sea)
    waters = {p: board.near(p, SEA) & seas for p in board.provinces}
    return Chart(
        reach=reach,
        stands={letter: _grouped(rows) for letter, rows in reach.items()},
        waters=waters,
        shores=frozenset(p for p, touching in waters.items() if touching) - seas,
        near={p: frozenset().union(*(board.near(p, movement) for movement in board.links)) for p in board.provinces},
    )


def _reach(board: Board, kind: UnitKind) -> dict[Region, Reach]:
    regions = sorted(
        {region for movement in kind.moves for region in board.links.get(movement, {})}, key=_by_name
    )
    return {
        region: _grouped(other for movement in kind.moves for other in board.neighbours(region, movement))
        for region in regions
    }


def _grouped(regions: Iterable[Region]) -> dict[str, tuple[Region, ...]]:
    rows: dict[str, list[Region]] = {}
    for region in sorted(set(regions), key=_by_name):
        rows.setdefault(region.province, []).append(region)
    return {province: tuple(found) for province, found in rows.items()}


def _by_name(region: Region) -> tuple[str, str]:
    return region.province, region.coast or ""
