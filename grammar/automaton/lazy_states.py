"""The states of a weighted automaton, made when they are first stepped on: each a set of places with what
they cost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import TypeAlias

from grammar.automaton.prices import MAX_SPREAD

Step: TypeAlias = tuple[int, int, float]
"""A symbol, the place or state it leads to, and a price in nats."""

_Places: TypeAlias = tuple[tuple[int, float], ...]
"""Places that a text may have led to, each with the nats by which the way to it is dearer than the cheapest,
in order."""


class LazyStates(ABC):
    """A deterministic automaton over symbols whose states are sets of places.

    A place by itself is a state of its own number, as most are; sets of several are numbered from `size` on
    when first led to, under a lock, so that any number of threads may walk it. Steps are not kept, since who
    walks here keeps those he needs: asked for again they are found again, and are the same.
    """

    def __init__(self, first: Iterable[int], size: int) -> None:
        """`first`: the places before the first symbol, at least one. `size`: how many places there are."""
        self._single = size
        self._lock = Lock()
        self._numbers: dict[_Places, int] = {}
        self._several: list[_Places] = []
        self.start = self._number(dict.fromkeys(first, 0.0))[0]

    def arcs(self, state: int) -> list[Step]:
        """The steps from a state: symbol, next state and price in nats, each symbol at most once, in no
        order."""
        ways: dict[int, list[tuple[int, float]]] = {}
        for place, spent in self._at(state):
            for symbol, to, price in self._from(place):
                if symbol in ways:
                    ways[symbol].append((to, spent + price))
                else:
                    ways[symbol] = [(to, spent + price)]
        return [(symbol, *(way[0] if len(way) == 1 else self._joined(way))) for symbol, way in ways.items()]

    @abstractmethod
    def _from(self, place: int) -> Iterable[Step]:
        """The steps from one place, as symbol, place after it and price; a symbol may lead to several."""

    def _at(self, state: int) -> Sequence[tuple[int, float]]:
        """The places of a state."""
        return ((state, 0.0),) if state < self._single else self._several[state - self._single]

    def _joined(self, way: Iterable[tuple[int, float]]) -> tuple[int, float]:
        """The state of the places that one symbol leads to, and the price."""
        places: dict[int, float] = {}
        for place, price in way:
            held = places.get(place)
            if held is None or price < held:
                places[place] = price
        return self._number(places)

    def _number(self, places: dict[int, float]) -> tuple[int, float]:
        """The state of some places, and what the cheapest costs: what some cost more stays with them."""
        least = min(places.values())
        rest = [
            (place, round(price - least, 3)) for place, price in places.items() if price - least <= MAX_SPREAD
        ]
        if len(rest) == 1:
            return rest[0][0], least
        key = tuple(sorted(rest))
        with self._lock:
            number = self._numbers.setdefault(key, self._single + len(self._several))
            if number == self._single + len(self._several):
                self._several.append(key)
        return number, least
