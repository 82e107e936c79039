"""The phases of a game: one in words and as the judge's value; those that take orders or wait for results, as
the game's page shows them; and those that were judged, as values, with the years that they make (BEY-02,
BEY-03)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.serialize import codec
from maps.variant import Variant
from service.store import records
from service.store.tables import PhaseRow, PhaseState, SeatRow

IN_PLAY = (PhaseState.OPEN, PhaseState.CLOSED, PhaseState.READY)
# A board is most of a phase's row, and only a retreat phase is asked for its own.
_WITHOUT_BOARD = (defer(PhaseRow.position), defer(PhaseRow.resolution))


def phase_title(phase: PhaseRow) -> str:
    """As every letter and page names it: Autumn 1644 Retreat."""
    return f"{phase.season} {phase.year} {phase.kind.capitalize()}"


def phase_of(row: PhaseRow) -> Phase:
    """The phase of a row."""
    return Phase(row.year, row.season, PhaseKind(row.kind))


def position_of(row: PhaseRow) -> Position:
    """The position of a phase that has begun."""
    assert row.position is not None
    return codec.load_position(row.position)


def resolution_of(row: PhaseRow) -> Resolution:
    """The resolution of a phase that is judged."""
    assert row.resolution is not None
    return codec.load_resolution(row.resolution)


def power_name(variant: str, power: str, load: Callable[[str], Variant] = maps.load) -> str:
    """A power's name on its board; the id where the board does not know it."""
    try:
        return load(variant).powers[power].name
    except (maps.MapError, KeyError):
        return power


def powers_asked(phase: PhaseRow) -> frozenset[str] | None:
    """The powers that a retreat phase waits for; None for a phase in which everybody may order."""
    if phase.kind != PhaseKind.RETREAT:
        return None
    if phase.position is None:
        return frozenset()
    return frozenset(retreat.unit.power for retreat in codec.load_position(phase.position).dislodged)


def phase_due(session: Session, game_id: str, power: str) -> PhaseRow | None:
    """The open phase if the power has orders in it."""
    phase = records.open_phase(session, game_id)
    asked = None if phase is None else powers_asked(phase)
    # Who has nothing to retreat is asked for no sheet.
    return None if asked is not None and power not in asked else phase


def phase_ahead(session: Session, game_id: str, power: str) -> PhaseRow | None:
    """The next phase that is not open yet and may ask the power for orders; None if the calendar has none."""
    rows = (row for row in records.phases(session, game_id) if row.state == PhaseState.WAITING)
    return next((row for row in rows if (asked := powers_asked(row)) is None or power in asked), None)


@dataclass(frozen=True, slots=True)
class JudgedPhase:
    """A phase whose results were sent, as its reader may know them."""

    number: int
    phase: Phase
    before: Position
    resolution: Resolution


def with_deployment(variant: Variant, judged: JudgedPhase) -> JudgedPhase:
    """The phase with its units where orders state that they begin it."""
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


@dataclass(frozen=True, slots=True)
class PhaseInPlay:
    """One phase in play, and nothing of what is on a sheet: `sent` and `silent` are the ids of the powers
    that are asked for orders, by whether something came of them in time."""

    row: PhaseRow
    sent: tuple[str, ...]
    silent: tuple[str, ...]


def phases_in_play(session: Session, game_id: str) -> list[PhaseInPlay]:
    """The phases in play of a game, in order."""
    powers = sorted(session.scalars(select(SeatRow.power).where(SeatRow.game_id == game_id)))
    rows = session.scalars(
        select(PhaseRow).options(*_WITHOUT_BOARD)
        .where(PhaseRow.game_id == game_id, PhaseRow.state.in_(IN_PLAY)).order_by(PhaseRow.ordinal)).all()
    return [_in_play(session, row, powers) for row in rows]


def next_phase(session: Session, game_id: str) -> PhaseRow | None:
    """The phase that opens next, or None if the calendar has no more."""
    return session.scalars(
        select(PhaseRow).options(*_WITHOUT_BOARD)
        .where(PhaseRow.game_id == game_id, PhaseRow.state == PhaseState.WAITING)
        .order_by(PhaseRow.ordinal).limit(1)).first()


def _in_play(session: Session, row: PhaseRow, powers: Sequence[str]) -> PhaseInPlay:
    asked = powers_asked(row)
    named = [power for power in powers if asked is None or power in asked]
    came = {sheet.power for sheet in records.submissions(session, row.id)
            if sheet.received_at <= row.deadline} | records.posted(session, row.id)
    return PhaseInPlay(row, tuple(power for power in named if power in came),
                       tuple(power for power in named if power not in came))
