"""Every line that is an order, as one automaton over the characters a pen may write.

It takes what `grammar.parse` takes, whatever the spaces: the same names, and the forms that Lark parses but
for those that few people write (`grammar.compose.SELDOM`).
A reader walks it with the probabilities of each character. A place is a state of the order forms joined to a
node of the tree of spellings, so that the names are held once and not once for each state of the grammar.

Lexical only: forms and names; nothing of borders, owners or units (NON-03, DESK-03, Q-01).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple

from grammar.automaton.lazy_states import LazyStates, Step
from grammar.automaton.prices import (
    FULL_STOP,
    KINDLESS,
    KINDLESS_TARGET,
    OWN_NUMBER,
    OWNER,
    REMARK_LETTER,
    SIGN,
    SIGNS,
    SPACE,
    SYMBOLS,
    sign_of,
)
from grammar.automaton.spelling_tree import SpellingTree, build_tree
from grammar.compose import Forms
from grammar.lexicon import COAST, KIND, NUMBER, PLACE, POWER, Lexicon

POSSESSIVE = len(SIGNS)
"""Number of the symbol that is written "'s" where the ink has an s without its apostrophe."""

# The part of a place: where in a word the text is.
_ROOT = 0  # before a word
_GAP = 1  # after a word
_CUT = 2  # after a short word, which may be an abbreviation
_STOP = 3  # after a full stop
_OWNED = 4  # after an owner's name
_BULLET = 5  # at the start of a line
_COUNTED = 6  # in a line's own number
_DIGIT = 7  # after the first digit of a count
_REMARK = 8  # in a remark
_NODES = 9  # this and greater numbers: nodes of the tree of spellings
_ENDS = frozenset((_GAP, _CUT, _STOP, _OWNED))
_SHORT = 4
"""Letters of a word that may be an abbreviation with a full stop."""
_DIGITS = tuple(SYMBOLS[digit] for digit in "0123456789")
_IN_REMARK = tuple(number for sign, number in SYMBOLS.items() if sign not in "()")


class _Ending(NamedTuple):
    """An entry that ends at a node, its price in nats, the part of a place after it, and whether it is a
    place's name."""

    entry: int
    price: float
    part: int
    is_place: bool


class _Branch(NamedTuple):
    """A step down the tree: symbol, next node, the bits of the entries at it and below, of those below only,
    and the entries that end at it."""

    symbol: int
    child: int
    under: int
    deeper: int
    endings: tuple[_Ending, ...]


