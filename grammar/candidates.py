"""From a line to candidates: what `grammar.parse` and `grammar.nearest_orders` share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lark import Token

from adjudicator.geo import Region
from adjudicator.orders import Build, Convoy, Move, Order, Retreat, SupportHold, SupportMove, UnitOrder
from grammar import exact_edges, fuzzy_edges
from grammar.build_orders import Maker, makers_of, orders_from_tree
from grammar.complaint import Candidate
from grammar.compose import Forms
from grammar.edit_costs import flatten
from grammar.lattice import Path, search
from grammar.lexicon import Lexicon
from grammar.words import Word

MAX_LINE_LENGTH = 400
"""Characters of a line that is looked at; the longest order of several units is far shorter."""
MAX_FUZZY_LENGTH = 160
"""Characters of a line that is looked at letter by letter."""
_KEPT = 16
_EXACT = 1e-3
_KINDLESS, _KINDLESS_TARGET = 1.4, 0.6
"""Letters a misread unit costs whose kind is missing, and a misread supported or convoyed unit."""


@dataclass(frozen=True, slots=True)
class LineContext:
    """What a line is read with: the forms of its phase, the names, whose sheet it is, and the table of
    makers."""

    forms: Forms
    lexicon: Lexicon
    power: str
    makers: Mapping[str, Maker]


@dataclass(frozen=True, slots=True)
class LiteralReading:
    """A line taken as it stands: equally good `candidates`, one when it is read; otherwise the word at which
    the furthest reading stopped, and the terminals it looked for there."""

    candidates: tuple[Candidate, ...]
    furthest: int
    expected: frozenset[str]


def read_literally(found: Sequence[Word], sheet: LineContext, line: int | None) -> LiteralReading:
    """Readings of a line whose every word is known."""
    result = search(
        sheet.forms.machine, exact_edges.edges(found, sheet.forms, sheet.lexicon), len(found), _KEPT
    )
    equal = [p for p in result.paths if p.cost - result.paths[0].cost < exact_edges.PIECE_COST / 2]
    made = {orders_of(path, sheet, line): path for path in reversed(equal)}
    fitting = _fitting([o for o in reversed(made) if o], sheet.lexicon)
    return LiteralReading(
        tuple(Candidate(o, 1.0, _begun(made[o])) for o in fitting), result.furthest, result.expected
    )


def _begun(path: Path) -> float:
    """Letters held against names of which only the beginning is written ("Iri")."""
    return fuzzy_edges.PREFIX_COST * sum(edge.cost == exact_edges.PREFIX_COST for edge in path.edges)


def _fitting(made: Sequence[tuple[Order, ...]], lexicon: Lexicon) -> Sequence[tuple[Order, ...]]:
    """Of readings that differ only in what one spelling means, those that put no unit where its kind can
    never be.

    "The Isle of Wight" is land or sea "by unit and order" (Q-44); an army cannot mean the sea.
    """
    if len(made) < 2:
        return made
    wrong = [sum(_misfits(order, lexicon) for order in each) for each in made]
    return [each for each, count in zip(made, wrong, strict=True) if count == min(wrong)]


def _misfits(order: Order, lexicon: Lexicon) -> int:
    return sum(not lexicon.fits(kind, region) for kind, region in named_regions(order))


def named_regions(order: Order) -> list[tuple[str | None, Region]]:
    """Every place an order names, with the kind of unit that stands or goes there."""
    pairs: list[tuple[str | None, Region]] = []
    if isinstance(order, Build):
        pairs.append((order.kind, order.region))
    if isinstance(order, UnitOrder):
        pairs.append((order.unit.kind, order.unit.region))
    if isinstance(order, SupportHold | SupportMove | Convoy):
        pairs.append((order.target.kind, order.target.region))
    if isinstance(order, Move | Retreat):
        pairs.append((order.unit.kind, order.to))
    if isinstance(order, SupportMove | Convoy):
        pairs.append((order.target.kind, order.to))
    return pairs


def read_fuzzily(text: str, sheet: LineContext, line: int | None, *, stray: bool = False,
               typed: bool = False) -> list[Candidate]:
    """Readings of a misread line, no two the same orders, best first; none for a line too long to be one
    order.

    `score` is the share of the text's letters that were not changed. With `stray`, words that fit nowhere may
    be passed over; `worst_changed_share` is then 1. `typed` text has no letters taken for others that look
    alike.
    """
    plain = flatten(text)[0] if len(text) <= MAX_FUZZY_LENGTH else ""
    size = max(1, len(plain.replace(" ", "")))
    table = fuzzy_edges.edges(plain, sheet.forms, sheet.lexicon, stray=stray, typed=typed) if plain else {}
    result = search(sheet.forms.machine, table, len(plain), _KEPT, limit=0.45 * size + 2)
    best: dict[tuple[Order, ...], tuple[float, Path]] = {}
    for path in result.paths:
        made = orders_of(path, sheet, line)
        cost = fuzzy_edges.changed_letters(path.cost, path.edges) + _unlikely(made)
        if made and _spelled(made, sheet.lexicon) and cost < best.get(made, (cost + 1, path))[0]:
            best[made] = (cost, path)
    ranked = sorted(best.items(), key=lambda item: item[1][0])
    return [
        Candidate(
            o, max(0.0, 1.0 - cost / size), cost, fuzzy_edges.worst_changed_share(path.edges),
            _rival(ranked[0][1][1], path)
        )
        for o, (cost, path) in ranked
    ]


def _rival(best: Path, other: Path) -> bool:
    """Does `other` change a piece of `best` that does not fit letter for letter anyway, or fit a piece as
    well?"""
    kept = {(e.start, e.end, e.terminal, e.value) for e in other.edges}
    costs = {(e.start, e.end): e.cost for e in other.edges}
    changed = [e for e in best.edges if (e.start, e.end, e.terminal, e.value) not in kept]
    return any(
        e.cost > exact_edges.PIECE_COST + _EXACT or costs.get((e.start, e.end), math.inf) < e.cost + _EXACT
        for e in changed
        if e.terminal is not None
    )


def _unlikely(made: Sequence[Order]) -> float:
    """Letters added where a unit has no kind: players write it, so a reader has more likely lost the word.
    Less for a supported unit, which the handbook itself names by its place alone (ORD-04)."""
    unit = any(isinstance(o, UnitOrder) and o.unit.kind is None for o in made)
    target = any(isinstance(o, SupportHold | SupportMove | Convoy) and o.target.kind is None for o in made)
    return _KINDLESS * unit + _KINDLESS_TARGET * target


def _spelled(made: Sequence[Order], lexicon: Lexicon) -> bool:
    """No coast that its province does not have: a coast read out of stray letters."""
    return all(lexicon.has_coast(region) for order in made for _, region in named_regions(order))


def orders_of(path: Path, sheet: LineContext, line: int | None) -> tuple[Order, ...]:
    """The orders a path means; empty where its words contradict themselves ("Build at London" without a
    kind)."""
    kept = [edge for edge in path.edges if edge.terminal is not None]
    tree = sheet.forms.tree([Token(str(edge.terminal), str(n)) for n, edge in enumerate(kept)])
    return orders_from_tree(
        tree, kept, sheet.lexicon, sheet.power, line, makers_of(sheet.forms.own, sheet.makers)
    )
