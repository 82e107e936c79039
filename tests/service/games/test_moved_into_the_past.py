"""A deadline cannot be moved to where it is over already: not by a day that was skipped, and not by an hour
of today (the issue's bad input: "a moved deadline in the past"; CAL-15)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from service.store.tables import EventRow, OutboxRow
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import Site
from tests.support.table import open_table

WHY = "The post is on strike in the whole county."


@pytest.fixture
def desk(site: Site) -> DeskTable:
    """Five days and one minute into a phase that is open thirteen."""
    table = open_table(site)
    site.clock.set(table.phase().opens_at + timedelta(days=5, minutes=1))
    return open_desk(table)


@pytest.mark.parametrize("later", ["", "yes"])
@pytest.mark.parametrize("days", [3, 5])
def test_an_earlier_deadline_that_is_over_is_refused_and_nothing_happens(
    desk: DeskTable, days: int, later: str
) -> None:
    table = desk.table
    before = [(row.opens_at, row.deadline, row.moved, row.state) for row in table.phases()]
    day = (table.phase().opens_at + timedelta(days=days)).date().isoformat()
    answer = desk.post(
        f"/games/{table.game}/move", phase=table.phase().id, day=day, hour="07:00", later=later, why=WHY
    )
    assert answer.status_code == 409
    assert "is in the past" in answer.text
    assert "Nothing was changed" in answer.text
    assert [(row.opens_at, row.deadline, row.moved, row.state) for row in table.phases()] == before
    with table.site.store() as session:
        assert session.scalar(select(func.count()).select_from(OutboxRow)) == 0
        assert (
            session.scalar(
                select(func.count()).select_from(EventRow).where(EventRow.what == "deadline_moved")
            )
            == 0
        )


def test_an_earlier_deadline_that_is_still_to_come_is_taken(desk: DeskTable) -> None:
    table = desk.table
    new = table.phase().opens_at + timedelta(days=6)
    answer = desk.press_twice(
        f"/games/{table.game}/move", phase=table.phase().id, day=new.date().isoformat(), hour="07:00", why=WHY
    )
    assert answer.status_code == 303
    assert table.phase().deadline == new
