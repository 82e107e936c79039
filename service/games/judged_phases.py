"""The phases of a game that were judged, as values, and the years that they make (BEY-02, BEY-03)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from maps.variant import Variant


@dataclass(frozen=True, slots=True)
class JudgedPhase:
    """A phase whose results were sent, as its reader may know them."""

    number: int
    phase: Phase
    before: Position
    resolution: Resolution


def with_deployment(variant: Variant, judged: JudgedPhase) -> JudgedPhase:
    """The phase with its units where orders say that they begin it."""
    if judged.phase.kind is not PhaseKind.MOVEMENT:
        return judged
    orders = [outcome.order for outcome in judged.resolution.outcomes]
    return replace(judged, before=variant.rules.initial_deployment(variant.context(), judged.before, orders))


def game_years(
    variant: Variant, phases: Sequence[JudgedPhase], *, over: bool
) -> tuple[tuple[JudgedPhase, ...], ...]:
    """The phases of each game year, in order: it ends with the phase that the calendar ends it with. What
    comes after the last of these is a year once the game is over."""
    years: list[tuple[JudgedPhase, ...]] = []
    current: list[JudgedPhase] = []
    for judged in phases:
        current.append(judged)
        if (judged.phase.season, judged.phase.kind) == variant.calendar.year_end:
            years.append(tuple(current))
            current = []
    if over and current:
        years.append(tuple(current))
    return tuple(years)


def names_of_years(years: Sequence[Sequence[JudgedPhase]]) -> tuple[str, ...]:
    """The number of each year on the calendar."""
    return tuple(str(each[-1].phase.year) for each in years)


def centres_by_year(
    variant: Variant, years: Sequence[Sequence[JudgedPhase]]
) -> Mapping[str, tuple[int, ...]]:
    """The centres of each power, by its id: at the beginning of the game, and at the end of each year."""
    ends = [years[0][0].before, *(each[-1].resolution.position for each in years)]
    return {power: tuple(len(end.centres.get(power, ())) for end in ends) for power in variant.powers}
