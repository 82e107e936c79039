"""Texts under way through the frames of a row: prefix beam search for CTC (Graves 2012, Hannun 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ocr.ctc import NEVER
from ocr.steps import Floats, Numbers, Steps

_MIX = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_SLIP = 1e-3
"""Nats by which sums in short floats, taken below the best text's chance, may at most be off."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a text went: its steps by number, and by step whether a space that the ink need not show came before it."""

    steps: tuple[int, ...]
    spaced: tuple[bool, ...]


class Beam:
    """Texts under way, in the order of their marks.

    By text: its state, last column, the log chances of resting in a blank (`gap`), on the last sign (`on`) and of either
    (`total`), a `mark` that tells texts apart (64 bits, mixed from the symbols), and a node of the tree that they are
    walked back by.
    """

    def __init__(self, steps: Steps, start: int, lost: Floats, space: int, width: int, span: float) -> None:
        """`lost`: by column the price, turned, of a space that the ink lacks before it; `space`: that symbol. `width`:
        texts kept at each frame. `span`: nats by which one may be behind the best."""
        self._steps, self._lost, self._width, self._span = steps, lost, width, span
        self._reach = lost.astype(np.float32)
        self._space_mark = np.uint64(space + 1)
        self.state: Numbers = np.array([start], dtype=np.int64)
        self.total: Floats = np.zeros(1)
        self.node: Numbers = np.zeros(1, dtype=np.int64)
        self._last: Numbers = np.zeros(1, dtype=np.int64)
        self._gap: Floats = np.zeros(1)
        self._on: Floats = np.full(1, NEVER)
        self._mark: npt.NDArray[np.uint64] = np.array([1], dtype=np.uint64)
        self._nodes = 1
        self._before: list[Numbers] = [np.zeros(1, dtype=np.int64)]
        self._step: list[Numbers] = [np.full(1, -1)]
        self._spaced: list[npt.NDArray[np.bool_]] = [np.zeros(1, dtype=np.bool_)]

    def advance(self, frame: Floats) -> None:
        """One more frame, as log chances of blank and of each column: every text rests, or goes on by one character."""
        steps = self._steps
        gap, on = self.total + frame[0], self._on + frame.take(self._last)
        rest = np.logaddexp(gap, on)
        who, spaced, column, step, price = self._onward(frame, rest)
        came = np.where(column == self._last.take(who), self._gap.take(who), self.total.take(who))
        scores = came + frame.take(column) + price
        new = np.flatnonzero(scores >= self._bound(np.concatenate((rest, scores))))
        new = new.take(np.argsort(who.take(new), kind="stable"))
        who, spaced, column, step, scores = who.take(new), spaced.take(new), column.take(new), step.take(new), scores.take(new)
        stem = self._mark.take(who)
        stem = np.where(spaced, stem * _MIX + self._space_mark, stem)
        mark = np.concatenate((self._mark, stem * _MIX + steps.symbol.take(step).astype(np.uint64) + _ONE))
        order = np.argsort(mark, kind="stable")
        ordered = mark.take(order)
        first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        each = order.take(first)  # of every text the entry it already had, else the first new one
        on = np.logaddexp.reduceat(np.concatenate((on, scores)).take(order), first)
        gap = np.concatenate((gap, np.full(len(new), NEVER))).take(each)
        total = np.logaddexp(gap, on)
        kept = np.flatnonzero(total >= self._bound(total))
        each = each.take(kept)
        self._gap, self._on, self.total = gap.take(kept), on.take(kept), total.take(kept)
        self._mark = ordered.take(first.take(kept))
        self.state = np.concatenate((self.state, steps.target.take(step))).take(each)
        self._last = np.concatenate((self._last, column)).take(each)
        self._grow(each, who, step, spaced)

    def _onward(
        self, frame: Floats, rest: Floats
    ) -> tuple[Numbers, npt.NDArray[np.bool_], Numbers, Numbers, Floats]:
        """The ways to go on that may be kept: by way the number of the text, whether over a space that the ink lacks, the
        column, the step, and the price. Sums in short floats tell which: all that could be kept are among them."""
        steps, top = self._steps, float(self.total.max())
        floor, reach = self._bound(rest) - _SLIP, float(frame[1:].max())
        who = np.flatnonzero(self.total >= floor - reach)
        rows = steps.rows(self.state.take(who))
        base, over, paid = self.total.take(who), steps.over.take(rows), steps.gap.take(rows)
        apart = np.flatnonzero((over >= 0) & (base + paid >= floor - reach))
        plain, paid = len(who), paid.take(apart)
        who = np.concatenate((who, who.take(apart)))
        rows = np.concatenate((rows, steps.rows(over.take(apart))))
        base = np.concatenate((base, base.take(apart) + paid))
        sums = steps.best.take(rows, axis=0)
        seen = frame.astype(np.float32)
        sums[:plain] += seen
        sums[plain:] += seen + self._reach
        sums += (base - top).astype(np.float32)[:, None]
        last = self._last.take(who)
        sums[np.arange(len(who)), last] += (self._gap - self.total).take(who)
        flat = sums.reshape(-1)
        near = np.flatnonzero(flat >= floor - top)
        found = flat.take(near)
        floor = self._bound(np.concatenate((rest - top, found))) - _SLIP
        pair, column = np.divmod(near[found >= floor], sums.shape[1])
        which, step = steps.between(rows.take(pair), column)
        pair, column = pair.take(which), column.take(which)
        price = steps.price.take(step)
        cut = int(np.searchsorted(pair, plain))
        price[cut:] += self._lost.take(column[cut:]) + paid.take(pair[cut:] - plain)
        return who.take(pair), pair >= plain, column, step, price

    def _bound(self, scores: Floats) -> float:
        """The least score that stays within width and span."""
        least = float(scores.max()) - self._span
        if len(scores) <= self._width:
            return least
        return max(least, float(np.partition(scores, -self._width)[-self._width]))

    def _grow(self, each: Numbers, who: Numbers, step: Numbers, spaced: npt.NDArray[np.bool_]) -> None:
        """Number the texts that stay: `each` below the size of the old beam are old, the others new, made from the old
        text `who` by a step."""
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

    def ways(self, nodes: Sequence[int]) -> list[Way]:
        """How the texts of some nodes went."""
        before, step, spaced = (np.concatenate(each).tolist() for each in (self._before, self._step, self._spaced))
        found = []
        for node in nodes:
            path = []
            while node:
                path.append(node)
                node = before[node]  # noqa: PLW2901  # one step back
            path.reverse()
            found.append(Way(tuple(step[n] for n in path), tuple(spaced[n] for n in path)))
        return found
