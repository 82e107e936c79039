"""What became of each order, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from adjudicator.orders import Order
from adjudicator.position import Dislodgement, Extension, Position
from adjudicator.units import Unit


class Result(StrEnum):
    """The three verdicts of the contract."""

    SUCCEEDS = "succeeds"
    FAILS = "fails"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One order's fate. `reason` is the contract's word ("bounced", "cut", "illegal" ...) or None; `cause`
    the order that did it, where one did; `why` one sentence a player understands; `dislodged` says that the
    ordered unit was beaten out of its region."""

    order: Order
    result: Result
    reason: str | None = None
    cause: Order | None = None
    why: str = ""
    dislodged: bool = False


_WHY: Any = vars(Outcome)["why"]


def _said(outcome: Outcome) -> str:
    why: Any = _WHY.__get__(outcome)
    return why if type(why) is str else str(why[0].text(why[1:], outcome.reason))


if not TYPE_CHECKING:
    # A judge words hundreds of outcomes and a reader reads a few: `why` may hold a `Words` and a `Sentence`
    # for it, and is put into words when it is asked for.
    Outcome.why = property(_said, _WHY.__set__)


class _Draft:
    """An outcome being written, which turns into an Outcome when it is whole. A frozen dataclass writes each
    field through `object.__setattr__`, which is three times the price, and a judge writes an outcome for
    every order."""

    __slots__ = ("cause", "dislodged", "order", "reason", "result", "why")

    cause: Order | None
    dislodged: bool
    order: Order
    reason: str | None
    result: Result
    why: Any


def make_outcome(
    order: Order, result: Result, reason: str | None, cause: Order | None, why: tuple[Any, ...],
    dislodged: bool
) -> Outcome:
    """A new Outcome; `why` is a `Words`, then the `Sentence` it will say."""
    draft: Any = _Draft()
    draft.order = order
    draft.result = result
    draft.reason = reason
    draft.cause = cause
    draft.why = why
    draft.dislodged = dislodged
    draft.__class__ = Outcome
    found: Outcome = draft
    return found


def repeat_outcome(found: Outcome, order: Order, *, dislodged: bool) -> Outcome:
    """The same fate for another order, or for one whose unit turned out to be beaten. The sentence stays
    unsaid."""
    return make_outcome(order, found.result, found.reason, found.cause, _WHY.__get__(found), dislodged)


@dataclass(frozen=True, slots=True)
class Resolution:
    """A judged phase.

    `outcomes` has one entry per order, in the order given. `position` is the board afterwards, its phase the
    one that comes next. `unordered` are units that held without an order. The rest is empty where a phase has
    no use for it: `disbanded` after retreats and where rules destroy units at once, `removed_by_lot` in the
    order drawn, `lots_used` numbers of the tape, `removed_by_disorder` where the rules name the units that
    go, in the order named (DATC 4.D.8), `winner` and `draw_open_to` after a phase that ends the Autumn,
    `adjust` the builds (+) and removals (-) due. `unresolved` are orders that hang on each other in a way the
    rules do not know; they fail. It must be empty: were it not, the judge would be wrong, and a game master
    should look. `notes` are sentences on what befell without an order; `joint` the powers that win together
    where the rules have such a victory (`winner` is then None); `report` what else the rule set has to tell,
    in a class of its own.
    """

    outcomes: tuple[Outcome, ...]
    position: Position
    dislodged: tuple[Dislodgement, ...] = ()
    contested: frozenset[str] = frozenset()
    unordered: tuple[Unit, ...] = ()
    disbanded: tuple[Unit, ...] = ()
    built: tuple[Unit, ...] = ()
    removed: tuple[Unit, ...] = ()
    removed_by_lot: tuple[Unit, ...] = ()
    lots_used: int = 0
    winner: str | None = None
    draw_open_to: tuple[str, ...] | None = None
    adjust: Mapping[str, int] = field(default_factory=dict)
    removed_by_disorder: tuple[Unit, ...] = ()
    unresolved: tuple[Order, ...] = ()
    notes: tuple[str, ...] = ()
    joint: tuple[str, ...] = ()
    report: Extension | None = None
