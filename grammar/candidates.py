"""From a line to candidates: what `grammar.parse` and `grammar.nearest_orders` share."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from lark import Token, Tree

from adjudicator.geo import Region
from adjudicator.orders import Order
from grammar import exact_edges, fuzzy_edges
from grammar.build_orders import Maker, makers_of, orders_from_tree
from grammar.complaint import Candidate
from grammar.compose import Forms
from grammar.edit_costs import flatten
from grammar.impossible import (
    Contradiction,
    Written,
    contradiction,
    is_impossible,
    misfit,
    namesake_readings,
    not_meant,
    repaired,
    written_places,
)
from grammar.lattice import Edge, Path, search
from grammar.lexicon import NUMBER, PLACE, POWER, Lexicon
from grammar.order_traits import has_kindless_target, has_kindless_unit, has_strange_coast
from grammar.words import Word, no_whole_number

MAX_LINE_LENGTH = 400
"""Characters of a line that is read; the longest order of several units is far shorter."""
MAX_FUZZY_LENGTH = 160
"""Characters of a line that is compared letter by letter."""
_MAX_PATHS = 16
_PLAIN_FROM = 4
"""Letters from which a word that is spelled as listed was meant."""
_WORD = re.compile(r"[^\W_]+")
_EXACT = 1e-3
"""Letters below which two costs are equal."""
_KINDLESS_COST, _KINDLESS_TARGET_COST = 1.4, 0.6
"""Letters that a misread unit without its kind costs, and a misread supported or convoyed unit."""


@dataclass(frozen=True, slots=True)
class LineContext:
    """What a line is read with: the forms of its phase, the names, whose sheet it is, and the table of
    makers. `plain_remarks`: only remarks that surely change no order are passed over. `as_written`: the line
    is canonical text of ours, whose names mean what they are called, however foolish the order."""

    forms: Forms
    lexicon: Lexicon
    power: str
    makers: Mapping[str, Maker]
    plain_remarks: bool = False
    as_written: bool = False


@dataclass(frozen=True, slots=True)
class LiteralReading:
    """A line taken literally.

    `candidates`: equally good ones, exactly one when the line is read. `furthest`: the index of the word at
    which the furthest path stopped; `expected`: the terminals it looked for there. `contradiction`:
    why the line's only reading cannot be meant, else None.
    """

    candidates: tuple[Candidate, ...]
    furthest: int
    expected: frozenset[str]
    contradiction: Contradiction | None = None


def read_literally(line: Sequence[Word], context: LineContext, number: int | None) -> LiteralReading:
    """Readings of a line whose every word is known. `number` is the line's number on its sheet."""
    edges = exact_edges.edges(
        line, context.forms, context.lexicon, plain_remarks=context.plain_remarks)
    result = search(context.forms.machine, edges, len(line), _MAX_PATHS)
    equal = [p for p in result.paths if p.cost - result.paths[0].cost < exact_edges.PIECE_COST / 2]
    # Reversed, so that of several paths to the same orders the cheapest is the one that stays.
    path_of = {orders_of(path, context, number): path for path in reversed(equal)}
    written = {orders: _written(path, line, context.lexicon) for orders, path in path_of.items()}
    against = {orders: contradiction(orders, written[orders], context.lexicon) for orders in path_of}
    meant = [orders for orders in reversed(path_of) if orders and against[orders] is None]
    fitting = dict.fromkeys(_fitting(meant, written, context.lexicon))
    candidates = tuple(Candidate(orders, 1.0, _prefix_cost(path_of[orders])) for orders in fitting)
    if not context.as_written and all(is_impossible(orders, context.lexicon) for orders in fitting):
        # Each place that is impossible may be another of that name: "Fleet Galway convoys" is in the bay.
        others = {reading: Candidate(reading, 1.0, _prefix_cost(path_of[orders]))
                  for orders in reversed(path_of)
                  for reading in repaired(orders, written[orders], context.lexicon)
                  if not_meant(reading, written[orders], context.lexicon) is None}
        candidates = tuple(others.values()) or candidates
    if not context.as_written and len(candidates) == 1 and candidates[0].orders in written:
        only = candidates[0]
        namesakes = namesake_readings(only.orders, written[only.orders], context.lexicon)
        candidates += tuple(replace(only, orders=reading) for reading in namesakes)
    why_not = None if candidates else next((why for why in against.values() if why is not None), None)
    return LiteralReading(candidates, result.furthest, result.expected, why_not)


