"""Every line that is an order, as one automaton over the characters a pen may write.

The same forms that Lark parses and the same names: what `grammar.parse` takes, this takes, whatever the
spaces. A reader walks it with the chances of each character in hand. States are made when they are first
stepped on and kept: a state is a set of places, each a state of the order forms joined to a node of the tree
of spellings, so that the names are held once and not once for each place of the grammar where one may stand.

Lexical only: forms and names; nothing of borders, owners or units (NON-03, DESK-03, Q-01).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import TypeAlias

from grammar.automaton.lazy_states import LazyStates, Step
from grammar.automaton.prices import FULL_STOP, KINDLESS, KINDLESS_TARGET, OWN_NUMBER, REMARK_LETTER, SIGN
from grammar.automaton.prices import POSSESSIVE as OWNER
from grammar.automaton.spelling_tree import SpellingTree, build_tree
from grammar.compose import Forms
from grammar.lexicon import COAST, KIND, NUMBER, PLACE, POWER, Lexicon
from grammar.words import fold

SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789 -/()&+,;.:=*!"
"""The characters that count. A letter is any case and accent of it, a dash any dash or arrow; ticks are
passed over."""

_DASHES = "‐‑‒–—―−~_→⇒➔>•·"
_LIKE = dict.fromkeys(_DASHES, "-") | {"[": "(", "]": ")", "{": "(", "}": ")", "|": "l", "\\": "/", "،": ","}

POSSESSIVE = len(SIGNS)
"""Number of the symbol that is written "'s" where the ink has an s without its tick."""

_ROOT, _GAP, _CUT, _STOP, _OWNED, _BULLET, _COUNTED, _DIGIT, _REMARK = range(9)
"""Where in a word a place is: before it, after it, after a short one, after a full stop, after an owner's
name, at the start of a line, in a line's own number, after the first digit of a count, in a remark; greater
numbers are nodes of the tree of spellings."""
_NODES = 9
_ENDS = frozenset((_GAP, _CUT, _STOP, _OWNED))
_SHORT = 4
"""Letters of a word that may be an abbreviation with a full stop."""
_SYMBOLS = {sign: number for number, sign in enumerate(SIGNS)}
_SPACE = _SYMBOLS[" "]
_DIGITS = tuple(_SYMBOLS[digit] for digit in "0123456789")
_REMARKED = tuple(number for sign, number in _SYMBOLS.items() if sign not in "()")

_Branch: TypeAlias = tuple[int, int, int, int, tuple[tuple[int, float, int, bool], ...]]
"""A step down the tree: symbol, next node, the bits of the entries at it and below, of those below only, and
the entries that end at it, each with its price, the part of a place it leads to, and whether it is a place's
name."""


def sign_of(letter: str) -> str | None:
    """The one of `SIGNS` that a character counts as; empty for a tick, None for a character that no order
    holds."""
    found = _LIKE.get(letter, fold(letter))
    return found if found in {"", *SIGNS} else None


class OrderAutomaton(LazyStates):
    """A deterministic automaton over symbols; any number of threads may walk it."""

    def __init__(self, forms: Sequence[Forms], lexicon: Lexicon) -> None:
        keywords = {word: terminal for each in forms for word, terminal in each.keywords.items()}
        self._tree: SpellingTree = build_tree(keywords, lexicon)
        self._moves: list[Mapping[str, int]] = []
        self._final: set[int] = set()
        self._begin: set[int] = set()
        for each in forms:
            base = len(self._moves)
            self._begin.add(base)
            self._final |= {base + n for n in each.machine.final}
            self._moves += [{t: base + after for t, after in table.items()} for table in each.machine.moves]
        self._unnamed = self._before_units()
        self._after = [self._steps(state) for state in range(len(self._moves))]
        self._open = [sum(1 << n for n in after) for after in self._after]
        self._kindless = [
            0.0 if KIND not in moves else KINDLESS if state in self._unnamed else KINDLESS_TARGET
            for state, moves in enumerate(self._moves)]
        self._size = _NODES + len(self._tree.below)
        self._below: list[tuple[_Branch, ...] | None] = [None] * len(self._tree.below)
        first = [state * self._size + part for state in sorted(self._begin) for part in (_ROOT, _BULLET)]
        super().__init__(first, len(self._moves) * self._size)

    @property
    def size(self) -> tuple[int, int]:
        """States of the order forms and nodes of the tree of spellings."""
        return len(self._moves), len(self._tree.below)

    @property
    def symbols(self) -> tuple[tuple[str, str], ...]:
        """For each symbol what is written for it, and the sign that the ink shows."""
        return (*((sign, sign) for sign in SIGNS), ("'s", "s"))

    def sign(self, letter: str) -> str | None:
        """See `sign_of`."""
        return sign_of(letter)

    def end(self, state: int) -> float | None:
        """The price at which an order may end here; None where it may not."""
        ends = [price for place, price in self._at(state)
                if place % self._size in _ENDS and place // self._size in self._final]
        return min(ends, default=None)

    def accepts(self, text: str) -> bool:
        """Is a text an order, whatever its spaces?"""
        signs = [sign_of(c) for c in text if not c.isspace()]
        if None in signs:
            return False
        states = {self.start}
        for sign in "".join(filter(None, signs)):
            states = {after for state in states for after in self._over(state, sign)}
        return any(self.end(state) is not None for state in states)

    def _over(self, state: int, sign: str) -> Iterable[int]:
        """The states a sign leads to, a space before it or none."""
        arcs = {symbol: target for symbol, target, _ in self.arcs(state)}
        wanted = {SIGNS.index(sign)} | ({POSSESSIVE} if sign == "s" else set())
        after = {symbol: target for symbol, target, _ in self.arcs(arcs[_SPACE])} if _SPACE in arcs else {}
        for symbol in wanted:
            yield from (found[symbol] for found in (arcs, after) if symbol in found)

    def _before_units(self) -> frozenset[int]:
        """The states before which no unit and no place was named: what is named there first is who is
        ordered."""
        found, waiting = set(self._begin), list(self._begin)
        while waiting:
            ahead = {
                after
                for terminal, after in self._moves[waiting.pop()].items()
                if terminal not in {KIND, PLACE}
            }
            waiting += ahead - found
            found |= ahead
        return frozenset(found)

    def _steps(self, state: int) -> dict[int, int]:
        """Entry of the tree to the state of the forms it leads to."""
        found = {}
        for number, terminals in enumerate(self._tree.entries):
            after: int | None = state
            for terminal in terminals:
                after = self._moves[after].get(terminal) if after is not None else None
            if after is not None:
                found[number] = after
        return found

    def _from(self, place: int) -> Iterable[Step]:
        state, part = divmod(place, self._size)
        base = state * self._size
        if part >= _NODES:
            return self._letters(state, base, part - _NODES)
        if part == _ROOT:
            return self._begun(state, base)
        if part == _REMARK:
            return [
                *((symbol, place, REMARK_LETTER) for symbol in _REMARKED),
                (_SYMBOLS[")"], base + _STOP, 0.0),
            ]
        if part == _DIGIT:
            after = self._moves[state][NUMBER] * self._size + _GAP
            return [(digit, after, 1.0) for digit in _DIGITS]
        if part in {_BULLET, _COUNTED}:
            return list(self._numbered_line(base, part))
        return list(self._closed(state, base, part))

    def _numbered_line(self, base: int, part: int) -> Iterable[Step]:
        """At the start of a line, or in its own number."""
        price = OWN_NUMBER if part == _BULLET else 0.0
        yield from ((digit, base + _COUNTED, price) for digit in _DIGITS)
        yield from ((_SYMBOLS[sign], base + _STOP, price) for sign in ("-*" if part == _BULLET else ".):"))
        if part == _BULLET:
            yield _SYMBOLS["("], base + _BULLET, SIGN

    def _begun(self, state: int, base: int) -> list[Step]:
        """A word or name begins, a count in figures, or a remark in parentheses (ORD-07)."""
        found = self._letters(state, base, 0)
        if state not in self._begin:
            found.append((_SYMBOLS["("], base + _REMARK, 2 * SIGN))
        if NUMBER in self._moves[state]:
            after = self._moves[state][NUMBER] * self._size + _GAP
            for digit in _DIGITS[1:]:
                found += [(digit, after, 1.0), (digit, base + _DIGIT, 1.0)]
        return found

    def _closed(self, state: int, base: int, part: int) -> Iterable[Step]:
        """A word has ended."""
        yield _SPACE, base + _ROOT, 0.0
        if part == _STOP:
            return
        yield _SYMBOLS[")"], base + _STOP, 2 * SIGN
        if state in self._final:
            yield _SYMBOLS["."], base + _STOP, FULL_STOP
        elif part == _CUT:
            yield _SYMBOLS["."], base + _STOP, SIGN
        if COAST in self._moves[state]:
            yield _SYMBOLS[","], base + _STOP, SIGN
        if part == _OWNED:
            yield POSSESSIVE, base + _GAP, OWNER

    def _letters(self, state: int, base: int, node: int) -> list[Step]:
        """On in the tree of spellings, where something that may stand here lies below."""
        allowed, afters, nodes = self._open[state], self._after[state], base + _NODES
        found: list[Step] = []
        below = self._below[node]
        if below is None:
            below = self._below[node] = self._branches(node)
        for symbol, child, under, deeper, ends in below:
            if under & allowed:
                if deeper & allowed:
                    found.append((symbol, nodes + child, 0.0))
                for entry, price, part, place in ends:
                    after = afters.get(entry)
                    if after is not None:
                        more = self._kindless[state] if place else 0.0
                        found.append((symbol, after * self._size + part, price + more))
        if _SPACE in (branch[0] for branch in below):  # "St. Davids"
            found.append((_SYMBOLS["."], nodes + node, SIGN))
        if self._tree.parted[node]:  # "Portland (Dorset)"
            found.append((_SYMBOLS["("], nodes + node, SIGN))
        return found

    def _branches(self, node: int) -> tuple[_Branch, ...]:
        """What follows a node of the tree, in any state."""
        tree = self._tree
        return tuple(
            (
                _SYMBOLS[sign],
                child,
                tree.under[child],
                reduce(or_, (tree.under[n] for n in tree.below[child].values()), 0),
                tuple(self._ending(entry, price, child) for entry, price in tree.ends[child].items()),
            )
            for sign, child in tree.below[node].items()
            if sign in _SYMBOLS
        )

    def _ending(self, entry: int, price: float, node: int) -> tuple[int, float, int, bool]:
        terminals = self._tree.entries[entry]
        part = _OWNED if terminals == (POWER,) else _CUT if self._tree.depth[node] <= _SHORT else _GAP
        return entry, price, part, terminals == (PLACE,)


@lru_cache(maxsize=16)
def order_automaton(forms: tuple[Forms, ...], lexicon: Lexicon) -> OrderAutomaton:
    """The automaton of some phases' forms and the names; made once and kept. Not empty."""
    return OrderAutomaton(forms, lexicon)
