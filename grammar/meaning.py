"""What a text that the automaton wrote means: the orders it is when taken as it stands, and what in them asks for care."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rapidfuzz.distance import Levenshtein

from adjudicator.geo import Region
from adjudicator.orders import Convoy, Order, SupportHold, SupportMove, UnitOrder
from grammar import fuzzy, reading
from grammar.build import MAKERS, Maker
from grammar.compose import Forms
from grammar.exact import DOUBTS
from grammar.lexicon import Lexicon
from grammar.print import canonical
from grammar.reading import Sheet
from grammar.words import body, words

_ODD, _MORE = 4.0, 3.0
_NEARLY = 3
"""Letters by which two printed orders differ that are easily taken for each other."""


def meanings(
    text: str, *, lexicon: Lexicon, forms: Sequence[Forms], power: str = "", line: int | None = None,
    makers: Mapping[str, Maker] = MAKERS,
) -> tuple[tuple[Order, ...], ...]:
    """The orders of a text every word of which is known: one reading, several where a name stands for two regions, none
    where the text is no order. Of several `forms` the first that takes it counts."""
    for each in forms:
        found = reading.as_written(words(text, body(text)), Sheet(each, lexicon, power, makers), line).candidates
        if found:
            return tuple(candidate.orders for candidate in found)
    return ()


def doubtful(text: str) -> bool:
    """Does a text as read freely hold a word that makes an order a condition, a choice or a denial, or a question mark?"""
    return "?" in text or any(word.text in DOUBTS for word in words(text))


def incomplete(orders: Sequence[Order]) -> bool:
    """Not exactly one order, or one whose unit has no kind: players write it, so a reader has more likely lost it."""
    return len(orders) != 1 or any(isinstance(o, UnitOrder) and o.unit.kind is None for o in orders)


def kindless_target(orders: Sequence[Order]) -> bool:
    """Is a supported or convoyed unit named without its kind?"""
    return any(isinstance(o, SupportHold | SupportMove | Convoy) and o.target.kind is None for o in orders)


def names_itself(orders: Sequence[Order]) -> bool:
    """Whether an order names its own place as its goal or partner ("Army Limerick moves to Limerick"): by words alone a
    sign that one was lost, since county and town share names."""
    for order in orders:
        if isinstance(order, UnitOrder):
            named = [getattr(order, "to", None), getattr(getattr(order, "target", None), "region", None)]
            if any(region is not None and region.province == order.unit.region.province for region in named):
                return True
    return False


def oddity(orders: Sequence[Order]) -> float:
    """Nats that orders cost which nobody means to write, whatever the board: a unit that goes to, supports or convoys
    its own place, a convoy by an army, several orders in one line."""
    convoys = sum(isinstance(o, Convoy) and o.unit.kind == "A" for o in orders)
    return _ODD * (convoys + names_itself(orders)) + _MORE * (len(orders) - 1)


def one_letter(text: str, orders: Sequence[Order], lexicon: Lexicon, forms: Sequence[Forms]) -> bool:
    """Does the text hold an abbreviation that one letter taken for its like turns into another's (Lon, Lan)?"""
    named = {Region(region.province) for order in orders for _, region in reading.places(order)}
    return any(fuzzy.doubles(word.text, named, each, lexicon) for word in words(text) for each in forms)


def near(ours: Sequence[Order], others: Sequence[Order], lexicon: Lexicon) -> bool:
    """Are two readings printed nearly alike (A or F, Cork or York), or is one the other with words more?"""
    a, b = ("; ".join(canonical(o, lexicon.board) for o in each) for each in (ours, others))
    return Levenshtein.distance(a, b) <= _NEARLY or set(a.split()) <= set(b.split()) or set(b.split()) <= set(a.split())