def _written(path: Path, line: Sequence[Word], lexicon: Lexicon) -> Written:
    """What is written for each region of a literal path."""
    return written_places(path.edges, (_spelling(edge, line, lexicon) for edge in path.edges))


def _spelling(edge: Edge, line: Sequence[Word], lexicon: Lexicon) -> str:
    """The words of an edge: as they are where they are a listed name ("Hurd's Deep"), else without
    possessive endings ("Newcastle's")."""
    spelling = " ".join(word.text for word in line[edge.start:edge.end])
    is_listed = isinstance(edge.value, Region) and lexicon.spelled(spelling, edge.value) is not None
    return spelling if is_listed else " ".join(word.base for word in line[edge.start:edge.end])


def _prefix_cost(path: Path) -> float:
    """Letters counted against names of which only the beginning is written ("Iri")."""
    return fuzzy_edges.PREFIX_COST * sum(edge.cost == exact_edges.PREFIX_COST for edge in path.edges)


def _fitting(readings: Sequence[tuple[Order, ...]], written: Mapping[tuple[Order, ...], Written],
             lexicon: Lexicon) -> Sequence[tuple[Order, ...]]:
    """Of readings that differ only in what one spelling means, those whose kinds and places fit best."""
    if len(readings) < 2:
        return readings
    misfits = [misfit(orders, written[orders], lexicon) for orders in readings]
    return [orders for orders, count in zip(readings, misfits, strict=True) if count == min(misfits)]


def fuzzy_paths(text: str, forms: Forms, lexicon: Lexicon, keep: int = _MAX_PATHS, *, stray: bool = False,
                typed: bool = False) -> tuple[str, tuple[Path, ...]]:
    """A misread text flattened, and its `keep` cheapest paths; ("", ()) for a text too long for one order."""
    flat = flatten(text)[0] if len(text) <= MAX_FUZZY_LENGTH else ""
    if not flat:
        return "", ()
    edges = fuzzy_edges.edges(flat, forms, lexicon, stray=stray, typed=typed)
    # A reading with more than 45 % of its letters changed is a reading of something else.
    limit = 0.45 * len(flat.replace(" ", "")) + 2
    return flat, search(forms.machine, edges, len(flat), keep, limit=limit).paths


def read_fuzzily(text: str, context: LineContext, number: int | None, *, stray: bool = False,
                 typed: bool = False) -> list[Candidate]:
    """Readings of a misread line, each a different order, best first; none for a line too long to be one
    order.

    `score` is the share of the text's letters that were not changed. With `stray`, words that fit nowhere may
    be passed over; `worst` is then 1. `typed` text has no letters taken for others that look alike.
    """
    flat, paths = fuzzy_paths(text, context.forms, context.lexicon, stray=stray, typed=typed)
    size = max(1, len(flat.replace(" ", "")))
    if no_whole_number(text):
        paths = tuple(path for path in paths if all(edge.terminal != NUMBER for edge in path.edges))
    best: dict[tuple[Order, ...], tuple[float, Path]] = {}
    for path in paths:
        orders = orders_of(path, context, number)
        cost = fuzzy_edges.changed_letters(path.cost, path.edges) + _kindless_cost(orders)
        for reading in _as_meant(orders, path, flat, context) if orders else ():
            if reading not in best or cost < best[reading][0]:
                best[reading] = (cost, path)
    ranked = sorted(best.items(), key=lambda item: item[1][0])

    def worst(path: Path) -> float:
        if typed:
            return fuzzy_edges.worst_typed_share(path.edges, flat, context.lexicon)
        return fuzzy_edges.worst_changed_share(path.edges)

    return [
        Candidate(orders, max(0.0, 1.0 - cost / size), cost, worst(path),
                  _is_rival(ranked[0][1][1], path), _keeps_words(path, flat, context))
        for orders, (cost, path) in ranked
    ]


