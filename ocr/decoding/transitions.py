"""An automaton's arcs as arrays, made state by state as a search comes to them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Numbers: TypeAlias = npt.NDArray[np.int64]

NONE = -1e9
"""Nats: the price, negated, of an arc that does not exist. Finite, so that differences stay numbers."""


class ArcSource(Protocol):
    """The part of an automaton that leads from state to state."""

    def arcs(self, state: int) -> Sequence[tuple[int, int, float]]:
        """The arcs from a state: symbol, next state and price in nats; each symbol at most once."""
        ...


class TransitionTable:
    """The arcs of the states asked for so far, by the column of the ink that shows an arc's sign.

    Each state has a row, from 1 on. Prices are negated, to be added to a log chance. `best_price`: by row and
    column the price of the cheapest arc, or NONE. `space_target` and `space_price`: by row the state after a
    space, -1 without one, and that space's price. `arc_symbol`, `arc_target` and `arc_price`: the arcs, in
    the order of their cells (row x columns + column).
    """

    def __init__(self, automaton: ArcSource, columns: Sequence[int], space: int) -> None:
        """`columns`: by symbol its column, from 1 on. `space`: the symbol that ink need not show. At most 255
        symbols."""
        self._automaton = automaton
        self._columns = np.array(columns, dtype=np.int64)
        self._space = space
        self._width = max(columns) + 1
        self._row_of_state = np.zeros(1024, dtype=np.int32)
        self._rows, self._arc_count = 1, 0
        self._first_arc = np.zeros(256, dtype=np.int64)
        # Counts of one row's arcs up to each column; each symbol has one arc at most, so 255 fit in a byte.
        self._arcs_to_column = np.zeros((256, self._width), dtype=np.uint8)
        self.best_price = np.zeros((256, self._width), dtype=np.float32)
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
        """The rows of some states; states that have none get one."""
        most = int(states.max(initial=0))
        if most >= len(self._row_of_state):
            self._row_of_state = _grown(self._row_of_state, most + most // 2)
        rows = self._row_of_state.take(states)
        if not rows.all():
            self._add(np.unique(states[rows == 0]))
            rows = self._row_of_state.take(states)
        return rows.astype(np.int64)

    def arc_indices(self, rows: Numbers, columns: Numbers) -> tuple[Numbers, Numbers]:
        """The arcs of pairs of a row and a column, which have one or more: by arc the index of its pair, and
        its own."""
        cells = rows * self._width + columns
        flat = self._arcs_to_column.reshape(-1)
        begin, end = flat.take(cells - 1).astype(np.int64), flat.take(cells)
        counts = end - begin
        first = self._first_arc.take(rows) + begin
        if counts.max(initial=1) == 1:
            return np.arange(len(rows)), first
        # Symbols that the ink shows alike share a cell.
        pair = np.repeat(np.arange(len(rows)), counts)
        before = np.cumsum(counts) - counts
        return pair, np.arange(len(pair)) + (first - before).take(pair)

    def follow(self, state: int, symbol: int) -> tuple[int, float] | None:
        """Where a symbol leads from a state, and its price in nats; None where it may not follow."""
        if state >= len(self._row_of_state) or not self._row_of_state[state]:
            self.state_rows(np.array([state]))
        row, column = int(self._row_of_state[state]), int(self._columns[symbol])
        # One symbol of one state: plain numbers take a tenth of the time of `arc_indices`.
        counts = self._arcs_to_column[row]
        first = int(self._first_arc[row])
        for arc in range(first + int(counts[column - 1]), first + int(counts[column])):
            if self.arc_symbol[arc] == symbol:
                return int(self.arc_target[arc]), -float(self.arc_price[arc])
        return None

    def _add(self, states: Numbers) -> None:
        """Give each of some states, which have none, a row."""
        arcs = [self._automaton.arcs(state) for state in states.tolist()]
        counts = [len(each) for each in arcs]
        flat = np.fromiter(
            chain.from_iterable(chain.from_iterable(arcs)), np.float64, 3 * sum(counts)
        ).reshape(-1, 3)
        symbol = flat[:, 0].astype(np.int64)
        cells = np.repeat(np.arange(len(arcs)) * self._width, counts) + self._columns.take(symbol)
        order = np.argsort(cells, kind="stable")
        cells, symbol = cells[order], symbol[order]
        target, price = flat[order, 1].astype(np.int64), -flat[order, 2]
        self._make_room(len(arcs), len(cells))
        row_slots = slice(self._rows, self._rows + len(arcs))
        arc_slots = slice(self._arc_count, self._arc_count + len(cells))
        self.arc_symbol[arc_slots], self.arc_target[arc_slots] = symbol, target
        self.arc_price[arc_slots] = price
        counted = np.bincount(cells, minlength=len(arcs) * self._width).reshape(len(arcs), self._width)
        self._arcs_to_column[row_slots] = counted.cumsum(axis=1)
        self._first_arc[row_slots] = self._arc_count + np.cumsum(counts) - counts
        best = np.full(counted.size, NONE)
        np.maximum.at(best, cells, price)
        self.best_price[row_slots] = best.reshape(counted.shape)
        is_space = symbol == self._space
        self.space_target[row_slots] = -1
        self.space_target[self._rows + cells[is_space] // self._width] = target[is_space]
        self.space_price[self._rows + cells[is_space] // self._width] = price[is_space]
        self._row_of_state[states] = np.arange(row_slots.start, row_slots.stop)
        self._rows, self._arc_count = row_slots.stop, arc_slots.stop

    def _make_room(self, rows: int, arcs: int) -> None:
        """Arrays for so many rows and arcs more."""
        # Twice what is needed: growing by a fixed size would copy the arrays again and again.
        if self._rows + rows > len(self.best_price):
            size = 2 * (self._rows + rows)
            self._first_arc = _grown(self._first_arc, size)
            self._arcs_to_column = _grown(self._arcs_to_column, size)
            self.best_price = _grown(self.best_price, size)
            self.space_target = _grown(self.space_target, size)
            self.space_price = _grown(self.space_price, size)
        if self._arc_count + arcs > len(self.arc_symbol):
            size = 2 * (self._arc_count + arcs)
            self.arc_symbol = _grown(self.arc_symbol, size)
            self.arc_target, self.arc_price = _grown(self.arc_target, size), _grown(self.arc_price, size)


def _grown(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """The array with a longer first axis, its new part 0."""
    larger = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger
