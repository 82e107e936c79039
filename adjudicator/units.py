"""Unit kinds as traits, and units on the board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adjudicator.geo import Region


@dataclass(frozen=True, slots=True)
class UnitKind:
    """The abilities of a kind of unit, as data: no code checks whether a unit is an army or a fleet.

    `letter` is its mark in orders ("A"), `moves` the movement classes it uses. `can_convoy`: carries others,
    while it is at sea. `can_be_convoyed`: others carry it, from a shore, and also from a sea if
    `boards_at_sea`. `can_attack`: may move to an occupied province. `base_defence`: its strength, 0 or 1,
    when it stays and no unit supports it. `can_retreat`: False if it leaves the board when it is dislodged.
    `also`: what players write for its name.
    """

    letter: str
    name: str
    moves: frozenset[str]
    can_convoy: bool = False
    can_be_convoyed: bool = False
    can_attack: bool = True
    base_defence: int = 1
    can_retreat: bool = True
    boards_at_sea: bool = False
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Unit:
    """One unit on the board: owner, kind letter and region. Text form "FRANCE F SPA/SC"."""

    power: str
    kind: str
    region: Region

    def __hash__(self) -> int:
        # A province has one unit, so its name is hash enough; hashing is most of what sets of units cost.
        return hash(self.region.province)

    def __str__(self) -> str:
        # Every answer has the text of every unit, so that a call of the region's own text is saved.
        region = self.region
        end = region.province if region.coast is None else f"{region.province}/{region.coast}"
        return f"{self.power} {self.kind} {end}"


class _UnitDraft:
    """A Unit before its class is set; see `adjudicator.outcome` for the reason."""

    __slots__ = ("kind", "power", "region")


def unit_in(unit: Unit, region: Region) -> Unit:
    """The same unit in another region."""
    draft: Any = _UnitDraft()
    draft.power = unit.power
    draft.kind = unit.kind
    draft.region = region
    draft.__class__ = Unit
    moved_unit: Unit = draft
    return moved_unit


@dataclass(frozen=True, slots=True)
class UnitRef:
    """A unit as an order names it: its kind letter if one was written (ORD-04, ORD-07), and its region."""

    kind: str | None
    region: Region

    def __str__(self) -> str:
        return str(self.region) if self.kind is None else f"{self.kind} {self.region}"
