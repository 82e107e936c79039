"""Two-person review as a rule over values: which lines need two people, and what their decisions come to.

The newest decision counts once another person's newest decision states the same. Until then the line is open,
and no one who has not read it learns what was read (desk plan, "Two-person review").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from reading.status import LineState
from service.facts.options import ReviewMode

UNREADABLE, NO_ORDER = "unreadable", "no order"
"""The words for a decision without a reading, where results print the readings of two people."""


class Stage(StrEnum):
    """How far the review of a line by two people is. ONE: one person is enough. FIRST: no one has read it.
    SECOND: one person has. DIFFERS: two people read it differently. AGREED: two people read it alike, or one
    decision settled it alone."""

    ONE = "one"
    FIRST = "first"
    SECOND = "second"
    DIFFERS = "differs"
    AGREED = "agreed"


@dataclass(frozen=True, slots=True)
class ReviewDecision:
    """One standing decision about a line. `key` is its id, `order` canonical text or None; `settles` is set
    for one that counts by itself."""

    key: str
    by: str
    state: LineState
    text: str
    order: str | None
    settles: bool = False

    @property
    def readings(self) -> tuple[str, ...]:
        """The readings of this decision in words: two for a void of two equally good ones, else one."""
        if self.state is LineState.NOT_ORDER:
            return (NO_ORDER,)
        if self.state is LineState.VOID:
            two = tuple(self.text.split("\n"))
            return two if len(two) == 2 else (UNREADABLE,)
        return (self.order or self.text,)


def needs_two(mode: ReviewMode, status: LineState, standing: Sequence[ReviewDecision]) -> bool:
    """Whether two people must read a line that the machine left as `status`."""
    if mode is ReviewMode.NONE:
        return False
    # `standing`: once a person has decided a line by hand, it needs two people in either mode, also if the
    # machine was sure of it or found it struck out. Else one person alone could overrule the machine.
    return bool(standing) or status is LineState.OPEN or (mode is ReviewMode.ALL and status is LineState.AUTO)


def votes(standing: Sequence[ReviewDecision]) -> tuple[ReviewDecision, ...]:
    """The newest decision of each person, oldest first, without those who put the line off."""
    # A decision that settles alone (a line cut again, a difference closed as void) ends everything before it.
    # Once a person decides after it, it is over itself, and two people must agree again.
    since = max((index for index, decision in enumerate(standing) if decision.settles), default=-1)
    if since >= 0 and since == len(standing) - 1:
        return (standing[-1],)
    newest = {decision.by: decision for decision in standing[since + 1:]
              if decision.state is not LineState.OPEN}
    return tuple(decision for decision in standing
                 if newest.get(decision.by) is decision and decision.state is not LineState.SKIPPED)


def stage(cast: Sequence[ReviewDecision]) -> Stage:
    """The outcome of the decisions in `votes`."""
    if not cast:
        return Stage.FIRST
    if cast[-1].settles or any(say_the_same(earlier, cast[-1]) for earlier in cast[:-1]):
        return Stage.AGREED
    return Stage.SECOND if len(cast) == 1 else Stage.DIFFERS


def say_the_same(left: ReviewDecision, right: ReviewDecision) -> bool:
    """Whether two decisions say the same: the same order, the same words where they are not an order, or the
    same state."""
    if left.state is not right.state:
        return False
    if left.state is not LineState.READ:
        return True
    # Canonical orders are compared, not texts: "A Yor-Lon" and "Army York to London" are one order.
    if left.order or right.order:
        return left.order == right.order
    return left.text.casefold().split() == right.text.casefold().split()


def two_readings(cast: Sequence[ReviewDecision]) -> tuple[str, str]:
    """One reading of each side of a difference, for a void line to keep: those of the last two decisions."""
    # results print both readings, so the two must differ even if each side has several.
    theirs, ours = cast[-2].readings, cast[-1].readings
    first = next((text for text in theirs if text not in ours), theirs[0])
    return first, next((text for text in ours if text != first), ours[0])
