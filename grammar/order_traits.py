"""The traits of an order by its words, without a position: its regions, what is missing, what is odd.

Every answer comes from the order and the names of the board. Owners, borders and units are never asked for
(NON-03, DESK-03).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from rapidfuzz.distance import OSA, Levenshtein

from adjudicator.geo import Region
from adjudicator.orders import Build, Convoy, Move, Order, Retreat, SupportHold, SupportMove, UnitOrder
from adjudicator.units import UnitRef
from grammar.lexicon import Lexicon
from grammar.order_starts import kind_letter_pattern
from grammar.print import canonical_line
from grammar.words import words

_ARTICLES = re.compile(r"\b(?:The|County|Isles? of|Castle)\b ?| and | & |(?<=[a-z])shire\b", re.IGNORECASE)
"""What names have around their own letters: articles, kinds of place and endings."""
_COUNTS_OTHERWISE = re.compile(
    r"\b(?:[2-9]|\d\d+) ?unit['’]s\b|\b(?:1|an?|one) ?units['’]|\b7 ?units?(?!['’\w])", re.IGNORECASE)
"""Several of what is written as one, one of what is written as several, and a 7 whose word may say one."""
_ENDS_IN_HELP = re.compile(r"(?:\s[SC]|\w['’]+s)\W*$", re.IGNORECASE)
_HELP_WORDS = ("supports", "convoys")
"""One letter of them may be misread or missing."""
_WAY = re.compile(r"\b(?:via|by)\s+\w+\W*$", re.IGNORECASE)
"""But "via convoy" ends a move: the line below it waited."""
_BREAKS_OFF = re.compile(r"(?:[-–—>&]|\b(?:to|and|into|the|of))\W*$", re.IGNORECASE)
_VERB = re.compile(
    r"[-–—>=]|\b(?:to|into|[SCHRD]|supp?orts?|convoys?|holds?|moves?|stands?|retreats?|disbands?)\b",
    re.IGNORECASE)
_NEAR_LETTERS = 3
"""Letters by which two printed orders differ that are easily taken for each other."""


def named_regions(order: Order) -> list[tuple[str | None, Region]]:
    """Every region an order names, with the kind of unit that is or goes there, None where unwritten."""
    return [(kind, region) for _, kind, region in named_parts(order)]


def named_parts(order: Order) -> list[tuple[str, str | None, Region]]:
    """The same, each with the field of the order that it is, or is the region of."""
    parts: list[tuple[str, str | None, Region]] = []
    if isinstance(order, Build):
        parts.append(("region", order.kind, order.region))
    if isinstance(order, UnitOrder):
        parts.append(("unit", order.unit.kind, order.unit.region))
    if isinstance(order, SupportHold | SupportMove | Convoy):
        parts.append(("target", order.target.kind, order.target.region))
    if isinstance(order, Move | Retreat):
        parts.append(("to", order.unit.kind, order.to))
    if isinstance(order, SupportMove | Convoy):
        parts.append(("to", order.target.kind, order.to))
    return parts


def provinces_of(orders: Sequence[Order]) -> set[str]:
    """The provinces that some orders name."""
    return {region.province for order in orders for _, region in named_regions(order)}


def without_kinds(orders: Sequence[Order]) -> tuple[Order, ...]:
    """The orders with the kinds of their units left out: a place holds one unit, and they mean the same
    (DATC 4.C.1). What is built, and what a unit becomes, keeps its kind."""
    return tuple(map(_without_kinds, orders))


def _without_kinds(order: Order) -> Order:
    units = {name: getattr(order, name, None) for name in ("unit", "target")}
    return replace(order, **{  # type: ignore[arg-type]
        name: replace(unit, kind=None) for name, unit in units.items() if isinstance(unit, UnitRef)})


def has_kindless_unit(orders: Sequence[Order]) -> bool:
    """True if the unit of an order has no kind. Players write it: a reader has more likely lost the word."""
    return any(isinstance(o, UnitOrder) and o.unit.kind is None for o in orders)


def has_kindless_target(orders: Sequence[Order]) -> bool:
    """True if a supported or convoyed unit has no kind. The handbook itself names these so (ORD-04)."""
    return any(isinstance(o, SupportHold | SupportMove | Convoy) and o.target.kind is None for o in orders)


def is_incomplete(orders: Sequence[Order]) -> bool:
    """True unless there is exactly one order and its unit has a kind."""
    return len(orders) != 1 or has_kindless_unit(orders)


def ends_in_help(text: str) -> bool:
    """True if a text breaks off behind the word that states whom a unit supports or convoys, or whose unit
    that is."""
    # "Fleet Dublin Bay S", or "Fleet Sligo supports Montrose's", and below it a whole order: the first fitted
    # a hold, and the second passed as an order of its own. So did one below "Fleet Belfast Lough convoye".
    last = words(text)[-1:]
    return _ENDS_IN_HELP.search(text) is not None or (not _WAY.search(text) and any(
        OSA.distance(word.text, help_word) <= 1 for word in last for help_word in _HELP_WORDS))


def breaks_off(text: str) -> bool:
    """True if a text ends in a sign or a word that wants another behind it: "Durham army to"."""
    return _BREAKS_OFF.search(text) is not None


def has_verb(text: str, lexicon: Lexicon) -> bool:
    """True if a text has a word or a sign of an order in English or a language of the game."""
    # Three rows with "va a" and "tient" were a table of units and places.
    return _VERB.search(text) is not None or any(word.text in lexicon.order_words for word in words(text))


def counts_otherwise(text: str) -> bool:
    """True if a text states one number by its figure and the other by its word ("Send 7 unit's supply").

    A 1 with a long stroke before it is plainly a 7 to a reader, so a 7 needs a word that states several.
    """
    return _COUNTS_OTHERWISE.search(text) is not None


def names_own_place(orders: Sequence[Order]) -> bool:
    """True if an order names its own province as its goal or partner ("Army Limerick moves to Limerick").

    More likely a word was lost, since a county and its town share a name.
    """
    for order in orders:
        if isinstance(order, UnitOrder):
            partners = [getattr(order, "to", None), getattr(getattr(order, "target", None), "region", None)]
            if any(region and region.province == order.unit.region.province for region in partners):
                return True
    return False


def helps_to_own_place(orders: Sequence[Order]) -> bool:
    """True if an order helps a unit to where that unit is ("A Kent S A Surrey - Surrey")."""
    return any(isinstance(order, SupportMove | Convoy) and order.to.province == order.target.region.province
               for order in orders)


def has_strange_coast(orders: Sequence[Order], lexicon: Lexicon) -> bool:
    """True if an order names a coast that its province does not have ("Charlemont north coast").

    More likely a name was misread ("Channel"). A player who does mean it keeps it, wrong as it is
    (DATC 6.B.3).
    """
    return any(not lexicon.has_coast(region) for order in orders for _, region in named_regions(order))


def are_near(ours: Sequence[Order], others: Sequence[Order], lexicon: Lexicon) -> bool:
    """True if two readings print nearly alike (A or F, Cork or York; Furness and The Farnes), or one is the
    other with more words."""
    a, b = canonical_line(ours, lexicon.board), canonical_line(others, lexicon.board)
    words_a, words_b = set(a.split()), set(b.split())
    # "Cork" and "County Cork" are seven letters apart, and a lost word makes them one.
    return (
        Levenshtein.distance(a, b) <= _NEAR_LETTERS
        or words_a <= words_b
        or words_b <= words_a
        or are_spelled_alike(a, b)
    )


def are_spelled_alike(text: str, other: str) -> bool:
    """True if two orders as they were written differ in few letters next to articles and endings: "Furness",
    for Westmorland & Furness, and "The Farnes"."""
    return Levenshtein.distance(_ARTICLES.sub("", text), _ARTICLES.sub("", other)) <= _NEAR_LETTERS


def differ_in_kinds_only(ours: Sequence[Order], others: Sequence[Order], lexicon: Lexicon) -> bool:
    """True if two readings differ in nothing but the kinds of units (A Cork holds, F Cork holds)."""
    a, b = canonical_line(ours, lexicon.board), canonical_line(others, lexicon.board)
    return a != b and _kind_letter(lexicon).sub("_", a) == _kind_letter(lexicon).sub("_", b)


@lru_cache(maxsize=8)
def _kind_letter(lexicon: Lexicon) -> re.Pattern[str]:
    """A unit's letter in canonical text."""
    return re.compile(kind_letter_pattern(lexicon.kinds))
