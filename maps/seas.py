"""Who borders whom at sea, worked out from who touches whom (SEA-01 to SEA-04). Pure.

On boards with sea areas a fleet reaches further than the water it floats on: the primary region of an area
represents the whole area. A board file therefore holds only what can be seen on the map, the touching, and
the rest follows here. Seas that belong to no area border what they touch and nothing else, so the same
function serves boards without areas.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from adjudicator.geo import Province, Region, SeaRole

Touching = Mapping[Region, frozenset[Region]]


def borders(
    provinces: Mapping[str, Province], touching: Iterable[tuple[Region, Region]]
) -> dict[Region, frozenset[Region]]:
    """Sea region -> every region it borders, and coastal region -> every sea region it borders.

    `touching` holds pairs, in either order, of which at least one is a sea region; the other is a sea region
    or a coastal region with its coast. The answer is symmetric. Raises KeyError for a province that is not
    listed.
    """
    areas = _Areas(provinces, touching)
    reachable: defaultdict[Region, set[Region]] = defaultdict(set)
    for sea in areas.seas():
        for other in areas.reach(sea):
            reachable[sea].add(other)
            if not provinces[other.province].is_sea:
                reachable[other].add(sea)
    return {region: frozenset(others) for region, others in reachable.items()}


class _Areas:
    """The touching table next to the members and the primary region of each sea area."""

    def __init__(self, provinces: Mapping[str, Province], touching: Iterable[tuple[Region, Region]]) -> None:
        self._provinces = provinces
        self._beside: defaultdict[Region, set[Region]] = defaultdict(set)
        for a, b in touching:
            self._beside[a].add(b)
            self._beside[b].add(a)
        self._members: defaultdict[str, set[Region]] = defaultdict(set)
        self._primary: dict[str, Region] = {}
        for province in provinces.values():
            if province.is_sea and province.area is not None and province.role is not None:
                region = Region(province.id)
                self._members[province.area].add(region)
                if province.role is SeaRole.PRIMARY:
                    self._primary[province.area] = region

    def seas(self) -> list[Region]:
        """Every sea region of the board."""
        return [Region(p.id) for p in self._provinces.values() if p.is_sea]

    def reach(self, sea: Region) -> set[Region]:
        """Everything one sea region borders."""
        match self._provinces[sea.province].role:
            case SeaRole.LOCAL:
                return self._local(sea)
            case SeaRole.PRIMARY:
                return self._of_area(sea)
            case None:
                return self._beside[sea]

    def _local(self, sea: Region) -> set[Region]:
        """SEA-01: its own area; each region that it touches, and with a region of another area that area's
        primary."""
        reachable = set(self._members[self._area(sea)])
        for other in self._beside[sea]:
            reachable |= self._with_primary(other)
        return reachable - {sea}

    def _of_area(self, sea: Region) -> set[Region]:
        """SEA-02: its own locals; whatever touches any part of its area, and the primaries of the areas that
        do.

        A sea without an area is no "local region bordering the area": it counts only where it touches the
        primary itself.
        """
        members = self._members[self._area(sea)]
        reachable = set(members)
        for member in members:
            for other in self._beside[member]:
                # Otherwise a sea without an area would border every primary whose area it touches somewhere.
                if self._is_loose(other) and member != sea:
                    continue
                reachable |= self._with_primary(other)
        return reachable - {sea}

    def _with_primary(self, other: Region) -> set[Region]:
        province = self._provinces[other.province]
        if province.is_sea and province.area in self._primary:
            return {other, self._primary[province.area]}
        return {other}

    def _is_loose(self, region: Region) -> bool:
        province = self._provinces[region.province]
        return province.is_sea and province.role is None

    def _area(self, sea: Region) -> str:
        area = self._provinces[sea.province].area
        assert area is not None, f"{sea} has a role in a sea area and no area"
        return area
