"""One frozen class for each kind of order, as a player may write it. None of them tests what is legal.

`power` is the power on whose sheet the order is written; it need not own the unit (ORD-08, PRX-03). `line`
is the line number on that sheet, which leads from an outcome back to the ink; None without a sheet. Regions
are as written: a coast may be missing or wrong, and the judge decides what that means.

Databases store the names of classes and fields (`adjudicator.serialize.codec`): they cannot be renamed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, ClassVar, NamedTuple, get_args, get_type_hints

from adjudicator.geo import Region
from adjudicator.quick_init import quick_init
from adjudicator.units import UnitRef


class FieldKind(StrEnum):
    """The contents of a field of an order. Its type says so, except for texts that name no power."""

    PLACE = "place"
    POWER = "power"
    COUNT = "count"
    FLAG = "flag"
    UNIT = "unit"
    UNIT_KIND = "unit kind"
    COAST = "coast"


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The parts that every order has.

    `WORD` names the class in the JSON of `adjudicate`; `JSON_KEYS` has the fields whose key there is not
    their name. A class that one rule set brings also has its texts: `TERSE` and `PROSE` are patterns as in
    `grammar.print`, whose blanks are its fields by name, and `FLAGS` has the text for a field that is True.
    """

    WORD: ClassVar[str] = ""
    JSON_KEYS: ClassVar[Mapping[str, str]] = {}
    TERSE: ClassVar[str] = ""
    PROSE: ClassVar[str] = ""
    FLAGS: ClassVar[Mapping[str, str]] = {}

    power: str
    line: int | None = None


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class UnitOrder(Order):
    """An order to one unit on the board."""

    unit: UnitRef


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Hold(UnitOrder):
    """`A X H` (ORD-01)."""

    WORD: ClassVar[str] = "hold"


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Move(UnitOrder):
    """`A X - Y`, an attack where Y is occupied (ORD-02). `via_convoy`: the sheet states that it goes by
    convoy. `sheds`: the unit leaves its boats behind (`B X - Y (db)`, BRE-12)."""

    WORD: ClassVar[str] = "move"

    to: Region
    via_convoy: bool = False
    sheds: bool = False


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class SupportHold(UnitOrder):
    """`A X S A Y`: support in place (ORD-04)."""

    WORD: ClassVar[str] = "support_hold"

    target: UnitRef


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class SupportMove(UnitOrder):
    """`A X S A Y - Z` (ORD-03)."""

    WORD: ClassVar[str] = "support_move"

    target: UnitRef
    to: Region


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Convoy(UnitOrder):
    """`F X C A Y - Z` (ORD-05)."""

    WORD: ClassVar[str] = "convoy"

    target: UnitRef
    to: Region


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Convert(UnitOrder):
    """`A X converts to F` (ORD-06, CVT-01..07). `to_kind` is a kind letter, or None when it was not written;
    `coast` is a coast of the same province, by id or name, or None."""

    WORD: ClassVar[str] = "convert"
    JSON_KEYS: ClassVar[Mapping[str, str]] = {"to_kind": "to_type"}

    to_kind: Annotated[str | None, FieldKind.UNIT_KIND] = None
    coast: Annotated[str | None, FieldKind.COAST] = None


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy(UnitOrder):
    """`A X proxy Montrose`: another power gives this unit's order this season (PRX-01, PRX-02)."""

    WORD: ClassVar[str] = "proxy"

    to_power: str


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Retreat(UnitOrder):
    """`A X R Y` (RET-03)."""

    WORD: ClassVar[str] = "retreat"

    to: Region


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Disband(UnitOrder):
    """`A X disbands` (RET-03)."""

    WORD: ClassVar[str] = "disband"


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Build(Order):
    """`Build A X` (ADJ-02). The region may lack its coast."""

    WORD: ClassVar[str] = "build"
    JSON_KEYS: ClassVar[Mapping[str, str]] = {"kind": "type", "region": "loc"}

    kind: Annotated[str, FieldKind.UNIT_KIND]
    region: Region


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Remove(UnitOrder):
    """`Remove A X` (ADJ-03)."""

    WORD: ClassVar[str] = "remove"


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class SendSupply(Order):
    """`Send 2 supply to Argyll` (SUP-01); `count` is 1 or more."""

    WORD: ClassVar[str] = "send_supply"

    to_power: str
    count: int


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Waive(Order):
    """`Waive`: a build is given up (WRD-04). It changes nothing: what is not ordered is not built."""

    WORD: ClassVar[str] = "waive"


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class MoveHome(Order):
    """`Home X - Y`: the right to build in X passes to Y (BRE-05). `origin` is None where a right that was
    lost is named again (D66-09)."""

    WORD: ClassVar[str] = "move_home"
    JSON_KEYS: ClassVar[Mapping[str, str]] = {"origin": "from"}

    to: Region
    origin: Region | None = None


SHARED_ORDERS: tuple[type[Order], ...] = (
    Hold, Move, SupportHold, SupportMove, Convoy, Convert, Proxy, Retreat, Disband, Build, Remove, SendSupply,
    Waive, MoveHome,
)
"""The classes that every game can read. A game voids those its rules do not take."""


class OrderField(NamedTuple):
    """One field of an order class: what it holds, and whether it may be left out."""

    kind: FieldKind
    is_optional: bool


_KIND_OF_TYPE: Mapping[type, FieldKind] = {
    Region: FieldKind.PLACE, str: FieldKind.POWER, int: FieldKind.COUNT, bool: FieldKind.FLAG,
    UnitRef: FieldKind.UNIT,
}
_FIELDS: dict[type[Order], Mapping[str, OrderField]] = {}


def order_fields(order_class: type[Order]) -> Mapping[str, OrderField]:
    """The fields of an order class besides its power and line, by name, as declared. Raises KeyError for a
    field of another type, which is our own fault."""
    # Computed once for each class: resolving its type hints takes a quarter of a millisecond.
    if order_class not in _FIELDS:
        _FIELDS[order_class] = dict(_fields_of(order_class))
    return _FIELDS[order_class]


def _fields_of(order_class: type[Order]) -> Iterator[tuple[str, OrderField]]:
    for name, hint in get_type_hints(order_class, include_extras=True).items():
        if name in {"power", "line"} or not name.islower():  # names in capitals are class attributes
            continue
        declared, *marks = get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
        types = [choice for choice in get_args(declared) or (declared,) if choice is not type(None)]
        kind = marks[0] if marks else _KIND_OF_TYPE[types[0]]
        yield name, OrderField(kind, bool(get_args(declared)) or kind is FieldKind.FLAG)


def meaning(order: UnitOrder) -> UnitOrder:
    """The order without what makes no difference: its line, and the kind and coast of a unit, which is alone
    in its province anyway. Two orders for one unit differ when their meanings differ (Q-16)."""
    changes: dict[str, Any] = {"line": None, "unit": _by_province(order.unit)}
    target = getattr(order, "target", None)
    if isinstance(target, UnitRef):
        changes["target"] = _by_province(target)
    return replace(order, **changes)


def _by_province(unit: UnitRef) -> UnitRef:
    return UnitRef(None, Region(unit.region.province))