class OrderAutomaton(LazyStates):
    """A deterministic automaton over symbols; any number of threads may walk it."""

    def __init__(self, forms: Sequence[Forms], lexicon: Lexicon) -> None:
        keywords: dict[str, dict[str, None]] = {}
        for word, terminals in (item for form in forms for item in form.ink_keywords.items()):
            keywords.setdefault(word, {}).update(dict.fromkeys(terminals))
        self._tree: SpellingTree = build_tree(keywords, lexicon)
        self._moves: list[Mapping[str, int]] = []
        self._final: set[int] = set()
        self._begin: set[int] = set()
        for form in forms:
            base = len(self._moves)
            self._begin.add(base)
            self._final |= {base + n for n in form.ink_machine.final}
            moves = form.ink_machine.moves
            self._moves += [{t: base + after for t, after in table.items()} for table in moves]
        before_units = self._before_units()
        self._after = [self._steps(state) for state in range(len(self._moves))]
        self._open = [sum(1 << n for n in after) for after in self._after]
        self._kindless = [
            0.0 if KIND not in moves else KINDLESS if state in before_units else KINDLESS_TARGET
            for state, moves in enumerate(self._moves)]
        self._size = _NODES + len(self._tree.below)
        self._branches_of: list[tuple[_Branch, ...] | None] = [None] * len(self._tree.below)
        first = [state * self._size + part for state in sorted(self._begin) for part in (_ROOT, _BULLET)]
        super().__init__(first, len(self._moves) * self._size)

    @property
    def size(self) -> tuple[int, int]:
        """States of the order forms and nodes of the tree of spellings."""
        return len(self._moves), len(self._tree.below)

    @property
    def symbols(self) -> tuple[tuple[str, str], ...]:
        """For each symbol what is written for it, and the sign that the ink shows."""
        return (*super().symbols, ("'s", "s"))

    def end(self, state: int) -> float | None:
        """The price in nats at which an order may end here; None where it may not."""
        ends = [price for place, price in self._places_of(state)
                if place % self._size in _ENDS and place // self._size in self._final]
        return min(ends, default=None)

    def accepts(self, text: str) -> bool:
        """True if a text is an order, whatever its spaces."""
        signs = [sign_of(c) for c in text if not c.isspace()]
        if None in signs:
            return False
        states = {self.start}
        for sign in "".join(filter(None, signs)):
            states = {after for state in states for after in self._over(state, sign)}
        return any(self.end(state) is not None for state in states)

    def _over(self, state: int, sign: str) -> Iterable[int]:
        """The states a sign leads to, with or without a space before it."""
        direct = {symbol: target for symbol, target, _ in self.arcs(state)}
        spaced: dict[int, int] = {}
        if SPACE in direct:
            spaced = {symbol: target for symbol, target, _ in self.arcs(direct[SPACE])}
        for symbol in {SYMBOLS[sign]} | ({POSSESSIVE} if sign == "s" else set()):
            yield from (targets[symbol] for targets in (direct, spaced) if symbol in targets)

    def _before_units(self) -> frozenset[int]:
        """The states before which no unit and no place was named: what is named first is ordered."""
        reached, waiting = set(self._begin), list(self._begin)
        while waiting:
            ahead = {after for terminal, after in self._moves[waiting.pop()].items()
                     if terminal not in {KIND, PLACE}}
            waiting += ahead - reached
            reached |= ahead
        return frozenset(reached)

    def _steps(self, state: int) -> dict[int, int]:
        """Entry of the tree to the state of the forms it leads to."""
        steps = {}
        for number, terminals in enumerate(self._tree.entries):
            after: int | None = state
            for terminal in terminals:
                after = self._moves[after].get(terminal) if after is not None else None
            if after is not None:
                steps[number] = after
        return steps

    def _from(self, place: int) -> Iterable[Step]:
        state, part = divmod(place, self._size)
        base = state * self._size
        if part >= _NODES:
            return self._letters(state, base, part - _NODES)
        if part == _ROOT:
            return self._word_begins(state, base)
        if part == _REMARK:
            return [*((symbol, place, REMARK_LETTER) for symbol in _IN_REMARK),
                    (SYMBOLS[")"], base + _STOP, 0.0)]
        if part == _DIGIT:
            after = self._moves[state][NUMBER] * self._size + _GAP
            return [(digit, after, 1.0) for digit in _DIGITS]
        if part in {_BULLET, _COUNTED}:
            return list(self._line_number(base, part))
        return list(self._word_ended(state, base, part))

    def _line_number(self, base: int, part: int) -> Iterable[Step]:
        """At the start of a line, or in its own number."""
        price = OWN_NUMBER if part == _BULLET else 0.0
        yield from ((digit, base + _COUNTED, price) for digit in _DIGITS)
        yield from ((SYMBOLS[sign], base + _STOP, price) for sign in ("-*" if part == _BULLET else ".):"))
        if part == _BULLET:
            yield SYMBOLS["("], base + _BULLET, SIGN

    def _word_begins(self, state: int, base: int) -> list[Step]:
        """A word or name begins, a count in figures, or a remark in parentheses (ORD-07)."""
        steps = self._letters(state, base, 0)
        if state not in self._begin:
            steps.append((SYMBOLS["("], base + _REMARK, 2 * SIGN))
        if NUMBER in self._moves[state]:
            after = self._moves[state][NUMBER] * self._size + _GAP
            for digit in _DIGITS[1:]:
                steps += [(digit, after, 1.0), (digit, base + _DIGIT, 1.0)]
        return steps

    def _word_ended(self, state: int, base: int, part: int) -> Iterable[Step]:
        yield SPACE, base + _ROOT, 0.0
        if part == _STOP:
            return
        yield SYMBOLS[")"], base + _STOP, 2 * SIGN
        if state in self._final:
            yield SYMBOLS["."], base + _STOP, FULL_STOP
        elif part == _CUT:
            yield SYMBOLS["."], base + _STOP, SIGN
        if COAST in self._moves[state]:
            yield SYMBOLS[","], base + _STOP, SIGN
        if part == _OWNED:
            yield POSSESSIVE, base + _GAP, OWNER

    def _letters(self, state: int, base: int, node: int) -> list[Step]:
        """One letter on in the tree of spellings, where something that may follow here is below."""
        allowed, afters, nodes = self._open[state], self._after[state], base + _NODES
        steps: list[Step] = []
        branches = self._branches_of[node]
        if branches is None:
            branches = self._branches_of[node] = self._branches(node)
        for symbol, child, under, deeper, endings in branches:
            if under & allowed:
                if deeper & allowed:
                    steps.append((symbol, nodes + child, 0.0))
                for entry, price, part, is_place in endings:
                    after = afters.get(entry)
                    if after is not None:
                        surcharge = self._kindless[state] if is_place else 0.0
                        steps.append((symbol, after * self._size + part, price + surcharge))
        if SPACE in (branch[0] for branch in branches):  # "St. Davids"
            steps.append((SYMBOLS["."], nodes + node, SIGN))
        if self._tree.after_space[node]:  # "Portland (Dorset)"
            steps.append((SYMBOLS["("], nodes + node, SIGN))
        return steps

    def _branches(self, node: int) -> tuple[_Branch, ...]:
        """What follows a node of the tree, in any state."""
        tree = self._tree
        return tuple(
            _Branch(
                SYMBOLS[sign],
                child,
                tree.under[child],
                reduce(or_, (tree.under[n] for n in tree.below[child].values()), 0),
                tuple(self._ending(entry, price, child) for entry, price in tree.ends[child].items()),
            )
            for sign, child in tree.below[node].items()
            if sign in SYMBOLS
        )

    def _ending(self, entry: int, price: float, node: int) -> _Ending:
        terminals = self._tree.entries[entry]
        part = _OWNED if terminals == (POWER,) else _CUT if self._tree.depth[node] <= _SHORT else _GAP
        return _Ending(entry, price, part, terminals == (PLACE,))


@lru_cache(maxsize=16)
def order_automaton(forms: tuple[Forms, ...], lexicon: Lexicon) -> OrderAutomaton:
    """The automaton of some phases' forms and the names; cached. `forms` is not empty."""
    return OrderAutomaton(forms, lexicon)
