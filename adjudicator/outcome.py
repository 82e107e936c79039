"""The outcome of each order, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from adjudicator.orders import Order
from adjudicator.position import Dislodgement, Extension, Position
from adjudicator.quick_init import quick_init
from adjudicator.units import Unit


class Result(StrEnum):
    """The three results of the contract."""

    SUCCEEDS = "succeeds"
    FAILS = "fails"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one order.

    `reason` is the contract's word ("bounced", "cut", "illegal" ...) or None; `cause` the order that brought
    it about, if one did; `why` one sentence that a player understands. `dislodged`: the ordered unit was
    dislodged.
    """

    order: Order
    result: Result
    reason: str | None = None
    cause: Order | None = None
    why: str = ""
    dislodged: bool = False


_WHY: Any = vars(Outcome)["why"]


def _why_in_words(outcome: Outcome, unsaid: Any = _WHY.__get__) -> str:
    why: Any = unsaid(outcome)
    return why if type(why) is str else why[0].text(why[1:], outcome.reason)


if not TYPE_CHECKING:
    # A judge makes hundreds of sentences and readers read a few. `why` may hold an `Explainer` and a
    # `Sentence` for it; both become words on demand.
    Outcome.why = property(_why_in_words, _WHY.__set__)


class _OutcomeDraft:
    """An Outcome before its class is set.

    A frozen dataclass sets each field through `object.__setattr__`, which takes three times as long as a
    plain assignment, and a judge makes an Outcome for every order.
    """

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
    """A new Outcome; `why` is an `Explainer`, then the parts of the `Sentence` it puts into words."""
    draft: Any = _OutcomeDraft()
    draft.order = order
    draft.result = result
    draft.reason = reason
    draft.cause = cause
    draft.why = why
    draft.dislodged = dislodged
    draft.__class__ = Outcome
    outcome: Outcome = draft
    return outcome


def repeat_outcome(outcome: Outcome, order: Order, *, dislodged: bool) -> Outcome:
    """The same outcome for another order, or for one whose unit turned out to be dislodged. Its sentence is
    not put into words."""
    return make_outcome(
        order, outcome.result, outcome.reason, outcome.cause, _WHY.__get__(outcome), dislodged)


@quick_init
@dataclass(frozen=True, slots=True)
class Resolution:
    """A judged phase. Fields that a phase has no use for are empty.

    `outcomes`: one for each order, in the order given. `position`: the board afterwards, before the next
    phase. `dislodged`: with those that have no place to go. `unordered`: units that held without an order.
    `disbanded`: after retreats, and where rules destroy units at once or no dislodged unit has a place to go.
    `removed_by_lot`: in the order drawn; `lots_used`: numbers taken from the tape. `removed_by_disorder`:
    units that the rules name because their power removed too few, in the order named (DATC 4.D.8). `winner`
    and `draw_open_to`: after the phase that decides victory; `joint`: powers that win together (`winner` is
    then None). `adjust`: builds (+) and removals (-) due. `notes`: sentences on what happened without an
    order. `report`: what else the rule set reports, in its own class. `unresolved`: orders that wait for
    each other in a way no rule knows; they fail. A judge that works leaves it empty.

    Databases store these fields by name (`adjudicator.serialize.codec`): they cannot be renamed.
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

    @property
    def opens_retreats(self) -> bool:
        """True if units that were dislodged in this phase may retreat in the next."""
        return bool(self.position.dislodged)
