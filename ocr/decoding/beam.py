"""Texts under way through the frames of some rows: prefix beam search for CTC (Graves 2012, Hannun 2014).

Several rows are searched side by side, since what an array costs is mostly that it is called at all. No row's
texts have any bearing on another's.
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

_MIX = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_PARTS, _DEPTHS = 8, 256
"""Parts of a nat, and how many of them, in which texts are counted by how far they lie below the best."""
_SLIP = 1e-3
"""Nats by which sums in short floats, taken below the best text's chance, may at most be off."""


@dataclass(frozen=True, slots=True)
class BeamPath:
    """How a text went: its symbols, and the price of each in nats."""

    symbols: tuple[int, ...]
    prices: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Onward:
    """Ways to go on: by way the text it goes on from, whether over a space that the ink lacks, the column,
    the step, and the price, turned."""

    who: Numbers
    spaced: Flags
    column: Numbers
    step: Numbers
    price: Floats


class Beam:
    """Texts under way, row by row and within a row in the order of their marks.

    By text: its row (`row`), the automaton's `state`, the last column, the log chances of resting in a blank
    (`gap`), on the last sign (`on`) and of either (`total`), a `mark` that tells a row's texts apart (64
    bits, mixed from the symbols), and a `node` of the tree that they are walked back by.
    """

    def __init__(
        self, steps: TransitionTable, start: int, rows: int, lost: Floats, space: int, width: int, span: float
    ) -> None:
        """`lost`: by column the price, turned, of a space that the ink lacks before it; `space`: that symbol.
        `width`: texts kept of a row at each frame. `span`: nats by which one may be behind its row's best."""
        self._steps, self._lost, self._width, self._span = steps, lost, width, span
        self._reach = lost.astype(np.float32)
        self._start, self._space, self._space_mark = start, space, np.uint64(space + 1)
        self.row: Numbers = np.arange(rows)
        self.state: Numbers = np.full(rows, start)
        self.total: Floats = np.zeros(rows)
        self.node: Numbers = np.zeros(rows, dtype=np.int64)
        self._last: Numbers = np.zeros(rows, dtype=np.int64)
        self._gap: Floats = np.zeros(rows)
        self._on: Floats = np.full(rows, NEVER)
        self._mark: npt.NDArray[np.uint64] = np.ones(rows, dtype=np.uint64)
        self._nodes = 1
        self._before: list[Numbers] = [np.zeros(1, dtype=np.int64)]
        self._step: list[Numbers] = [np.full(1, -1)]
        self._spaced: list[Flags] = [np.zeros(1, dtype=np.bool_)]

    def keep_rows(self, rows: Flags) -> None:
        """Go on with some rows only, which are numbered anew."""
        kept = np.flatnonzero(rows.take(self.row))
        self.row = (rows.cumsum() - 1).take(self.row.take(kept))
        self.state, self.total, self.node = self.state.take(kept), self.total.take(kept), self.node.take(kept)
        self._last, self._gap, self._on = self._last.take(kept), self._gap.take(kept), self._on.take(kept)
        self._mark = self._mark.take(kept)

    def best_scores(self) -> Floats:
        """By row the log chance of its likeliest text."""
        found: Floats = np.maximum.reduceat(self.total, _starts(self.row))
        return found

    def advance(self, frames: Floats) -> None:
        """One more frame of each row, as log chances of blank and of each column: every text rests, or goes
        on by one character."""
        steps = self._steps
        gap = self.total + frames[:, 0].take(self.row)
        on = self._on + frames.reshape(-1).take(self.row * frames.shape[1] + self._last)
        rest = np.logaddexp(gap, on)
        way = self._onward(frames, rest)
        row = self.row.take(way.who)
        came = np.where(
            way.column == self._last.take(way.who), self._gap.take(way.who), self.total.take(way.who)
        )
        scores = came + frames.reshape(-1).take(row * frames.shape[1] + way.column) + way.price
        floor = self._bounds(np.concatenate((rest, scores)), np.concatenate((self.row, row)))
        new = np.flatnonzero(scores >= floor.take(row))
        new = new.take(np.argsort(way.who.take(new), kind="stable"))
        who, spaced, column, step = (
            way.who.take(new),
            way.spaced.take(new),
            way.column.take(new),
            way.step.take(new),
        )
        stem = self._mark.take(who)
        stem = np.where(spaced, stem * _MIX + self._space_mark, stem)
        mark = np.concatenate(
            (self._mark, stem * _MIX + steps.arc_symbol.take(step).astype(np.uint64) + _ONE)
        )
        row = np.concatenate((self.row, row.take(new)))
        order = np.argsort(mark, kind="stable")
        order = order.take(np.argsort(row.take(order).astype(np.uint16), kind="stable"))
        mark, row = mark.take(order), row.take(order)
        first = np.flatnonzero(np.concatenate(([True], (mark[1:] != mark[:-1]) | (row[1:] != row[:-1]))))
        each = order.take(first)  # of every text the entry it already had, else the first new one
        on = np.logaddexp.reduceat(np.concatenate((on, scores.take(new))).take(order), first)
        gap = np.concatenate((gap, np.full(len(new), NEVER))).take(each)
        total, row = np.logaddexp(gap, on), row.take(first)
        kept = np.flatnonzero(total >= self._bounds(total, row).take(row))
        each = each.take(kept)
        self._gap, self._on, self.total, self.row = (
            gap.take(kept),
            on.take(kept),
            total.take(kept),
            row.take(kept),
        )
        self._mark = mark.take(first.take(kept))
        self.state = np.concatenate((self.state, steps.arc_target.take(step))).take(each)
        self._last = np.concatenate((self._last, column)).take(each)
        self._grow(each, who, step, spaced)

    def _onward(self, frames: Floats, rest: Floats) -> _Onward:
        """The ways to go on that may be kept. Sums in short floats tell which: all that could be kept are
        among them."""
        steps, top = self._steps, self.best_scores()
        floor = self._bounds(rest, self.row) - _SLIP
        near = (floor - frames[:, 1:].max(axis=1)).take(self.row)
        who = np.flatnonzero(self.total >= near)
        found = steps.state_rows(self.state.take(who))
        base, over, paid = self.total.take(who), steps.space_target.take(found), steps.space_price.take(found)
        apart = np.flatnonzero((over >= 0) & (base + paid >= near.take(who)))
        plain, paid = len(who), paid.take(apart)
        who = np.concatenate((who, who.take(apart)))
        found = np.concatenate((found, steps.state_rows(over.take(apart))))
        row = self.row.take(who)
        sums = steps.best_price.take(found, axis=0)
        sums += frames.astype(np.float32).take(row, axis=0)
        sums[plain:] += self._reach
        below = np.concatenate((base, base.take(apart) + paid)) - top.take(row)
        sums += below.astype(np.float32)[:, None]
        wide = sums.shape[1]
        flat = sums.reshape(-1)
        flat[np.arange(len(who)) * wide + self._last.take(who)] += (self._gap - self.total).take(who)
        likely = np.flatnonzero(sums >= (floor - top).take(row).astype(np.float32)[:, None])
        of = row.take(likely // wide)
        likeliest = flat.take(likely)
        floor = np.maximum(
            floor - top, self._steep(top.take(self.row) - rest, self.row, -likeliest, of) - _SLIP
        )
        likely = likely[likeliest >= floor.take(of)]
        pair: Numbers = likely // wide
        column: Numbers = likely % wide
        which, step = steps.arc_indices(found.take(pair), column)
        pair, column = pair.take(which), column.take(which)
        price = steps.arc_price.take(step)
        cut = int(np.searchsorted(pair, plain))
        price[cut:] += self._lost.take(column[cut:]) + paid.take(pair[cut:] - plain)
        return _Onward(who.take(pair), pair >= plain, column, step, price)

    def _bounds(self, scores: Floats, row: Numbers) -> Floats:
        """By row the least score that stays within width and span. Every row has a score."""
        counts = np.bincount(row)
        most = int(counts.max())
        order = np.argsort(row.astype(np.uint16), kind="stable")
        starts = np.cumsum(counts) - counts
        table = np.full((len(counts), most), -np.inf)
        table.reshape(-1)[np.arange(len(row)) + np.repeat(np.arange(len(counts)) * most - starts, counts)] = (
            scores.take(order)
        )
        least: Floats = table.max(axis=1) - self._span
        if most < self._width:
            return least
        return np.maximum(least, np.partition(table, most - self._width, axis=1)[:, most - self._width])

    def _steep(self, resting: Floats, row: Numbers, going: npt.NDArray[np.float32], of: Numbers) -> Floats:
        """By row a score below which nothing stays, told quickly: by counting, in whole parts of a nat, how
        far texts that rest and ways to go on lie below the best."""
        rows = int(row[-1]) + 1
        counts = np.zeros(rows * _DEPTHS, dtype=np.int64)
        for depth, here in ((resting, row), (going, of)):
            parts = np.clip(depth * _PARTS, 0, _DEPTHS - 1).astype(np.int64)
            counts += np.bincount(here * _DEPTHS + parts, minlength=len(counts))
        summed = counts.reshape(rows, _DEPTHS).cumsum(axis=1)
        full = (summed < self._width).sum(axis=1)
        first = (summed == 0).sum(axis=1)
        least: Floats = np.where(full < _DEPTHS - 1, -(full + 1) / _PARTS, -np.inf)
        return np.where(first < _DEPTHS - 1, np.maximum(least, -(first + 1) / _PARTS - self._span), least)

    def _grow(self, each: Numbers, who: Numbers, step: Numbers, spaced: Flags) -> None:
        """Number the texts that stay: `each` below the size of the old beam are old, the others new, made
        from the old text `who` by a step."""
        size = len(self.node)
        new = each >= size
        fresh = each[new] - size
        node = self.node.take(each, mode="clip")
        node[new] = np.arange(self._nodes, self._nodes + len(fresh))
        self._nodes += len(fresh)
        self._before.append(self.node.take(who.take(fresh)))
        self._step.append(step.take(fresh))
        self._spaced.append(spaced.take(fresh))
        self.node = node

    def paths(self, nodes: Sequence[int]) -> list[BeamPath]:
        """How the texts of some nodes went."""
        before, step, spaced = (
            np.concatenate(self._before),
            np.concatenate(self._step),
            np.concatenate(self._spaced),
        )
        path: list[Numbers] = []
        at = np.array(nodes, dtype=np.int64)
        while at.any():
            path.append(at)
            at = before.take(at)
        if not path:
            return [BeamPath((), ()) for _ in nodes]
        there: Numbers = np.stack(path[::-1], axis=1)
        steps, on, over = step.take(there), there > 0, spaced.take(there)
        gaps = self._gaps(on, over, self._steps.arc_target.take(steps))
        columns = (on, over, self._steps.arc_symbol.take(steps), self._steps.arc_price.take(steps), gaps)
        return [
            self._way(zip(*text, strict=True))
            for text in zip(*(column.tolist() for column in columns), strict=True)
        ]

    def _gaps(self, there: Flags, spaced: Flags, target: Numbers) -> Floats:
        """By text and step the price, turned, of the space before it where that is one."""
        before = np.full_like(target, self._start)
        before[:, 1:] = np.where(there[:, :-1], target[:, :-1], self._start)
        found = np.zeros(target.shape)
        found[spaced] = self._steps.space_price.take(self._steps.state_rows(before[spaced]))
        return found

    def _way(self, steps: Iterable[tuple[bool, bool, int, float, float]]) -> BeamPath:
        symbols, prices = [], []
        for there, spaced, symbol, price, gap in steps:
            if spaced:
                symbols.append(self._space)
                prices.append(-gap)
            if there:
                symbols.append(symbol)
                prices.append(-price)
        return BeamPath(tuple(symbols), tuple(prices))


def _starts(row: Numbers) -> Numbers:
    """Where each row begins in its numbers, which rise."""
    return np.flatnonzero(np.concatenate(([True], row[1:] != row[:-1])))
