"""Every line that is an order, as one automaton over the characters a pen may write.

The same forms that Lark parses and the same names: what `grammar.parse` takes, this takes, whatever the spaces. A
reader walks it with the chances of each character in hand. States are made when they are first stepped on and kept:
a state is a set of places, each a state of the order forms joined to a node of the tree of spellings, so that the
names are held once and not once for each place of the grammar where one may stand.

Lexical only: forms and names; nothing of borders, owners or units (NON-03, DESK-03, Q-01).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from grammar.compose import Forms
from grammar.lazy_states import LazyStates
from grammar.lexicon import COAST, KIND, NUMBER, PLACE, POWER, Lexicon
from grammar.rarity import FULL_STOP, KINDLESS, KINDLESS_TARGET, MOST, OWN_NUMBER, REMARK, SIGN
from grammar.rarity import POSSESSIVE as OWNER
from grammar.spelling_tree import SpellingTree, grow
from grammar.words import fold

SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789 -/()&+,;.:=*!"
"""The characters that count. A letter is any case and accent of it, a dash any dash or arrow; ticks are passed over."""

_DASHES = "‐‑‒–—―−~_→⇒➔>•·"
_LIKE = (dict.fromkeys(_DASHES, "-") | {"[": "(", "]": ")", "{": "(", "}": ")", "|": "l", "\\": "/", "،": ","})

POSSESSIVE = len(SIGNS)
"""Number of the symbol that is written "'s" where the ink has an s without its tick."""

_ROOT, _GAP, _CUT, _STOP, _OWNED, _BULLET, _COUNTED, _DIGIT, _REMARK = range(9)
"""Where in a word a place is: before it, after it, after a short one, after a full stop, after an owner's name, at the
start of a line, in a line's own number, after the first digit of a count, in a remark; greater numbers are nodes of the
tree of spellings."""
_NODES = 9
_SHORT = 4
"""Letters of a word that may be an abbreviation with a full stop."""
_SPACE = SIGNS.index(" ")
_REMARKED = frozenset(SIGNS) - set("()")


def sign_of(letter: str) -> str | None:
    """The one of `SIGNS` that a character counts as; empty for a tick, None for a character that no order holds."""
    found = _LIKE.get(letter, fold(letter))
    return found if found in {"", *SIGNS} else None


class Automaton(LazyStates):
    """A deterministic automaton over symbols; any number of threads may walk it."""

    def __init__(self, forms: Sequence[Forms], lexicon: Lexicon) -> None:
        keywords = {word: terminal for each in forms for word, terminal in each.keywords.items()}
        self._tree: SpellingTree = grow(keywords, lexicon)
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
        self._size = _NODES + len(self._tree.below)
        super().__init__(frozenset(
            (state * self._size + part, 0.0) for state in sorted(self._begin) for part in (_ROOT, _BULLET)))

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
        ends = [price for place, price in self._places[state]
                if place % self._size in {_GAP, _CUT, _STOP, _OWNED} and place // self._size in self._final]
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
        """The states before which no unit and no place was named: what is named there first is who is ordered."""
        found, waiting = set(self._begin), list(self._begin)
        while waiting:
            ahead = {after for terminal, after in self._moves[waiting.pop()].items() if terminal not in {KIND, PLACE}}
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

    def _found(self, places: Iterable[tuple[int, float]]) -> dict[int, dict[int, float]]:
        found: dict[int, dict[int, float]] = defaultdict(dict)
        for place, spent in places:
            state, part = divmod(place, self._size)
            for sign, after, then, price in self._from(state, part):
                symbol = POSSESSIVE if sign == "'s" else SIGNS.find(sign)
                if symbol >= 0:
                    to = after * self._size + then
                    found[symbol][to] = min(spent + price, found[symbol].get(to, MOST + spent + price))
        return found

    def _from(self, state: int, part: int) -> Iterable[tuple[str, int, int, float]]:
        """The steps from one place: a sign, the place after it as state and part, and the price."""
        if part == _ROOT:
            yield from self._begun(state)
        elif part == _BULLET:
            yield from ((sign, state, _COUNTED, OWN_NUMBER) for sign in "0123456789")
            yield from ((sign, state, _STOP, OWN_NUMBER) for sign in "-*")
            yield "(", state, _BULLET, SIGN
        elif part == _COUNTED:
            yield from ((sign, state, _COUNTED, 0.0) for sign in "0123456789")
            yield from ((sign, state, _STOP, 0.0) for sign in ".):")
        elif part == _DIGIT:
            yield from ((sign, self._moves[state][NUMBER], _GAP, 1.0) for sign in "0123456789")
        elif part == _REMARK:
            yield from ((sign, state, _REMARK, REMARK) for sign in _REMARKED)
            yield ")", state, _STOP, 0.0
        elif part < _NODES:
            yield from self._closed(state, part)
        else:
            yield from self._letters(state, part - _NODES)

    def _begun(self, state: int) -> Iterable[tuple[str, int, int, float]]:
        """A word or name begins, a count in figures, or a remark in parentheses (ORD-07)."""
        yield from self._letters(state, 0)
        if state not in self._begin:
            yield "(", state, _REMARK, 2 * SIGN
        if NUMBER in self._moves[state]:
            for digit in "123456789":
                yield digit, self._moves[state][NUMBER], _GAP, 1.0
                yield digit, state, _DIGIT, 1.0

    def _closed(self, state: int, part: int) -> Iterable[tuple[str, int, int, float]]:
        """A word has ended."""
        yield " ", state, _ROOT, 0.0
        if part == _STOP:
            return
        yield ")", state, _STOP, 2 * SIGN
        if state in self._final:
            yield ".", state, _STOP, FULL_STOP
        elif part == _CUT:
            yield ".", state, _STOP, SIGN
        if COAST in self._moves[state]:
            yield ",", state, _STOP, SIGN
        if part == _OWNED:
            yield "'s", state, _GAP, OWNER

    def _letters(self, state: int, node: int) -> Iterable[tuple[str, int, int, float]]:
        """On in the tree of spellings, where something that may stand here lies below."""
        tree, allowed = self._tree, self._open[state]
        if " " in tree.below[node]:  # "St. Davids"
            yield ".", state, _NODES + node, SIGN
        if tree.parted[node]:  # "Portland (Dorset)"
            yield "(", state, _NODES + node, SIGN
        for sign, child in tree.below[node].items():
            if not tree.under[child] & allowed:
                continue
            if any(tree.under[further] & allowed for further in tree.below[child].values()):
                yield sign, state, _NODES + child, 0.0
            for entry, price in tree.ends[child].items():
                after = self._after[state].get(entry)
                if after is not None:
                    if tree.entries[entry] == (PLACE,) and KIND in self._moves[state]:
                        price += KINDLESS if state in self._unnamed else KINDLESS_TARGET  # noqa: PLW2901  # of this arc
                    owned = tree.entries[entry] == (POWER,)
                    yield sign, after, _OWNED if owned else _CUT if tree.depth[child] <= _SHORT else _GAP, price


@lru_cache(maxsize=16)
def automaton(forms: tuple[Forms, ...], lexicon: Lexicon) -> Automaton:
    """The automaton of some phases' forms and the names; made once and kept. Not empty."""
    return Automaton(forms, lexicon)
