"""The states of a weighted automaton, made when they are first stepped on: each a set of places with what they cost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from threading import Lock

from grammar.rarity import MOST

Places = frozenset[tuple[int, float]]
"""Places that a text may have led to, each with the nats by which the way to it is dearer than the cheapest."""


class LazyStates(ABC):
    """A deterministic automaton over symbols whose states are sets of places. State 0 is the start.

    Steps are found when first asked for and kept, under a lock: any number of threads may walk it.
    """

    start = 0

    def __init__(self, first: Places) -> None:
        self._lock = Lock()
        self._numbers: dict[Places, int] = {}
        self._places: list[Places] = []
        self._arcs: list[tuple[tuple[int, int, float], ...] | None] = []
        self._number(first)

    def __len__(self) -> int:
        """How many states were made so far."""
        return len(self._places)

    def arcs(self, state: int) -> tuple[tuple[int, int, float], ...]:
        """The steps from a state: symbol, next state and price in nats, each symbol at most once."""
        found = self._arcs[state]
        if found is None:
            with self._lock:
                found = self._arcs[state] = tuple(
                    self._step(symbol, places) for symbol, places in sorted(self._found(self._places[state]).items()))
        return found

    @abstractmethod
    def _found(self, places: Iterable[tuple[int, float]]) -> Mapping[int, Mapping[int, float]]:
        """By symbol: the places that it leads to, each with its price."""

    def _number(self, places: Places) -> int:
        if places not in self._numbers:
            self._numbers[places] = len(self._places)
            self._places.append(places)
            self._arcs.append(None)
        return self._numbers[places]

    def _step(self, symbol: int, places: Mapping[int, float]) -> tuple[int, int, float]:
        """One arc: what all its places cost is the arc's price, what some cost more stays with them."""
        least = min(places.values())
        rest = {place: round(price - least, 3) for place, price in places.items() if price - least <= MOST}
        return symbol, self._number(frozenset(rest.items())), least
