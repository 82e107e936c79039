"""The steps of an automaton as arrays: the same steps."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from ocr.decoding.transitions import NONE, TransitionTable

COLUMNS = [1, 2, 3, 1, 4]
"""Symbols 0 and 3 show alike; symbol 4 is the space."""


class Arcs:
    def __init__(self) -> None:
        rng = random.Random(3)
        self.table = [
            [
                (symbol, rng.randrange(3000), rng.uniform(0, 9))
                for symbol in rng.sample(range(5), rng.randrange(6))
            ]
            for _ in range(3000)
        ]

    def arcs(self, state: int) -> Sequence[tuple[int, int, float]]:
        return self.table[state]


def test_every_step_is_found_where_the_automaton_has_one_and_nowhere_else() -> None:
    automaton = Arcs()
    steps = TransitionTable(automaton, COLUMNS, 4)
    for state in (2999, 0, *range(700)):
        expected = {symbol: (target, price) for symbol, target, price in automaton.table[state]}
        assert {symbol: steps.follow(state, symbol) for symbol in range(5)} == {
            symbol: expected.get(symbol) for symbol in range(5)
        }


def test_rows_hold_the_cheapest_step_of_a_column_and_what_lies_behind_a_space() -> None:
    automaton = Arcs()
    steps = TransitionTable(automaton, COLUMNS, 4)
    states = np.arange(0, 3000, 7)
    rows = steps.state_rows(states)
    assert steps.state_count == len(states) == len(set(rows.tolist()))
    assert (steps.state_rows(states) == rows).all()
    for state, row in zip(states.tolist(), rows.tolist(), strict=True):
        for column in range(1, 5):
            prices = [price for symbol, _, price in automaton.table[state] if COLUMNS[symbol] == column]
            assert steps.best_price[row, column] == pytest.approx(-min(prices) if prices else NONE)
        spaces = [(target, price) for symbol, target, price in automaton.table[state] if symbol == 4]
        assert steps.space_target[row] == (spaces[0][0] if spaces else -1)
        assert steps.space_price[row] == (-spaces[0][1] if spaces else 0.0)


def test_pairs_of_row_and_column_give_all_their_steps() -> None:
    automaton = Arcs()
    automaton.table[5] = [(0, 11, 1.0), (3, 12, 2.0), (1, 13, 3.0)]
    automaton.table[6] = [(1, 14, 4.0)]
    steps = TransitionTable(automaton, COLUMNS, 4)
    rows = steps.state_rows(np.array([6, 5, 5]))
    pair, step = steps.arc_indices(rows, np.array([2, 1, 2]))
    assert pair.tolist() == [0, 1, 1, 2]
    assert sorted(
        zip(pair.tolist(), steps.arc_target[step].tolist(), steps.arc_price[step].tolist(), strict=True)
    ) == [(0, 14, -4.0), (1, 11, -1.0), (1, 12, -2.0), (2, 13, -3.0)]


def test_no_state_gives_no_row() -> None:
    steps = TransitionTable(Arcs(), COLUMNS, 4)
    assert len(steps.state_rows(np.array([], dtype=np.int64))) == 0
    assert steps.state_count == 0
