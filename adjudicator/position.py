"""The whole board between two phases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from adjudicator.calendar import Phase
from adjudicator.geo import Region
from adjudicator.quick_init import quick_init
from adjudicator.units import Unit


@quick_init
@dataclass(frozen=True, slots=True)
class Dislodgement:
    """A unit that was dislodged and has not retreated yet.

    `attacker_from` is the province the attacker came from, without coast; `may_retreat` are the regions that
    are free, within reach and not barred (RET-02; DATC 6.H). `by_convoy`: the attacker came by convoy, which
    does not bar its origin (DATC 4.A.5).
    """

    unit: Unit
    attacker_from: str
    by_convoy: bool = False
    may_retreat: frozenset[Region] = frozenset()


@dataclass(frozen=True, slots=True)
class Memory:
    """The state that a rule set keeps from turn to turn.

    `converting`: units that began a conversion in the last movement season (CVT-02). `proxies`: the province
    of each dislodged unit that was given in proxy, with the power that may order its retreat (Q-25). `notes`:
    anything else, each a tuple of words in the rule set's own form.
    """

    converting: frozenset[Unit] = frozenset()
    proxies: frozenset[tuple[str, str]] = frozenset()
    notes: frozenset[tuple[str, ...]] = frozenset()


class NotePart(StrEnum):
    """What a word of a note in `Memory.notes` is."""

    POWER = "power"
    PROVINCE = "province"
    YEAR = "year"
    SEASON = "season"


class Extension:
    """The state that a rule set keeps of a game besides units and centres, such as treasure or alliances.

    Subclass it in the rule set's module as a frozen, hashable dataclass with slots. Its fields are texts,
    numbers, enums, tuples, frozen sets, or mappings made hashable (`rules.brittania_realm.FrozenMap`).
    """

    __slots__ = ()


Centres = Mapping[str, frozenset[str]]
"""Each owner with the ids of its centres."""


@quick_init
@dataclass(frozen=True, slots=True)
class Position:
    """Units, dislodged units, centres and memory before `phase` is judged.

    The dislodged are not among `units`. `contested` are provinces left empty by a standoff in the movement
    phase just judged; no unit may retreat there. `own` is state that only the game's rule set understands, of
    its class `Ruleset.EXTENSION`; None where it keeps none.

    Databases store these fields by name (`adjudicator.serialize.codec`): they cannot be renamed.
    """

    phase: Phase
    units: frozenset[Unit]
    centres: Centres = field(default_factory=dict)
    dislodged: tuple[Dislodgement, ...] = ()
    contested: frozenset[str] = frozenset()
    memory: Memory = Memory()
    own: Extension | None = None
