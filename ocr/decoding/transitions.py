"""An automaton's steps as arrays, found state by state as a search comes to them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[np.int64]

NONE = -1e9
"""Stands for the price, turned, of a step that is not there."""


class ArcSource(Protocol):
    """The part of an automaton that leads from state to state."""

    def arcs(self, state: int) -> Sequence[tuple[int, int, float]]:
        """The steps from a state: symbol, next state and price in nats, each symbol at most once."""
        ...


class TransitionTable:
    """Steps by the column of the ink that their symbol shows in. Prices are turned, to be added to a log
    chance.

    Each state asked for has a row, from 1 on. `best`: by row and column the price of the cheapest step, or
    NONE. `over` and `gap`: by row the state after a space, -1 without one, and that space's price. `symbol`,
    `target` and `price` are the steps themselves, found by `between`. At most 255 symbols.
    """

    def __init__(self, automaton: ArcSource, columns: Sequence[int], space: int) -> None:
        """`columns`: by symbol its column, from 1 on. `space`: the number of the symbol that ink need not
        show."""
        self._automaton = automaton
        self._columns = np.array(columns, dtype=np.int64)
        self._space = space
        self._wide = max(columns) + 1
        self._row = np.zeros(1024, dtype=np.int32)
        self._rows, self._filled = 1, 0
        self._first = np.zeros(256, dtype=np.int64)
        self._ends = np.zeros((256, self._wide), dtype=np.uint8)
        self.best_price = np.zeros((256, self._wide), dtype=np.float32)
        self.space_target: Numbers = np.zeros(256, dtype=np.int64)
        self.space_price: Floats = np.zeros(256)
        self.arc_symbol: npt.NDArray[np.uint8] = np.zeros(2048, dtype=np.uint8)
        self.arc_target: Numbers = np.zeros(2048, dtype=np.int64)
        self.arc_price: Floats = np.zeros(2048)

    @property
    def state_count(self) -> int:
        """How many states have a row."""
        return self._rows - 1

    def state_rows(self, states: Numbers) -> Numbers:
        """The rows of some states."""
        most = int(states.max(initial=0))
        if most >= len(self._row):
            self._row = _grown(self._row, most + most // 2)
        found = self._row.take(states)
        if not found.all():
            self._find(np.unique(states[found == 0]))
            found = self._row.take(states)
        return found.astype(np.int64)

    def arc_indices(self, rows: Numbers, columns: Numbers) -> tuple[Numbers, Numbers]:
        """For pairs of a row and a column, which have a step: the number of a step's pair, and of the step
        itself."""
        at = rows * self._wide + columns
        flat = self._ends.reshape(-1)
        begin, end = flat.take(at - 1).astype(np.int64), flat.take(at)
        counts = end - begin
        first = self._first.take(rows) + begin
        if counts.max(initial=1) == 1:
            return np.arange(len(rows)), first
        pair = np.repeat(np.arange(len(rows)), counts)
        before = np.cumsum(counts) - counts
        return pair, np.arange(len(pair)) + (first - before).take(pair)

    def follow(self, state: int, symbol: int) -> tuple[int, float] | None:
        """Where a symbol leads from a state, and its price, not turned; None where it may not stand."""
        row = self.state_rows(np.array([state]))
        column = self._columns[symbol : symbol + 1]
        if self.best_price[row[0], column[0]] == np.float32(NONE):
            return None
        arcs = self.arc_indices(row, column)[1].tolist()
        return next(
            (
                (int(self.arc_target[arc]), -float(self.arc_price[arc]))
                for arc in arcs
                if self.arc_symbol[arc] == symbol
            ),
            None,
        )

    def _find(self, states: Numbers) -> None:
        """Give each of some states a row."""
        arcs = [self._automaton.arcs(state) for state in states.tolist()]
        counts = [len(each) for each in arcs]
        flat = np.array(list(chain.from_iterable(arcs)), dtype=np.float64).reshape(-1, 3)
        symbol = flat[:, 0].astype(np.int64)
        at = np.repeat(np.arange(len(arcs)) * self._wide, counts) + self._columns.take(symbol)
        order = np.argsort(at, kind="stable")
        at, symbol, target, price = at[order], symbol[order], flat[order, 1].astype(np.int64), -flat[order, 2]
        self._room(len(arcs), len(at))
        new, there = slice(self._rows, self._rows + len(arcs)), slice(self._filled, self._filled + len(at))
        self.arc_symbol[there], self.arc_target[there], self.arc_price[there] = symbol, target, price
        counted = np.bincount(at, minlength=len(arcs) * self._wide).reshape(len(arcs), self._wide)
        self._ends[new] = counted.cumsum(axis=1)
        self._first[new] = self._filled + np.cumsum(counts) - counts
        best = np.full(counted.size, NONE)
        np.maximum.at(best, at, price)
        self.best_price[new] = best.reshape(counted.shape)
        over = symbol == self._space
        self.space_target[new] = -1
        self.space_target[self._rows + at[over] // self._wide] = target[over]
        self.space_price[self._rows + at[over] // self._wide] = price[over]
        self._row[states] = np.arange(new.start, new.stop)
        self._rows, self._filled = new.stop, there.stop

    def _room(self, rows: int, steps: int) -> None:
        if self._rows + rows > len(self.best_price):
            size = 2 * (self._rows + rows)
            self._first, self._ends, self.best_price = (
                _grown(self._first, size),
                _grown(self._ends, size),
                _grown(self.best_price, size),
            )
            self.space_target, self.space_price = (
                _grown(self.space_target, size),
                _grown(self.space_price, size),
            )
        if self._filled + steps > len(self.arc_symbol):
            size = 2 * (self._filled + steps)
            self.arc_symbol, self.arc_target, self.arc_price = (
                _grown(self.arc_symbol, size), _grown(self.arc_target, size), _grown(self.arc_price, size))


def _grown(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    out = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    out[: len(array)] = array
    return out
