"""Every deadline ahead, of all games that a person may see, and the work that each usually brings (BEY-07).

It shows how many lines a phase of this kind used to have and how many of them a person read: numbers of
phases whose results were sent, and nothing of a phase in play. """

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from statistics import median_low
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from sqlalchemy import ColumnElement, func, select, true
from sqlalchemy.orm import Session

from service.desk.queries import CLOCK_ONLY
from service.facts.roles import Role
from service.games.phases import phase_title
from service.store.tables import (
    GameRoleRow,
    GameRow,
    LineRow,
    LineState,
    PageRow,
    PhaseRow,
    PhaseState,
    ReviewRow,
    SubmissionRow,
)
from service.web.access import OWN_GAMES
from service.web.page import require_visitor, show
from service.web.ports import DeskPorts
from service.web.sessions import Visitor

router = APIRouter()

AHEAD = timedelta(days=70)
"""How far the page looks: ten weeks, the longest season of a board that comes with Galloper."""
PAST = 4
"""The phases of a kind from which its usual work is taken: enough that one odd season does not decide, few
enough that players who came or left still show."""
LONGEST = 500
"""Most deadlines on the page."""


@dataclass(frozen=True, slots=True)
class UsualWork:
    """The lines of a phase: `lines` in all, `by_hand` of them read by a person, the median of `phases` past
    phases. Of an even number the lower middle counts."""

    lines: int
    by_hand: int
    phases: int


@dataclass(frozen=True, slots=True)
class PhaseAhead:
    """A phase whose deadline is ahead: its game by id and name, its title, and its usual work; None where no
    phase of its kind was played yet. `coordinators` are those whose role is of this game alone."""

    game_id: str
    game: str
    title: str
    deadline: datetime
    usual: UsualWork | None
    coordinators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WeekAhead:
    """A week, from its Monday: deadlines in order, and the sums of what is usual. `unknown` deadlines have
    no history."""

    monday: date
    phases: tuple[PhaseAhead, ...]

    @property
    def lines(self) -> int:
        """Usual lines of the week."""
        return sum(phase.usual.lines for phase in self.phases if phase.usual)

    @property
    def by_hand(self) -> int:
        """Usual lines of the week that a person reads."""
        return sum(phase.usual.by_hand for phase in self.phases if phase.usual)

    @property
    def unknown(self) -> int:
        """Deadlines of whose work nothing is known."""
        return sum(phase.usual is None for phase in self.phases)


@router.get("/deadlines", dependencies=[OWN_GAMES])
def deadlines(request: Request, visitor: Annotated[Visitor, Depends(require_visitor)]) -> Response:
    """The deadlines ahead, week by week."""
    ports: DeskPorts = request.app.state.ports
    now = ports.clock.now()
    with ports.sessions() as session:
        phases = phases_ahead(session, now, visitor.coordinates)
    weeks = by_week(phases[:LONGEST])
    return show(request, "deadlines.html", visitor=visitor, weeks=weeks, most=max(
        (week.lines for week in weeks), default=0), cut=len(phases) > LONGEST, days=AHEAD.days)


def by_week(phases: Iterable[PhaseAhead]) -> list[WeekAhead]:
    """Phases, in order of their deadlines, in the weeks of those (UTC)."""
    return [WeekAhead(monday, tuple(of_week)) for monday, of_week in groupby(
        phases, lambda phase: phase.deadline.date() - timedelta(days=phase.deadline.weekday()))]


def phases_ahead(session: Session, now: datetime, games: frozenset[str] | None) -> list[PhaseAhead]:
    """Phases with a deadline in the next `AHEAD`, of all games or of `games`, nearest first; at most one more
    than `LONGEST`."""
    rows = session.execute(
        select(PhaseRow, GameRow.name).join(GameRow, GameRow.id == PhaseRow.game_id).options(*CLOCK_ONLY)
        .where(PhaseRow.deadline > now, PhaseRow.deadline <= now + AHEAD, _within(games),
               # What is sent already, such as retreats that no one owes or the rest of a game that has
               # ended.
               PhaseRow.state != PhaseState.SENT)
        .order_by(PhaseRow.deadline, PhaseRow.game_id).limit(LONGEST + 1)).all()
    game_ids = sorted({phase.game_id for phase, _ in rows})
    work, coordinators = usual_work(session, game_ids), _coordinators(session, game_ids)
    return [
        PhaseAhead(phase.game_id, name, phase_title(phase), phase.deadline,
                   work.get((phase.game_id, phase.kind)), tuple(coordinators.get(phase.game_id, ())))
        for phase, name in rows
    ]


def usual_work(session: Session, games: Sequence[str]) -> dict[tuple[str, str], UsualWork]:
    """The usual work of a phase, by game and kind of phase, from the last `PAST` whose results were sent."""
    numbered = (
        select(PhaseRow.id, PhaseRow.game_id, PhaseRow.kind, func.row_number().over(
            partition_by=(PhaseRow.game_id, PhaseRow.kind), order_by=PhaseRow.ordinal.desc()).label("back"))
        .where(PhaseRow.game_id.in_(games), PhaseRow.state == PhaseState.SENT).subquery())
    past = {row.id: (row.game_id, row.kind) for row in session.execute(
        select(numbered.c.id, numbered.c.game_id, numbered.c.kind).where(numbered.c.back <= PAST))}
    # The newest sheet of a power represents those that it replaced: their lines no one needs to read.
    newest = (select(func.max(SubmissionRow.id)).where(SubmissionRow.phase_id.in_(past))
              .group_by(SubmissionRow.phase_id, SubmissionRow.power))
    of_phase = (select(SubmissionRow.phase_id).join(PageRow, PageRow.submission_id == SubmissionRow.id)
                .join(LineRow, LineRow.page_id == PageRow.id)
                .where(SubmissionRow.id.in_(newest), LineRow.status != LineState.NOT_ORDER)
                .group_by(SubmissionRow.phase_id))
    lines: dict[int, int] = dict(session.execute(of_phase.add_columns(func.count(LineRow.id))).all())
    by_hand: dict[int, int] = dict(session.execute(
        of_phase.add_columns(func.count(ReviewRow.line_id.distinct()))
        .join(ReviewRow, ReviewRow.line_id == LineRow.id).where(ReviewRow.undone_at.is_(None))
    ).all())
    by_kind: dict[tuple[str, str], list[int]] = {}
    for phase, kind in past.items():
        by_kind.setdefault(kind, []).append(phase)
    return {
        kind: UsualWork(median_low(lines.get(phase, 0) for phase in phases),
                        median_low(by_hand.get(phase, 0) for phase in phases), len(phases))
        for kind, phases in by_kind.items()
    }


def _coordinators(session: Session, games: Sequence[str]) -> Mapping[str, list[str]]:
    by_game: dict[str, list[str]] = {}
    for game, user in session.execute(
        select(GameRoleRow.game_id, GameRoleRow.user)
        .where(GameRoleRow.game_id.in_(games), GameRoleRow.role == Role.COORDINATOR)
        .order_by(GameRoleRow.user)
    ):
        by_game.setdefault(game, []).append(user)
    return by_game


def _within(games: frozenset[str] | None) -> ColumnElement[bool]:
    return true() if games is None else PhaseRow.game_id.in_(games)
