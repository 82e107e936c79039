"""Every heading of a sheet as an automaton over the characters a pen may write (HEAD-01, HEAD-02, VER-02).

A heading row is a run of fields in any order, parted by spaces, commas, colons or dashes: a game, a power or
the person who commands it, a season, a year, the kind of paper, version instructions. Real names and other
words are not in it: a row that free letters fit better is not a heading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

from grammar.automaton.lazy_states import LazyStates, Step
from grammar.automaton.prices import SIGN, SIGNS, SPACE, SYMBOLS
from grammar.headings.values import KnownGame
from grammar.words import fold

_ROOT, _END, _PARTED = range(3)
"""Where in a row a place is: before a field, after it, after a sign that parts two."""
_NODES = 3
"""This and greater numbers are nodes of the tree of spellings."""
_DIGIT = "#"
"""In a spelling: any digit."""
_DIGITS = "0123456789"
_DIGIT_PRICE = 1.0
_SEPARATORS = tuple(SYMBOLS[sign] for sign in ",:;./()")
_NAME_PRICE, _COMMON_PRICE, _RARE_PRICE = 1.5, 0.5, 2.0
"""Guessed nats, in round figures: for a name of the game, a word of nearly every heading, a rare one."""

_KINDS = ("movement", "movements", "retreat", "retreats", "adjustment", "adjustments")
_OTHER_WORDS = (
    "moves", "builds", "removals", "turn", "phase", "season", "final", "final version", "position", "power",
    "only changes", "changes only", "page #", "page # of #", "for", "of", "the", "and", "order")
_VERSIONS = ("v", "v.", "ver", "version", "version no")
_NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_REPLACES = ("replaces", "supersedes", "cancels", "instead of", "replaces my", "in place of")
_EARLIER = (
    "all earlier orders", "all previous orders", "all earlier versions", "all previous versions",
    "earlier orders", "previous orders", "all earlier", "all others")


class HeadingAutomaton(LazyStates):
    """A deterministic automaton over symbols, one for each of `symbols.SIGNS`; any number of threads may walk
    it."""

    def __init__(self, games: Sequence[KnownGame]) -> None:
        self._below: list[dict[str, int]] = [{}]
        self._ends: list[float | None] = [None]
        for text, price in _spellings(games):
            self._add(text, price)
        super().__init__([_ROOT], _NODES + len(self._below))

    def end(self, state: int) -> float | None:
        """The price in nats at which a heading may end here; None where it may not."""
        ends = (price for place, price in self._places_of(state) if place in {_END, _PARTED})
        return min(ends, default=None)

    def _add(self, text: str, price: float) -> None:
        node = 0
        for sign in text:
            child = self._below[node].setdefault(sign, len(self._below))
            if child == len(self._below):
                self._below.append({})
                self._ends.append(None)
            node = child
        known = self._ends[node]
        self._ends[node] = price if known is None else min(price, known)

    def _from(self, place: int) -> Iterator[Step]:
        if place == _END:
            yield SPACE, _ROOT, 0.0
            yield from ((symbol, _PARTED, SIGN / 2) for symbol in _SEPARATORS)
        elif place == _PARTED:
            yield SPACE, _ROOT, 0.0
        else:
            if place == _ROOT:
                yield SYMBOLS["-"], _PARTED, SIGN / 2
                yield SYMBOLS["("], _ROOT, SIGN / 2
            yield from self._letters(0 if place == _ROOT else place - _NODES)

    def _letters(self, node: int) -> Iterator[Step]:
        for sign, child in self._below[node].items():
            end = self._ends[child]
            for character in _DIGITS if sign == _DIGIT else sign:
                symbol, price = SYMBOLS[character], _DIGIT_PRICE if sign == _DIGIT else 0.0
                # The end of a spelling may also be the middle of a longer one, so both ways are given.
                if self._below[child]:
                    yield symbol, _NODES + child, price
                if end is not None:
                    yield symbol, _END, price + end


def _spellings(games: Sequence[KnownGame]) -> Iterator[tuple[str, float]]:
    """Every field's spellings, in lower case, with their prices in nats."""
    for game in games:
        names = [game.name, *game.aliases]
        names += [name for power in game.powers for name in (power.name, *power.aliases)]
        # A name that holds a sign outside the automaton's alphabet cannot be walked; such a row is read
        # freely.
        for text in {_in_signs(name) for name in names} - {""}:
            yield text, _NAME_PRICE
            yield f"the {text}", _NAME_PRICE
        yield from ((_in_signs(season), _COMMON_PRICE) for season in game.seasons)
    # American players write it for Autumn.
    yield "fall", _RARE_PRICE
    yield "####", _COMMON_PRICE
    # Bretwalda's years have three figures (620).
    yield "###", _RARE_PRICE
    yield from ((word, _COMMON_PRICE) for word in (*_KINDS, "orders", "game"))
    yield from ((word, _RARE_PRICE) for word in _OTHER_WORDS)
    numbers = [f"{mark}{gap}#" for mark, gap in product(_VERSIONS, ("", " "))]
    numbers += [f"version {number}" for number in _NUMBER_WORDS]
    yield from ((number, _COMMON_PRICE) for number in numbers)
    yield from ((f"{verb} {version}", _RARE_PRICE)
                for verb, version in product(_REPLACES, (*numbers, *_EARLIER)))


def _in_signs(name: str) -> str:
    """A name in the automaton's signs; empty where it has others."""
    text = " ".join(fold(name).split())
    return text if set(text) <= set(SIGNS) else ""


@lru_cache(maxsize=16)
def heading_automaton(games: tuple[KnownGame, ...]) -> HeadingAutomaton:
    """The automaton of some games' headings; cached."""
    return HeadingAutomaton(games)
