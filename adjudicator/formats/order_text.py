"""Orders as one line of text, after the manner of other programs: written, and read.

`diplomacy` writes "A PAR S A MAR - BUR", jDip "A par S A mar-bur". One reader takes both, and words in full
("supports", "convoys", "build army paris").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from adjudicator.calendar import PhaseKind
from adjudicator.formats.game_log import LONGEST, BoardNames
from adjudicator.geo import Region
from adjudicator.orders import (
    Build,
    Convoy,
    Disband,
    Hold,
    Move,
    Order,
    Remove,
    Retreat,
    SupportHold,
    SupportMove,
    UnitOrder,
)
from adjudicator.position import Position
from adjudicator.units import UnitRef

_KIND = {"a": "A", "army": "A", "f": "F", "fleet": "F"}
_UNIT = r"(?:(?P<kind>army|fleet|a|f)\s+)?(?P<place>[^-]+?)"
_OTHER = r"(?:(?P<kind2>army|fleet|a|f)\s+)?(?P<place2>[^-]+?)"
_TO = r"\s*-+>?\s*(?P<to>[^-]+?)"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("build", rf"builds?\s+{_UNIT}"),
        ("build", rf"{_UNIT}\s+b(?:uilds?)?"),
        ("remove", rf"removes?\s+{_UNIT}"),
        ("convoy", rf"{_UNIT}\s+c(?:onvoys?)?\s+{_OTHER}{_TO}"),
        ("support_move", rf"{_UNIT}\s+s(?:upports?)?\s+{_OTHER}{_TO}"),
        ("support_hold", rf"{_UNIT}\s+s(?:upports?)?\s+{_OTHER}(?:\s+h(?:olds?)?)?"),
        ("move_by_convoy", rf"{_UNIT}{_TO}\s+(?:via|by)(?:\s+convoy)?"),
        ("move", rf"{_UNIT}{_TO}"),
        ("retreat", rf"{_UNIT}\s+r(?:etreats?)?(?:\s+to)?\s+(?P<to>[^-]+?)"),
        ("disband", rf"{_UNIT}\s+d(?:isbands?)?"),
        ("hold", rf"{_UNIT}\s+h(?:olds?)?"),
    )
)


class UnreadOrder(Exception):
    """A text that is not an order of this board."""


def read_order(names: BoardNames, power: str, text: str, phase: PhaseKind) -> Order | None:
    """The order in a text; None for one that waives a build. Raises UnreadOrder."""
    text = text.strip()
    if len(text) > LONGEST:
        raise UnreadOrder(text[:40])
    if text.casefold() in {"waive", "build waived", "waive build"}:
        return None
    for form, pattern in _FORMS:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        order = _order(names, power, form, match.groupdict(), phase)
        if order is not None:
            return order
    raise UnreadOrder(text)


def _order(
    names: BoardNames, power: str, form: str, parts: dict[str, str | None], phase: PhaseKind
) -> Order | None:
    place = names.region(parts["place"] or "")
    if place is None:
        return None
    unit = UnitRef(_KIND.get((parts["kind"] or "").casefold()), place)
    if form == "build":
        return None if unit.kind is None else Build(power=power, kind=unit.kind, region=place)
    if form in {"remove", "disband", "hold"}:
        is_removal = form == "remove" or phase is PhaseKind.ADJUSTMENT
        return (Hold if form == "hold" else Remove if is_removal else Disband)(power=power, unit=unit)
    aim = parts.get("to")
    goal = names.region(aim) if aim else None
    if aim and goal is None:
        return None
    target = None
    if parts.get("place2"):
        other = names.region(parts["place2"] or "")
        if other is None:
            return None
        target = UnitRef(_KIND.get((parts["kind2"] or "").casefold()), other)
    return _with_goal(power, unit, target, goal, form, phase)


def _with_goal(
    power: str, unit: UnitRef, target: UnitRef | None, goal: Region | None, form: str, phase: PhaseKind
) -> Order | None:
    if form == "support_hold" and target is not None:
        return SupportHold(power=power, unit=unit, target=target)
    if goal is None:
        return None
    if target is not None:
        order_class = Convoy if form == "convoy" else SupportMove
        return order_class(power=power, unit=unit, target=target, to=goal)
    # jDip writes a retreat as a move.
    if form == "retreat" or phase is PhaseKind.RETREAT:
        return Retreat(power=power, unit=unit, to=goal)
    return Move(power=power, unit=unit, to=goal, via_convoy=form == "move_by_convoy")


@dataclass(frozen=True, slots=True)
class OrderWords:
    """How a program writes orders: its regions, what is between a move's two places, and the patterns of
    orders that differ, with the blanks of `_PATTERNS`; in `build` the unit is `{}`."""

    region: Callable[[Region], str]
    dash: str
    via: str
    retreat: str
    build: str
    remove: str


_PATTERNS: Mapping[type[Order], str] = {
    Hold: "{unit} H",
    Move: "{unit}{dash}{to}{via}",
    SupportHold: "{unit} S {other}",
    SupportMove: "{unit} S {other}{dash}{to}",
    Convoy: "{unit} C {other}{dash}{to}",
    Disband: "{unit} D",
}


class OrderWriter:
    """Writes orders for the board of one phase: each unit by its real kind and coast, whatever the sheet
    states; without a position as the sheet states."""

    def __init__(self, words: OrderWords, position: Position | None) -> None:
        self._words = words
        self._patterns = {**_PATTERNS, Retreat: words.retreat, Remove: words.remove}
        units = () if position is None else position.units
        beaten = () if position is None else position.dislodged
        self._units = {unit.region.province: unit for unit in units}
        self._beaten = {d.unit.region.province: d.unit for d in beaten}
        self._is_retreat = position is not None and position.phase.kind is PhaseKind.RETREAT

    def unit(self, reference: UnitRef) -> str:
        """The unit that an order names, as it is on the board."""
        there = self._beaten if self._is_retreat else self._units
        unit = there.get(reference.region.province) or self._units.get(reference.region.province)
        if unit is None:
            return f"{reference.kind or 'A'} {self._words.region(reference.region)}"
        return f"{unit.kind} {self._words.region(unit.region)}"

    def text(self, order: Order, *, by_convoy: bool = False) -> str:
        """One order. `by_convoy`: say of a move that it goes by convoy. Raises KeyError for a class that is
        not among `classic.SPOKEN_ORDERS`."""
        words = self._words
        if isinstance(order, Build):
            return words.build.format(f"{order.kind} {words.region(order.region)}")
        if not isinstance(order, UnitOrder):
            raise KeyError(type(order).__name__)
        target, goal = getattr(order, "target", None), getattr(order, "to", None)
        return self._patterns[type(order)].format(
            unit=self.unit(order.unit),
            to="" if goal is None else words.region(goal),
            dash=words.dash,
            other="" if target is None else self.unit(target),
            via=words.via if by_convoy else "",
        )
