"""Prefix beam search for CTC (Graves 2012, Hannun 2014): the beams of several rows, frame by frame.

Rows are searched side by side and do not influence each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ocr.decoding.ctc import NEVER
from ocr.decoding.transitions import Floats, Numbers, TransitionTable

Flags: TypeAlias = npt.NDArray[np.bool_]

# The golden ratio in 64 bits (Knuth's multiplicative hashing): spreads the hashes of prefixes.
_MIX = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_PARTS, _DEPTHS = 8, 256
"""Bins in a nat, and number of bins, in which prefixes are counted by how far they are below the best: 32
nats, more than `Search.beam_nats` (20)."""
_SLIP = 1e-3
"""Nats by which float32 sums, taken relative to the best prefix, may at most be off."""


@dataclass(frozen=True, slots=True)
class BeamPath:
    """The path of a text through the automaton: its symbols, and the price of each in nats."""

    symbols: tuple[int, ...]
    prices: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Extensions:
    """Prefixes extended by one character, as columns: the index of the prefix (`parent`), True over a space
    that the ink lacks, the column of the character's sign, the arc, and its price in nats, negated."""

    parent: Numbers
    is_spaced: Flags
    column: Numbers
    arc: Numbers
    price: Floats


# What an array operation costs is mostly the call, so one operation serves all rows.
class Beam:
    """The prefixes that are stored, sorted by row and within a row by hash.

    Arrays by prefix: its `row`; the automaton's `state`; the log chance that its last frame is blank
    (`_gap`), is its last sign (`_on`), and of both (`total`); that sign's column (`_last`); a 64-bit hash of
    its symbols; and its `node` in the tree of all prefixes so far, by which `paths` walks back.
    """

    def __init__(
        self, table: TransitionTable, start: int, rows: int, lost: Floats, space: int, width: int, span: float
    ) -> None:
        """`lost`: by column the price, negated, of a space before it that the ink lacks. `space`: that
        symbol. `width`: prefixes kept of a row at each frame. `span`: nats that one may be below its row's
        best."""
        self._table, self._lost, self._width, self._span = table, lost, width, span
        self._short_lost = lost.astype(np.float32)
        self._start, self._space, self._space_hash = start, space, np.uint64(space + 1)
        self.row: Numbers = np.arange(rows)
        self.state: Numbers = np.full(rows, start)
        self.total: Floats = np.zeros(rows)
        self.node: Numbers = np.zeros(rows, dtype=np.int64)
        self._last: Numbers = np.zeros(rows, dtype=np.int64)
        self._gap: Floats = np.zeros(rows)
        self._on: Floats = np.full(rows, NEVER)
        self._hash: npt.NDArray[np.uint64] = np.ones(rows, dtype=np.uint64)
        self._nodes = 1
        self._node_parents: list[Numbers] = [np.zeros(1, dtype=np.int64)]
        self._node_arcs: list[Numbers] = [np.full(1, -1)]
        self._node_spaced: list[Flags] = [np.zeros(1, dtype=np.bool_)]

    def keep_rows(self, rows: Flags) -> None:
        """Go on with these rows only; they are numbered again."""
        prefixes = np.flatnonzero(rows.take(self.row))
        self.row = (rows.cumsum() - 1).take(self.row.take(prefixes))
        self.state, self.total = self.state.take(prefixes), self.total.take(prefixes)
        self.node, self._last = self.node.take(prefixes), self._last.take(prefixes)
        self._gap, self._on = self._gap.take(prefixes), self._on.take(prefixes)
        self._hash = self._hash.take(prefixes)

    def best_scores(self) -> Floats:
        """By row the log chance of its likeliest prefix."""
        best: Floats = np.maximum.reduceat(self.total, _starts(self.row))
        return best

    def advance(self, frames: Floats) -> None:
        """One more frame of each row: every prefix stays as it is, or is extended by one character.

        `frames`: shape (rows, 1 + columns), log chances of the blank and of each column."""
        table = self._table
        gap = self.total + frames[:, 0].take(self.row)
        on = self._on + frames.reshape(-1).take(self.row * frames.shape[1] + self._last)
        rest = np.logaddexp(gap, on)
        extensions = self._extensions(frames, rest)
        row = self.row.take(extensions.parent)
        # CTC: a sign that repeats the last one needs a blank between them.
        before = np.where(
            extensions.column == self._last.take(extensions.parent),
            self._gap.take(extensions.parent), self.total.take(extensions.parent),
        )
        ink = frames.reshape(-1).take(row * frames.shape[1] + extensions.column)
        scores = before + ink + extensions.price
        floor = self._floors(
            np.concatenate((rest, scores)), np.concatenate((self.row, row)), is_sorted=False
        )
        new = np.flatnonzero(scores >= floor.take(row))
        new = new.take(np.argsort(extensions.parent.take(new), kind="stable"))
        parents, is_spaced = extensions.parent.take(new), extensions.is_spaced.take(new)
        column, arcs = extensions.column.take(new), extensions.arc.take(new)
        stem = self._hash.take(parents)
        stem = np.where(is_spaced, stem * _MIX + self._space_hash, stem)
        hashes = np.concatenate(
            (self._hash, stem * _MIX + table.arc_symbol.take(arcs).astype(np.uint64) + _ONE)
        )
        row = np.concatenate((self.row, row.take(new)))
        # NumPy sorts 16 bits by radix, in linear time; stable, so a row's prefixes stay sorted by hash.
        order = np.argsort(hashes, kind="stable")
        order = order.take(np.argsort(row.take(order).astype(np.uint16), kind="stable"))
        hashes, row = hashes.take(order), row.take(order)
        is_first = np.concatenate(([True], (hashes[1:] != hashes[:-1]) | (row[1:] != row[:-1])))
        first = np.flatnonzero(is_first)
        # Equal prefixes are one: the entry that was there already, or else the first new one.
        prefixes = order.take(first)
        on = np.logaddexp.reduceat(np.concatenate((on, scores.take(new))).take(order), first)
        gap = np.concatenate((gap, np.full(len(new), NEVER))).take(prefixes)
        total, row = np.logaddexp(gap, on), row.take(first)
        best = np.flatnonzero(total >= self._floors(total, row).take(row))
        prefixes = prefixes.take(best)
        self._gap, self._on = gap.take(best), on.take(best)
        self.total, self.row = total.take(best), row.take(best)
        self._hash = hashes.take(first.take(best))
        self.state = np.concatenate((self.state, table.arc_target.take(arcs))).take(prefixes)
        self._last = np.concatenate((self._last, column)).take(prefixes)
        self._grow(prefixes, parents, arcs, is_spaced)

    def _extensions(self, frames: Floats, rest: Floats) -> _Extensions:
        """The extensions that may be stored, and more. `rest`: by prefix its log chance without extension."""
        # Most extensions are far too unlikely. Cheap float32 sums rule these out, with _SLIP to spare, so
        # exact sums are made only for what may be stored.
        table, top = self._table, self.best_scores()
        floor = self._floors(rest, self.row) - _SLIP
        parent_floor = (floor - frames[:, 1:].max(axis=1)).take(self.row)
        parents = np.flatnonzero(self.total >= parent_floor)
        table_rows = table.state_rows(self.state.take(parents))
        base, after_space = self.total.take(parents), table.space_target.take(table_rows)
        space_price = table.space_price.take(table_rows)
        spaced = np.flatnonzero((after_space >= 0) & (base + space_price >= parent_floor.take(parents)))
        plain_count, space_price = len(parents), space_price.take(spaced)
        # Each prefix once as it is, then those that may go on over a space that the ink lacks.
        parents = np.concatenate((parents, parents.take(spaced)))
        table_rows = np.concatenate((table_rows, table.state_rows(after_space.take(spaced))))
        row = self.row.take(parents)
        sums = table.best_price.take(table_rows, axis=0)
        sums += frames.astype(np.float32).take(row, axis=0)
        sums[plain_count:] += self._short_lost
        below = np.concatenate((base, base.take(spaced) + space_price)) - top.take(row)
        sums += below.astype(np.float32)[:, None]
        width = sums.shape[1]
        flat = sums.reshape(-1)
        last_cells = np.arange(len(parents)) * width + self._last.take(parents)
        flat[last_cells] += (self._gap - self.total).take(parents)
        likely = np.flatnonzero(sums >= (floor - top).take(row).astype(np.float32)[:, None])
        likely_row = row.take(likely // width)
        relative = flat.take(likely)
        quick = self._quick_floors(top.take(self.row) - rest, self.row, -relative, likely_row)
        floor = np.maximum(floor - top, quick - _SLIP)
        likely = likely[relative >= floor.take(likely_row)]
        pair: Numbers = likely // width
        column: Numbers = likely % width
        which, arc = table.arc_indices(table_rows.take(pair), column)
        pair, column = pair.take(which), column.take(which)
        price = table.arc_price.take(arc)
        first_spaced = int(np.searchsorted(pair, plain_count))
        price[first_spaced:] += (
            self._lost.take(column[first_spaced:]) + space_price.take(pair[first_spaced:] - plain_count)
        )
        return _Extensions(parents.take(pair), pair >= plain_count, column, arc, price)

    def _floors(self, scores: Floats, row: Numbers, *, is_sorted: bool = True) -> Floats:
        """By row the least score that stays within width and span. Every row has a score."""
        counts = np.bincount(row)
        most = int(counts.max())
        starts = np.cumsum(counts) - counts
        by_row = np.full((len(counts), most), -np.inf)
        cells = np.arange(len(row)) + np.repeat(np.arange(len(counts)) * most - starts, counts)
        by_row.reshape(-1)[cells] = scores if is_sorted else scores.take(
            np.argsort(row.astype(np.uint16), kind="stable")
        )
        least: Floats = by_row.max(axis=1) - self._span
        if most < self._width:
            return least
        return np.maximum(least, np.partition(by_row, most - self._width, axis=1)[:, most - self._width])

    def _quick_floors(
        self, rest_depths: Floats, row: Numbers, depths: npt.NDArray[np.float32], depth_row: Numbers
    ) -> Floats:
        """By row, relative to its best, a score below which nothing stays.

        `rest_depths`, `depths`: nats that prefixes and extensions are below their row's best."""
        # Counting in bins is faster than sorting, and the floor is at most one bin too low.
        rows = int(row[-1]) + 1
        counts = np.zeros(rows * _DEPTHS, dtype=np.int64)
        for depth, bin_row in ((rest_depths, row), (depths, depth_row)):
            bins = np.clip(depth * _PARTS, 0, _DEPTHS - 1).astype(np.int64)
            counts += np.bincount(bin_row * _DEPTHS + bins, minlength=len(counts))
        summed = counts.reshape(rows, _DEPTHS).cumsum(axis=1)
        full = (summed < self._width).sum(axis=1)
        first = (summed == 0).sum(axis=1)
        least: Floats = np.where(full < _DEPTHS - 1, -(full + 1) / _PARTS, -np.inf)
        return np.where(first < _DEPTHS - 1, np.maximum(least, -(first + 1) / _PARTS - self._span), least)

    def _grow(self, prefixes: Numbers, parents: Numbers, arcs: Numbers, is_spaced: Flags) -> None:
        """Give each kept prefix its node: those below the size of the old beam have one, the others are
        new."""
        size = len(self.node)
        is_new = prefixes >= size
        new = prefixes[is_new] - size
        node = self.node.take(prefixes, mode="clip")
        node[is_new] = np.arange(self._nodes, self._nodes + len(new))
        self._nodes += len(new)
        self._node_parents.append(self.node.take(parents.take(new)))
        self._node_arcs.append(arcs.take(new))
        self._node_spaced.append(is_spaced.take(new))
        self.node = node

    def paths(self, nodes: Sequence[int]) -> list[BeamPath]:
        """The paths of some nodes."""
        parents, arcs = np.concatenate(self._node_parents), np.concatenate(self._node_arcs)
        spaced = np.concatenate(self._node_spaced)
        reverse: list[Numbers] = []
        level = np.array(nodes, dtype=np.int64)
        while level.any():
            reverse.append(level)
            level = parents.take(level)
        if not reverse:
            return [BeamPath((), ()) for _ in nodes]
        # One row a text; shorter texts begin with nodes 0, which are not steps.
        path: Numbers = np.stack(reverse[::-1], axis=1)
        arc, is_step, is_spaced = arcs.take(path), path > 0, spaced.take(path)
        space_prices = self._space_prices(is_step, is_spaced, self._table.arc_target.take(arc))
        symbols, prices = self._table.arc_symbol.take(arc), self._table.arc_price.take(arc)
        columns = (is_step, is_spaced, symbols, prices, space_prices)
        return [
            self._path(zip(*text, strict=True))
            for text in zip(*(column.tolist() for column in columns), strict=True)
        ]

    def _space_prices(self, is_step: Flags, is_spaced: Flags, target: Numbers) -> Floats:
        """By text and step the price, negated, of the space before it; 0 without one."""
        before = np.full_like(target, self._start)
        before[:, 1:] = np.where(is_step[:, :-1], target[:, :-1], self._start)
        prices = np.zeros(target.shape)
        prices[is_spaced] = self._table.space_price.take(self._table.state_rows(before[is_spaced]))
        return prices

    def _path(self, steps: Iterable[tuple[bool, bool, int, float, float]]) -> BeamPath:
        """One path from the columns of `paths`."""
        symbols, prices = [], []
        for is_step, is_spaced, symbol, price, space_price in steps:
            if is_spaced:
                symbols.append(self._space)
                prices.append(-space_price)
            if is_step:
                symbols.append(symbol)
                prices.append(-price)
        return BeamPath(tuple(symbols), tuple(prices))


def _starts(row: Numbers) -> Numbers:
    """Where each row begins in its numbers, which rise."""
    return np.flatnonzero(np.concatenate(([True], row[1:] != row[:-1])))
