"""Orders impossible for a kind of unit, by the board's terrain and the unit kinds: the one table (WOR-01).

An army is never at sea and a fleet never inland; a fleet convoys from a sea, and who is convoyed goes from
shore to shore. Where units are, who borders whom and who owns what is never asked for (NON-03). Every door of
the grammar uses the table in the same way, on the orders that a line's words give:

- a name that is impossible for its unit loses to another meaning of its words that is possible: "Fleet Galway
  convoys ..." is in Galway Bay (`repaired`), and of equal readings the one with the fewest faults counts
  (`misfit`);
- what is left is taken as written, however foolish, if the place's own name is written ("Army Liverpool to
  Irish Sea"), and asked if less is: "Army Pembroke to Cardigan" does not mean the bay (`contradiction`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import product
from typing import Any

from adjudicator.geo import Region, Terrain
from adjudicator.orders import Convert, Convoy, Move, Order, SupportHold, SupportMove, UnitOrder
from adjudicator.units import UnitRef
from grammar.lattice import Edge
from grammar.lexicon import PLACE, Lexicon, Rank
from grammar.order_traits import has_strange_coast, named_parts, named_regions, names_own_place


class Why(Enum):
    """Why a region is impossible for a unit: what the sentence of a complaint states about it, with the
    unit's word."""

    ELSEWHERE = "where no {unit} can be"
    CONVOYS_ASHORE = "on land, where no {unit} convoys"
    NO_SHORE = "which no convoy reaches"
    NO_HELP = "which no {unit} can reach"
    NO_CARRIER = "where no {unit} convoys"
    NOT_CARRIED = "from where no {unit} is convoyed"


@dataclass(frozen=True, slots=True)
class Impossible:
    """A region of an order that is impossible for the unit there. `part`: the order's field that it is, or is
    the region of; `kind` is None where it is not written."""

    part: str
    why: Why
    kind: str | None
    region: Region


