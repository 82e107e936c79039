"""The whole board between two phases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudicator.calendar import Phase
from adjudicator.geo import Region
from adjudicator.units import Unit


@dataclass(frozen=True, slots=True)
class Dislodgement:
    """A unit beaten out of its region and not yet retreated.

    `attacker_from` is the province the winner came from, without coast; `may_retreat` lists the regions that
    are free, reachable and not barred (RET-02; DATC 6.H). `by_convoy`: the winner came over water, which does
    not bar its origin (DATC 4.A.5).
    """

    unit: Unit
    attacker_from: str
    by_convoy: bool = False
    may_retreat: frozenset[Region] = frozenset()


@dataclass(frozen=True, slots=True)
class Memory:
    """What a rule set keeps from turn to turn. `converting`: units whose conversion stood in the last
    movement season (CVT-02). `proxies`: the province of each unit that was given in proxy this season, with
    the power that may order its retreat (Q-25). `notes`: whatever else, each a few words in a form of the
    rule set's own."""

    converting: frozenset[Unit] = frozenset()
    proxies: frozenset[tuple[str, str]] = frozenset()
    notes: frozenset[tuple[str, ...]] = frozenset()


class Extension:
    """What a rule set keeps of a game beside units and centres: treasure, loans, hidden units, whatever its
    board of tokens would hold. Subclass it in the rule set's module as a frozen, hashable dataclass with
    slots, whose fields are texts, numbers, enums, tuples, frozen sets, or Mappings that
    `adjudicator.frozen_map.FrozenMap` makes hashable."""

    __slots__ = ()


Centres = Mapping[str, frozenset[str]]
"""Each owner with the ids of its centres."""


@dataclass(frozen=True, slots=True)
class Position:
    """Units, dislodged units, centres and memory before `phase` is judged.

    `units` leaves the dislodged out. `centres` maps each owner to the ids of its centres; `contested` are
    provinces left empty by a standoff in the movement phase just judged (no retreat goes there). `own` is
    what only the rule set of the game understands, of its class `Ruleset.EXTENSION`; None where it keeps
    nothing.
    """

    phase: Phase
    units: frozenset[Unit]
    centres: Centres = field(default_factory=dict)
    dislodged: tuple[Dislodgement, ...] = ()
    contested: frozenset[str] = frozenset()
    memory: Memory = Memory()
    own: Extension | None = None
