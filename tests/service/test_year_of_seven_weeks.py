"""A game year is seven weeks, and the coordinator may move the next one's first day before it begins (Q-10)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from service.context import phase_of
from service.extensions import move_deadline
from service.store.tables import PhaseState
from tests.support.site import Site
from tests.support.table import Table, open_table

WHY = "The holidays."
WINTER, SPRING = 5, 6
"""Ordinals of Winter 1643 and of the Spring that follows it, in a new game."""


@pytest.fixture
def table(site: Site) -> Table:
    """A game whose first Winter is open."""
    made = open_table(site)
    for number in range(1, WINTER):
        made.set_phase(number, state=PhaseState.SENT)
    made.set_phase(WINTER, state=PhaseState.OPEN)
    site.clock.set(made.phase(WINTER).opens_at)
    assert [str(phase_of(made.phase(n))) for n in (WINTER, SPRING)] == ["Winter 1643 Adjustment", "Spring 1643 Movement"]
    return made


def move(table: Table, number: int, deadline: datetime, *, later: bool) -> None:
    with table.site.store.begin() as session:
        move_deadline(session, table.phase(number).id, deadline, WHY, shift_later=later, by="Ada", now=table.site.clock.now())


def test_the_next_years_first_day_may_be_moved_and_winter_stand(table: Table) -> None:
    """Q-10: day 47 ends at 07:00 on day 48, so the year of day 49 begins a day after that. By two acts Winter's own deadline
    stands and everything from Spring on comes five days later."""
    before = table.phases()
    winter, spring = before[WINTER - 1], before[SPRING - 1]
    assert spring.opens_at - winter.deadline == timedelta(days=1)
    move(table, WINTER, winter.deadline + timedelta(days=5), later=True)
    move(table, WINTER, winter.deadline, later=False)
    after = table.phases()
    assert (after[WINTER - 1].opens_at, after[WINTER - 1].deadline) == (winter.opens_at, winter.deadline)
    for was, now in zip(before[SPRING - 1 :], after[SPRING - 1 :], strict=True):
        assert now.opens_at - was.opens_at == now.deadline - was.deadline == timedelta(days=5)
