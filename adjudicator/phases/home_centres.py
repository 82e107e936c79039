"""Home centres that may change: the board's, until a rule set notes others in memory."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace

from adjudicator.context import Context
from adjudicator.position import Memory

HOME = "home"
"""The note that states whose home centre a province is: ("home", power, province)."""

Homes = AbstractSet[tuple[str, str]]
"""Pairs of a power and one of its home centres."""


def home_centres(context: Context, memory: Memory) -> Homes:
    """All home centres of all powers."""
    noted = {(note[1], note[2]) for note in memory.notes if note[0] == HOME}
    # The first move notes all homes, so notes are either complete or absent.
    return noted or context.board.homes


def with_home_centres(memory: Memory, homes: Homes) -> Memory:
    """Memory with these home centres instead of those it had."""
    others = {note for note in memory.notes if note[0] != HOME}
    return replace(memory, notes=frozenset(others | {(HOME, *home) for home in homes}))