def is_plain_word(text: str, lexicon: Lexicon, forms: Sequence[Forms]) -> bool:
    """True for a folded word of orders or of units that is long enough to be meant, and for every word of
    doubt."""
    is_known = text in lexicon.kind_words or any(text in form.keywords for form in forms)
    return text in lexicon.doubt_words or (len(text) >= _PLAIN_FROM and is_known)


def _keeps_words(path: Path, flat: str, context: LineContext) -> bool:
    """False if a fuzzy path drops an order word, a unit's word or a denial that is plainly written, or takes
    it for another one: "doesn't move" is not "- Mayo", and "from" is not "to" (WOR-03). A place
    may be read as another place, and as nothing else."""
    for word in _WORD.finditer(flat):
        text = word.group()
        is_plain = is_plain_word(text, context.lexicon, (context.forms,))
        if not is_plain and not _is_place(text, context.lexicon):
            continue
        edge = next((edge for edge in path.edges if edge.start <= word.start() < edge.end), None)
        if edge is not None and edge.terminal is None and flat[edge.start] == "(":
            continue  # a remark that changes no order: "(no change)"
        if edge is None or edge.terminal is None:
            return False
        value: Any = edge.value
        if text not in {*str(value).split(), *context.lexicon.words_of(edge.terminal, value)} and (
                is_plain or edge.terminal not in {PLACE, POWER}):
            return False
    return True


def _is_place(text: str, lexicon: Lexicon) -> bool:
    """True for a folded word that is a place's name by itself."""
    return len(text) >= _PLAIN_FROM and any(
        name.terminal == PLACE for name in lexicon.tree.get(text, {}).get("", ()))


def _as_meant(
    orders: tuple[Order, ...], path: Path, flat: str, context: LineContext
) -> Sequence[tuple[Order, ...]]:
    """The orders of a fuzzy path: others where a place in them is impossible and another of its name is not,
    and none where it can only be a misreading."""
    # A coast that the province does not have was read out of stray letters.
    if has_strange_coast(orders, context.lexicon):
        return ()
    if not is_impossible(orders, context.lexicon):
        return (orders,)
    written = written_places(path.edges, (flat[edge.start:edge.end] for edge in path.edges))
    # An army is at sea only where that is plainly written.
    readings = repaired(orders, written, context.lexicon) or [orders]
    return [reading for reading in readings if not_meant(reading, written, context.lexicon) is None]


def _is_rival(best: Path, other: Path) -> bool:
    """True if `other` changes a piece of `best` that does not fit letter for letter, or fits one as well."""
    shared = {(e.start, e.end, e.terminal, e.value) for e in other.edges}
    costs = {(e.start, e.end): e.cost for e in other.edges}
    changed = [e for e in best.edges if (e.start, e.end, e.terminal, e.value) not in shared]
    return any(
        e.cost > exact_edges.PIECE_COST + _EXACT or costs.get((e.start, e.end), math.inf) < e.cost + _EXACT
        for e in changed if e.terminal is not None)


def _kindless_cost(orders: Sequence[Order]) -> float:
    """Letters added where a unit has no kind, since a reader has more likely lost the word."""
    return (_KINDLESS_COST * has_kindless_unit(orders)
            + _KINDLESS_TARGET_COST * has_kindless_target(orders))


def orders_of(path: Path, context: LineContext, number: int | None) -> tuple[Order, ...]:
    """The orders a path means; empty where its words contradict themselves ("Build at London" without a
    kind)."""
    pieces = [edge for edge in path.edges if edge.terminal is not None]
    tree = _tree(context.forms, tuple(str(edge.terminal) for edge in pieces))
    makers = makers_of(context.forms.variant_orders, context.makers)
    return orders_from_tree(tree, pieces, context.lexicon, context.power, number, makers)


# A page's texts repeat a few hundred sequences, and the parser took a quarter of the time of their readings.
@lru_cache(maxsize=4096)
def _tree(forms: Forms, terminals: tuple[str, ...]) -> Tree[Token]:
    """The tree of a sequence of terminals; not to be changed."""
    # A token's text is the index of its piece, from which `orders_from_tree` takes the value.
    return forms.tree([Token(terminal, str(n)) for n, terminal in enumerate(terminals)])
