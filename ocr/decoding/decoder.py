"""Decode a row's posteriors inside an automaton: the likeliest texts among all that it takes.

Prefix beam search for CTC (Graves 2012, Hannun 2014). The automaton states by which characters a text may go
on; every frame allows every character at a price, so a misspelt, misread, lost or added letter costs that
much and needs no arcs of its own. The contents of the automaton, names or words, are not used here.
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
    """Says which texts count. States are whole numbers up to a few millions. The same question has always the
    same answer."""

    @property
    def start(self) -> int:
        """The state before the first character."""
        ...

    @property
    def symbols(self) -> Sequence[tuple[str, str]]:
        """By symbol its text, and the sign that the ink shows for it."""
        ...

    def sign(self, letter: str) -> str | None:
        """The sign that a network's letter counts as; empty if it is ignored, None if it never fits."""
        ...

    def arcs(self, state: int) -> Sequence[tuple[int, int, float]]:
        """The arcs from a state: symbol, next state and price in nats; each symbol at most once."""
        ...

    def end(self, state: int) -> float | None:
        """The price, in nats, at which a text may end in a state; None where it may not."""
        ...


@dataclass(frozen=True, slots=True)
class Search:
    """How wide to search. `width`: prefixes kept at each frame. `beam_nats`: nats that one may be below the
    best. `wrong_letter`: nats, the most that a character costs which the frame does not show. `prices`: less
    for one that looks like what the frame shows or is easily lost. `max_texts`: texts returned."""

    # A wider second search won two lines of 743, but stepped on four times the states.
    width: int = 160
    # With 24, 2 of 2,490 lines of 221 sheets had another chance, for a tenth of deciphering; with 16 a line
    # was joined to the one above it ("Army Kent does not move to Surrey").
    beam_nats: float = 20.0
    wrong_letter: float = 9.0
    prices: ConfusionPrices = field(default_factory=default_confusions)
    max_texts: int = 24


@dataclass(frozen=True, slots=True)
class Text:
    """A text as the automaton writes it.

    `score`: log chance in nats, summed over the alignments that the beam kept, less the price. `symbols`: the
    automaton's. `price`: nats that the automaton requests it.
    """

    text: str
    score: float
    symbols: tuple[int, ...] = ()
    price: float = 0.0


INKED = 160
"""Posteriors whose sign scores a decoder keeps, some 25 kB each: those of a page, in all joins that are
tried."""

FACES = 48
"""Posteriors whose sign scores as the network gives them are stored besides: those of a sheet's rows and
joins, which are asked for once more when its lines are weighed."""

ABREAST = 16
"""Rows that are searched side by side; more are hardly any faster."""

HELD = 512
"""Rows whose texts a decoder keeps: more than one sheet has, in all joins that are tried, by two opinions."""

LETTER, SLACK = 2.5, 25.0
"""Nats a letter, and nats besides, that a prefix may be below free reading before its row is given up. By
hand; no measurement on record."""

REST = 3
"""Frames that a run of blanks keeps: room for letters that left no ink. By hand."""

_BLANK = -0.02
"""Nats: log chance of the blank, above which a frame counts as blank. By hand."""


