"""Decode a row's posteriors inside an automaton: the likeliest texts among all that it takes.

Prefix beam search for CTC (Graves 2012, Hannun 2014): each beam entry is a text, its chance summed over the ways to
lay it along the frames, and the automaton says by which characters a text may go on. Every frame allows every
character at a fixed price, so that a letter that was misspelt or misread, lost or added costs that much and no more.
What the automaton knows, whether names or words, is not seen here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ocr.alike import alike
from ocr.ctc import LOST_SPACE, NEVER
from ocr.page import Posteriors

Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[np.int64]


class Automaton(Protocol):
    """Says which texts count. States are small whole numbers; a step asked for again gives the same answer."""

    @property
    def start(self) -> int:
        """The state before the first character."""
        ...

    @property
    def symbols(self) -> Sequence[tuple[str, str]]:
        """For each symbol what is written for it, and the sign that the ink shows."""
        ...

    def sign(self, letter: str) -> str | None:
        """The sign a network's letter counts as; empty for one that is passed over, None for one that never fits."""
        ...

    def arcs(self, state: int) -> Sequence[tuple[int, int, float]]:
        """The steps from a state: symbol, next state and price in nats, each symbol at most once."""
        ...

    def end(self, state: int) -> float | None:
        """The price at which a text may end here; None where it may not."""
        ...


@dataclass(frozen=True, slots=True)
class Search:
    """How wide to search. `width`: texts kept at each frame. `beam`: nats by which one may be behind the best.
    `wrong`: nats for a character that the frame does not show, `alike`: for one
    that looks like what it shows. `keep`: texts handed back."""

    width: int = 160
    beam: float = 24.0
    wrong: float = 9.0
    alike: float = 4.0
    keep: int = 24


@dataclass(frozen=True, slots=True)
class Text:
    """A text as the automaton writes it.

    `score`: the logarithm of its chance, summed over the alignments that were kept, less its price. `symbols`: the
    automaton's, one by one. `price`: what the automaton asks for it, in nats.
    """

    text: str
    score: float
    symbols: tuple[int, ...] = ()
    price: float = 0.0


INKED = 4
"""Posteriors whose ink a decoder keeps at hand: one line's, by every opinion."""


