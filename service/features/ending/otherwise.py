"""Had one line read otherwise: a phase judged again with one order changed. Fancy, and of games that are over
alone: while a game is played no one may try out orders here (NON-02)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from maps.variant import Variant
from reading import vocabulary
from service.games.results import ShownOrder, show_order, unit_text

LONGEST = 200
"""Letters of the line that is read otherwise."""


@dataclass(frozen=True, slots=True)
class Change:
    """An order that fared otherwise: as it was and as it would have been, each None where there was none."""

    was: ShownOrder | None
    fancied: ShownOrder | None


@dataclass(frozen=True, slots=True)
class Fancy:
    """The hypothetical result: the orders that fared otherwise; the units that would be where none of
    theirs stood, and those that would not; `complaint` shows why the words are not an order, or ""."""

    changes: tuple[Change, ...] = ()
    more_units: tuple[str, ...] = ()
    fewer_units: tuple[str, ...] = ()
    complaint: str = ""


def fancied(
    variant: Variant, before: Position, resolution: Resolution, index: int, words: str, tape: Sequence[int]
) -> Fancy:
    """The phase again, with the order of the outcome `index` replaced by `words`. `tape`: the lots that were
    drawn then. Raises IndexError if there is no such outcome."""
    orders = [outcome.order for outcome in resolution.outcomes]
    old = orders[index]
    parsed = vocabulary.parse_typed(variant, before.phase.kind, old.power, words[:LONGEST])
    if parsed.complaint is not None or not parsed.orders:
        return Fancy(complaint="These words are no order of this phase.")
    # A line of ink may be two orders; the first takes the place of the old one.
    others = [replace(order, line=None) for order in parsed.orders]
    again = judge(variant.context(), variant.rules, before,
                  [*orders[:index], *others, *orders[index + 1:]], Lots(tuple(tape)))
    return Fancy(_changes(variant, resolution, again, index, len(others)),
                 _units(variant, again, resolution), _units(variant, resolution, again))


def _changes(
    variant: Variant, was: Resolution, again: Resolution, index: int, count: int
) -> tuple[Change, ...]:
    shift = count - 1
    changes = [Change(show_order(variant, was.outcomes[index]), show_order(variant, again.outcomes[index]))]
    changes += [Change(None, show_order(variant, again.outcomes[index + extra])) for extra in range(1, count)]
    for number, outcome in enumerate(was.outcomes):
        if number == index:
            continue
        other = again.outcomes[number if number < index else number + shift]
        if (outcome.result, outcome.reason, outcome.dislodged) != (
                other.result, other.reason, other.dislodged):
            changes.append(Change(show_order(variant, outcome), show_order(variant, other)))
    return tuple(changes)


def _units(variant: Variant, resolution: Resolution, other: Resolution) -> tuple[str, ...]:
    """The units of a position that the other lacks, each with its power."""
    return tuple(f"{unit_text(variant, unit)} ({variant.powers[unit.power].name})"
                 for unit in sorted(resolution.position.units - other.position.units))


