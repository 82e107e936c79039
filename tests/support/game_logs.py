"""Games of the classic board with orders from a fixed seed, as the formats take them."""

from __future__ import annotations

from random import Random

import maps
from adjudicator.formats.game_log import GameBoard, GameLog, LoggedPhase
from adjudicator.judge import judge
from bench.adjudicate.random_orders import phase_orders
from maps.game_board import game_board

STANDARD = maps.load("standard")


def standard_board() -> GameBoard:
    return game_board(STANDARD)


def random_game(seed: int, count: int) -> GameLog:
    """A game of `count` judged phases at most. Many of its orders are void, and a few of its removals are the
    rules' own."""
    chance, position = Random(seed), STANDARD.start
    phases: list[LoggedPhase] = []
    winner: str | None = None
    while len(phases) < count and winner is None:
        orders = tuple(phase_orders(STANDARD, position, chance))
        resolution = judge(STANDARD.context(), STANDARD.rules, position, orders)
        phases.append(LoggedPhase(position, orders, resolution))
        position, winner = resolution.position, resolution.winner
    return GameLog(f"random-{seed}", "standard", (*phases, LoggedPhase(position)), winner is not None)