class Decoder:
    """Decodes rows inside one automaton, whose steps it keeps as arrays. Threads wait for each other."""

    def __init__(self, automaton: Automaton, search: Search | None = None) -> None:
        self._automaton = automaton
        self._search = search or Search()
        self._written = [written for written, _ in automaton.symbols]
        self._space = self._written.index(" ")
        self._wordy = [written[-1].isalnum() for written in self._written]
        signs = list(dict.fromkeys(sign for _, sign in automaton.symbols))
        self._signs = {sign: n + 1 for n, sign in enumerate(signs)}
        self._column = np.array([self._signs[sign] for _, sign in automaton.symbols])
        self._alike = [(self._signs[a], self._signs[b]) for a, b in sorted(alike()) if {a, b} <= set(self._signs)]
        self._steps = _Steps(automaton, self._space, self._wordy)
        self._groups: dict[str, tuple[npt.NDArray[np.int64], ...]] = {}
        self._inked: list[tuple[Posteriors, Floats]] = []
        self._lock = Lock()

    @property
    def states(self) -> int:
        """How many states of the automaton were stepped on so far: what its memory grows with."""
        return self._steps.known

    def decode(self, posteriors: Posteriors) -> tuple[Text, ...]:
        """The likeliest texts, best first; empty where no text of the automaton comes near, or there is no ink.

        `posteriors` may have any number of frames; chances that are no numbers count as nought.
        """
        chances = shortened(self.ink(posteriors))
        if not len(chances):
            return ()
        with self._lock:
            return self._search_in(chances)

    def ink(self, posteriors: Posteriors) -> Floats:
        """Frames x (1 + signs): the log chance of each sign in any case, blank first, none below the price of a wrong
        character. Kept for the last few posteriors asked for; not to be written to."""
        for held, found in self._inked:
            if held is posteriors:
                return found
        made = self._ink(posteriors)
        self._inked = [*self._inked[1 - INKED :], (posteriors, made)]
        return made

    def _ink(self, posteriors: Posteriors) -> Floats:
        logs = np.nan_to_num(posteriors.log_probs.astype(np.float64), nan=NEVER, neginf=NEVER, posinf=0.0)
        out = np.full((len(logs), len(self._signs) + 1), NEVER)
        for column, group in enumerate(self._grouped(posteriors.letters)):
            if len(group):
                out[:, column] = np.logaddexp.reduce(logs[:, group], axis=1)
        seen = out.copy()
        for one, other in self._alike:
            np.maximum(out[:, one], seen[:, other] - self._search.alike, out=out[:, one])
        found: Floats = np.maximum(out, -self._search.wrong)
        return found

    def written(self, symbol: int) -> str:
        """What the automaton writes for a symbol."""
        return self._written[symbol]

    def forms(self, letters: str, symbol: int) -> Numbers:
        """The network's columns that show a symbol: every case and accent of it."""
        return self._grouped(letters)[int(self._column[symbol])]

    def passed(self, letters: str) -> Numbers:
        """The network's columns that count as nothing: the blank's, then the ticks'."""
        return self._grouped(letters)[0]

    def _grouped(self, letters: str) -> tuple[npt.NDArray[np.int64], ...]:
        """For blank and each sign, the network's columns that count as it."""
        if letters not in self._groups:
            found: list[list[int]] = [[0], *([] for _ in self._signs)]
            for at, letter in enumerate(letters, 1):
                sign = self._automaton.sign(letter)
                if sign is not None:
                    found[self._signs[sign] if sign else 0].append(at)
            self._groups[letters] = tuple(np.array(group, dtype=np.int64) for group in found)
        return self._groups[letters]

    def _search_in(self, ink: Floats) -> tuple[Text, ...]:
        search, beam = self._search, _Beam(self._automaton.start)
        for frame, hopeless in zip(ink, _hopeless(ink), strict=True):
            self._advance(beam, frame, search)
            if beam.totals().max() < hopeless:
                return ()
        found = [(float(score), node, self._automaton.end(state))
                 for score, node, state in zip(beam.totals(), beam.node.tolist(), beam.state.tolist(), strict=True)]
        done = sorted(((score - price, node) for score, node, price in found if price is not None), reverse=True)
        return tuple(self._text(beam.symbols(node, self._space), score) for score, node in done[: search.keep])

    def _text(self, symbols: tuple[int, ...], score: float) -> Text:
        return Text("".join(self._written[s] for s in symbols), score, symbols, self._price(symbols) or 0.0)

    def spelled(self, text: str) -> Text | None:
        """A text of the automaton that somebody else proposes, written as it writes it, with no score; None where it does
        not take the text."""
        symbols = tuple(self._written.index(letter) for letter in text if letter in self._written)
        price = self._price(symbols) if len(symbols) == len(text) else None
        return None if price is None else Text(text, NEVER, symbols, price)

    def _price(self, symbols: tuple[int, ...]) -> float | None:
        """What the automaton asks for a text; None for one that it does not take."""
        state, price = self._automaton.start, 0.0
        for symbol in symbols:
            step = next((arc for arc in self._automaton.arcs(state) if arc[0] == symbol), None)
            if step is None:
                return None
            state, price = step[1], price + step[2]
        end = self._automaton.end(state)
        return None if end is None else price + end

    def lettering(self, symbols: Sequence[int]) -> tuple[Numbers, Floats]:
        """For each symbol of a text its column of `ink`, and the prices, as `ctc.sums` takes them, of coming to it from
        the symbol before (row 0) and over a space (row 1)."""
        columns = self._column[list(symbols)]
        skips = np.full((2, len(columns)), NEVER)
        for k in range(1, len(columns)):
            if columns[k] != columns[k - 1]:
                skips[0, k] = 0.0
            if symbols[k - 1] == self._space and k > 1 and columns[k] != columns[k - 2]:
                wordy = self._wordy[symbols[k]]
                skips[1, k] = LOST_SPACE if wordy else 0.0
        return columns, skips

    def _advance(self, beam: _Beam, frame: Floats, search: Search) -> None:
        """One more frame: every text rests, or goes on by one character."""
        steps, totals = self._steps, beam.totals()
        gap = totals + frame[0]
        on = beam.on + frame[beam.last]
        who, arc = steps.of(beam.state)
        column = self._column[steps.symbol[arc]]
        came = np.where(column == beam.last[who], beam.gap[who], totals[who])
        scores = came + frame[column] + steps.price[arc]
        bound = _bound(np.concatenate((np.logaddexp(gap, on), scores)), search)
        new = np.flatnonzero(scores >= bound)
        who, arc, column = who[new], arc[new], column[new]
        symbol, spaced = steps.symbol[arc], steps.spaced[arc]
        stem = beam.mark[who]
        stem = np.where(spaced, stem * _MIX + _mark(self._space), stem)
        mark = np.concatenate((beam.mark, stem * _MIX + symbol.astype(np.uint64) + _ONE))
        order = np.argsort(mark, kind="stable")
        sorted_mark = mark[order]
        first = np.flatnonzero(np.concatenate(([True], sorted_mark[1:] != sorted_mark[:-1])))
        each = order[first]  # of every text the entry it already had, else the first new one
        on = np.logaddexp.reduceat(np.concatenate((on, scores[new]))[order], first)
        gap = np.concatenate((gap, np.full(len(new), NEVER)))[each]
        total = np.logaddexp(gap, on)
        kept = np.flatnonzero(total >= _bound(total, search))
        each, beam.gap, beam.on = each[kept], gap[kept], on[kept]
        beam.mark = mark[each]
        beam.state = np.concatenate((beam.state, steps.target[arc]))[each]
        beam.last = np.concatenate((beam.last, column))[each]
        beam.grow(each, who, symbol, spaced)


