"""Sheets are read by their deadlines, and in turn between games (SCA-03)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from service.intake.filing import queue_reading
from service.jobs import MOST_RANK
from tests.support.site import Site
from tests.support.table import Table, open_table


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


def ranks(table: Table, submissions: list[int]) -> list[int]:
    for submission in submissions:
        with table.site.store.begin() as session:
            queue_reading(session, table.site.jobs, submission)
    return [table.site.jobs.ranks[f"read:{submission}"] for submission in submissions]


def test_the_nearest_deadline_goes_first_and_a_games_second_sheet_after_every_games_first(
    table: Table
) -> None:
    first = table.file("Montrose", ["A Perth H"], read=False)
    second = table.file("Argyll", ["A Edinburgh H"], read=False)
    later = table.phase(3)
    assert later.deadline > table.phase().deadline
    third = table.file("Hamilton", ["A Glasgow H"], read=False, number=3)
    first_rank, second_rank, third_rank = ranks(table, [first, second, third])
    # Any number of sheets of one deadline goes before those of the next minute's.
    assert 0 < first_rank < second_rank < third_rank < MOST_RANK
    assert second_rank == first_rank + 1


def test_a_game_that_sends_hundreds_of_sheets_stays_within_its_minute(table: Table) -> None:
    papers = [table.file("Montrose", [f"A Perth H {number}"], read=False, version=number)
              for number in range(1, 40)]
    last = ranks(table, papers)[-1]
    table.set_phase(1, deadline=table.phase().deadline + timedelta(minutes=1))
    other = table.file("Argyll", ["A Edinburgh H"], read=False)
    assert last < ranks(table, [other])[0]
