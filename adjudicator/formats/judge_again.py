"""A game that was read, judged phase by phase with our own judge and compared with what the file states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from adjudicator.calendar import Phase, PhaseKind
from adjudicator.formats.classic import is_idle, without_stranded
from adjudicator.formats.game_log import GameBoard, GameLog, LoggedPhase
from adjudicator.judge import judge
from adjudicator.lots import Lots
from adjudicator.outcome import Resolution
from adjudicator.position import Position


@dataclass(frozen=True, slots=True)
class JudgedAgain:
    """One phase judged again. `differences` is empty where the file's next board is what our judge gives."""

    phase: Phase
    resolution: Resolution
    differences: tuple[str, ...]
    unread: tuple[str, ...]


def check(board: GameBoard, log: GameLog) -> Iterator[JudgedAgain]:
    """Each phase that has a board after it, in order."""
    for index, phase in enumerate(log.phases[:-1]):
        after = log.phases[index + 1].position
        resolution = judge(board.context, board.rules, phase.position, phase.orders, Lots(phase.lots))
        position = _passed_over(board, resolution.position, after.phase)
        # A test case ends with the board right after its phase, and has nothing more of it.
        is_case = after.phase == phase.position.phase
        differences = _unit_differences(position, after) if is_case else _differences(position, after)
        yield JudgedAgain(phase.position.phase, resolution, tuple(differences), phase.unread)


def _passed_over(board: GameBoard, position: Position, goal: Phase) -> Position:
    """The position at the phase wanted, where only phases lie between in which no unit has anything to order.

    Other programs destroy a unit at once that has nowhere to go, and pass over such phases.
    """
    if position.phase != goal and position.phase.kind is PhaseKind.RETREAT and is_idle(board, position):
        position = judge(board.context, board.rules, position, (), Lots()).position
    if position.phase != goal and position.phase.kind is PhaseKind.ADJUSTMENT and is_idle(board, position):
        position = judge(board.context, board.rules, position, (), Lots()).position
    return without_stranded(position)


def _differences(ours: Position, theirs: Position) -> Iterator[str]:
    if ours.phase != theirs.phase:
        yield f"the next phase is {ours.phase} here and {theirs.phase} in the file"
    for title, judged, written in (
        ("units", set(map(str, ours.units)), set(map(str, theirs.units))),
        ("dislodged", _beaten(ours), _beaten(theirs)),
        ("centres", *_settled_centres(ours, theirs)),
        ("retreats", _retreats(ours), _retreats(theirs)),
    ):
        if judged != written:
            yield (f"{title}: only here {_listed(judged - written)}; only in the file "
                   f"{_listed(written - judged)}")


def _unit_differences(ours: Position, theirs: Position) -> Iterator[str]:
    beaten, expected = {str(d.unit) for d in ours.dislodged}, {str(d.unit) for d in theirs.dislodged}
    judged, written = set(map(str, ours.units)), set(map(str, theirs.units))
    for title, only_judged, only_written in (
        ("units", judged - written, written - judged),
        ("dislodged", beaten - expected, expected - beaten),
    ):
        if only_judged or only_written:
            yield f"{title}: only here {_listed(only_judged)}; only in the file {_listed(only_written)}"


def _beaten(position: Position) -> set[str]:
    # Those with nowhere to go are left out: some programs keep them for the retreats, others do not.
    return {str(d.unit) for d in position.dislodged if d.may_retreat}


def _settled_centres(ours: Position, theirs: Position) -> tuple[set[str], set[str]]:
    # Before the retreats jDip's file has the owners that follow if no unit comes back; ours has the old ones.
    return (set(), set()) if theirs.phase.kind is PhaseKind.RETREAT else (_owned(ours), _owned(theirs))


def _owned(position: Position) -> set[str]:
    return {f"{power} {centre}" for power, owned in position.centres.items() for centre in owned}


def _retreats(position: Position) -> set[str]:
    return {f"{d.unit} to {region}" for d in position.dislodged for region in d.may_retreat}


def _listed(things: set[str]) -> str:
    return ", ".join(sorted(things)) or "nothing"


def with_results(board: GameBoard, log: GameLog) -> GameLog:
    """The same game with our judge's resolution of every phase but the last, so that it can be written in
    another format."""
    phases: list[LoggedPhase] = []
    for phase in log.phases[:-1]:
        position = phase.position
        before = phases[-1].resolution if phases else None
        # A file may not show where attackers came from; our judge of the phase before does.
        if before is not None and position.dislodged and not tuple(_differences(before.position, position)):
            position = before.position
        resolution = judge(board.context, board.rules, position, phase.orders, Lots(phase.lots))
        phases.append(LoggedPhase(position, phase.orders, resolution, phase.unread, phase.lots))
    return GameLog(log.name, log.board, (*phases, *log.phases[-1:]), log.is_over)
