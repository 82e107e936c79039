"""PHA-01, Q-75: a phase whose players were not asked cannot close, and results that leave late give their
players the calendar's time."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from service.clock import SimulatedClock
from service.facts.events import Event
from service.games import mailbox_waits
from service.games.acts.deadlines import MoveDeadline
from service.games.acts.phases import JudgeWithoutMailbox
from service.games.approval.approve import AnswerBy, time_to_answer
from service.games.refused import Refused
from service.games.turns import NotReady
from service.mail.mailbox.drain import DrainOutcome
from service.notices.broadcasts import Broadcasts
from service.notices.results import ResultsAnnouncer
from service.operations.mailbox_wait import MailboxWait
from service.store import phase_looks
from service.store.phase_looks import Look
from service.store.tables import EventRow, OutboxRow, OutboxState, PhaseRow, PhaseState
from tests.support.acting import do
from tests.support.site import Site
from tests.support.table import Table, autumn_1642, open_table

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
WHY = "The coordinator was ill."


@pytest.fixture
def table(site: Site) -> Table:
    """The Autumn of the demo, judged at its deadline: Newcastle's army must retreat."""
    table = open_table(site, position=autumn_1642())
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    table.file("Manchester", ["A Lindsey - Kesteven & Holland", "A Norfolk S A Lindsey - Kesteven & Holland"])
    pass_deadline(table, 1)
    assert table.phase().state == PhaseState.READY
    return table


def pass_deadline(table: Table, number: int) -> None:
    table.site.clock.set(table.phase(number).deadline + MINUTE)
    look(table)


def look(table: Table) -> None:
    """What the clockwork does: open and close each phase whose hour has come."""
    now = Look(table.site.clock.now())
    with table.site.store() as session:
        opening = [phase.id for phase in phase_looks.to_open(session, now)]
        closing = [phase.id for phase in phase_looks.past_deadline(session, now)]
    for phase in opening:
        table.open_phase(phase)
    for phase in closing:
        waits = MailboxWait(table.site.store, table.site.clock, table.writer, DrainOutcome)
        if not waits.must_wait(phase):
            table.close_phase(phase)


def proposed(table: Table) -> AnswerBy:
    with table.site.store() as session:
        answer = time_to_answer(
            session, session.get_one(PhaseRow, table.phase().id), table.load, table.site.clock.now())
    assert answer is not None
    return AnswerBy(answer.proposed, WHY)


def events(table: Table, kind: Event) -> list[EventRow]:
    with table.site.store() as session:
        return list(session.scalars(select(EventRow).where(EventRow.what == kind)))


def unsend(table: Table, power: str, state: OutboxState) -> None:
    """The mail server has not accepted the letters of the results to a power."""
    with table.site.store.begin() as session:
        session.execute(
            update(OutboxRow).where(OutboxRow.power == power, OutboxRow.phase_id == table.phase().id)
            .values(state=state, sent_at=None))


def test_results_that_leave_after_the_next_deadline_give_the_calendars_time(table: Table) -> None:
    """The fault: ten letters asked for retreats by a minute before they left, and the phase was judged at
    once with no sheet."""
    before = table.phases()
    pass_deadline(table, 2)
    pass_deadline(table, 3)
    assert [phase.state for phase in table.phases()[1:3]] == [PhaseState.WAITING] * 2
    with pytest.raises(NotReady, match="Choose a deadline"):
        table.approve_phase(table.phase().id, "ada")
    assert table.letters() == []

    now = table.site.clock.now()
    table.approve_phase(table.phase().id, "ada", proposed(table))
    look(table)
    retreats, after = table.phase(2), table.phases()
    assert retreats.state == PhaseState.OPEN
    assert retreats.deadline - now >= before[1].deadline - before[1].opens_at
    shift = retreats.deadline - before[1].deadline
    assert shift % DAY == timedelta()
    assert {row.deadline - was.deadline for row, was in zip(after[2:8], before[2:8], strict=True)} == {shift}
    (request,) = table.letters("retreat_request")
    assert f"{retreats.deadline:%d %b %Y}".lstrip("0") in table.words(request)
    moved = table.letters("deadline_moved")
    assert [WHY in table.words(row) for row in moved] == [True] * 10
    assert [event.detail["reason"] for event in events(table, Event.DEADLINE_MOVED)] == [WHY]
    # The owner of the unit answers in the time that she was given.
    table.file("Newcastle", ["A Kesteven & Holland disbands"], number=2, received_at=retreats.deadline - DAY)
    pass_deadline(table, 2)
    assert ("Newcastle", "A Kesteven & Holland disbands") in table.outcomes(2)


