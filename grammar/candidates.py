"""From a line to candidates: what `grammar.parse` and `grammar.nearest_orders` share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lark import Token, Tree

from adjudicator.geo import Region
from adjudicator.orders import Order
from grammar import exact_edges, fuzzy_edges
from grammar.build_orders import Maker, makers_of, orders_from_tree
from grammar.complaint import Candidate
from grammar.compose import Forms
from grammar.edit_costs import flatten
from grammar.elements import Contradiction, Written, contradiction, misfit, unit_at_sea, written_places
from grammar.lattice import Edge, Path, search
from grammar.lexicon import Lexicon
from grammar.order_traits import has_kindless_target, has_kindless_unit, has_strange_coast
from grammar.words import Word

MAX_LINE_LENGTH = 400
"""Characters of a line that is read; the longest order of several units is far shorter."""
MAX_FUZZY_LENGTH = 160
"""Characters of a line that is compared letter by letter."""
_MAX_PATHS = 16
_EXACT = 1e-3
"""Letters below which two costs are equal."""
_KINDLESS_COST, _KINDLESS_TARGET_COST = 1.4, 0.6
"""Letters that a misread unit without its kind costs, and a misread supported or convoyed unit."""


@dataclass(frozen=True, slots=True)
class LineContext:
    """What a line is read with: the forms of its phase, the names, whose sheet it is, and the table of
    makers. `plain_remarks`: only remarks that surely change no order are passed over."""

    forms: Forms
    lexicon: Lexicon
    power: str
    makers: Mapping[str, Maker]
    plain_remarks: bool = False


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
    fitting = _fitting([orders for orders in reversed(path_of) if orders and against[orders] is None],
                       written, context.lexicon)
    candidates = tuple(Candidate(orders, 1.0, _prefix_cost(path_of[orders])) for orders in fitting)
    why_not = None if candidates else next((why for why in against.values() if why is not None), None)
    return LiteralReading(candidates, result.furthest, result.expected, why_not)


def _written(path: Path, line: Sequence[Word], lexicon: Lexicon) -> Written:
    """What is written for each region of a literal path."""
    return written_places(path.edges, (_spelling(edge, line, lexicon) for edge in path.edges))


def _spelling(edge: Edge, line: Sequence[Word], lexicon: Lexicon) -> str:
    """The words of an edge: as they stand where they are a listed name ("Hurd's Deep"), else without
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
    best: dict[tuple[Order, ...], tuple[float, Path]] = {}
    for path in paths:
        orders = orders_of(path, context, number)
        cost = fuzzy_edges.changed_letters(path.cost, path.edges) + _kindless_cost(orders)
        # A coast that the province does not have was read out of stray letters, and an army is at sea only
        # where that is plainly written.
        if orders and not has_strange_coast(orders, context.lexicon) and (
                orders not in best or cost < best[orders][0]) and not _is_at_sea(orders, path, flat, context):
            best[orders] = (cost, path)
    ranked = sorted(best.items(), key=lambda item: item[1][0])

    def worst(path: Path) -> float:
        if typed:
            return fuzzy_edges.worst_typed_share(path.edges, flat, context.lexicon)
        return fuzzy_edges.worst_changed_share(path.edges)

    return [
        Candidate(orders, max(0.0, 1.0 - cost / size), cost, worst(path),
                  _is_rival(ranked[0][1][1], path))
        for orders, (cost, path) in ranked
    ]


def _is_at_sea(orders: Sequence[Order], path: Path, flat: str, context: LineContext) -> bool:
    """True if a fuzzy path puts a unit of land at sea by a spelling that is not the sea's own name."""
    written = written_places(path.edges, (flat[edge.start:edge.end] for edge in path.edges))
    return unit_at_sea(orders, written, context.lexicon) is not None


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