def free(ink: Floats) -> tuple[Floats, Numbers]:
    """By frame: the log chance of the likeliest path so far, bound by nothing, and how many letters it shows."""
    best = ink.argmax(axis=1)
    starts = (best != 0) & np.concatenate(([True], best[1:] != best[:-1]))
    return ink.max(axis=1).cumsum(), starts.cumsum()


def _hopeless(ink: Floats) -> Floats:
    """By frame: the log chance below which no text is worth going on with, since it fits worse than free letters."""
    chance, letters = free(ink)
    return chance - LETTER * letters - SLACK


LETTER, SLACK = 2.5, 25.0
"""Nats a letter, and nats more, by which a text may fall behind free reading before the search gives up."""


def _bound(scores: Floats, search: Search) -> float:
    """The least score that stays within the search's width and beam."""
    least = float(scores.max()) - search.beam
    if len(scores) <= search.width:
        return least
    return max(least, float(np.partition(scores, -search.width)[-search.width]))


_MIX, _ONE = np.uint64(0x9E3779B97F4A7C15), np.uint64(1)


def _mark(symbol: int) -> np.uint64:
    return np.uint64(symbol + 1)


class _Beam:
    """Texts under way: state, last column, the log chances of resting in a blank and on the last sign, a `mark` that
    tells texts apart (64 bits, mixed from the symbols), and a node of the tree that they are walked back by."""

    __slots__ = ("_before", "_spaced", "_symbol", "gap", "last", "mark", "node", "on", "state")

    def __init__(self, start: int) -> None:
        self.state: Numbers = np.array([start], dtype=np.int64)
        self.last: Numbers = np.zeros(1, dtype=np.int64)
        self.gap: Floats = np.zeros(1)
        self.on: Floats = np.full(1, NEVER)
        self.mark: npt.NDArray[np.uint64] = np.array([1], dtype=np.uint64)
        self.node: Numbers = np.zeros(1, dtype=np.int64)
        self._before = [0]
        self._symbol = [-1]
        self._spaced = [False]

    def totals(self) -> Floats:
        found: Floats = np.logaddexp(self.gap, self.on)
        return found

    def grow(self, each: Numbers, who: Numbers, symbol: Numbers, spaced: npt.NDArray[np.bool_]) -> None:
        """Number the texts that stay: `each` below the size of the old beam are old, the others new, made from the old
        text `who` by a symbol."""
        size = len(self.node)
        fresh = each[each >= size] - size
        node = np.empty(len(each), dtype=np.int64)
        node[each < size] = self.node[each[each < size]]
        node[each >= size] = len(self._before) + np.arange(len(fresh))
        self._before += self.node[who[fresh]].tolist()
        self._symbol += symbol[fresh].tolist()
        self._spaced += spaced[fresh].tolist()
        self.node = node

    def symbols(self, node: int, space: int) -> tuple[int, ...]:
        """The text of a node."""
        found = []
        while node:
            found.append(self._symbol[node])
            if self._spaced[node]:
                found.append(space)
            node = self._before[node]
        return tuple(reversed(found))