def test_late_results_name_no_retreats_that_nobody_owes(site: Site) -> None:
    """The letter about the new dates stated that they stay, on a day that was past when it left."""
    table = open_table(site)
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    for number in (1, 3):
        pass_deadline(table, number)
    table.approve_however_late(table.phase().id, "ada")
    words = table.words(table.letters("deadline_moved")[0])
    assert "Autumn 1642 Movement" in words
    assert "Winter 1643 Adjustment" in words
    assert "Summer 1642 Retreat" not in words


def test_results_that_leave_within_hours_need_no_answer(table: Table) -> None:
    deadline = table.phase(2).deadline
    table.site.clock.advance(timedelta(hours=20))
    table.approve_phase(table.phase().id, "ada")
    assert (table.phase(2).state, table.phase(2).deadline) == (PhaseState.OPEN, deadline)
    assert table.letters("deadline_moved") == []


def test_a_coordinator_may_confirm_less_time_but_an_hour_at_least(table: Table) -> None:
    deadline = table.phase(2).deadline
    table.site.clock.set(deadline - timedelta(hours=3))
    with pytest.raises(NotReady, match="Choose a deadline"):
        table.approve_phase(table.phase().id, "ada")
    with pytest.raises(NotReady, match="less than 60 minutes"):
        table.approve_phase(table.phase().id, "ada", AnswerBy(deadline - timedelta(hours=2.5), WHY))
    table.approve_phase(table.phase().id, "ada", AnswerBy(deadline, WHY))
    assert (table.phase(2).state, table.phase(2).deadline) == (PhaseState.OPEN, deadline)
    assert events(table, Event.DEADLINE_MOVED) == []


@pytest.mark.parametrize("state", [OutboxState.QUEUED, OutboxState.FAILED])
def test_a_phase_waits_for_a_player_whose_letter_no_server_accepted(table: Table, state: OutboxState) -> None:
    table.approve_phase(table.phase().id, "ada")
    unsend(table, "Newcastle", state)
    # Anyone who owes nothing holds no one up.
    unsend(table, "Montrose", state)
    pass_deadline(table, 2)
    assert table.phase(2).state == PhaseState.OPEN
    (notice,) = table.letters("coordinator_notice")
    assert "Newcastle" in table.words(notice)
    assert "Montrose" not in table.words(notice)

    clock = table.site.clock
    assert isinstance(clock, SimulatedClock)
    later = clock.now() + 2 * DAY
    do(table, MoveDeadline(table.game, table.phase(2).id, f"{later:%Y-%m-%d}", f"{later:%H:%M}", WHY, True))
    with table.site.store.begin() as session:
        session.execute(update(OutboxRow).where(OutboxRow.state == state).values(
            state=OutboxState.SENT, sent_at=clock.now()))
    pass_deadline(table, 2)
    assert table.phase(2).state == PhaseState.READY


def test_who_goes_on_without_a_player_can_open_the_phase_again(table: Table) -> None:
    table.approve_phase(table.phase().id, "ada")
    unsend(table, "Newcastle", OutboxState.FAILED)
    pass_deadline(table, 2)
    do(table, JudgeWithoutMailbox(table.game, table.phase(2).id, WHY))
    look(table)
    assert table.phase(2).state == PhaseState.READY

    later = table.site.clock.now() + 2 * DAY
    again = MoveDeadline(table.game, table.phase(2).id, f"{later:%Y-%m-%d}", f"{later:%H:%M}", WHY, True)
    do(table, again, circulars=Broadcasts(table.writer))
    phase = table.phase(2)
    assert (phase.state, phase.resolution, phase.judged_at) == (PhaseState.OPEN, None, None)
    assert len(table.letters("deadline_moved")) == 10
    with table.site.store() as session:
        assert mailbox_waits.standing(session, phase.id) is None
    unsend(table, "Newcastle", OutboxState.SENT)
    with table.site.store.begin() as session:
        session.execute(update(OutboxRow).where(OutboxRow.power == "Newcastle").values(
            state=OutboxState.SENT, sent_at=table.site.clock.now()))
    pass_deadline(table, 2)
    assert table.phase(2).state == PhaseState.READY
    # Everybody was asked now, so it stays closed.
    with pytest.raises(Refused, match="is closed"):
        do(table, MoveDeadline(table.game, phase.id, f"{later + 9 * DAY:%Y-%m-%d}", "07:00", WHY))
