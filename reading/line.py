"""A line of a sheet as the service reads it, and what the lines beside it and its sheet's hand make of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from grammar.interpret import is_separate_condition, may_be_order_fragment
from grammar.lexicon import Lexicon
from ocr.decoding.confidence import ConfidenceTable, Features, kinds_doubtful
from reading.status import LineState

_BARE = re.compile(r"\bconverts?\W*$", re.IGNORECASE)

STRANGE = 3.0
"""Nats lost a letter in a word from which it is rather another, or none."""

WITHIN = 0.35
"""Share of its height with which a word stands in another's row: the boxes of rows by themselves share a
tenth or two."""

_HELPS = re.compile(r" [SC] ")
_NEVER_HELPED = re.compile(r" proxy | R | disbands$|^(?:Build|Remove|Send) ")


@dataclass(frozen=True, slots=True)
class InterpretedLine:
    """One line of a sheet with what it may say.

    `box`: corners in pixels of the photograph as shown, clockwise from the top left of the writing. `kind`:
    "heading", "order" or "other". `order`: canonical text or None. `confidence`: 0..1 that `order` (or `text`
    where there is none) is what was written. `candidates`: at most five of {"text", "order", "score"}, best
    first. `features`: what the confidence comes from, for a line that was decoded and may be an order.
    """

    box: tuple[tuple[float, float], ...]
    kind: str
    struck: bool
    text: str
    order: str | None
    confidence: float
    status: LineState
    candidates: tuple[dict[str, object], ...]
    features: Features | None = None


def review_uncertain_neighbours(
    line: InterpretedLine, before: InterpretedLine | None, after: InterpretedLine | None, lexicon: Lexicon
) -> InterpretedLine:
    """The line, for a person to look at where the one before may be its beginning ("Fleet Tees Bay convoys"),
    the next one its end ("... if it is empty"), or either a word put in over it."""
    if line.status is not LineState.AUTO:
        return line
    # A convoy that ends at its row's end reads like a conversion.
    begun_above = (
        before is not None
        and before.kind == "order"
        and not before.struck
        and not _whole(line)
        and (
            before.order is None
            or (before.status is LineState.OPEN and (_BARE.search(before.text) or _cut_short(before)))
        )
    )
    goes_on = after is not None and not after.struck and _tail(after, lexicon)
    put_in = any(_in_the_way(other, line) for other in (before, after))
    return replace(line, status=LineState.OPEN) if begun_above or goes_on or put_in else line


def review_confusable_writers(
    line: InterpretedLine, hand: Sequence[Features], table: ConfidenceTable
) -> InterpretedLine:
    """The line, for a person to look at where its sheet's hand (`hand`) makes A and F alike."""
    if (
        line.status is not LineState.AUTO
        or line.features is None
        or not kinds_doubtful(line.features, hand, table)
    ):
        return line
    return replace(line, status=LineState.OPEN)


def _in_the_way(other: InterpretedLine | None, line: InterpretedLine) -> bool:
    """May a line that is no order be a word put in over this one, found by itself: does it stand in its
    row?"""
    if other is None or other.struck or other.kind != "other" or other.status is not LineState.OPEN:
        return False
    corners, theirs = np.array(line.box), np.array(other.box)
    along, down = corners[1] - corners[0], corners[3] - corners[0]
    wide, high = max(1.0, float(np.linalg.norm(along))), max(1.0, float(np.linalg.norm(down)))
    xs, ys = (theirs - corners[0]) @ along / wide, (theirs - corners[0]) @ down / high
    shared = min(high, float(ys[2:].mean())) - max(0.0, float(ys[:2].mean()))
    own = max(1.0, float(ys[2:].mean() - ys[:2].mean()))
    return bool(shared > WITHIN * own and xs.min() < wide + high and xs.max() > -high)


def _tail(line: InterpretedLine, lexicon: Lexicon) -> bool:
    """May a line be the end of the one above: what is left of an order, or an order that names no kind of
    unit and is looked at ("Cork unless they come" after "Army Mayo moves to")? A condition or a ban that has
    its own order speaks of that one."""
    if line.kind == "order":
        return (
            line.status is LineState.OPEN
            and line.order is not None
            and line.order.startswith(_places(lexicon))
        )
    return (
        line.kind == "other"
        and may_be_order_fragment(line.text, lexicon)
        and not is_separate_condition(line.text, lexicon)
    )


@lru_cache(maxsize=8)
def _places(lexicon: Lexicon) -> tuple[str, ...]:
    """The names of all places, with which canonical text of an order begins whose unit has no kind."""
    return tuple(province.name for province in lexicon.board.provinces.values())


def _cut_short(line: InterpretedLine) -> bool:
    """May what a line supports or convoys stand in the next one, and the name read here be none?"""
    return (line.features is not None and line.features.strange >= STRANGE
            and line.order is not None and _HELPS.search(line.order) is not None)


def _whole(line: InterpretedLine) -> bool:
    """Is an order one that no other ends with? What is supported or convoyed only stands, holds or moves."""
    return (
        line.order is not None and (_HELPS.search(line.order) or _NEVER_HELPED.search(line.order)) is not None
    )
