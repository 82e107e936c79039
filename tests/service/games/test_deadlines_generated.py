"""Four hundred generated deadlines: always 07:00 GMT, whatever clocks do in London and in Mexico (CAL-03 to
CAL-10)."""

from __future__ import annotations

from datetime import date, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

import maps
from adjudicator.calendar import PhaseKind
from service.games.deadlines import schedule

VARIANT = maps.load("w3k")
LONDON, MEXICO = ZoneInfo("Europe/London"), ZoneInfo("America/Mexico_City")
MANY = 400


@pytest.mark.parametrize("start", [date(2021, 2, 28), date(2027, 3, 1), date(2027, 10, 20)])
def test_four_hundred_deadlines_keep_their_hour_and_their_distance(start: date) -> None:
    windows = schedule(start, VARIANT.calendar, VARIANT.start.phase, MANY)
    assert len(windows) == MANY
    for window in windows:
        deadline = window.deadline
        assert (deadline.utcoffset(), deadline.hour, deadline.minute, deadline.second) == (timedelta(0), 7, 0,
            0)
        summer = deadline.astimezone(LONDON).dst() == timedelta(hours=1)
        assert deadline.astimezone(LONDON).hour == (8 if summer else 7)
        # Six hours behind all year since Mexico gave summer time up at the end of October 2022; five in
        # summers before.
        assert deadline.astimezone(MEXICO).hour == (2 if deadline.astimezone(MEXICO).dst() else 1)
        assert deadline.year < 2023 or deadline.astimezone(MEXICO).hour == 1
    assert [each.deadline for each in windows] == sorted(each.deadline for each in windows)
    assert len({each.phase for each in windows}) == MANY
    by_phase = {(each.phase.season, each.phase.kind, each.phase.year): each.deadline for each in windows}
    for (season, kind, year), deadline in by_phase.items():
        if (season, kind, year + 1) in by_phase:  # CAL-08: seven weeks, of whatever season
            assert by_phase[season, kind, year + 1] - deadline == timedelta(days=49)
        if kind is PhaseKind.MOVEMENT and (season, PhaseKind.RETREAT, year) in by_phase:  # CAL-03, CAL-04
            assert by_phase[season, PhaseKind.RETREAT, year] - deadline == timedelta(days=2)


def test_both_kinds_of_clock_change_lie_among_them() -> None:
    windows = schedule(date(2021, 2, 28), VARIANT.calendar, VARIANT.start.phase, MANY)
    hours = {zone.key: {window.deadline.astimezone(zone).hour for window in windows}
             for zone in (LONDON, MEXICO)}
    assert hours == {"Europe/London": {7, 8}, "America/Mexico_City": {1, 2}}


@pytest.mark.parametrize("slug", maps.variants())
def test_seven_years_of_every_game_have_their_deadlines(slug: str) -> None:
    """CAL-02, CAL-03, CAL-04: each step of the calendar in its turn, each deadline at 07:00 GMT and after the
    one before; a phase opens no sooner than the last one of another season has closed, and retreats close two
    days after their moves."""
    variant = maps.load(slug)
    steps = variant.calendar.steps
    windows = schedule(date(2027, 3, 1), variant.calendar, variant.start.phase, 7 * len(steps))
    began = steps.index((variant.start.phase.season, variant.start.phase.kind))
    assert [(w.phase.season, w.phase.kind) for w in windows] == [
        steps[(began + n) % len(steps)] for n in range(7 * len(steps))
    ]
    assert windows[-1].phase.year - windows[0].phase.year in {6, 7}
    for window, following in pairwise(windows):
        assert (window.deadline.utcoffset(), window.deadline.time()) == (timedelta(0), time(7))
        assert window.opens < window.deadline < following.deadline
        if following.phase.kind is PhaseKind.RETREAT:
            assert following.deadline - window.deadline == timedelta(days=2)
        else:
            assert following.opens >= window.deadline
