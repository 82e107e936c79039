"""The calendar of instants against the handbook's days (CAL-01..17) and the worked dates of the
requirements."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, strategies as st

from adjudicator.calendar import Calendar, Phase, PhaseKind
from grammar.headings.values import W3K_STEPS
from service.clock import Clock, SimulatedClock, SystemClock
from service.games.deadlines import PhaseWindow, Rhythm, day_end, day_start, extend, in_time, schedule
from service.games.refused import Refused

CALENDAR = Calendar(W3K_STEPS)
FIRST = Phase(1642, "Summer", PhaseKind.MOVEMENT)
SPRING = Phase(1643, "Spring", PhaseKind.MOVEMENT)
T0 = date(2027, 3, 1)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def by_name(windows: tuple[PhaseWindow, ...]) -> dict[str, PhaseWindow]:
    return {str(window.phase): window for window in windows}


YEAR = schedule(T0, CALENDAR, SPRING, 8)


@pytest.mark.parametrize(
    ("phase", "opens", "deadline"),
    [
        ("Spring 1643 Movement", "2027-03-01T07:00", "2027-03-14T07:00"),
        ("Spring 1643 Retreat", "2027-03-14T07:00", "2027-03-16T07:00"),
        ("Summer 1643 Movement", "2027-03-16T07:00", "2027-03-29T07:00"),
        ("Autumn 1643 Movement", "2027-03-31T07:00", "2027-04-13T07:00"),
        ("Winter 1644 Adjustment", "2027-04-15T07:00", "2027-04-18T07:00"),
        ("Spring 1644 Movement", "2027-04-19T07:00", "2027-05-02T07:00"),
    ],
)
def test_worked_dates_of_a_year_from_1_march_2027(phase: str, opens: str, deadline: str) -> None:
    window = by_name(YEAR)[phase]
    assert (window.opens, window.deadline) == (at(opens), at(deadline))


def test_worked_dates_fall_on_the_weekdays_of_the_requirements() -> None:
    year = by_name(YEAR)
    names = {name: f"{year[name].deadline:%a}" for name in year}
    assert names["Spring 1643 Movement"] == "Sun"
    assert names["Spring 1643 Retreat"] == "Tue"
    assert names["Summer 1643 Movement"] == "Mon"
    assert names["Autumn 1643 Movement"] == "Tue"
    assert names["Winter 1644 Adjustment"] == "Sun"
    assert f"{year['Spring 1644 Movement'].opens:%a}" == "Mon"


def test_final_results_are_due_at_the_end_of_day_15() -> None:
    assert by_name(YEAR)["Spring 1643 Retreat"].results_by == at("2027-03-17T07:00")


def test_deadline_is_gmt_also_in_british_summer_time() -> None:
    summer = by_name(YEAR)["Summer 1643 Movement"].deadline
    assert f"{summer.astimezone(ZoneInfo('Europe/London')):%d %H:%M}" == "29 08:00"
    assert f"{summer.astimezone(ZoneInfo('America/Mexico_City')):%d %H:%M}" == "29 01:00"
    before = by_name(YEAR)["Spring 1643 Movement"].deadline
    assert f"{before.astimezone(ZoneInfo('Europe/London')):%H:%M}" == "07:00"


@pytest.mark.parametrize(
    ("stamp", "counts"),
    [("2027-03-29T06:59:59", True), ("2027-03-29T07:00:00", True), ("2027-03-29T07:00:01", False)],
)
def test_stamped_at_the_deadline_is_in_time(stamp: str, counts: bool) -> None:
    window = by_name(YEAR)["Summer 1643 Movement"]
    assert in_time(at(stamp), window.deadline) is counts


def test_order_of_phases_and_roll_of_the_year() -> None:
    assert [str(window.phase) for window in schedule(T0, CALENDAR, FIRST, 13)] == [
        "Summer 1642 Movement",
        "Summer 1642 Retreat",
        "Autumn 1642 Movement",
        "Autumn 1642 Retreat",
        "Winter 1643 Adjustment",
        "Spring 1643 Movement",
        "Spring 1643 Retreat",
        "Summer 1643 Movement",
        "Summer 1643 Retreat",
        "Autumn 1643 Movement",
        "Autumn 1643 Retreat",
        "Winter 1644 Adjustment",
        "Spring 1644 Movement",
    ]


def test_short_first_year() -> None:
    """Winter begins T+30 and ends T+32, Spring begins T+34 (CAL-09)."""
    first = by_name(schedule(T0, CALENDAR, FIRST, 6))
    winter = first["Winter 1643 Adjustment"]
    assert winter.opens == day_start(T0 + timedelta(days=30))
    assert winter.deadline == day_end(T0 + timedelta(days=32))
    assert first["Spring 1643 Movement"].opens == day_start(T0 + timedelta(days=34))


def test_handbook_days_of_a_full_year() -> None:
    """T+12, T+14, T+15, T+45, T+47 and T+49 (CAL-03..08)."""
    year = by_name(YEAR)
    days = {name: (window.deadline - day_end(T0)).days for name, window in year.items()}
    assert days["Spring 1643 Movement"] == 12
    assert days["Spring 1643 Retreat"] == 14
    assert (year["Winter 1644 Adjustment"].opens - day_start(T0)).days == 45
    assert days["Winter 1644 Adjustment"] == 47
    assert (year["Spring 1644 Movement"].opens - day_start(T0)).days == 49


def test_seven_game_years_are_about_one_calendar_year() -> None:
    full = schedule(T0, CALENDAR, SPRING, 7 * 7 + 1)[-1]
    assert str(full.phase) == "Spring 1650 Movement"
    assert (full.opens - day_start(T0)).days == 343
    short = schedule(T0, CALENDAR, FIRST, 5 + 6 * 7 + 1)[-1]
    assert str(short.phase) == "Spring 1649 Movement"
    assert (short.opens - day_start(T0)).days == 328


def test_another_game_may_have_another_pace() -> None:
    months = Calendar((("April", PhaseKind.MOVEMENT), ("May", PhaseKind.MOVEMENT)))
    quick = Rhythm(movement=5, season=7)
    windows = schedule(T0, months, Phase(1618, "April", PhaseKind.MOVEMENT), 3, quick)
    assert [window.opens.day for window in windows] == [1, 8, 15]
    assert [window.deadline.day for window in windows] == [7, 14, 21]
    assert [window.phase.year for window in windows] == [1618, 1618, 1619]


def test_moving_a_deadline_may_leave_the_later_phases_where_they_are() -> None:
    extension = extend(YEAR, SPRING, at("2027-03-15T07:00"), " post strike ", shift_later=False)
    new = by_name(extension.windows)
    assert new["Spring 1643 Movement"].deadline == at("2027-03-15T07:00")
    assert new["Spring 1643 Movement"].sequence == 1
    assert new["Spring 1643 Retreat"].opens == at("2027-03-15T07:00")
    assert new["Spring 1643 Retreat"].deadline == at("2027-03-16T07:00")
    assert new["Summer 1643 Movement"] == by_name(YEAR)["Summer 1643 Movement"]
    assert [(moved.old, moved.new) for moved in extension.moved] == [
        (at("2027-03-14T07:00"), at("2027-03-15T07:00"))
    ]
    assert extension.reason == "post strike"


def test_moving_a_deadline_may_move_everything_after_it() -> None:
    extension = extend(YEAR, SPRING, at("2027-03-16T07:00"), "flood", shift_later=True)
    for old, new in zip(YEAR, extension.windows, strict=True):
        assert new.deadline - old.deadline == timedelta(days=2)
        assert new.sequence == 1
        assert new.phase == old.phase
    assert extension.windows[0].opens == YEAR[0].opens
    assert extension.windows[2].opens - YEAR[2].opens == timedelta(days=2)
    assert len(extension.moved) == len(YEAR)


def test_phases_before_the_moved_one_stand() -> None:
    summer = Phase(1643, "Summer", PhaseKind.MOVEMENT)
    extension = extend(YEAR, summer, at("2027-03-30T07:00"), "flood", shift_later=True)
    assert extension.windows[:2] == YEAR[:2]


@pytest.mark.parametrize(
    ("deadline", "reason", "says"),
    [
        (at("2027-03-15T07:00"), "  ", "reason"),
        (datetime(2027, 3, 15, 7), "flood", "zone"),  # noqa: DTZ001 - the fault under test
        (at("2027-03-17T07:00"), "flood", "Spring 1643 Retreat closes on 16 Mar 2027"),
        (at("2027-02-17T07:00"), "flood", "close before it opens"),
    ],
)
def test_a_deadline_that_cannot_be_moved_so(deadline: datetime, reason: str, says: str) -> None:
    with pytest.raises(Refused, match=says):
        extend(YEAR, SPRING, deadline, reason, shift_later=False)


def test_a_phase_of_another_calendar_cannot_be_moved() -> None:
    with pytest.raises(Refused, match="not in this calendar"):
        extend(YEAR, FIRST, at("2027-03-15T07:00"), "flood", shift_later=False)


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.integers(1, 60))
def test_windows_follow_each_other_and_end_at_seven(start: date, phases: int) -> None:
    windows = schedule(start, CALENDAR, FIRST, phases)
    assert len(windows) == phases
    for window in windows:
        assert window.opens < window.deadline
        assert (window.deadline.hour, window.deadline.minute, window.deadline.utcoffset()) == (
            7,
            0,
            timedelta(0),
        )
    for earlier, later in pairwise(windows):
        assert earlier.deadline <= later.opens


def test_clocks() -> None:
    clock: Clock = SystemClock()
    assert clock.now().utcoffset() == timedelta(0)
    simulated = SimulatedClock(datetime(2027, 3, 29, 8, 0, tzinfo=ZoneInfo("Europe/London")))
    assert simulated.now() == at("2027-03-29T07:00")
    assert simulated.advance(timedelta(hours=-2)) == at("2027-03-29T05:00")
    simulated.set(at("2027-03-30T07:00"))
    assert simulated.now() == at("2027-03-30T07:00")
    with pytest.raises(ValueError, match="zone"):
        simulated.set(datetime(2027, 3, 30, 7))  # noqa: DTZ001 - the fault under test
