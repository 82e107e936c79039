"""The cheapest paths through a line: pieces of its text on one side, the machine of order forms on the other.

A literal and a fuzzy reading differ only in the edges they hand in; the search is the same (k shortest paths
over positions in the text and states of the machine, pruned to a beam).
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from grammar.terminal_table import Machine

_BEAM = 48
"""Partial paths kept at one position of the line."""
_MAX_LEAD = 6.0
"""Letters by which a partial path may cost more than the best one at the same position."""


class Edge(NamedTuple):
    """A piece of a line taken as one terminal with a value, or passed over where `terminal` is None.

    `start` and `end` are positions in the line (words or characters, as the maker of the edges counts),
    `cost` is in letters changed, 0 or more, `size` the letters of the piece.
    """

    start: int
    end: int
    terminal: str | None
    value: object
    cost: float
    size: int = 1


@dataclass(frozen=True, slots=True)
class Path:
    """A path from the start of the line to its end: its edges, and the sum of their costs in letters."""

    edges: tuple[Edge, ...]
    cost: float


@dataclass(frozen=True, slots=True)
class LatticeSearch:
    """What a search gives.

    `paths`: by rising cost, no two with the same terminals and values. `furthest`: the last position that any
    partial path reached. `expected`: the terminals that could have continued from there.
    """

    paths: tuple[Path, ...]
    furthest: int
    expected: frozenset[str]


_Meaning = tuple[tuple[str, object], ...]


class _Partial(NamedTuple):
    """A path that has not reached the end; `meaning` holds its terminals with their values."""

    cost: float
    meaning: _Meaning
    edge: Edge | None
    before: _Partial | None


_cost = attrgetter("cost")


def search(machine: Machine, edges: Mapping[int, Sequence[Edge]], size: int, keep: int = 4,
           limit: float = float("inf")) -> LatticeSearch:
    """Up to `keep` cheapest paths from position 0 to position `size` that end in a final state.

    Paths that cost more than `limit` letters are dropped. Edges must lead forwards.
    """
    positions: list[dict[int, list[_Partial]]] = [{} for _ in range(size + 1)]
    positions[0][0] = [_Partial(0.0, (), None, None)]
    furthest = 0
    for position in range(size):
        if not positions[position]:
            continue
        furthest = position
        # Here, when all paths to this position are known: earlier, a cheaper one might still have come.
        _prune(positions[position])
        starting = edges.get(position, ())
        for state, partials in positions[position].items():
            moves = machine.moves[state]
            for edge in starting:
                after = state if edge.terminal is None else moves.get(edge.terminal)
                if after is not None:
                    _extend(positions[edge.end].setdefault(after, []), partials, edge, keep, limit)
    ends = [p for state, partials in positions[size].items() if state in machine.final for p in partials]
    if positions[size]:
        furthest = size
    best: dict[_Meaning, _Partial] = {}
    # Several states may end with the same meaning; the cheapest of them counts.
    for partial in sorted(ends, key=_cost):
        best.setdefault(partial.meaning, partial)
    # For the complaint: what would have had to follow where the line stopped.
    expected = frozenset(t for state in positions[furthest] for t in machine.moves[state])
    return LatticeSearch(tuple(_path(partial) for partial in list(best.values())[:keep]), furthest, expected)


def _extend(target: list[_Partial], partials: Sequence[_Partial], edge: Edge, keep: int,
            limit: float) -> None:
    """Add `edge` to each path; `target` keeps the `keep` cheapest, sorted, each meaning once."""
    for partial in partials:
        cost = partial.cost + edge.cost
        if cost > limit or (len(target) >= keep and cost >= target[-1].cost):
            return  # the paths are sorted: the rest costs more still
        meaning = partial.meaning if edge.terminal is None else (
            *partial.meaning, (edge.terminal, edge.value))
        same = _index_of(meaning, target)
        if same is not None:
            if target[same].cost <= cost:
                continue
            del target[same]
        insort(target, _Partial(cost, meaning, edge, partial), key=_cost)
        del target[keep:]


def _index_of(meaning: _Meaning, partials: Sequence[_Partial]) -> int | None:
    for index, partial in enumerate(partials):
        if partial.meaning == meaning:
            return index
    return None


def _prune(states: dict[int, list[_Partial]]) -> None:
    """Drop paths that are far behind, and the most expensive ones beyond the beam."""
    costs = sorted([p.cost for partials in states.values() for p in partials])
    if not costs:
        states.clear()
        return
    bound = min(costs[_BEAM - 1] if len(costs) >= _BEAM else math.inf, costs[0] + _MAX_LEAD)
    for state, partials in list(states.items()):
        cheap = [p for p in partials if p.cost <= bound] if costs[-1] > bound else partials
        if cheap:
            states[state] = cheap
        else:
            del states[state]


def _path(partial: _Partial) -> Path:
    edges: list[Edge] = []
    step: _Partial | None = partial
    while step is not None and step.edge is not None:
        edges.append(step.edge)
        step = step.before
    return Path(tuple(reversed(edges)), partial.cost)
