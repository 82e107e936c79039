"""Decode a row's posteriors inside an automaton: the likeliest texts among all that it takes.

Prefix beam search for CTC (Graves 2012, Hannun 2014): each beam entry is a text, its chance summed over the
ways to lay it along the frames, and the automaton says by which characters a text may go on. Every frame
allows every character at a fixed price, so that a letter that was misspelt or misread, lost or added costs
that much and no more. What the automaton knows, whether names or words, is not seen here.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ocr.decoding.beam import Beam, BeamPath
from ocr.decoding.confusions import ConfusionPrices, default_confusions
from ocr.decoding.ctc import LOST_SPACE, NEVER
from ocr.decoding.transitions import Floats, Numbers, TransitionTable
from ocr.page import Posteriors


class TextAutomaton(Protocol):
    """Says which texts count. States are whole numbers up to a few millions; a step asked for again gives the
    same answer."""

    @property
    def start(self) -> int:
        """The state before the first character."""
        ...

    @property
    def symbols(self) -> Sequence[tuple[str, str]]:
        """For each symbol what is written for it, and the sign that the ink shows."""
        ...

    def sign(self, letter: str) -> str | None:
        """The sign a network's letter counts as; empty for one that is passed over, None for one that never
        fits."""
        ...

    def arcs(self, state: int) -> Sequence[tuple[int, int, float]]:
        """The steps from a state: symbol, next state and price in nats, each symbol at most once."""
        ...

    def end(self, state: int) -> float | None:
        """The price at which a text may end here; None where it may not."""
        ...


@dataclass(frozen=True, slots=True)
class Search:
    """How wide to search. `width`: texts kept at each frame. `beam`: nats by which one may be behind the
    best. `wrong`: nats for a character that the frame does not show, at most; `prices`: for one that looks
    like what it shows or is easily lost. `keep`: texts handed back."""

    width: int = 160
    beam_nats: float = 24.0
    wrong_letter: float = 9.0
    prices: ConfusionPrices = field(default_factory=default_confusions)
    max_texts: int = 24


@dataclass(frozen=True, slots=True)
class Text:
    """A text as the automaton writes it.

    `score`: the logarithm of its chance, summed over the alignments that were kept, less its price.
    `symbols`: the automaton's, one by one. `price`: what the automaton asks for it, in nats.
    """

    text: str
    score: float
    symbols: tuple[int, ...] = ()
    price: float = 0.0


INKED = 160
"""Posteriors whose ink a decoder keeps at hand, some 25 kB each: a page's, joined in the ways that are
tried."""


ABREAST = 16
"""Rows that are searched side by side: more are hardly any faster."""
HELD = 512
"""Rows whose texts a decoder keeps: more than one sheet has, joined in every way that is tried, by two
opinions."""


class Decoder:
    """Decodes rows inside one automaton, whose steps it keeps as arrays. Threads wait for each other."""

    def __init__(self, automaton: TextAutomaton, search: Search | None = None) -> None:
        self._automaton = automaton
        self._search = search or Search()
        self._written = [written for written, _ in automaton.symbols]
        self._space = self._written.index(" ")
        self._wordy = [written[-1].isalnum() for written in self._written]
        signs = list(dict.fromkeys(sign for _, sign in automaton.symbols))
        self._signs = {sign: n + 1 for n, sign in enumerate(signs)}
        self._column = np.array([self._signs[sign] for _, sign in automaton.symbols])
        self._misread = self._misreadings(self._search.prices)
        self._steps = TransitionTable(automaton, self._column.tolist(), self._space)
        self._lost = np.array([0.0, *(LOST_SPACE if sign[-1:].isalnum() else 0.0 for sign in signs)])
        self._groups: dict[str, tuple[npt.NDArray[np.int64], ...]] = {}
        self._held: OrderedDict[bytes, tuple[Text, ...]] = OrderedDict()
        self._inked: OrderedDict[bytes, Floats] = OrderedDict()
        self._last: list[tuple[Posteriors, Floats]] = []
        self._lock = Lock()

    @property
    def state_count(self) -> int:
        """How many states of the automaton were stepped on so far: what its memory grows with."""
        return self._steps.state_count

    def decode(self, posteriors: Posteriors) -> tuple[Text, ...]:
        """The likeliest texts, best first; empty where no text of the automaton comes near, or there is no
        ink.

        `posteriors` may have any number of frames; chances that are no numbers count as nought.
        """
        return self.decode_rows([posteriors])[0]

    def decode_rows(self, rows: Sequence[Posteriors]) -> list[tuple[Text, ...]]:
        """The same for several rows, searched side by side, which takes less time. The last few answers are
        kept: a row that was decoded with others may be asked for by itself, and again."""
        keys = [_key(posteriors) for posteriors in rows]
        with self._lock:
            held = {key: self._held[key] for key in keys if key in self._held}
        inks = {
            key: shortened(self._ink_of(key, row))
            for key, row in zip(keys, rows, strict=True)
            if key not in held
        }
        held |= dict.fromkeys((key for key, ink in inks.items() if not len(ink)), ())
        there = sorted((key for key in inks if key not in held), key=lambda key: len(inks[key]))
        for start in range(0, len(there), ABREAST):
            some = there[start : start + ABREAST]
            with self._lock:
                held.update(zip(some, self._search_in([inks[key] for key in some]), strict=True))
        with self._lock:
            self._held.update(held)
            while len(self._held) > HELD:
                self._held.popitem(last=False)
        return [held[key] for key in keys]

    def sign_scores(self, posteriors: Posteriors) -> Floats:
        """Frames x (1 + signs): the log chance of each sign in any case, blank first, none below the price of
        a wrong character. Kept for the last few posteriors asked for; not to be written to."""
        for held, found in self._last:
            if held is posteriors:
                return found
        made = self._ink_of(_key(posteriors), posteriors)
        self._last = [*self._last[-1:], (posteriors, made)]
        return made

    def _ink_of(self, key: bytes, posteriors: Posteriors) -> Floats:
        with self._lock:
            found = self._inked.get(key)
        if found is None:
            found = self._ink(posteriors)
            with self._lock:
                self._inked[key] = found
                while len(self._inked) > INKED:
                    self._inked.popitem(last=False)
        return found

    def _ink(self, posteriors: Posteriors) -> Floats:
        logs = np.nan_to_num(posteriors.log_probs.astype(np.float64), nan=NEVER, neginf=NEVER, posinf=0.0)
        out = np.full((len(logs), len(self._signs) + 1), NEVER)
        for column, group in enumerate(self._grouped(posteriors.letters)):
            if len(group):
                out[:, column] = np.logaddexp.reduce(logs[:, group], axis=1)
        found: Floats = np.maximum(out, -self._search.wrong_letter)
        for sign, shown, prices in self._misread:
            np.maximum(found[:, sign], (out[:, shown] - prices).max(axis=1), out=found[:, sign])
        return found

    def _misreadings(self, prices: ConfusionPrices) -> list[tuple[int, Numbers, Floats]]:
        """By column of a sign: the columns that the ink may show in its stead, the blank's where it is lost,
        at what prices."""
        found = []
        for sign, column in self._signs.items():
            told = {
                self._signs[one]: price
                for one, price in prices.shown.get(sign, {}).items()
                if one in self._signs
            }
            if sign in prices.lost:
                told[0] = prices.lost[sign]
            if told:
                found.append((column, np.array(list(told), dtype=np.int64), np.array(list(told.values()))))
        return found

    @property
    def space_column(self) -> int:
        """The column of `ink` that a blank between words has."""
        return int(self._column[self._space])

    def symbol_text(self, symbol: int) -> str:
        """What the automaton writes for a symbol."""
        return self._written[symbol]

    def symbol_columns(self, letters: str, symbol: int) -> Numbers:
        """The network's columns that show a symbol: every case and accent of it."""
        return self._grouped(letters)[int(self._column[symbol])]

    def ignored_columns(self, letters: str) -> Numbers:
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

    def _search_in(self, inks: Sequence[Floats]) -> list[tuple[Text, ...]]:
        """The likeliest texts of some rows, searched side by side. Not empty, and no row is."""
        search = self._search
        ended: list[list[tuple[float, int, float]]] = [[] for _ in inks]
        beam = Beam(
            self._steps, self._automaton.start, len(inks), self._lost, self._space, search.width,
            search.beam_nats
        )
        frames = _padded(inks)
        floors = np.array([np.pad(_hopeless(ink), (0, frames.shape[1] - len(ink))) for ink in inks])
        lengths, left = np.array([len(ink) for ink in inks]), np.arange(len(inks))
        for at in range(frames.shape[1]):
            beam.advance(frames[left, at])
            lost, done = beam.best_scores() < floors[left, at], lengths[left] == at + 1
            for row in np.flatnonzero(done & ~lost):
                ended[left[row]] = self._ended(beam, int(row))
            if lost.any() or done.any():
                beam.keep_rows(~(lost | done))
                left = left[~(lost | done)]
            if not len(left):
                break
        ways = iter(beam.paths([node for each in ended for _, node, _ in each]))
        return [tuple(self._text(next(ways), score, end) for score, _, end in each) for each in ended]

    def _ended(self, beam: Beam, row: int) -> list[tuple[float, int, float]]:
        """Score, node and end's price of the likeliest texts of a row whose frames have ended."""
        here = beam.row == row
        ends = [(score, node, self._automaton.end(state)) for score, node, state in zip(
            beam.total[here].tolist(), beam.node[here].tolist(), beam.state[here].tolist(), strict=True)]
        done = [(score - price, node, price) for score, node, price in ends if price is not None]
        return sorted(done, reverse=True)[: self._search.max_texts]

    def _text(self, way: BeamPath, score: float, end: float) -> Text:
        """A text by its way; its price is that of its symbols one by one, and of its end."""
        price = 0.0
        for each in way.prices:
            price += each
        return Text("".join([self._written[s] for s in way.symbols]), score, way.symbols, price + end)

    def spell(self, text: str) -> Text | None:
        """A text of the automaton that somebody else proposes, written as it writes it, with no score; None
        where it does not take the text."""
        symbols = self._symbols(text)
        with self._lock:
            price = None if symbols is None else self._price(symbols)
        return None if symbols is None or price is None else Text(text, NEVER, symbols, price)

    def _symbols(self, text: str) -> tuple[int, ...] | None:
        """The symbols that a text is written with, the longest first ("'s" is one); None where it has another
        character."""
        found: list[int] = []
        at = 0
        while at < len(text):
            fits = [number for number, written in enumerate(self._written) if text.startswith(written, at)]
            if not fits:
                return None
            found.append(max(fits, key=lambda number: len(self._written[number])))
            at += len(self._written[found[-1]])
        return tuple(found)

    def _price(self, symbols: tuple[int, ...]) -> float | None:
        """What the automaton asks for a text; None for one that it does not take."""
        state, price = self._automaton.start, 0.0
        for symbol in symbols:
            step = self._steps.follow(state, symbol)
            if step is None:
                return None
            state, price = step[0], price + step[1]
        end = self._automaton.end(state)
        return None if end is None else price + end

    def letter_columns(self, symbols: Sequence[int]) -> tuple[Numbers, Floats]:
        """For each symbol of a text its column of `ink`, and the prices, as `ctc.sums` takes them, of coming
        to it from the symbol before (row 0) and over a space (row 1)."""
        columns = self._column[list(symbols)]
        skips = np.full((2, len(columns)), NEVER)
        for k in range(1, len(columns)):
            if columns[k] != columns[k - 1]:
                skips[0, k] = 0.0
            if symbols[k - 1] == self._space and k > 1 and columns[k] != columns[k - 2]:
                wordy = self._wordy[symbols[k]]
                skips[1, k] = LOST_SPACE if wordy else 0.0
        return columns, skips


def _key(posteriors: Posteriors) -> bytes:
    """What tells posteriors apart: their own bytes."""
    found = hashlib.blake2b(posteriors.letters.encode(), digest_size=16)
    found.update(repr(posteriors.log_probs.shape).encode())
    found.update(np.ascontiguousarray(posteriors.log_probs).data)
    return found.digest()


def _padded(inks: Sequence[Floats]) -> Floats:
    """Rows x frames x columns, nought after a row's end."""
    out = np.zeros((len(inks), max(len(ink) for ink in inks), inks[0].shape[1]))
    for n, ink in enumerate(inks):
        out[n, : len(ink)] = ink
    return out


def best_path_sums(ink: Floats) -> tuple[Floats, Numbers]:
    """By frame: the log chance of the likeliest path so far, bound by nothing, and how many letters it
    shows."""
    best = ink.argmax(axis=1)
    starts = (best != 0) & np.concatenate(([True], best[1:] != best[:-1]))
    return ink.max(axis=1).cumsum(), starts.cumsum()


def _hopeless(ink: Floats) -> Floats:
    """By frame: the log chance below which no text is worth going on with, since it fits worse than free
    letters."""
    chance, letters = best_path_sums(ink)
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