class Decoder:
    """Decodes rows inside one automaton, whose arcs it keeps as arrays. Safe for threads: they wait for each
    other."""

    def __init__(self, automaton: TextAutomaton, search: Search | None = None) -> None:
        self._automaton = automaton
        self._search = search or Search()
        self._written = [written for written, _ in automaton.symbols]
        self._space = self._written.index(" ")
        # By its first character, the longest first: "'s" is one symbol, and without it texts with an owner
        # could not be spelled.
        self._spelled: dict[str, list[tuple[str, int]]] = {}
        for number, written in sorted(enumerate(self._written), key=lambda pair: -len(pair[1])):
            self._spelled.setdefault(written[:1], []).append((written, number))
        self._wordy = np.array([written[-1].isalnum() for written in self._written])
        signs = list(dict.fromkeys(sign for _, sign in automaton.symbols))
        self._signs = {sign: n + 1 for n, sign in enumerate(signs)}
        self._sign_texts = ("", *signs)
        self._column = np.array([self._signs[sign] for _, sign in automaton.symbols])
        self._misread = self._misreadings(self._search.prices)
        self._steps = TransitionTable(automaton, self._column.tolist(), self._space)
        self._lost = np.array([0.0, *(LOST_SPACE if sign[-1:].isalnum() else 0.0 for sign in signs)])
        self._groups: dict[str, tuple[npt.NDArray[np.int64], ...]] = {}
        self._held: OrderedDict[bytes, tuple[Text, ...]] = OrderedDict()
        self._inked: OrderedDict[bytes, Floats] = OrderedDict()
        self._faces: OrderedDict[bytes, Floats] = OrderedDict()
        self._last: list[tuple[Posteriors, Floats]] = []
        self._lock = Lock()

    @property
    def state_count(self) -> int:
        """How many states of the automaton were stepped on so far; the memory grows with it."""
        return self._steps.state_count

    def decode(self, posteriors: Posteriors) -> tuple[Text, ...]:
        """The likeliest texts, best first; empty if no text of the automaton comes near, or there is no ink.

        `posteriors` may have any number of frames; NaN counts as probability 0.
        """
        return self.decode_rows([posteriors])[0]

    def decode_rows(self, rows: Sequence[Posteriors]) -> list[tuple[Text, ...]]:
        """The same for several rows, which takes less time side by side. The answers are the same to the
        bit."""
        # Rows are asked for again: by themselves, joined, as a heading and as an order.
        keys = [_key(posteriors) for posteriors in rows]
        with self._lock:
            texts_by_key = {key: self._held[key] for key in keys if key in self._held}
        inks = {
            key: shortened(self._ink_of(key, row))
            for key, row in zip(keys, rows, strict=True)
            if key not in texts_by_key
        }
        texts_by_key |= dict.fromkeys((key for key, ink in inks.items() if not len(ink)), ())
        # Rows of like length end together, so few frames are wasted on padding.
        unsolved = sorted((key for key in inks if key not in texts_by_key), key=lambda key: len(inks[key]))
        for start in range(0, len(unsolved), ABREAST):
            batch = unsolved[start : start + ABREAST]
            with self._lock:
                texts_by_key.update(zip(batch, self._search_in([inks[key] for key in batch]), strict=True))
        with self._lock:
            self._held.update(texts_by_key)
            while len(self._held) > HELD:
                self._held.popitem(last=False)
        return [texts_by_key[key] for key in keys]

    def sign_scores(self, posteriors: Posteriors) -> Floats:
        """Log chance of each sign in any case, shape (frames, 1 + signs), blank first; none below the price
        of a wrong character. Not to be written to."""
        # The same posteriors are asked for three times in a row: compared by identity, which costs no digest.
        for last_posteriors, scores in self._last:
            if last_posteriors is posteriors:
                return scores
        scores = self._ink_of(_key(posteriors), posteriors)
        self._last = [*self._last[-1:], (posteriors, scores)]
        return scores

    def _ink_of(self, key: bytes, posteriors: Posteriors) -> Floats:
        with self._lock:
            ink = self._inked.get(key)
        if ink is None:
            ink = self._ink(self._face_of(key, posteriors))
            with self._lock:
                self._inked[key] = ink
                while len(self._inked) > INKED:
                    self._inked.popitem(last=False)
        return ink

    def face_scores(self, posteriors: Posteriors) -> Floats:
        """Log chance of each sign as the network gives it, with no price for a misread letter; the shape of
        `sign_scores`. Not to be written to."""
        return self._face_of(_key(posteriors), posteriors)

    def _face_of(self, key: bytes, posteriors: Posteriors) -> Floats:
        with self._lock:
            face = self._faces.get(key)
        if face is None:
            face = self._face(posteriors)
            with self._lock:
                self._faces[key] = face
                while len(self._faces) > FACES:
                    self._faces.popitem(last=False)
        return face

    def _face(self, posteriors: Posteriors) -> Floats:
        logs = np.nan_to_num(posteriors.log_probs.astype(np.float64), nan=NEVER, neginf=NEVER, posinf=0.0)
        exact = np.full((len(logs), len(self._signs) + 1), NEVER)
        for column, group in enumerate(self._grouped(posteriors.letters)):
            if len(group):
                exact[:, column] = np.logaddexp.reduce(logs[:, group], axis=1)
        return exact

    def _ink(self, exact: Floats) -> Floats:
        scores: Floats = np.maximum(exact, -self._search.wrong_letter)
        for sign, shown_signs, prices in self._misread:
            np.maximum(scores[:, sign], (exact[:, shown_signs] - prices).max(axis=1), out=scores[:, sign])
        return scores

    def _misreadings(self, prices: ConfusionPrices) -> list[tuple[int, Numbers, Floats]]:
        """Columns of signs, each with the columns that the ink may show instead (the blank's if it is lost)
        and their prices in nats."""
        misreadings = []
        for sign, column in self._signs.items():
            price_by_column = {
                self._signs[shown_sign]: price
                for shown_sign, price in prices.shown.get(sign, {}).items()
                if shown_sign in self._signs
            }
            if sign in prices.lost:
                price_by_column[0] = prices.lost[sign]
            if price_by_column:
                columns = np.array(list(price_by_column), dtype=np.int64)
                misreadings.append((column, columns, np.array(list(price_by_column.values()))))
        return misreadings

    @property
    def space_column(self) -> int:
        """The column of `sign_scores` for a space between words."""
        return int(self._column[self._space])

    def sign_of(self, column: int) -> str:
        """The sign of a column of `sign_scores`; empty for the blank."""
        return self._sign_texts[column]

    def symbol_text(self, symbol: int) -> str:
        """The text that the automaton writes for a symbol."""
        return self._written[symbol]

    def symbol_columns(self, letters: str, symbol: int) -> Numbers:
        """The network's columns that show a symbol: every case and accent of it."""
        return self._grouped(letters)[int(self._column[symbol])]

    def ignored_columns(self, letters: str) -> Numbers:
        """The network's columns that count as nothing: the blank's, then those of ticks."""
        return self._grouped(letters)[0]

    def _grouped(self, letters: str) -> tuple[npt.NDArray[np.int64], ...]:
        """For the blank and each sign the network's columns that count as it."""
        if letters not in self._groups:
            columns: list[list[int]] = [[0], *([] for _ in self._signs)]
            for column, letter in enumerate(letters, 1):
                sign = self._automaton.sign(letter)
                if sign is not None:
                    columns[self._signs[sign] if sign else 0].append(column)
            self._groups[letters] = tuple(np.array(group, dtype=np.int64) for group in columns)
        return self._groups[letters]

    def _search_in(self, inks: Sequence[Floats]) -> list[tuple[Text, ...]]:
        """The likeliest texts of some rows, searched side by side. There is a row, and each has a frame."""
        search = self._search
        ended: list[list[tuple[float, int, float]]] = [[] for _ in inks]
        beam = Beam(
            self._steps, self._automaton.start, len(inks), self._lost, self._space, search.width,
            search.beam_nats
        )
        frames = _padded(inks)
        floors = np.array([np.pad(_hopeless(ink), (0, frames.shape[1] - len(ink))) for ink in inks])
        lengths, left = np.array([len(ink) for ink in inks]), np.arange(len(inks))
        for frame in range(frames.shape[1]):
            beam.advance(frames[left, frame])
            lost, has_ended = beam.best_scores() < floors[left, frame], lengths[left] == frame + 1
            for row in np.flatnonzero(has_ended & ~lost):
                ended[left[row]] = self._ended(beam, int(row))
            if lost.any() or has_ended.any():
                beam.keep_rows(~(lost | has_ended))
                left = left[~(lost | has_ended)]
            if not len(left):
                break
        paths = iter(beam.paths([node for texts in ended for _, node, _ in texts]))
        return [tuple(self._text(next(paths), score, end) for score, _, end in texts) for texts in ended]

    def _ended(self, beam: Beam, row: int) -> list[tuple[float, int, float]]:
        """Score, node and price of the end, for the likeliest texts of a row whose frames have ended."""
        in_row = beam.row == row
        columns = (beam.total[in_row].tolist(), beam.node[in_row].tolist(), beam.state[in_row].tolist())
        ends = [
            (score, node, self._automaton.end(state)) for score, node, state in zip(*columns, strict=True)
        ]
        endings = [(score - price, node, price) for score, node, price in ends if price is not None]
        return sorted(endings, reverse=True)[: self._search.max_texts]

    def _text(self, path: BeamPath, score: float, end: float) -> Text:
        """A text by its path; its price is that of its symbols and of its end."""
        price = 0.0
        # One by one as in `_price`, for the same float: `sum` compensates from Python 3.12 on.
        for symbol_price in path.prices:
            price += symbol_price
        return Text("".join([self._written[s] for s in path.symbols]), score, path.symbols, price + end)

    def spell(self, text: str) -> Text | None:
        """A proposed text with its symbols and price, without a score; None if the automaton does not take
        it."""
        symbols = self._symbols(text)
        with self._lock:
            price = None if symbols is None else self._price(symbols)
        return None if symbols is None or price is None else Text(text, NEVER, symbols, price)

    def _symbols(self, text: str) -> tuple[int, ...] | None:
        """The symbols of a text; None if it has a character without a symbol."""
        symbols: list[int] = []
        position = 0
        while position < len(text):
            fits = self._spelled.get(text[position], ())
            symbol = next(
                (number for written, number in fits if text.startswith(written, position)), None
            )
            if symbol is None:
                return None
            symbols.append(symbol)
            position += len(self._written[symbol])
        return tuple(symbols)

    def _price(self, symbols: tuple[int, ...]) -> float | None:
        """The price of a text, in nats; None for one that the automaton does not take."""
        state, price = self._automaton.start, 0.0
        for symbol in symbols:
            step = self._steps.follow(state, symbol)
            if step is None:
                return None
            state, price = step[0], price + step[1]
        end = self._automaton.end(state)
        return None if end is None else price + end

    def letter_columns(self, symbols: Sequence[int]) -> tuple[Numbers, Floats]:
        """By symbol of a text its column of `sign_scores`, and as `ctc.forward_scores` takes them the prices,
        negated, of coming to it from the symbol before (row 0) and over a space (row 1)."""
        numbers = np.array(symbols, dtype=np.int64)
        columns = self._column.take(numbers)
        skips = np.full((2, len(columns)), NEVER)
        # CTC needs a blank between two equal signs.
        skips[0, 1:][columns[1:] != columns[:-1]] = 0.0
        may_lose = (numbers[1:-1] == self._space) & (columns[2:] != columns[:-2])
        skips[1, 2:][may_lose] = np.where(self._wordy.take(numbers[2:][may_lose]), LOST_SPACE, 0.0)
        return columns, skips


