"""A moved deadline of a running game (CAL-14, CAL-15, OUT-12)."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from service.games import mailbox_waits
from service.games.acts.deadlines import MoveDeadline
from service.games.deadlines import DeadlineExtension, schedule
from service.games.phases import phase_of
from service.games.refused import Refused
from service.games.turns import extend_calendar
from service.notices.broadcasts import Broadcasts
from service.store.tables import EventRow, GameRow, PhaseRow, PhaseState
from tests.support.acting import do
from tests.support.site import Site
from tests.support.table import Table, open_table


def move(
    table: Table, phase: PhaseRow, deadline: datetime, reason: str = "Post strike", *, later: bool = False,
    now: datetime | None = None,
) -> DeadlineExtension:
    act = MoveDeadline(table.game, phase.id, deadline.date().isoformat(), f"{deadline:%H:%M}", reason, later)
    return do(table, act, now=now)


def test_one_deadline_moves_and_the_retreats_open_with_it(site: Site) -> None:
    table = open_table(site)
    first, second, third = table.phases()[:3]
    new = first.deadline + timedelta(days=1)
    moved = move(table, first, new)
    after = table.phases()
    assert [str(m.phase) for m in moved.moved] == [f"{first.season} {first.year} Movement"]
    assert (after[0].deadline, after[0].moved, after[0].opens_at) == (new, 1, first.opens_at)
    assert (after[1].opens_at, after[1].deadline, after[1].moved) == (new, second.deadline, 0)
    assert (after[2].opens_at, after[2].deadline) == (third.opens_at, third.deadline)


def test_everything_later_moves_too_where_that_is_chosen(site: Site) -> None:
    table = open_table(site)
    before = table.phases()
    move(table, before[0], before[0].deadline + timedelta(days=7), later=True)
    for was, now in zip(before[1:], table.phases()[1:], strict=True):
        assert now.deadline - was.deadline == timedelta(days=7)
        assert now.opens_at - was.opens_at == timedelta(days=7)
        assert now.moved == 1


@pytest.mark.parametrize(("slug", "is_first"), [("w3k", False), ("brittania", True)])
def test_the_letter_tells_which_sheet_counts_in_its_game(site: Site, slug: str, *, is_first: bool) -> None:
    """OUT-12, Q-60: where the first sheet counts the letter promised what the receipts deny."""
    table = open_table(site, slug=slug)
    later = table.phase().deadline + timedelta(days=1)
    act = MoveDeadline(table.game, table.phase().id, f"{later:%Y-%m-%d}", "07:00", "Post strike")
    do(table, act, circulars=Broadcasts(table.writer))
    words = table.words(table.letters("deadline_moved")[-1])
    assert ("nothing you send later replaces it" in words, "a higher version replaces it" in words) == (
        is_first, not is_first)


@pytest.mark.parametrize(("later", "days"), [(True, 7), (False, 0)])
def test_phases_added_afterwards_follow_the_moved_calendar(site: Site, later: bool, days: int) -> None:
    """Moved as a whole: later years too. Moved alone: they stand (CAL-15)."""
    table = open_table(site)
    first, *_, last = table.phases()
    move(table, first, first.deadline + timedelta(days=7 if later else 1), later=later)
    with site.store.begin() as session:
        session.get_one(PhaseRow, first.id).state = PhaseState.SENT
        session.flush()
        extend_calendar(session, session.get_one(GameRow, table.game), table.variant)
        start = date.fromisoformat(str(session.get_one(GameRow, table.game).options["start"]))
    new = table.phases()[-1]
    assert new.ordinal == last.ordinal + 1
    planned = schedule(start, table.variant.calendar, phase_of(first), new.ordinal)[-1]
    assert new.deadline == planned.deadline + timedelta(days=days)


def test_reason_is_recorded(site: Site) -> None:
    table = open_table(site)
    phase = table.phases()[0]
    move(table, phase, phase.deadline + timedelta(days=1), "Storm in the Channel")
    with site.store() as session:
        event = session.query(EventRow).filter_by(what="deadline_moved").one()
    assert (event.actor, event.detail["reason"]) == ("Ada", "Storm in the Channel")


@pytest.mark.parametrize(
    ("new", "now", "reason", "says"),
    [
        (timedelta(days=-900), None, "Post strike", "is in the past"),
        (timedelta(0), None, "Post strike", "closes at that time already"),
        (timedelta(days=1), None, "  ", "needs a reason"),
        (timedelta(days=30), None, "Post strike", "move the later phases too"),
        (timedelta(days=1), timedelta(seconds=1), "Post strike", "has passed"),
    ],
)
def test_what_cannot_be_moved_changes_nothing(
    site: Site, new: timedelta, now: timedelta | None, reason: str, says: str
) -> None:
    table = open_table(site)
    before = [(p.opens_at, p.deadline, p.moved) for p in table.phases()]
    phase = table.phases()[0]
    with pytest.raises(Refused, match=says):
        move(table, phase, phase.deadline + new, reason, now=None if now is None else phase.deadline + now)
    assert [(p.opens_at, p.deadline, p.moved) for p in table.phases()] == before


def test_a_phase_that_waits_past_its_deadline_is_given_time_and_a_closed_one_is_not(site: Site) -> None:
    table = open_table(site)
    first = table.phase()
    later, past = first.deadline + timedelta(days=1), first.deadline + timedelta(hours=1)
    # While the workers are away it is about to close, and the record has no wait that explains a move (C10).
    with pytest.raises(Refused, match="closes in a moment"):
        move(table, first, later, now=past)
    with site.store.begin() as session:
        assert mailbox_waits.waits(session, first, "The mailbox could not be emptied.", past)
    move(table, first, later, now=past)
    assert (table.phase().deadline, table.phase().state) == (later, PhaseState.OPEN)
    table.set_phase(1, state=PhaseState.CLOSED)
    with pytest.raises(Refused, match="is closed"):
        move(table, first, later + timedelta(days=1), now=past)
