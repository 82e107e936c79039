"""A game year is seven weeks, and the coordinator may move the next one's first day before it begins
(Q-10)."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from sqlalchemy import select

import maps
from adjudicator.calendar import PhaseKind
from service.games.acts.deadlines import MoveYear, begins_year
from service.games.phases import phase_of
from service.games.refused import Refused
from service.games.turns import extend_calendar
from service.store.tables import EventRow, GameRow, OutboxRow, PhaseRow, PhaseState, SeatRow
from tests.support.acting import do
from tests.support.desk_table import NAME, open_desk
from tests.support.site import Site
from tests.support.table import Table, open_table

WHY = "The holidays."
WHY_LONG = "The players asked for a week of holidays."
WINTER, SPRING = 5, 6
"""Ordinals of Winter 1643 and of the Spring that follows it, in a new game."""


@pytest.fixture
def table(site: Site) -> Table:
    """A game whose first Winter is open."""
    new_table = open_table(site)
    for number in range(1, WINTER):
        new_table.set_phase(number, state=PhaseState.SENT)
    new_table.set_phase(WINTER, state=PhaseState.OPEN)
    site.clock.set(new_table.phase(WINTER).opens_at)
    assert [str(phase_of(new_table.phase(n))) for n in (WINTER, SPRING)] == [
        "Winter 1643 Adjustment",
        "Spring 1643 Movement",
    ]
    return new_table


def begin(table: Table, number: int, day: date, why: str = WHY) -> None:
    do(table, MoveYear(table.game, table.phase(number).id, day.isoformat(), why))


@pytest.mark.parametrize("days", [5, -1, 60])
def test_the_next_years_first_day_may_be_moved_and_winter_stand(table: Table, days: int) -> None:
    """Q-10: one act moves the year; Winter stays, and everything from Spring on moves by as much."""
    # Day 47 ends at 07:00 on day 48, so the year of day 49 begins a day after that, and on day 48 at the
    # earliest: a step of -1 is the most that it can come forward.
    before = table.phases()
    winter, spring = before[WINTER - 1], before[SPRING - 1]
    assert spring.opens_at - winter.deadline == timedelta(days=1)
    begin(table, SPRING, (spring.opens_at + timedelta(days=days)).date())
    after = table.phases()
    assert (after[WINTER - 1].opens_at, after[WINTER - 1].deadline) == (winter.opens_at, winter.deadline)
    for was, now in zip(before[SPRING - 1 :], after[SPRING - 1 :], strict=True):
        assert now.opens_at - was.opens_at == now.deadline - was.deadline == timedelta(days=days)
        assert (now.moved, now.commitment) == (was.moved + 1, was.commitment)


def test_phases_that_come_on_the_calendar_later_follow_the_year_as_it_was_moved(table: Table) -> None:
    """Q-10 with CAL-08: the next T+0 is 49 days behind the moved one, not behind the planned one."""
    spring = table.phases()[SPRING - 1]
    begin(table, SPRING, (spring.opens_at + timedelta(days=10)).date())
    table.set_phase(WINTER, state=PhaseState.SENT)
    table.set_phase(SPRING, state=PhaseState.SENT)
    with table.site.store.begin() as session:
        extend_calendar(session, session.get_one(GameRow, table.game), table.variant)
    rows = {str(phase_of(row)): row for row in table.phases()}
    assert rows["Spring 1644 Movement"].opens_at - rows["Spring 1643 Movement"].opens_at == timedelta(days=49)


@pytest.mark.parametrize(("number", "days", "sentence"), [
    (SPRING + 1, 5, "is not the first phase of a year"), (1, 90, "has begun"), (SPRING, -400, "is past"),
    (SPRING, -2, "is open until"), (SPRING, 0, "begins on"), (WINTER, 5, "is not the first phase of a year")])
def test_a_year_is_not_moved_where_it_cannot_be(table: Table, number: int, days: int, sentence: str) -> None:
    before = table.phases()
    with pytest.raises(Refused, match=sentence):
        begin(table, number, (before[number - 1].opens_at + timedelta(days=days)).date())
    assert [(row.opens_at, row.deadline) for row in table.phases()] == [
        (row.opens_at, row.deadline) for row in before
    ]


def test_at_the_desk_it_is_one_form_with_a_reason_and_every_player_is_told(table: Table) -> None:
    """Q-10, OUT-12: the page offers it where a year begins and nowhere else; the letter names what moves and
    what is."""
    desk = open_desk(table)
    spring = table.phases()[SPRING - 1]
    page = desk.page(f"/games/{table.game}")
    assert page.count(f'action="/games/{table.game}/move"') == 1
    assert page.count("The whole year ") == sum(
        (row.season, row.kind, row.state) == ("Spring", "movement", PhaseState.WAITING)
        for row in table.phases()
    )
    day = (spring.opens_at + timedelta(days=7)).date().isoformat()
    for bad in ({"day": day, "why": "short"}, {"day": "next week", "why": WHY_LONG}):
        answer = desk.post(f"/games/{table.game}/move", phase=f"year {spring.id}", **bad)
        assert "Nothing was changed" in answer.text
    answer = desk.press_twice(f"/games/{table.game}/move", phase=f"year {spring.id}", day=day, why=WHY_LONG)
    assert answer.headers["location"] == f"/games/{table.game}?notice=year-moved"
    assert "The year begins on its new day" in desk.text(f"/games/{table.game}?notice=year-moved")
    assert table.phases()[SPRING - 1].opens_at == spring.opens_at + timedelta(days=7)
    with table.site.store() as session:
        letters = session.scalars(select(OutboxRow).where(OutboxRow.kind == "deadline_moved")).all()
        players = session.scalars(select(SeatRow.player_id).where(SeatRow.game_id == table.game)).all()
        event = session.scalars(select(EventRow).where(EventRow.what == "year_moved")).one()
    assert len(letters) == len(set(players))
    assert (event.actor, event.detail["reason"], event.detail["first_day"]) == (NAME, WHY_LONG, day)


@pytest.mark.parametrize(("slug", "behind", "begins"), [
    ("w3k", ("Winter", PhaseKind.ADJUSTMENT), True), ("w3k", ("Autumn", PhaseKind.RETREAT), False),
    ("britain1066", ("December", PhaseKind.ADJUSTMENT), True),
    ("britain1066", ("April", PhaseKind.ADJUSTMENT), False),
    ("war1648", ("December", PhaseKind.ADJUSTMENT), True), ("brittania", ("Harvest", PhaseKind.TURN), True),
])
def test_a_game_year_begins_behind_what_ends_one(
    slug: str, behind: tuple[str, PhaseKind], begins: bool
) -> None:
    # CAL-08. D66-01 builds after every second month, and only December's builds end the year; a turn of
    # Brittania is a year (WSB-01).
    before = PhaseRow(season=behind[0], kind=behind[1])
    assert begins_year(before, maps.load(slug).calendar) is begins