def _key(posteriors: Posteriors) -> bytes:
    """A digest of posteriors: equal ones are decoded once."""
    # Processors have instructions for SHA-2; BLAKE2 takes twice as long.
    digest = hashlib.sha256(posteriors.letters.encode())
    digest.update(repr(posteriors.log_probs.shape).encode())
    digest.update(np.ascontiguousarray(posteriors.log_probs).data)
    return digest.digest()


def _padded(inks: Sequence[Floats]) -> Floats:
    """Shape (rows, frames, columns), 0 after a row's end."""
    padded = np.zeros((len(inks), max(len(ink) for ink in inks), inks[0].shape[1]))
    for row, ink in enumerate(inks):
        padded[row, : len(ink)] = ink
    return padded


def best_path_sums(ink: Floats) -> tuple[Floats, Numbers]:
    """By frame the log chance in nats of the likeliest free path so far, and how many letters it shows."""
    best = ink.argmax(axis=1)
    starts = (best != 0) & np.concatenate(([True], best[1:] != best[:-1]))
    return ink.max(axis=1).cumsum(), starts.cumsum()


def _hopeless(ink: Floats) -> Floats:
    """By frame the log chance in nats below which a row is given up: free letters fit better."""
    chance, letters = best_path_sums(ink)
    return chance - LETTER * letters - SLACK


def shortened(ink: Floats) -> Floats:
    """The frames of sign scores without the later ones of long runs of blanks: they cost next to nothing."""
    blank = ink[:, 0] > _BLANK
    is_kept = np.ones(len(ink), dtype=np.bool_)
    run = 0
    for frame, is_blank in enumerate(blank.tolist()):
        run = run + 1 if is_blank else 0
        is_kept[frame] = run <= REST
    return ink[is_kept]
