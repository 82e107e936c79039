"""One frozen class per order, as a player may write it. Nothing here knows whether an order is legal.

`power` is whose sheet it stands on, which need not be the owner of the unit (ORD-08, PRX-03). `line` is the
number of the line on that sheet, so that an outcome can be led back to the ink; None where there was no
paper. Regions are as written: a coast may be missing or wrong, and the judge decides what that means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar, get_args, get_type_hints

from adjudicator.geo import Region
from adjudicator.units import UnitRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What every order has. A class that only one rule set has brings its texts: `WORD` names it in the JSON
    of `adjudicate`, `TERSE` and `PROSE` are patterns as in `grammar.print`, whose blanks are its fields by
    name, and `FLAGS` is what a pattern gets where a field is True. `order_fields` says which fields such a
    class may have."""

    WORD: ClassVar[str] = ""
    TERSE: ClassVar[str] = ""
    PROSE: ClassVar[str] = ""
    FLAGS: ClassVar[Mapping[str, str]] = {}

    power: str
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitOrder(Order):
    """An order to one unit on the board."""

    unit: UnitRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold(UnitOrder):
    """`A X H` (ORD-01)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(UnitOrder):
    """`A X - Y`, an attack where Y is held (ORD-02). `via_convoy`: the sheet says that it goes by convoy;
    `sheds`: that the unit leaves behind what it has with it, as boats are (`B X - Y (db)`, BRE-12)."""

    to: Region
    via_convoy: bool = False
    sheds: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportHold(UnitOrder):
    """`A X S A Y`: support in place (ORD-04)."""

    target: UnitRef


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportMove(UnitOrder):
    """`A X S A Y - Z` (ORD-03)."""

    target: UnitRef
    to: Region


@dataclass(frozen=True, slots=True, kw_only=True)
class Convoy(UnitOrder):
    """`F X C A Y - Z` (ORD-05)."""

    target: UnitRef
    to: Region


@dataclass(frozen=True, slots=True, kw_only=True)
class Convert(UnitOrder):
    """`A X converts to F` (ORD-06, CVT-01..07). `to_kind` is a kind letter or None when not written; `coast`
    is a coast id of the same province, or None."""

    to_kind: str | None = None
    coast: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy(UnitOrder):
    """`A X proxy Montrose`: another power gives this unit's order this season (PRX-01, PRX-02)."""

    to_power: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retreat(UnitOrder):
    """`A X R Y` (RET-03)."""

    to: Region


@dataclass(frozen=True, slots=True, kw_only=True)
class Disband(UnitOrder):
    """`A X disbands` (RET-03)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Build(Order):
    """`Build A X` (ADJ-02). The region may lack its coast."""

    kind: str
    region: Region


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove(UnitOrder):
    """`Remove A X` (ADJ-03)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SendSupply(Order):
    """`Send 2 supply to Argyll` (SUP-01); `count` is 1 or more."""

    to_power: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveHome(Order):
    """`Home X - Y`: the right to build in X goes over to Y (BRE-05). `origin` is None where a right that was
    lost is named anew (D66-09)."""

    to: Region
    origin: Region | None = None


class FieldKind(StrEnum):
    """What a field of a rule set's own order holds."""

    PLACE = "place"
    POWER = "power"
    COUNT = "count"
    FLAG = "flag"


_HOLDS: Mapping[type, FieldKind] = {
    Region: FieldKind.PLACE,
    str: FieldKind.POWER,
    int: FieldKind.COUNT,
    bool: FieldKind.FLAG,
}


_SHAPES: dict[Any, Mapping[str, tuple[FieldKind, bool]]] = {}


def order_fields(kind: type[Order]) -> Mapping[str, tuple[FieldKind, bool]]:
    """The fields of an order class that only one rule set has, beside its power and line: what each holds,
    and whether it may be left out. A text is a power's id. Raises KeyError for a field of another type: our
    own fault."""
    if kind not in _SHAPES:
        _SHAPES[kind] = dict(_shaped(kind))
    return _SHAPES[kind]


def _shaped(kind: type[Order]) -> Iterator[tuple[str, tuple[FieldKind, bool]]]:
    for name, hint in get_type_hints(kind).items():
        if name not in {"power", "line"} and name.islower():
            plain = [one for one in get_args(hint) or (hint,) if one is not type(None)]
            yield name, (_HOLDS[plain[0]], bool(get_args(hint)) or plain[0] is bool)


def meaning(order: UnitOrder) -> UnitOrder:
    """The order without what may be written or left out: its line, and the kind and coast of a unit that
    stands alone in its province anyway. Two orders for one unit are different orders when their meanings
    differ (Q-16)."""
    changes: dict[str, Any] = {"line": None, "unit": _plain(order.unit)}
    target = getattr(order, "target", None)
    if isinstance(target, UnitRef):
        changes["target"] = _plain(target)
    return replace(order, **changes)


def _plain(unit: UnitRef) -> UnitRef:
    return UnitRef(None, Region(unit.region.province))
