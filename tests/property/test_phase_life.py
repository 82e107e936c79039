"""PHA-01: whatever a coordinator does and leaves undone, no phase is judged whose players had less time than
half of the calendar's or than he confirmed, and no letter asks by a deadline that is past."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from sqlalchemy.orm import Session

import maps
from adjudicator.outcome import Resolution
from service.games.acts.deadlines import GoAway, MoveDeadline, Pause
from service.games.acts.results import TakeBackResults
from service.games.approval.approve import AnswerBy, time_to_answer
from service.games.asking import LEAST_SHARE
from service.games.refused import Refused
from service.games.turns import phase_that_follows
from service.notices.broadcasts import Broadcasts
from service.store import phase_looks
from service.store.phase_looks import Look
from service.store.tables import PhaseRow, PhaseState
from tests.support.acting import do
from tests.support.site import make_site
from tests.support.table import NotedAnnouncer, Table, open_table

WHY = "The coordinator was away."
STEPS = st.lists(st.one_of(
    st.tuples(st.just("wait"), st.integers(1, 24 * 40)),
    st.tuples(st.just("wait"), st.integers(1, 72)),
    st.tuples(st.sampled_from(["approve", "approve proposed", "approve as it is"]), st.just(0)),
    st.tuples(st.just("approve proposed"), st.just(0)),
    st.tuples(st.sampled_from(["move", "move all", "pause"]), st.integers(1, 30)),
    st.tuples(st.just("go away"), st.integers(1, 14)),
    st.tuples(st.just("take back"), st.integers(1, 3)),
), min_size=3, max_size=16)  # fmt: skip


class LooksAtDates(NotedAnnouncer):
    """Notes what results would leave; a letter that asks by a deadline which is past is a fault."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self.now = now
        self.load = maps.load

    def prepare(self, session: Session, phase: PhaseRow, resolution: Resolution) -> Callable[[Session], None]:
        following = phase_that_follows(session, phase, resolution, self.load)
        assert following is None or following.deadline > self.now()
        return super().prepare(session, phase, resolution)


@dataclass
class Played:
    """A game without orders, and for each phase the time that the coordinator confirmed for it."""

    table: Table
    confirmed: dict[int, timedelta] = field(default_factory=dict)

    def wait(self, hours: int) -> None:
        """Let time pass, with every hour at which a phase opens or closes on the way."""
        clock = self.table.site.clock
        until = clock.now() + timedelta(hours=hours)
        while True:
            with self.table.site.store() as session:
                instants = [instant for instant in phase_looks.coming(session, until).values()
                            if instant > clock.now()]
            clock.set(min(instants, default=until))
            self.look()
            if clock.now() >= until:
                return

    def look(self) -> None:
        """Open and close what is due, as the clockwork does."""
        look = Look(self.table.site.clock.now())
        with self.table.site.store() as session:
            due = [(self.table.open_phase, phase.id) for phase in phase_looks.to_open(session, look)]
            due += [(self.table.close_phase, phase.id) for phase in phase_looks.past_deadline(session, look)]
        for act, phase_id in due:
            act(phase_id)

    def approve(self, how: str) -> None:
        """Send the results that wait, if any."""
        for phase in self.table.phases():
            if phase.state == PhaseState.CLOSED:
                self.table.judge_when_read(phase.id)
        ready = [phase for phase in self.table.phases() if phase.state == PhaseState.READY]
        if not ready:
            return
        table, now = self.table, self.table.site.clock.now()
        with table.site.store() as session:
            answer = time_to_answer(session, session.get_one(PhaseRow, ready[0].id), table.load, now)
        answer_by = None
        if answer is not None and how != "approve":
            answer_by = AnswerBy(
                answer.proposed if how == "approve proposed" else answer.phase.deadline, WHY)
        try:
            table.approve_phase(ready[0].id, "ada", answer_by)
        except Refused:
            assert answer is not None
            assert answer_by is None or how == "approve as it is"
            return
        if answer is not None:
            self.confirmed.pop(answer.phase.ordinal, None)
        if answer is not None and answer_by is not None:
            self.confirmed[answer.phase.ordinal] = answer_by.deadline - now
        self.look()

    def move(self, days: int, *, later: bool) -> None:
        """Move the nearest deadline ahead."""
        now = self.table.site.clock.now()
        ahead = [phase for phase in self.table.phases()
                 if phase.state in {PhaseState.OPEN, PhaseState.WAITING} and phase.deadline > now]
        if not ahead:
            return
        new = ahead[0].deadline + timedelta(days=days)
        self._try(MoveDeadline(
            self.table.game, ahead[0].id, f"{new:%Y-%m-%d}", f"{new:%H:%M}", WHY, later))

    def pause(self, days: int) -> None:
        """Pause the game."""
        self._try(Pause(self.table.game, str(days), WHY))

    def go_away(self, days: int) -> None:
        """Announce a holiday of so many days, in eight days."""
        first = self.table.site.clock.now().date() + timedelta(days=8)
        last = first + timedelta(days=days - 1)
        self._try(GoAway(self.table.game, first.isoformat(), last.isoformat()))

    def take_back(self, number: int) -> None:
        """Take back the results that were sent last, or some before them (PHA-04)."""
        sent = [phase for phase in self.table.phases()
                if phase.state == PhaseState.SENT and phase.resolution is not None]
        if len(sent) < number:
            return
        self._try(TakeBackResults(sent[-number].id, WHY))

    def _try(self, act: Any) -> None:
        try:
            do(self.table, act, circulars=Broadcasts(self.table.writer))
        except Refused:
            return

    def check(self) -> int:
        """Each phase that closed was asked for, and in time; their number."""
        judged: list[PhaseRow] = []
        for phase in self.table.phases():
            if phase.resolution is None:
                continue
            assert phase.closed_at is not None
            assert phase.closed_at >= phase.deadline
            if judged:
                before = judged[-1]
                assert before.sent_at is not None
                answer_time = phase.deadline - max(before.sent_at, phase.opens_at)
                least = LEAST_SHARE * (phase.deadline - phase.opens_at)
                assert answer_time >= min(least, self.confirmed.get(phase.ordinal, least))
            judged.append(phase)
        return len(judged)


def play(slug: str, steps: list[tuple[str, int]]) -> int:
    """Play a game by these steps and check it; how many phases were judged."""
    with TemporaryDirectory() as folder, make_site(Path(folder)) as site:
        played = Played(open_table(site, slug=slug, announce=LooksAtDates(site.clock.now)))
        for step, number in steps:
            if step == "wait":
                played.wait(number)
            elif step in {"pause", "go away", "take back"}:
                getattr(played, step.replace(" ", "_"))(number)
            elif step.startswith("move"):
                played.move(number, later=step == "move all")
            else:
                played.approve(step)
        return played.check()


@pytest.mark.slow
def test_the_property_sees_phases_judged() -> None:
    """Guards the test below: a game that is played by its calendar has three phases judged and more."""
    by_calendar = [("wait", 24 * 14), ("approve", 0)] * 4
    assert play("w3k", by_calendar) >= 3
    # With the results of the earlier one those of all three are taken back, and they are judged again.
    assert play("w3k", [*by_calendar, ("take back", 2)]) == 0
    again = [("approve proposed", 0), ("wait", 24 * 40)] * 3
    assert play("w3k", [*by_calendar, ("take back", 2), *again]) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted(maps.variants()))
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
def test_no_player_is_judged_unasked(slug: str, steps: list[tuple[str, int]]) -> None:
    play(slug, steps)
