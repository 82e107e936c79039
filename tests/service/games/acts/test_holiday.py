"""PHA-10, Q-81: a coordinator's holiday is announced a week before, moves deadlines by its length, and is
told to all."""

from __future__ import annotations

from datetime import timedelta

import pytest

from service.games.acts.deadlines import GoAway
from service.games.refused import Refused
from service.notices.broadcasts import Broadcasts
from tests.support.acting import do
from tests.support.site import Site
from tests.support.table import Table, open_table


def away(table: Table, begins_in: int, days: int) -> None:
    first = table.site.clock.now().date() + timedelta(days=begins_in)
    last = first + timedelta(days=days - 1)
    do(table, GoAway(table.game, first.isoformat(), last.isoformat()), circulars=Broadcasts(table.writer))


def test_deadlines_from_the_first_day_on_move_by_its_length(site: Site) -> None:
    table = open_table(site)
    before = table.phases()
    # Summer closes on the thirteenth day, and retreats on the fifteenth.
    away(table, 13, 5)
    moved = [now.deadline - was.deadline for now, was in zip(table.phases(), before, strict=True)]
    assert moved[0] == timedelta()
    assert set(moved[1:]) == {timedelta(days=5)}
    letters = table.letters("announcement")
    assert len(letters) == 10
    words = table.words(letters[0])
    assert "The coordinator is away from 14 Mar 2027 to 18 Mar 2027" in words
    assert f"{table.phase(2).deadline:%d %b %Y}" in words
    assert table.letters("deadline_moved") == []


@pytest.mark.parametrize(("begins_in", "days", "says"), [
    (6, 3, "announced 7 days before"), (8, 0, "before the first"), (8, 29, "29 days away in 1642")])
def test_a_holiday_that_is_too_near_or_too_long_is_refused(
    site: Site, begins_in: int, days: int, says: str
) -> None:
    table = open_table(site)
    before = [phase.deadline for phase in table.phases()]
    with pytest.raises(Refused, match=says):
        away(table, begins_in, days)
    assert [phase.deadline for phase in table.phases()] == before


@pytest.mark.parametrize(("begins_in", "days"), [(7, 3), (9, 5), (1 + 7, 1)])
def test_days_that_were_announced_move_nothing_again(site: Site, begins_in: int, days: int) -> None:
    """A form sent twice moved every deadline twice, under one letter."""
    table = open_table(site)
    away(table, 7, 3)
    before = [phase.deadline for phase in table.phases()]
    with pytest.raises(Refused, match="announced already"):
        away(table, begins_in, days)
    assert [phase.deadline for phase in table.phases()] == before


def test_the_days_of_a_game_year_are_counted_together(site: Site) -> None:
    table = open_table(site)
    away(table, 7, 20)
    with pytest.raises(Refused, match="30 days away in 1642"):
        away(table, 27, 10)
