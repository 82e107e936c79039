"""The cheapest ways through a line: pieces of text on one side, the machine of order forms on the other.

An exact reading and a misread one differ in their edges only; the search is the same.
"""

from __future__ import annotations

import heapq
import math
from bisect import insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from grammar.terminal_table import Machine

_WIDTH = 48
"""Readings kept at one place of the line."""
_BEHIND = 6.0
"""Letters by which a reading may be dearer than the best one up to the same place."""


class Edge(NamedTuple):
    """A piece of a line taken as one terminal with a value, or passed over where `terminal` is None.

    `start` and `end` are places of the lattice, `cost` letters changed, `size` letters of the piece.
    """

    start: int
    end: int
    terminal: str | None
    value: object
    cost: float
    size: int = 1


@dataclass(frozen=True, slots=True)
class Path:
    """A way from the start of the line to its end: the edges with a terminal, and the whole cost."""

    edges: tuple[Edge, ...]
    cost: float


@dataclass(frozen=True, slots=True)
class LatticeSearch:
    """What a search gives: paths by rising cost, no two with the same terminals and values; the furthest
    place that any way reached, and the terminals that would have gone on from there."""

    paths: tuple[Path, ...]
    furthest: int
    expected: frozenset[str]


class _Way(NamedTuple):
    cost: float
    taken: tuple[tuple[str, object], ...]
    edge: Edge | None
    before: _Way | None


def search(machine: Machine, edges: Mapping[int, Sequence[Edge]], size: int, keep: int = 4,
           limit: float = float("inf")) -> LatticeSearch:
    """Up to `keep` cheapest paths from place 0 to place `size` that end in a final state.

    Ways dearer than `limit` are dropped. Edges must lead forwards.
    """
    places: list[dict[int, list[_Way]]] = [{} for _ in range(size + 1)]
    places[0][0] = [_Way(0.0, (), None, None)]
    furthest = 0
    for at in range(size):
        if not places[at]:
            continue
        furthest = at
        _thin(places[at])
        here = edges.get(at, ())
        for state, ways in places[at].items():
            moves = machine.moves[state]
            for edge in here:
                if edge.terminal is None:
                    after: int | None = state
                else:
                    after = moves.get(edge.terminal)
                if after is not None:
                    _extend(places[edge.end].setdefault(after, []), ways, edge, keep, limit)
    ends = [w for state, ways in places[size].items() if state in machine.final for w in ways]
    if places[size]:
        furthest = size
    best: dict[tuple[tuple[str, object], ...], _Way] = {}
    for way in sorted(ends, key=lambda w: w.cost):
        best.setdefault(way.taken, way)
    expected = frozenset(t for state in places[furthest] for t in machine.moves[state])
    return LatticeSearch(tuple(_path(way) for way in list(best.values())[:keep]), furthest, expected)


def _extend(held: list[_Way], ways: Sequence[_Way], edge: Edge, keep: int, limit: float) -> None:
    """Add `edge` to each way, keeping the `keep` cheapest in `held`, sorted, each meaning once."""
    for way in ways:
        cost = way.cost + edge.cost
        if cost > limit or (len(held) >= keep and cost >= held[-1].cost):
            return  # ways are sorted: the rest is dearer still
        taken = way.taken if edge.terminal is None else (*way.taken, (edge.terminal, edge.value))
        same = next((n for n, other in enumerate(held) if other.taken == taken), None)
        if same is not None:
            if held[same].cost <= cost:
                continue
            del held[same]
        insort(held, _Way(cost, taken, edge, way), key=_cost)
        del held[keep:]


def _cost(way: _Way) -> float:
    return way.cost


def _thin(states: dict[int, list[_Way]]) -> None:
    """Drop what is far behind, and the dearest where a place has too many ways."""
    if not any(states.values()):
        states.clear()
        return
    costs = heapq.nsmallest(_WIDTH, (w.cost for ways in states.values() for w in ways))
    bound = min(costs[-1] if len(costs) == _WIDTH else math.inf, costs[0] + _BEHIND)
    if bound < math.inf:
        for state, ways in list(states.items()):
            kept = [w for w in ways if w.cost <= bound]
            if kept:
                states[state] = kept
            else:
                del states[state]


def _path(way: _Way) -> Path:
    edges: list[Edge] = []
    step: _Way | None = way
    while step is not None and step.edge is not None:
        edges.append(step.edge)
        step = step.before
    return Path(tuple(reversed(edges)), way.cost)
