"""What a judged phase leaves besides its orders, for the coordinator to check before it is sent: units
dislodged, gone or drawn by lot, centres that changed hands, builds and removals due, a victory or an open
draw."""

from __future__ import annotations

from dataclasses import dataclass

from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.units import Unit
from maps.variant import Variant
from service.games.results import dislodged_text, order_text, unit_text


@dataclass(frozen=True, slots=True)
class Supply:
    """One power's supply after the phase. `gained` and `lost` are centres by name, `due` builds (above 0) or
    removals (below 0)."""

    power: str
    centres: int
    units: int
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    due: int


@dataclass(frozen=True, slots=True)
class Aftermath:
    """`sections` are headings with their sentences, empty ones left out. `supply` has a row for every power
    if the phase changes or counts supply, else none. `lots_used` is how many numbers of the committed tape
    were used up."""

    sections: tuple[tuple[str, tuple[str, ...]], ...] = ()
    supply: tuple[Supply, ...] = ()
    lots_used: int = 0


def aftermath(variant: Variant, before: Position, resolution: Resolution) -> Aftermath:
    """What `resolution` leaves; `before` is the position it was judged on."""
    def units(units: tuple[Unit, ...]) -> tuple[str, ...]:
        return tuple(f"{unit_text(variant, unit)} ({variant.powers[unit.power].name})" for unit in units)

    names = {power.id: power.name for power in variant.powers.values()}
    sections = (
        ("Dislodged, to retreat or disband",
         tuple(dislodged_text(variant, dislodgement) for dislodgement in resolution.position.dislodged)),
        ("Disbanded", units(resolution.disbanded)),
        ("Built", units(resolution.built)),
        ("Removed", units(resolution.removed)),
        ("Removed by lot, in the order drawn", units(resolution.removed_by_lot)),
        ("Removed in the order that the rules name", units(resolution.removed_by_disorder)),
        ("What else happened", resolution.notes),
        ("Who has what", variant.rules.public_holdings(variant.context(), resolution.position)),
        ("Victory", () if resolution.winner is None else (names[resolution.winner],)),
        ("Joint victory", tuple(names[power] for power in resolution.joint)),
        ("A draw is open to", tuple(names[power] for power in resolution.draw_open_to or ())),
        ("Orders with a circle that the rules do not cover; report it to the operator before you send",
         tuple(order_text(variant, order) for order in resolution.unresolved)),
    )
    supply = _supply(variant, before, resolution)
    return Aftermath(tuple(section for section in sections if section[1]), supply, resolution.lots_used)


def _supply(variant: Variant, before: Position, resolution: Resolution) -> tuple[Supply, ...]:
    after = resolution.position
    rows = []
    for power in variant.powers.values():
        was, now = set(before.centres.get(power.id, ())), set(after.centres.get(power.id, ()))
        rows.append(Supply(
            power.name, len(now), sum(unit.power == power.id for unit in after.units),
            _names(variant, now - was),
            _names(variant, was - now), resolution.adjust.get(power.id, 0)))
    return tuple(rows) if any(row.gained or row.lost or row.due for row in rows) else ()


def _names(variant: Variant, provinces: set[str]) -> tuple[str, ...]:
    return tuple(sorted(variant.board.provinces[province].name for province in provinces))
