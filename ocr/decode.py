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
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ocr.alike import alike
from ocr.beam import Beam, Way
from ocr.ctc import LOST_SPACE, NEVER
from ocr.page import Posteriors
from ocr.steps import Floats, Numbers, Steps


class Automaton(Protocol):
    """Says which texts count. States are whole numbers up to a few millions; a step asked for again gives the same answer."""

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
        self._steps = Steps(automaton, self._column.tolist(), self._space)
        self._lost = np.array([0.0, *(LOST_SPACE if sign[-1:].isalnum() else 0.0 for sign in signs)])
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
        search, start = self._search, self._automaton.start
        beam = Beam(self._steps, start, self._lost, self._space, search.width, search.beam)
        for frame, hopeless in zip(ink, _hopeless(ink), strict=True):
            beam.advance(frame)
            if beam.total.max() < hopeless:
                return ()
        found = [(score, node, self._automaton.end(state))
                 for score, node, state in zip(beam.total.tolist(), beam.node.tolist(), beam.state.tolist(), strict=True)]
        done = sorted(((score - price, node) for score, node, price in found if price is not None), reverse=True)
        done = done[: search.keep]
        ways = beam.ways([node for _, node in done])
        return tuple(self._text(way, score) for way, (score, _) in zip(ways, done, strict=True))

    def _text(self, way: Way, score: float) -> Text:
        """A text by its steps; its price is that of its symbols one by one."""
        steps, symbols, state, price = self._steps, [], self._automaton.start, 0.0
        for step, spaced in zip(way.steps, way.spaced, strict=True):
            if spaced:
                symbols.append(self._space)
                price -= steps.gap.item(steps.rows(np.array([state])).item(0))
            symbols.append(steps.symbol.item(step))
            price -= steps.price.item(step)
            state = steps.target.item(step)
        end = self._automaton.end(state)
        return Text("".join([self._written[s] for s in symbols]), score, tuple(symbols), price + (end or 0.0))

    def spelled(self, text: str) -> Text | None:
        """A text of the automaton that somebody else proposes, written as it writes it, with no score; None where it does
        not take the text."""
        symbols = tuple(self._written.index(letter) for letter in text if letter in self._written)
        with self._lock:
            price = self._price(symbols) if len(symbols) == len(text) else None
        return None if price is None else Text(text, NEVER, symbols, price)

    def _price(self, symbols: tuple[int, ...]) -> float | None:
        """What the automaton asks for a text; None for one that it does not take."""
        state, price = self._automaton.start, 0.0
        for symbol in symbols:
            step = self._steps.step(state, symbol)
            if step is None:
                return None
            state, price = step[0], price + step[1]
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
