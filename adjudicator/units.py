"""Unit kinds as traits, and units on the board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adjudicator.geo import Region


@dataclass(frozen=True, slots=True)
class UnitKind:
    """What a kind of unit may do, as data (issue rule: kinds are movement classes plus traits, never
    branches).

    `letter` is its mark in orders ("A"), `moves` the movement classes it uses. `carries`: may convoy when at
    sea; `carried`: may be convoyed; `attacks`: may order moves into occupied regions; `alone`: strength 0 or
    1 when nobody supports it in defence; `retreats`: False when a dislodged unit of this kind always leaves
    the board; `boards_at_sea`: one that may be convoyed is taken up from a sea too, not only from a shore.
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


@dataclass(frozen=True, slots=True, order=True)
class Unit:
    """One unit on the board: owner, kind letter and region. Text form "FRANCE F SPA/SC"."""

    power: str
    kind: str
    region: Region

    def __hash__(self) -> int:
        # Where a unit stands all but names it, and hashing is most of what sets of units cost.
        return hash(self.region.province)

    def __str__(self) -> str:
        return f"{self.power} {self.kind} {self.region}"


class _Draft:
    """A unit being written, as in `adjudicator.outcome`."""

    __slots__ = ("kind", "power", "region")


def unit_in(unit: Unit, region: Region) -> Unit:
    """The same unit in another region."""
    draft: Any = _Draft()
    draft.power = unit.power
    draft.kind = unit.kind
    draft.region = region
    draft.__class__ = Unit
    found: Unit = draft
    return found


@dataclass(frozen=True, slots=True)
class UnitRef:
    """A unit as an order names it: kind letter if one was written, and where. Source of leniency: ORD-04,
    ORD-07."""

    kind: str | None
    region: Region

    def __str__(self) -> str:
        return str(self.region) if self.kind is None else f"{self.kind} {self.region}"
