"""Every heading of a sheet as an automaton over the characters a pen may write (HEAD-01, HEAD-02, VER-02).

A heading row is a run of fields in any order, parted by spaces, commas, colons or dashes: a game, a power or
the person who commands it, a season, a year, the kind of paper, version instructions. Real names and other
words are not in it: a row that fits it worse than free letters is none of ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

from grammar.automaton.lazy_states import LazyStates, Step
from grammar.automaton.order_lines import SIGNS, sign_of
from grammar.automaton.prices import SIGN
from grammar.headings.values import KnownGame
from grammar.words import fold

_ROOT, _END, _PARTED = range(3)
"""Where in a row a place is: before a field, after it, after a sign that parts two; greater numbers are nodes
of the tree of spellings."""
_NODES = 3
_DIGIT = "#"
"""Stands in a spelling for any digit."""
_DIGITS = "0123456789"
_DIGIT_PRICE = 1.0
_SYMBOLS = {sign: number for number, sign in enumerate(SIGNS)}
_SPACE = _SYMBOLS[" "]
_PARTS = tuple(_SYMBOLS[sign] for sign in ",:;./()")
_NAMED, _COMMON, _SELDOM = 1.5, 0.5, 2.0
"""Guessed nats, in round figures: for a name of the game, a word of nearly every heading, one that few
have."""

_KINDS = ("movement", "movements", "retreat", "retreats", "adjustment", "adjustments")
_ALSO = (
    "moves",
    "builds",
    "removals",
    "turn",
    "phase",
    "season",
    "final",
    "final version",
    "position",
    "power",
    "only changes",
    "changes only",
    "page #",
    "page # of #",
    "for",
    "of",
    "the",
    "and",
)
_VERSIONS = ("v", "v.", "ver", "version", "version no")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_REPLACES = ("replaces", "supersedes", "cancels", "instead of", "replaces my", "in place of")
_EARLIER = (
    "all earlier orders",
    "all previous orders",
    "all earlier versions",
    "all previous versions",
    "earlier orders",
    "previous orders",
    "all earlier",
    "all others",
)


class HeadingAutomaton(LazyStates):
    """A deterministic automaton over symbols, one a sign of `automaton.SIGNS`; any number of threads may walk
    it."""

    def __init__(self, games: Sequence[KnownGame]) -> None:
        self._below: list[dict[str, int]] = [{}]
        self._ends: list[float | None] = [None]
        for text, price in _spelled(games):
            self._add(text, price)
        super().__init__([_ROOT], _NODES + len(self._below))

    @property
    def symbols(self) -> tuple[tuple[str, str], ...]:
        """For each symbol what is written for it, and the sign that the ink shows."""
        return tuple((sign, sign) for sign in SIGNS)

    def sign(self, letter: str) -> str | None:
        """See `automaton.sign_of`."""
        return sign_of(letter)

    def end(self, state: int) -> float | None:
        """The price at which a heading may end here; None where it may not."""
        return min((price for place, price in self._at(state) if place in {_END, _PARTED}), default=None)

    def _add(self, text: str, price: float) -> None:
        node = 0
        for sign in text:
            step = self._below[node].setdefault(sign, len(self._below))
            if step == len(self._below):
                self._below.append({})
                self._ends.append(None)
            node = step
        held = self._ends[node]
        self._ends[node] = price if held is None else min(price, held)

    def _from(self, place: int) -> Iterator[Step]:
        if place == _END:
            yield _SPACE, _ROOT, 0.0
            yield from ((symbol, _PARTED, SIGN / 2) for symbol in _PARTS)
        elif place == _PARTED:
            yield _SPACE, _ROOT, 0.0
        else:
            if place == _ROOT:
                yield _SYMBOLS["-"], _PARTED, SIGN / 2
                yield _SYMBOLS["("], _ROOT, SIGN / 2
            yield from self._letters(0 if place == _ROOT else place - _NODES)

    def _letters(self, node: int) -> Iterator[Step]:
        for sign, child in self._below[node].items():
            end = self._ends[child]
            for each in _DIGITS if sign == _DIGIT else sign:
                symbol, price = _SYMBOLS[each], _DIGIT_PRICE if sign == _DIGIT else 0.0
                if self._below[child]:
                    yield symbol, _NODES + child, price
                if end is not None:
                    yield symbol, _END, price + end


def _spelled(games: Sequence[KnownGame]) -> Iterator[tuple[str, float]]:
    """Every field's spellings, in small letters, with their prices."""
    for game in games:
        names = [
            game.name,
            *game.aliases,
            *(n for power in game.powers for n in (power.name, *power.aliases)),
        ]
        for text in {_plain(name) for name in names} - {""}:
            yield text, _NAMED
            yield f"the {text}", _NAMED
        yield from ((_plain(season), _COMMON) for season in game.seasons)
    yield "fall", _SELDOM
    yield "####", _COMMON
    yield "###", _SELDOM
    yield from ((word, _COMMON) for word in (*_KINDS, "orders", "game"))
    yield from ((word, _SELDOM) for word in (*_ALSO, "order"))
    numbers = [f"{mark}{gap}#" for mark, gap in product(_VERSIONS, ("", " "))]
    numbers += [f"version {number}" for number in _NUMBERS]
    yield from ((number, _COMMON) for number in numbers)
    yield from ((f"{word} {what}", _SELDOM) for word, what in product(_REPLACES, (*numbers, *_EARLIER)))


def _plain(name: str) -> str:
    """A name in the automaton's signs; empty where it has others."""
    text = " ".join(fold(name).split())
    return text if set(text) <= set(SIGNS) else ""


@lru_cache(maxsize=16)
def heading_automaton(games: tuple[KnownGame, ...]) -> HeadingAutomaton:
    """The automaton of some games' headings; made once and kept."""
    return HeadingAutomaton(games)