class _Steps:
    """The automaton's steps as arrays, found state by state. A step over a space the ink need not show is a step of its
    own: `spaced`, at a price unless a sign stands on either side of it."""

    def __init__(self, automaton: Automaton, space: int, wordy: Sequence[bool]) -> None:
        self._automaton = automaton
        self._space = space
        self._wordy = wordy
        self._first = np.full(1024, -1, dtype=np.int64)
        self._count = np.zeros(1024, dtype=np.int64)
        self._filled = 0
        self.known = 0
        self.symbol: Numbers = np.zeros(4096, dtype=np.int64)
        self.target: Numbers = np.zeros(4096, dtype=np.int64)
        self.spaced: npt.NDArray[np.bool_] = np.zeros(4096, dtype=np.bool_)
        self.price: Floats = np.zeros(4096)

    def of(self, states: Numbers) -> tuple[Numbers, Numbers]:
        """All steps from these states: for each the number of its state in `states`, and its own number."""
        if int(states.max()) >= len(self._first):
            size = 2 * int(states.max())
            self._first = _grown(self._first, size, -1)
            self._count = _grown(self._count, size, 0)
        for state in states[self._first[states] < 0].tolist():
            self._find(state)
        counts = self._count[states]
        who = np.repeat(np.arange(len(states)), counts)
        before = np.cumsum(counts) - counts
        return who, np.arange(len(who)) + np.repeat(self._first[states] - before, counts)

    def _find(self, state: int) -> None:
        arcs = self._automaton.arcs(state)
        found = [(symbol, target, False, -price) for symbol, target, price in arcs]
        over = next(((target, price) for symbol, target, price in arcs if symbol == self._space), None)
        if over is not None:
            found += [(symbol, target, True, (LOST_SPACE if self._wordy[symbol] else 0.0) - over[1] - price)
                      for symbol, target, price in self._automaton.arcs(over[0])]
        end = self._filled + len(found)
        while end > len(self.symbol):
            size = 2 * len(self.symbol)
            self.symbol, self.target = _grown(self.symbol, size, 0), _grown(self.target, size, 0)
            self.spaced, self.price = np.resize(self.spaced, size), np.resize(self.price, size)
        for at, (symbol, target, spaced, price) in enumerate(found, self._filled):
            self.symbol[at], self.target[at], self.spaced[at], self.price[at] = symbol, target, spaced, price
        self._first[state], self._count[state] = self._filled, len(found)
        self.known += 1
        self._filled = end


def _grown(array: Numbers, size: int, value: int) -> Numbers:
    out = np.full(size, value, dtype=np.int64)
    out[: len(array)] = array
    return out


REST = 3
"""Frames that a run of blank keeps: room for letters that left no ink."""
_BLANK = -0.02


def shortened(ink: Floats) -> Floats:
    """The same chances without the later frames of long runs of blank, which cost next to nothing."""
    blank = ink[:, 0] > _BLANK
    kept = np.ones(len(ink), dtype=np.bool_)
    run = 0
    for at, quiet in enumerate(blank.tolist()):
        run = run + 1 if quiet else 0
        kept[at] = run <= REST
    return ink[kept]
