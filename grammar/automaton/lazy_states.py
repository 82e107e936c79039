"""The states of a weighted automaton, made when they are first reached: each is a set of places with prices.

This is the subset construction of a weighted automaton, done on demand.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from struct import pack, unpack
from threading import Lock
from typing import TypeAlias

from grammar.automaton.prices import MAX_SPREAD, SIGNS, sign_of

Step: TypeAlias = tuple[int, int, float]
"""A symbol, the place or state it leads to, and a price in nats."""

_Places: TypeAlias = bytes
"""Places that a text may have led to, in order, and then for each the nats by which the path to it costs more
than the cheapest path: whole numbers and floats of 64 bits."""

_PLACE_AND_PRICE = 16  # bytes


class LazyStates(ABC):
    """A deterministic automaton over symbols whose states are sets of places.

    Most states are a single place and have its number. Sets of several places are numbered from `size` on
    when they are first reached, under a lock, so that any number of threads may walk the automaton. Steps are
    not cached, since the decoder caches those it needs; asked for again, they are the same.
    """

    def __init__(self, first: Iterable[int], size: int) -> None:
        """`first`: the places before the first symbol, at least one. `size`: how many places there are."""
        self._size_of_places = size
        self._lock = Lock()
        self._numbers: dict[_Places, int] = {}
        self._sets: list[_Places] = []
        self.start = self._state_of(dict.fromkeys(first, 0.0))[0]

    @property
    def symbols(self) -> tuple[tuple[str, str], ...]:
        """For each symbol what is written for it, and the sign that the ink shows."""
        return tuple((sign, sign) for sign in SIGNS)

    def sign(self, letter: str) -> str | None:
        """See `sign_of`."""
        return sign_of(letter)

    def arcs(self, state: int) -> list[Step]:
        """The steps from a state: symbol, next state and price in nats; each symbol at most once, in any
        order."""
        sources = [(list(self._from(place)), spent) for place, spent in self._places_of(state)]
        if len(sources) == 1:
            # Most states are one place, and mostly each symbol leads on to one.
            steps = sources[0][0]
            if len({symbol for symbol, _, _ in steps}) == len(steps):
                return steps
        targets: dict[int, list[tuple[int, float]]] = {}
        for steps, spent in sources:
            for symbol, target, price in steps:
                if symbol in targets:
                    targets[symbol].append((target, spent + price))
                else:
                    targets[symbol] = [(target, spent + price)]
        return [(symbol, *(places[0] if len(places) == 1 else self._joined(places)))
                for symbol, places in targets.items()]

    @abstractmethod
    def _from(self, place: int) -> Iterable[Step]:
        """The steps from one place, as symbol, place after it and price; a symbol may lead to several."""

    def _places_of(self, state: int) -> Sequence[tuple[int, float]]:
        """The places of a state, with their prices."""
        if state < self._size_of_places:
            return ((state, 0.0),)
        packed = self._sets[state - self._size_of_places]
        count = len(packed) // _PLACE_AND_PRICE
        numbers = unpack(f"<{count}q{count}d", packed)
        return tuple(zip(numbers[:count], numbers[count:], strict=True))

    def _joined(self, priced_places: Iterable[tuple[int, float]]) -> tuple[int, float]:
        """The state of the places that one symbol leads to, and its price."""
        cheapest: dict[int, float] = {}
        for place, price in priced_places:
            known = cheapest.get(place)
            if known is None or price < known:
                cheapest[place] = price
        return self._state_of(cheapest)

    def _state_of(self, places: dict[int, float]) -> tuple[int, float]:
        """The state of some places, and the cheapest one's price; what others cost more stays with them."""
        least = min(places.values())
        # Rounded, so that sums of prices in another order make no second state.
        rest = [(place, round(price - least, 3)) for place, price in places.items()
                if price - least <= MAX_SPREAD]
        if len(rest) == 1:
            return rest[0][0], least
        rest.sort()
        # A sheet comes to thousands of new states: as bytes they take a tenth of their tuples' memory.
        key = pack(f"<{len(rest)}q{len(rest)}d", *(place for place, _ in rest), *(price for _, price in rest))
        with self._lock:
            number = self._numbers.setdefault(key, self._size_of_places + len(self._sets))
            if number == self._size_of_places + len(self._sets):
                self._sets.append(key)
        return number, least
