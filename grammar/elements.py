"""Kind and place judged together, by words alone: an army is never at sea, and a fleet is where fleets live.

WRD-01. What is written in full stands as written, however foolish (NON-03): "Army Liverpool to Irish Sea". A
short form, a beginning or a misspelling never puts an army at sea: "Army Pembroke to Cardigan" does not mean
the bay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from adjudicator.geo import Region
from adjudicator.orders import Order, SupportHold, SupportMove
from grammar.lattice import Edge
from grammar.lexicon import PLACE, Lexicon, Rank
from grammar.order_traits import named_regions, names_own_place


@dataclass(frozen=True, slots=True)
class Written:
    """What stands in a line for each region that it names. `twice`: the regions that it names in two ways."""

    texts: Mapping[Region, str]
    twice: Mapping[Region, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class AtSea:
    """A reading that puts a unit of land at sea by less than the sea's own name: the unit's letter, the
    sea, and what is written for it."""

    kind: str
    region: Region
    written: str


@dataclass(frozen=True, slots=True)
class OnePlace:
    """A reading that sends a unit where it is, by two spellings of one region."""

    region: Region
    first: str
    second: str


Contradiction = AtSea | OnePlace
"""Why the only reading of a line cannot be what was meant."""


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


def contradiction(orders: Sequence[Order], written: Written, lexicon: Lexicon) -> Contradiction | None:
    """Why these orders cannot be what was meant, or None.

    Either a unit of land is at sea though the sea's own name is not written, or a unit goes where it is
    though two names are written ("Army Selkirk to Peebles", where one region holds both towns).
    """
    if names_own_place(orders):
        for region, (first, second) in written.twice.items():
            names = (lexicon.spelled(text, region) for text in (first, second))
            # "Harlech Castle to Harlech" is the region's own name twice, and stands as written.
            if any(name is not None and name.is_short_form for name in names):
                return OnePlace(region, first, second)
    return unit_at_sea(orders, written, lexicon)


def unit_at_sea(orders: Sequence[Order], written: Written, lexicon: Lexicon) -> AtSea | None:
    """The first unit of land that an order puts at sea though the sea's own name is not written, or None."""
    for order in orders:
        for kind, region in named_regions(order):
            province = lexicon.board.provinces.get(region.province)
            if kind is None or province is None or not province.is_sea or lexicon.fits_terrain(kind, region):
                continue
            text = _text_for(region, written)
            name = lexicon.spelled(text, Region(region.province))
            if name is None or name.rank is not Rank.NAME:
                return AtSea(kind, region, text)
    return None


def misfit(orders: Sequence[Order], written: Written, lexicon: Lexicon) -> float:
    """How badly kinds and places of a reading fit each other, 0 or more: only for choosing among readings of
    the same words.

    "The Isle of Wight" is land or sea "by unit and order" (Q-44); Cardigan is a shire by land and a bay at
    sea. A reading in which a unit goes where it is, or supports where it could never be, fits less.
    """
    pairs = [pair for order in orders for pair in named_regions(order)]
    faults = float(sum(not lexicon.fits_terrain(*pair) for pair in pairs))
    faults += names_own_place(orders)
    for order in orders:
        helped = (order.target.region if isinstance(order, SupportHold)
                  else order.to if isinstance(order, SupportMove) else None)
        if helped is not None and isinstance(order, SupportHold | SupportMove):
            faults += 0.5 * (not lexicon.fits_terrain(order.unit.kind, helped))
    return faults + sum(_element_fault(kind, region, written, lexicon) for kind, region in pairs)


def _element_fault(kind: str | None, region: Region, written: Written, lexicon: Lexicon) -> float:
    """What a spelling that stands for units of one element costs another unit, and one whose kind is not
    known."""
    name = lexicon.spelled(_text_for(region, written), Region(region.province))
    if name is None or name.element is None:
        return 0.0
    if kind is None:
        return 0.25
    return 0.0 if lexicon.is_of_element(kind, name.element) else 1.0


def _text_for(region: Region, written: Written) -> str:
    """What stands for a region, whose coast may be written apart from it."""
    return written.texts.get(region) or written.texts.get(Region(region.province), "")
