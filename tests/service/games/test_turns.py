"""A phase from its deadline to its results, each step once: closing, judging, approving."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

import maps
from adjudicator.calendar import Phase, PhaseKind
from adjudicator.geo import Region
from adjudicator.outcome import Resolution
from adjudicator.position import Position
from adjudicator.units import Unit
from service.games.turns import AHEAD, NotReady, Overtaken, judge_if_read, written_orders
from service.store.tables import EventRow, LineState, MailState, PhaseRow, PhaseState, SubmissionRow
from tests.support.site import Site
from tests.support.table import NotedAnnouncer, Table, autumn_1642, open_table

MINUTE = timedelta(minutes=1)


@pytest.fixture
def table(site: Site) -> Table:
    return open_table(site)


@pytest.fixture
def autumn(site: Site) -> Table:
    """The Autumn of the demo, with Manchester's attack on Newcastle's army."""
    table = open_table(site, position=autumn_1642())
    table.file("Manchester", ["A Lindsey - Kesteven & Holland", "A Norfolk S A Lindsey - Kesteven & Holland"])
    return table


def announcer(table: Table) -> NotedAnnouncer:
    assert isinstance(table.announce, NotedAnnouncer)
    return table.announce


def events(table: Table, kind: str) -> int:
    with table.site.store() as session:
        return len(session.scalars(select(EventRow).where(EventRow.what == kind)).all())


def close(table: Table, number: int = 1) -> None:
    """Let the deadline of a phase pass, and close it."""
    phase = table.phase(number)
    table.site.clock.set(phase.deadline + MINUTE)
    table.close_phase(phase.id)


def finish(table: Table, number: int = 1) -> None:
    close(table, number)
    table.approve_phase(table.phase(number).id, "ada")


# Closing
# ----------------------------------------------------------------------------------------------------------


def test_a_deadline_empties_the_mailbox_closes_and_judges(table: Table) -> None:
    table.file("Hamilton", ["F Dunbar - Firth of Forth"])
    close(table)
    phase = table.phase()
    assert table.drained == [phase.deadline + MINUTE]
    assert (phase.state, phase.closed_at, phase.judged_at) == (
        PhaseState.READY,
        *[phase.deadline + MINUTE] * 2,
    )
    assert table.outcomes() == {("Hamilton", "F Dunbar - Firth of Forth"): "succeeds"}


def test_nothing_closes_before_its_deadline(table: Table) -> None:
    table.site.clock.set(table.phase().deadline - timedelta(seconds=1))
    table.close_phase(table.phase().id)
    assert table.phase().state == PhaseState.OPEN
    assert events(table, "phase_closed") == 0


def test_a_deadline_moved_meanwhile_closes_nothing(table: Table) -> None:
    old = table.phase().deadline
    table.on_drain = lambda: table.set_phase(1, deadline=old + timedelta(days=1))
    close(table)
    assert table.phase().state == PhaseState.OPEN
    assert table.phase().resolution is None
    table.on_drain = lambda: None
    close(table)
    assert table.phase().closed_at == old + timedelta(days=1) + MINUTE


def test_closing_twice_has_one_effect(table: Table) -> None:
    close(table)
    first = table.phase()
    # After five minutes the schedule's key is a new one, so the same work may well come again.
    table.site.clock.advance(timedelta(minutes=6))
    table.close_phase(first.id)
    second = table.phase()
    assert (second.closed_at, second.judged_at) == (first.closed_at, first.judged_at)
    assert (events(table, "phase_closed"), events(table, "phase_judged")) == (1, 1)


def test_a_close_that_was_cut_off_before_the_judging_is_taken_up(table: Table) -> None:
    table.set_phase(1, state=PhaseState.CLOSED, closed_at=table.phase().deadline)
    close(table)
    assert table.phase().state == PhaseState.READY
    assert events(table, "phase_closed") == 0


def test_a_phase_does_not_open_before_the_results_of_the_one_before_are_sent(table: Table) -> None:
    """PHA-01: no one is asked until then. Once they leave it asks at once, its hour being past."""
    close(table)
    table.site.clock.set(table.phase(2).opens_at)
    table.open_phase(table.phase(2).id)
    assert table.phase(2).state == PhaseState.WAITING
    table.close_phase(999)


def test_a_mail_in_time_that_nobody_has_judged_yet_is_judged_at_the_close(table: Table) -> None:
    phase = table.phase()
    # Both arrive before the close runs: only the server's stamp shows which was in time (SUB-13).
    key = table.arrive(table.mail("Montrose"), phase.deadline - MINUTE)
    late = table.arrive(table.mail("Argyll"), phase.deadline + timedelta(seconds=1))
    close(table)
    assert table.mail_row(key).state == MailState.USED
    # The deadline did not wait for it; its own job judges it.
    assert table.mail_row(late).state == MailState.STORED
    table.process(late)
    assert table.mail_row(late).reason == "late"
    assert [submission.power for submission in table.submissions()] == ["Montrose"]
    assert table.phase().state == PhaseState.CLOSED  # its sheet is not read yet


# Judging
# ----------------------------------------------------------------------------------------------------------


def test_a_turn_is_judged_only_when_every_sheet_is_read(table: Table) -> None:
    table.file("Hamilton", ["F Dunbar - Firth of Forth"])
    submission_id = table.file("Argyll", ["A Edinburgh - Midlothian"], read=False)
    close(table)
    phase = table.phase()
    assert phase.state == PhaseState.CLOSED
    assert table.judge_when_read(phase.id) is False
    with table.site.store.begin() as session:
        session.get_one(SubmissionRow, submission_id).read_at = table.site.clock.now()
    assert table.judge_when_read(phase.id) is True
    assert table.outcomes()["Argyll", "A Edinburgh - Midlothian"] == "succeeds"


def test_two_workers_that_judge_at_once_judge_once(table: Table) -> None:
    """SCA-09: of thirty-three processes on two cores some were taken for dead while they judged, and fifteen
    games of a hundred had two judgements in their records."""
    submission_id = table.file("Argyll", ["A Edinburgh - Midlothian"], read=False)
    close(table)
    with table.site.store.begin() as session:
        session.get_one(SubmissionRow, submission_id).read_at = table.site.clock.now()
    with table.site.store() as slow_session:
        phase = slow_session.get_one(PhaseRow, table.phase().id)
        assert phase.state == PhaseState.CLOSED
        assert table.judge_when_read(phase.id) is True
        with pytest.raises(Overtaken):
            judge_if_read(slow_session, phase, table.site.clock.now(), table.load)
    # Nor does the same job, when it runs again.
    assert table.judge_when_read(table.phase().id) is True
    assert events(table, "phase_judged") == 1


def test_a_mail_in_time_without_an_end_holds_up_the_judging_and_a_late_one_does_not(table: Table) -> None:
    close(table)
    phase = table.phase()
    table.arrive(table.mail("Argyll"), phase.deadline + timedelta(seconds=1))
    assert table.judge_when_read(phase.id) is True
    table.arrive(table.mail("Montrose"), phase.deadline)
    assert table.judge_when_read(phase.id) is False
    with pytest.raises(NotReady):
        table.approve_phase(phase.id, "ada")


@pytest.mark.parametrize(
    ("state", "judged"),
    [
        (LineState.OPEN, False),
        (LineState.SKIPPED, False),
        (LineState.AUTO, True),
        (LineState.READ, True),
        (LineState.VOID, True),
        (LineState.NOT_ORDER, True),
    ],
)
def test_no_turn_is_judged_while_a_line_waits_for_a_person(
    table: Table, state: LineState, judged: bool
) -> None:
    table.file("Hamilton", [("F Dunbar - Firth of Forth", state)])
    close(table)
    assert (table.phase().state == PhaseState.READY) is judged
    if judged:
        counts = state in {LineState.AUTO, LineState.READ}
        assert (("Hamilton", "F Dunbar - Firth of Forth") in table.outcomes()) is counts


def test_a_line_of_a_sheet_that_does_not_count_holds_nothing_up(table: Table) -> None:
    table.file("Hamilton", [("F Dunbar - Firth of Forth", LineState.OPEN)], version=1)
    table.file("Hamilton", ["A Glasgow - Renfrewshire"], version=2)
    close(table)
    assert table.outcomes() == {("Hamilton", "A Glasgow - Renfrewshire"): "succeeds"}


def test_a_sheet_after_the_deadline_is_no_part_of_the_turn(table: Table) -> None:
    deadline = table.phase().deadline
    table.file("Hamilton", ["A Glasgow - Renfrewshire"], received_at=deadline)
    table.file("Hamilton", ["A Glasgow H"], version=2, received_at=deadline + timedelta(seconds=1))
    close(table)
    assert table.outcomes() == {("Hamilton", "A Glasgow - Renfrewshire"): "succeeds"}


def test_every_outcome_leads_back_to_its_line(table: Table) -> None:
    table.file("Hamilton", ["A Glasgow - Renfrewshire", "F Dunbar - Firth of Forth"], heading=["Hamilton"])
    close(table)
    with table.site.store() as session:
        written = written_orders(session, session.get_one(PhaseRow, table.phase().id), table.variant)
    lines = [written_order.line for written_order in written]
    assert [line.text for line in lines] == ["A Glasgow - Renfrewshire", "F Dunbar - Firth of Forth"]
    assert [written_order.order.line for written_order in written] == [line.id for line in lines]
    assert [outcome.order.line for outcome in table.resolution().outcomes] == [line.id for line in lines]


@pytest.mark.parametrize("state", [PhaseState.WAITING, PhaseState.OPEN, PhaseState.SENT])
def test_only_a_closed_phase_can_be_judged(table: Table, state: PhaseState) -> None:
    table.set_phase(1, state=state)
    with pytest.raises(NotReady, match="deadline has passed"):
        table.judge_phase(table.phase().id)
    assert table.judge_when_read(table.phase().id) is False
    assert table.phase().resolution is None


def test_judging_again_draws_the_same_lots(table: Table) -> None:
    close(table)
    first = table.phase().resolution
    table.site.clock.advance(MINUTE)
    table.judge_phase(table.phase().id)
    assert table.phase().resolution == first
    assert table.phase().judged_at == table.site.clock.now()


# Approving
# ----------------------------------------------------------------------------------------------------------


def test_nothing_is_written_when_a_rendering_fails(table: Table) -> None:
    close(table)
    announcer(table).fails = True
    before = [(p.state, p.position) for p in table.phases()]
    with pytest.raises(RuntimeError, match="no picture"):
        table.approve_phase(table.phase().id, "ada")
    assert [(p.state, p.position) for p in table.phases()] == before
    assert announcer(table).put == []
    assert events(table, "results_approved") == 0
    announcer(table).fails = False
    table.approve_phase(table.phase().id, "ada")
    assert table.phase().state == PhaseState.SENT


def test_a_second_approval_changes_nothing(table: Table) -> None:
    finish(table)
    before = [(p.state, p.sent_at, p.position) for p in table.phases()]
    table.site.clock.advance(timedelta(hours=1))
    table.approve_phase(table.phase().id, "bram")
    assert [(p.state, p.sent_at, p.position) for p in table.phases()] == before
    assert announcer(table).put == [Phase(1642, "Summer", PhaseKind.MOVEMENT)]
    assert events(table, "results_approved") == 1


@pytest.mark.parametrize("state", [PhaseState.OPEN, PhaseState.CLOSED])
def test_what_is_not_judged_cannot_be_approved(table: Table, state: PhaseState) -> None:
    table.set_phase(1, state=state)
    with pytest.raises(NotReady, match="the turn is not judged yet"):
        table.approve_phase(table.phase().id, "ada")
    assert announcer(table).prepared == []


def test_results_that_were_judged_again_while_they_were_drawn_are_not_sent(table: Table) -> None:
    class Slow(NotedAnnouncer):
        def prepare(
            self, session: Session, phase: PhaseRow, resolution: Resolution
        ) -> Callable[[Session], None]:
            table.site.clock.advance(MINUTE)
            table.judge_phase(phase.id)
            return told_in.append

    told_in: list[Session] = []
    close(table)
    table.announce = Slow()
    with pytest.raises(NotReady, match="judged again"):
        table.approve_phase(table.phase().id, "ada")
    assert table.phase().state == PhaseState.READY
    assert told_in == []


# Going on
# ----------------------------------------------------------------------------------------------------------


def test_retreats_that_nobody_has_to_make_are_over_and_the_dates_stand(table: Table) -> None:
    """CAL-17, Q-11."""
    dates = [(p.opens_at, p.deadline) for p in table.phases()]
    finish(table)
    movement, retreat, autumn = table.phases()[:3]
    assert (movement.state, retreat.state, autumn.state) == (
        PhaseState.SENT,
        PhaseState.SENT,
        PhaseState.WAITING,
    )
    assert retreat.resolution is None
    assert table.position(3).phase == Phase(1642, "Autumn", PhaseKind.MOVEMENT)
    assert table.position(3).units == table.variant.start.units
    assert [(p.opens_at, p.deadline) for p in table.phases()][: len(dates)] == dates
    table.site.clock.set(autumn.opens_at - timedelta(seconds=1))
    table.open_phase(autumn.id)
    assert table.phase(3).state == PhaseState.WAITING
    table.site.clock.set(autumn.opens_at)
    table.open_phase(autumn.id)
    table.open_phase(autumn.id)
    assert table.phase(3).state == PhaseState.OPEN
    assert events(table, "phase_opened") == 1


def test_a_beaten_unit_opens_its_retreats_at_once(autumn: Table) -> None:
    finish(autumn)
    retreat = autumn.phase(2)
    assert (retreat.kind, retreat.state) == (PhaseKind.RETREAT, PhaseState.OPEN)
    (beaten,) = autumn.position(2).dislodged
    assert beaten.unit == Unit("Newcastle", "A", Region("Kesteven & Holland"))
    assert autumn.phase(3).position is None
    autumn.file("Newcastle", ["A Kesteven & Holland R Newark"], number=2)
    finish(autumn, 2)
    assert Unit("Newcastle", "A", Region("Newark")) in autumn.position(3).units
    assert autumn.phase(3).kind == PhaseKind.ADJUSTMENT


def test_results_approved_after_the_next_season_began_open_it_at_once(table: Table) -> None:
    close(table)
    table.site.clock.set(table.phase(3).opens_at + timedelta(days=1))
    table.approve_phase(table.phase().id, "ada")
    assert table.phase(3).state == PhaseState.OPEN


def test_a_phase_does_not_open_while_an_earlier_one_is_open(table: Table) -> None:
    table.site.clock.set(table.phase(3).opens_at)
    table.open_phase(table.phase(3).id)
    assert table.phase(3).state == PhaseState.WAITING
    table.open_phase(999)


def test_a_winner_ends_the_game(site: Site) -> None:
    """VIC-01: the most centres, and at least 55, when the Autumn ends."""
    board = maps.load("w3k")
    centres = sorted(c for owned in board.start.centres.values() for c in owned)
    crown = frozenset(centres[: board.victory]) | board.start.centres["The Crown"]
    owned = {power: held - crown for power, held in board.start.centres.items()} | {"The Crown": crown}
    units = frozenset(u for u in board.start.units if u.power == "The Crown")
    position = Position(Phase(1642, "Autumn", PhaseKind.MOVEMENT), units, owned)
    table = open_table(site, position=position)
    finish(table)
    assert table.resolution().winner == "The Crown"
    assert {p.state for p in table.phases()} == {PhaseState.SENT}
    assert all(p.position is None for p in table.phases()[1:])


def test_there_is_always_a_year_on_the_calendar(table: Table) -> None:
    # Phases 2 and 4 are retreats that no one has to make.
    for number in (1, 3, 5):
        table.site.clock.set(table.phase(number).opens_at)
        table.open_phase(table.phase(number).id)
        finish(table, number)
        ahead = [p for p in table.phases() if p.state != PhaseState.SENT]
        assert len(ahead) >= AHEAD
        assert len({p.commitment for p in table.phases()}) == len(table.phases())


@pytest.mark.parametrize("turned", [False, True])
def test_the_order_in_which_papers_come_is_irrelevant(site: Site, turned: bool) -> None:
    # By hand: Lindsey with Norfolk is 2, Kesteven & Holland with Cambridgeshire is 2, and no one cuts a
    # support.
    table = open_table(site, position=autumn_1642())
    sheets = {
        "Newcastle": {"A Kesteven & Holland H": "succeeds"},
        "Manchester": {
            "A Lindsey - Kesteven & Holland": "bounced",
            "A Norfolk S A Lindsey - Kesteven & Holland": "succeeds",
        },
        "Protectorate": {"A Cambridgeshire S A Kesteven & Holland": "succeeds"},
    }
    for power in sorted(sheets, reverse=turned):
        table.file(power, list(sheets[power]))
    close(table)
    assert table.outcomes() == {
        (power, text): result for power, orders in sheets.items() for text, result in orders.items()
    }
    assert table.resolution().dislodged == ()
