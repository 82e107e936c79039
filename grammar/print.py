"""Orders as text: the canonical strings of the contract (docs/contract.md), and prose for letters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from adjudicator.geo import Board, Region
from adjudicator.orders import (
    Build,
    Convert,
    Convoy,
    Disband,
    FieldKind,
    Hold,
    Move,
    MoveHome,
    Order,
    Proxy,
    Remove,
    Retreat,
    SendSupply,
    SupportHold,
    SupportMove,
    UnitOrder,
    Waive,
    order_fields,
)
from adjudicator.units import UnitKind, UnitRef

_TERSE: Mapping[type[Order], str] = {
    Hold: "{unit} H",
    Move: "{unit} - {to}{via}{sheds}",
    SupportHold: "{unit} S {target}",
    SupportMove: "{unit} S {target} - {to}",
    Convoy: "{unit} C {target} - {to}",
    Convert: "{unit} converts{becomes}",
    Proxy: "{unit} proxy {power}",
    Retreat: "{unit} R {to}",
    Disband: "{unit} disbands",
    Build: "Build {built}",
    Remove: "Remove {unit}",
    SendSupply: "Send {count} supply to {power}",
    Waive: "Waive",
    MoveHome: "Home {origin}{to}",
}
_PROSE: Mapping[type[Order], str] = {
    Hold: "{unit} holds",
    Move: "{unit} moves to {to}{via}{sheds}",
    SupportHold: "{unit} supports {target}",
    SupportMove: "{unit} supports {target} to {to}",
    Convoy: "{unit} convoys {target} to {to}",
    Convert: "{unit} converts{becomes}",
    Proxy: "{unit} is under the orders of {power}",
    Retreat: "{unit} retreats to {to}",
    Disband: "{unit} disbands",
    Build: "Build {article} {kind} in {place}",
    Remove: "Remove {unit}",
    SendSupply: "Send {count} {units} supply to {power}",
    Waive: "Waive a build",
    MoveHome: "Home centre {origin}{to}",
}

Text = Callable[[str], str]


def canonical(order: Order, board: Board) -> str:
    """The contract's text of an order, with full region names: "A London - Surrey", "F Devon/South Coast H".

    Parsing it gives the order back. Raises KeyError when an order class has no text, our own fault.
    """
    pattern = order.TERSE or _TERSE[type(order)]
    return pattern.format_map(_blanks(order, board, kind=str, power=str))


def canonical_line(orders: Sequence[Order], board: Board) -> str:
    """The canonical texts of some orders as one line, parted by semicolons; "" for none."""
    return "; ".join(canonical(order, board) for order in orders)


def prose(
    order: Order, board: Board, kinds: Mapping[str, UnitKind], powers: Mapping[str, str] | None = None
) -> str:
    """An order in the handbook's words, without a full stop: "Army London moves to Surrey".

    `powers` maps a power's id to its printed name. Raises KeyError as `canonical` does.
    """
    names = powers or {}
    blanks = _blanks(
        order, board, kind=lambda letter: kinds[letter].name if letter in kinds else letter,
        power=lambda power: names.get(power, power))
    return (order.PROSE or _PROSE[type(order)]).format_map(blanks)


def _own_blanks(order: Order, board: Board, power: Text) -> dict[str, str]:
    """The fields of an order class that its rule set brings, as `order_fields` has them."""
    blanks = {}
    for name, (kind, _) in order_fields(type(order)).items():
        value = getattr(order, name)
        match kind:
            case FieldKind.PLACE:
                blanks[name] = "" if value is None else board.region_text(value)
            case FieldKind.POWER:
                blanks[name] = "" if value is None else power(value)
            case FieldKind.COUNT:
                blanks[name] = str(value)
            case FieldKind.FLAG:
                blanks[name] = order.FLAGS[name] if value else ""
    return blanks


def _blanks(order: Order, board: Board, kind: Text, power: Text) -> dict[str, str]:
    """What fills the blanks of an order's text; `kind` and `power` name a unit's kind and a power."""
    def unit(ref: UnitRef) -> str:
        name = board.region_text(ref.region)
        return name if ref.kind is None else f"{kind(ref.kind)} {name}"

    if order.TERSE:
        return _own_blanks(order, board, power)
    blanks: dict[str, str] = {}
    if isinstance(order, UnitOrder):
        blanks["unit"] = unit(order.unit)
    if isinstance(order, SupportHold | SupportMove | Convoy):
        blanks["target"] = unit(order.target)
    if isinstance(order, Move | SupportMove | Convoy | Retreat | MoveHome):
        blanks["to"] = board.region_text(order.to)
    if isinstance(order, Move):
        blanks |= {"via": " via convoy" if order.via_convoy else "", "sheds": " (db)" if order.sheds else ""}
    if isinstance(order, Convert):
        # The coast of the fleet it becomes is written with the place: an army has none itself (CVT-06).
        region = order.unit.region
        blanks["unit"] = unit(UnitRef(order.unit.kind, Region(region.province, region.coast or order.coast)))
        blanks["becomes"] = f" to {kind(order.to_kind)}" if order.to_kind else ""
    return blanks | _winter_blanks(order, board, unit, power)


def _winter_blanks(order: Order, board: Board, unit: Callable[[UnitRef], str], power: Text) -> dict[str, str]:
    blanks: dict[str, str] = {}
    if isinstance(order, Build):
        blanks["built"] = unit(UnitRef(order.kind, order.region))
        # The unit's kind, as it is before the place.
        blanks["place"] = board.region_text(order.region)
        blanks["kind"] = blanks["built"].removesuffix(blanks["place"]).strip()
        blanks["article"] = "an" if blanks["kind"][0] in "AEIO" else "a"
    if isinstance(order, Proxy | SendSupply):
        blanks["power"] = power(order.to_power)
    if isinstance(order, MoveHome):
        blanks["origin"] = "" if order.origin is None else f"{board.region_text(order.origin)} - "
    if isinstance(order, SendSupply):
        blanks["count"] = str(order.count)
        blanks["units"] = "unit's" if order.count == 1 else "units'"
    return blanks
