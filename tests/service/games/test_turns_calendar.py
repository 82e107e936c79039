"""The calendar of a game as rows: the handbook's worked dates, a short first year, and deadlines that were
moved."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from adjudicator.calendar import Phase, PhaseKind
from service.games.turns import AHEAD, extend_calendar
from service.store.tables import GameRow, PhaseState
from tests.support.site import Site
from tests.support.table import START, SUMMER, Table, open_table, utc

SPRING = Phase(1643, "Spring", PhaseKind.MOVEMENT)


def dates(table: Table) -> dict[str, tuple[datetime, datetime]]:
    """Phase to when it opens and closes."""
    return {f"{p.season} {p.year} {p.kind}": (p.opens_at, p.deadline) for p in table.phases()}


def extend(table: Table) -> None:
    with table.site.store.begin() as session:
        extend_calendar(session, session.get_one(GameRow, table.game), table.variant)


def test_the_worked_dates_of_the_handbooks_calendar(site: Site) -> None:
    """Requirements A4, T+0 = Mon 1 March 2027."""
    # The clocks change in London on the day before the Summer deadline.
    dates_by_phase = dates(open_table(site, first=SPRING, start=START))
    assert dates_by_phase["Spring 1643 movement"] == (utc("2027-03-01 07:00"), utc("2027-03-14 07:00"))
    assert dates_by_phase["Spring 1643 retreat"][1] == utc("2027-03-16 07:00")
    assert dates_by_phase["Summer 1643 movement"] == (utc("2027-03-16 07:00"), utc("2027-03-29 07:00"))
    assert dates_by_phase["Autumn 1643 movement"][1] == utc("2027-04-13 07:00")
    assert dates_by_phase["Winter 1644 adjustment"][1] == utc("2027-04-18 07:00")
    assert dates_by_phase["Spring 1644 movement"][0] == utc("2027-04-19 07:00")
    assert list(dates_by_phase)[:8] == [
        "Spring 1643 movement", "Spring 1643 retreat", "Summer 1643 movement", "Summer 1643 retreat",
        "Autumn 1643 movement", "Autumn 1643 retreat", "Winter 1644 adjustment", "Spring 1644 movement",
    ]  # fmt: skip


def test_the_first_year_is_short(site: Site) -> None:
    """CAL-09: Summer and Autumn 1642; the Winter of 1643 begins at T+30 and ends at T+32; Spring at T+34."""
    dates_by_phase = dates(open_table(site, first=SUMMER, start=date(2027, 3, 1)))
    start = utc("2027-03-01 07:00")
    winter = dates_by_phase["Winter 1643 adjustment"]
    assert winter[0] == start + timedelta(days=30)
    assert winter[1] == start + timedelta(days=33)  # day 32 ends at 07:00 on day 33
    assert dates_by_phase["Spring 1643 movement"][0] == start + timedelta(days=34)


def test_a_new_game_has_a_year_ahead_and_asking_again_adds_nothing(site: Site) -> None:
    table = open_table(site)
    assert len(table.phases()) == 1 + AHEAD
    before = dates(table)
    extend(table)
    assert dates(table) == before
    assert [p.ordinal for p in table.phases()] == list(range(1, AHEAD + 2))
    assert [p.state for p in table.phases()] == [PhaseState.OPEN] + [PhaseState.WAITING] * AHEAD


def test_phases_that_are_over_are_made_up_for(site: Site) -> None:
    table = open_table(site)
    table.set_phase(1, state=PhaseState.SENT)
    table.set_phase(2, state=PhaseState.SENT)
    extend(table)
    assert len(table.phases()) == 3 + AHEAD
    # Summer 1643 follows on the calendar of the handbook: its Spring began at T+34, each season lasts 15
    # days.
    dates_by_phase = dates(table)
    assert dates_by_phase["Summer 1643 movement"][0] == utc("2027-03-01 07:00") + timedelta(days=34 + 15)


def test_what_follows_a_moved_deadline_moves_with_it(site: Site) -> None:
    table = open_table(site)
    last = table.phases()[-1]
    planned = open_table_dates(table)
    for number in range(1, len(table.phases()) + 1):
        row = table.phase(number)
        table.set_phase(
            number, deadline=row.deadline + timedelta(days=2), opens_at=row.opens_at + timedelta(days=2)
        )
    table.set_phase(1, state=PhaseState.SENT)
    extend(table)
    new = table.phases()[-1]
    assert new.ordinal == last.ordinal + 1
    assert new.deadline == planned[new.ordinal - 1] + timedelta(days=2)


def open_table_dates(table: Table) -> list[datetime]:
    """The deadlines of the first ten phases of the short first year, by the handbook's day numbers (CAL-03 to
    CAL-09)."""
    start = utc("2027-03-01 07:00")
    days = [12, 14, 27, 29, 32, 34 + 12, 34 + 14, 49 + 12, 49 + 14, 64 + 12]
    deadlines = [start + timedelta(days=day + 1) for day in days]
    assert [p.deadline for p in table.phases()] == deadlines[: len(table.phases())]
    return deadlines
