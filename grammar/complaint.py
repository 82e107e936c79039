"""Why a line gave no order, as a value: a player's fault is never an exception."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from adjudicator.orders import Order


class ComplaintCode(StrEnum):
    """UNREAD: too far from anything to be read. INVALID: words that make no order. AMBIGUOUS: two orders or
    two places are too close (Q-01)."""

    UNREAD = "unread"
    INVALID = "invalid"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to read a line.

    `orders`: as written, from left to right. `score`: 0..1, 1 is exact. `cost`: letters that had to be
    changed, 0 is exact. `worst`: largest share of letters changed in one word or name, 0..1. `rival`: False
    where it differs from the best candidate only in words that fit that one letter for letter. `is_whole`:
    False where it drops a word of orders that is plainly written, or takes it for another: such a one is not
    offered.
    """

    orders: tuple[Order, ...]
    score: float
    cost: float
    worst: float = 0.0
    rival: bool = True
    is_whole: bool = True


def margin(candidates: Sequence[Candidate]) -> float:
    """Letters by which the cheapest rival costs more than the first candidate; infinite without a rival."""
    return min((c.cost - candidates[0].cost for c in candidates[1:] if c.rival), default=math.inf)


@dataclass(frozen=True, slots=True)
class Complaint:
    """The faults of one line.

    `line`: its number on the sheet or None. `span`: the characters [from, to) of `text` that could not be
    read. `message`: one sentence that shows a player what to do. `candidates`: near readings, best first.
    """

    code: ComplaintCode
    line: int | None
    span: tuple[int, int]
    text: str
    message: str
    candidates: tuple[Candidate, ...] = ()
