"""The deadlines ahead and the work that each usually brings, from past phases alone (BEY-07)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from service.clock import SimulatedClock
from service.desk.games.ahead import PhaseAhead, UsualWork, by_week, usual_work
from service.store.tables import (
    GameRoleRow,
    GameRow,
    LineRow,
    LineState,
    PageRow,
    PhaseState,
    ReviewRow,
    UserRow,
)
from tests.support.desk_table import NAME, DeskTable, open_desk
from tests.support.site import Site
from tests.support.table import open_table


@pytest.fixture
def desk(site: Site) -> DeskTable:
    return open_desk(open_table(site), wall=SimulatedClock(site.clock.now()))


def test_work_is_the_median_of_past_phases_and_a_sheet_in_play_counts_nowhere(desk: DeskTable) -> None:
    table = desk.table
    orders = ["A Inverness H", "A Blair Castle H", "A Aberdeen H"]
    sheet = table.file("Montrose", orders, heading=("Montrose",))
    with table.site.store() as session:
        assert usual_work(session, [table.game]) == {}
    before = desk.text("/deadlines")
    assert "the usual work of a deadline cannot be shown" in before
    table.site.clock.set(table.phase().deadline)
    table.close_phase(table.phase().id)
    kind = table.phase().kind
    with table.site.store.begin() as session:
        # Decided, taken back and decided again: one line that a person read.
        line = session.scalars(select(LineRow).join(PageRow).where(PageRow.submission_id == sheet)
                               .order_by(LineRow.id.desc())).first()
        assert line is not None
        for number, undone in enumerate((table.site.clock.now(), None)):
            session.add(ReviewRow(line_id=line.id, key=f"review {number}", decision=LineState.READ, text="",
                                  by=NAME, at=table.site.clock.now(), undone_at=undone))
    with table.site.store() as session:
        assert usual_work(session, [table.game]) == {}
    table.set_phase(state=PhaseState.SENT)
    with table.site.store() as session:
        assert usual_work(session, [table.game]) == {(table.game, kind): UsualWork(3, 1, 1)}
    assert "usually 3 lines, of which a person reads 1" in desk.text("/deadlines")


def test_a_coordinator_of_one_game_sees_its_deadlines_and_no_other(desk: DeskTable) -> None:
    with desk.table.site.store.begin() as session:
        other = session.get_one(GameRow, desk.table.game)
        session.add(GameRow(id="edgehill", name="Edgehill", variant=other.variant,
                            created_at=other.created_at))
        session.get_one(UserRow, NAME).role = "by game"
    assert "Powick Bridge" not in desk.text("/deadlines", 200)
    with desk.table.site.store.begin() as session:
        session.add(GameRoleRow(user=NAME, game_id=desk.table.game, role="coordinator"))
    page = desk.text("/deadlines")
    assert "Powick Bridge" in page
    assert NAME in page


def test_weeks_begin_on_monday_and_sum_what_is_known() -> None:
    monday = datetime(2027, 3, 15, 7, tzinfo=UTC)
    phases = [
        PhaseAhead("a", "A", "Spring", monday - timedelta(hours=8), UsualWork(40, 6, 4)),
        PhaseAhead("a", "A", "Retreats", monday, None),
        PhaseAhead("b", "B", "Spring", monday + timedelta(days=6), UsualWork(60, 9, 2)),
    ]
    weeks = by_week(phases)
    assert [str(week.monday) for week in weeks] == ["2027-03-08", "2027-03-15"]
    assert [(week.lines, week.by_hand, week.unknown) for week in weeks] == [(40, 6, 0), (60, 9, 1)]