@dataclass(frozen=True, slots=True)
class Written:
    """What is in a line for each region that it names. `twice`: the regions that it names in two ways."""

    texts: Mapping[Region, str]
    twice: Mapping[Region, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class NotMeant:
    """A reading with something impossible, by less than the place's own name: `written` is what is for
    it."""

    fault: Impossible
    written: str

    @property
    def region(self) -> Region:
        return self.fault.region


@dataclass(frozen=True, slots=True)
class OnePlace:
    """A reading that sends a unit where it is, by two spellings of one region."""

    region: Region
    first: str
    second: str


Contradiction = NotMeant | OnePlace
"""Why the only reading of a line cannot be what was meant."""

_ODD_COST, _SURPLUS_ORDER_COST = 4.0, 3.0
"""Guessed costs in nats, in round figures: of each oddity, and of each order after the first in one line."""
_CONVOY_FAULTS = frozenset((Why.CONVOYS_ASHORE, Why.NO_CARRIER, Why.NOT_CARRIED))
"""Faults that leave no convoy, wherever its ends are."""
_MEANT_IN_SHORT = frozenset((Why.NO_SHORE, Why.NO_HELP, Why.NO_CARRIER, Why.NOT_CARRIED))
"""What a short form does not make doubtful: the name is as plain as in full, and the order is void."""


def written_places(edges: Iterable[Edge], texts: Iterable[str]) -> Written:
    """What is written for each region of a path. `texts`: the words of each edge."""
    known: dict[Region, str] = {}
    twice: dict[Region, tuple[str, str]] = {}
    for edge, text in zip(edges, texts, strict=True):
        if edge.terminal == PLACE and isinstance(edge.value, Region):
            if known.get(edge.value, text) != text:
                twice[edge.value] = known[edge.value], text
            known[edge.value] = text
    return Written(known, twice)


# The table.


def faults(order: Order, lexicon: Lexicon) -> Iterator[Impossible]:
    """A part of an order that a unit of its kind can never do."""
    for part, kind, region in named_parts(order):
        if kind is not None and not lexicon.fits_terrain(kind, region):
            yield Impossible(part, Why.ELSEWHERE, kind, region)
    if isinstance(order, Convoy):
        if lexicon.terrain_of(order.unit.region) in {Terrain.INLAND, Terrain.COASTAL}:
            yield Impossible("unit", Why.CONVOYS_ASHORE, order.unit.kind, order.unit.region)
        carrier = lexicon.kind_of(order.unit.kind)
        if carrier is not None and not carrier.can_convoy:
            yield Impossible("unit", Why.NO_CARRIER, order.unit.kind, order.unit.region)
        yield from _not_carried("target", order.target, order.to, lexicon)
    elif isinstance(order, Move) and order.via_convoy:
        yield from _not_carried("unit", order.unit, order.to, lexicon)
    elif isinstance(order, SupportHold | SupportMove):
        part, helped = ("target", order.target.region) if isinstance(order, SupportHold) else ("to", order.to)
        if not lexicon.fits_terrain(order.unit.kind, helped):
            yield Impossible(part, Why.NO_HELP, order.unit.kind, helped)


def _not_carried(part: str, unit: UnitRef, to: Region, lexicon: Lexicon) -> Iterator[Impossible]:
    """Why a unit, which is the order's field `part`, cannot be convoyed: its kind, or an end of the way."""
    known = lexicon.kind_of(unit.kind)
    if known is not None and not known.can_be_convoyed:
        yield Impossible(part, Why.NOT_CARRIED, unit.kind, unit.region)
    # A boat bunch at sea may be convoyed too (BRE-16).
    boards_at_sea = known is None or known.boards_at_sea
    for name, region, may_be_sea in ((part, unit.region, boards_at_sea), ("to", to, False)):
        terrain = lexicon.terrain_of(region)
        # A unit of land at sea is a fault already.
        if terrain is Terrain.INLAND or (
                terrain is Terrain.SEA and not may_be_sea and lexicon.fits_terrain(unit.kind, region)):
            yield Impossible(name, Why.NO_SHORE, unit.kind, region)


# What follows from it.


def is_impossible(orders: Sequence[Order], lexicon: Lexicon) -> bool:
    """True if an order has a part that a unit of its kind can never do."""
    return any(True for order in orders for _ in faults(order, lexicon))


def repaired(orders: Sequence[Order], written: Written, lexicon: Lexicon) -> list[tuple[Order, ...]]:
    """The same orders with each impossible place replaced by one that its words may also mean and that is
    possible there: none where nothing is impossible, or no such place is known; several where the words leave
    it open."""
    choices: list[list[tuple[int, str, Region]]] = []
    for index, order in enumerate(orders):
        for part, region in dict.fromkeys((fault.part, fault.region) for fault in faults(order, lexicon)):
            texts = {_text_for(region, written), *written.twice.get(region, ())}
            others = lexicon.namesakes(region, texts)
            choices += [[(index, part, other) for other in others]] if others else []
    least = _count(orders, lexicon) - len(choices)
    readings = [_with_places(orders, taken) for taken in product(*choices)] if choices else []
    return [reading for reading in readings if _count(reading, lexicon) <= least]


def namesake_readings(orders: Sequence[Order], written: Written, lexicon: Lexicon) -> list[tuple[Order, ...]]:
    """Other readings of orders without a word for their unit, where only that word distinguishes two names:
    of "Clyde holds", which is Clydesdale to an army and the Firth of Clyde to a fleet (Q-76)."""
    readings: dict[tuple[Order, ...], None] = {}
    for index, order in enumerate(orders):
        if not isinstance(order, UnitOrder) or order.unit.kind is not None:
            continue
        for kind in lexicon.kinds:
            named = replace(order, unit=replace(order.unit, kind=kind))
            for (other,) in repaired([named], written, lexicon):
                if isinstance(other, UnitOrder):
                    changed = replace(other, unit=replace(other.unit, kind=None))
                    readings[(*orders[:index], changed, *orders[index + 1 :])] = None
    return list(readings)


def _with_places(
    orders: Sequence[Order], places: Iterable[tuple[int, str, Region]]
) -> tuple[Order, ...]:
    """The orders with other regions: the order's place in the list, its field, and the region there."""
    changed = list(orders)
    for index, part, region in places:
        order: Any = changed[index]
        value = getattr(order, part)
        changed[index] = replace(order, **{
            part: replace(value, region=region) if isinstance(value, UnitRef) else region})
    return tuple(changed)


def _count(orders: Sequence[Order], lexicon: Lexicon) -> int:
    return sum(1 for order in orders for _ in faults(order, lexicon))


def contradiction(orders: Sequence[Order], written: Written, lexicon: Lexicon) -> Contradiction | None:
    """Why these orders cannot be what was meant, or None.

    Either something in them is impossible though the place's own name is not written, or a unit goes where it
    is though two names are written ("Army Selkirk to Peebles", where one region holds both towns).
    """
    if names_own_place(orders):
        for region, (first, second) in written.twice.items():
            names = (lexicon.spelled(text, region) for text in (first, second))
            # "Harlech Castle to Harlech" is the region's own name twice, and is as written.
            if any(name is not None and name.is_short_form for name in names):
                return OnePlace(region, first, second)
    return not_meant(orders, written, lexicon)


def not_meant(orders: Sequence[Order], written: Written, lexicon: Lexicon) -> NotMeant | None:
    """The first impossible place of which the own name is not written, or None."""
    for order in orders:
        for fault in faults(order, lexicon):
            text = _text_for(fault.region, written)
            name = lexicon.spelled(text, Region(fault.region.province))
            if fault.why not in _MEANT_IN_SHORT and (name is None or name.rank is not Rank.NAME):
                return NotMeant(fault, text)
    return None


def misfit(orders: Sequence[Order], written: Written, lexicon: Lexicon) -> float:
    """How badly kinds and places of a reading fit each other, 0 or more: only for choosing among readings of
    the same words.

    "The Isle of Wight" is land or sea "by unit and order" (Q-44); Cardigan is a shire by land and a bay at
    sea. A reading in which a unit goes where it is, or supports where it could never be, fits less.
    """
    score = float(names_own_place(orders))
    for order in orders:
        score += sum(0.5 if fault.why is Why.NO_HELP else 1.0 for fault in faults(order, lexicon))
    pairs = [pair for order in orders for pair in named_regions(order)]
    return score + sum(_element_fault(kind, region, written, lexicon) for kind, region in pairs)


def _element_fault(kind: str | None, region: Region, written: Written, lexicon: Lexicon) -> float:
    """The cost of a spelling for units of one element to another unit, and one whose kind is not
    known."""
    name = lexicon.spelled(_text_for(region, written), Region(region.province))
    if name is None or name.element is None:
        return 0.0
    if kind is None:
        return 0.25
    return 0.0 if lexicon.is_of_element(kind, name.element) else 1.0


def _text_for(region: Region, written: Written) -> str:
    """What represents a region, whose coast may be written apart from it."""
    return written.texts.get(region) or written.texts.get(Region(region.province), "")


def is_nonsense(orders: Sequence[Order], lexicon: Lexicon) -> bool:
    """True if the kinds of its units make an order senseless: a unit that carries no other convoys, a unit
    that is never carried is convoyed, or a unit converts to what it is.

    Its writer made a slip, or its reader did: "F Irish Sea C F Cork - Mull" was taken as written, with .998.
    """
    # "Fleet Kesteven & Holland moves to Mordor" was read as a way by Moray to Dorset, by their codes.
    return any(
        _is_no_convoy(order, lexicon)
        or (isinstance(order, Convert) and order.to_kind is not None and order.to_kind == order.unit.kind)
        for order in orders
    )


def _is_no_convoy(order: Order, lexicon: Lexicon) -> bool:
    """True for a convoy, or a move by one, in which no unit of the kinds named can take part there."""
    return any(fault.why in _CONVOY_FAULTS for fault in faults(order, lexicon))


def oddity_cost(orders: Sequence[Order], lexicon: Lexicon) -> float:
    """Cost in nats, 0 or more, of orders that no player means to write, wherever the units are.

    Odd are a unit that goes to, supports or convoys its own place, a convoy by an army, of a fleet or from
    land, a coast that a province does not have, and several orders in one line.
    """
    convoys = sum(isinstance(order, Convoy) and _is_no_convoy(order, lexicon) for order in orders)
    oddities = convoys + names_own_place(orders) + has_strange_coast(orders, lexicon)
    return _ODD_COST * oddities + _SURPLUS_ORDER_COST * (len(orders) - 1)
