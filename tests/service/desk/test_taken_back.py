"""PHA-04, Q-78: results that were sent are taken back, judged again and sent again, from the line that was
read wrongly or from the desk; or the board in play is corrected. What it changes is shown before it is
done."""

from __future__ import annotations

import re
from html import unescape

import pytest
from sqlalchemy import update

from adjudicator.serialize import codec
from service.clock import SimulatedClock
from service.games.acts.results import TakeBackResults
from service.games.decisions import own_lines
from service.games.refused import Refused
from service.notices.broadcasts import Broadcasts
from service.notices.results import ResultsAnnouncer
from service.store.tables import OutboxRow, OutboxState, PhaseState
from tests.support.acting import do
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import Site
from tests.support.table import Table, autumn_1642, open_table

WHY = "The unit holds; the machine read an arrow."
ATTACK = "A Lindsey - Kesteven & Holland"


@pytest.fixture
def desk(site: Site) -> DeskTable:
    """An Autumn whose results were sent: a unit must retreat, since an order was read wrongly."""
    table = open_table(site, position=autumn_1642())
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    sheet = table.file("Manchester", [ATTACK, "A Norfolk S A Lindsey - Kesteven & Holland"])
    site.clock.set(table.phase().deadline)
    table.close_phase(table.phase().id)
    opened = open_desk(table, approve=table.approve_phase, circulars=Broadcasts(table.writer),
                       wall=SimulatedClock(site.clock.now()))
    assert opened.post(f"/sheet/{sheet}/right").status_code == 303
    table.approve_phase(table.phase().id, "Ada")
    return opened


def form_of_line(table: Table, words: str) -> str:
    """The address of the form about the line with these words."""
    with table.site.store() as session:
        line = next(line.id for sheet in table.submissions() for line in own_lines(session, sheet.id)
                    if line.order == words)
    return f"/results/{table.phase().id}/line/{line}"


def test_a_line_read_otherwise_judges_again_and_changes_what_is_asked(desk: DeskTable) -> None:
    table = desk.table
    assert table.phase(2).state == PhaseState.OPEN
    form = form_of_line(table, ATTACK)
    assert form in desk.client.get(f"/results/{table.phase().id}").text
    assert "The right reading" in desk.text(form)
    before, letters = table.resolution(), len(table.letters())
    look = desk.post(form, do="edit", text="A Lindsey holds", why=WHY, key="once").text
    for words in ("Army Lindsey holds", "before: Army Lindsey moves to Kesteven &amp; Holland",
                  "is at the desk again", "waits until the new results are sent"):
        assert words in look
    assert (table.phase().state, table.resolution(), len(table.letters())) == (
        PhaseState.SENT, before, letters)
    assert desk.press_twice(form, do="edit", text="A Lindsey holds", why=WHY, key="once").status_code == 303
    assert [table.phase(number).state for number in (1, 2)] == [PhaseState.READY, PhaseState.WAITING]
    assert table.phase(2).position is None
    assert WHY in table.words(table.letters("announcement")[-1])
    page = f"/results/{table.phase().id}"
    assert "before: Army Lindsey moves to" in desk.text(page).partition("These replace results")[2]
    assert desk.post(f"{page}/approve").status_code == 303
    # No unit is dislodged any more, so the retreat is passed over, and the Winter is asked.
    assert [table.phase(number).state for number in (1, 2, 3)] == ["sent", "sent", "waiting"]
    assert table.position(3).units == table.resolution().position.units
    assert not table.resolution().dislodged
    results = [table.words(row) for row in table.letters()
               if row.kind in {"draft_results", "final_results"} and row.power == "Manchester"]
    assert len(results) == 2
    assert "before: Army Lindsey moves to Kesteven & Holland" in " ".join(results[1].split())


def test_what_came_for_a_later_phase_counts_on_the_board_that_is_right(desk: DeskTable) -> None:
    """The unit that an unread line had left behind has its next order judged, not void."""
    table, retreats = desk.table, desk.table.phase(2)
    [(power, unit)] = [(retreat.unit.power, retreat.unit) for retreat in table.position(2).dislodged]
    disband = f"{unit.kind} {unit.region} disbands"
    assert desk.press_twice(
        f"/results/{table.phase().id}/take-back", why=WHY).headers["location"] == f"/desk/{table.phase().id}"
    table.file(power, [disband], number=2, received_at=table.site.clock.now())
    assert table.phase(2).state == PhaseState.WAITING
    table.judge_phase(table.phase().id)
    table.approve_phase(table.phase().id, "Ada")
    assert table.phase(2).state == PhaseState.OPEN
    table.site.clock.set(retreats.deadline)
    table.close_phase(retreats.id)
    assert [outcome for (of, _), outcome in table.outcomes(2).items() if of == power] == ["succeeds"]


def test_nothing_is_taken_back_that_was_not_sent_or_ended_the_game(desk: DeskTable) -> None:
    table, circulars = desk.table, Broadcasts(desk.table.writer)
    for phase in (2, 3):
        with pytest.raises(Refused, match="only sent results"):
            do(table, TakeBackResults(table.phase(phase).id, WHY), by="Ada", circulars=circulars)
    assert desk.post(f"/results/{table.phase().id}/take-back", why="x").status_code == 409
    for number in range(2, len(table.phases()) + 1):
        table.set_phase(number, state=PhaseState.SENT)
    with pytest.raises(Refused, match="the game is over"):
        do(table, TakeBackResults(table.phase().id, WHY), by="Ada", circulars=circulars)
    assert table.phase().state == PhaseState.SENT


def test_the_board_in_play_is_corrected_where_nothing_is_judged_again(desk: DeskTable) -> None:
    table = desk.table
    retreats = table.phase(2)
    page = f"/results/{table.phase().id}/correct"
    assert "Correct the board" not in desk.text(page)  # while a unit retreats
    table.site.clock.set(retreats.deadline)
    table.close_phase(retreats.id)
    table.approve_phase(retreats.id, "Ada")
    winter = table.phase(3)
    form = desk.client.get(page).text
    assert "Correct the board" in form
    texts = [unescape(text) for text in re.findall(r"<textarea[^>]*>([^<]*)</textarea>", form)[:2]]
    assert "Manchester: Army Norfolk" in texts[0]
    path = f"/results/{winter.id}/board"
    wrong = {"units": texts[0].replace("Army Norfolk", "Army Atlantis"), "centres": texts[1], "why": WHY}
    assert "Army Atlantis" in desk.post(path, **wrong).text
    assert desk.post(path, units=texts[0], centres=texts[1], why=WHY).status_code == 409
    right = texts[0].replace("Army Norfolk", "Army Cornwall")
    assert "Army Cornwall" not in texts[0]
    look = desk.post(path, units=right, centres=texts[1], why=WHY).text
    assert "no longer has Army Norfolk" in look.partition("What is different")[2]
    assert table.position(3) == codec.load_position(winter.position or {})
    assert desk.press_twice(path, units=right, centres=texts[1], why=WHY).status_code == 303
    moved = {str(unit) for unit in table.position(3).units} ^ {
        str(unit) for unit in codec.load_position(winter.position or {}).units}
    assert moved == {"Manchester A Norfolk", "Manchester A Cornwall"}
    letters = [" ".join(table.words(row).split()) for row in table.letters("announcement")]
    assert len(letters) == len(table.variant.powers)
    assert "Manchester has Army Cornwall." in letters[0]
    assert "Manchester no longer has Army Norfolk." in letters[0]


def test_results_that_hold_no_more_do_not_leave_and_a_form_sent_twice_does_no_harm(desk: DeskTable) -> None:
    table = desk.table
    with table.site.store.begin() as session:
        session.execute(
            update(OutboxRow).where(OutboxRow.power == "Argyll", OutboxRow.kind == "draft_results")
            .values(state=OutboxState.QUEUED, sent_at=None))
    form = form_of_line(table, ATTACK)
    fields: dict[str, object] = {"do": "edit", "text": "A Lindsey holds", "why": WHY, "key": "once"}
    assert desk.press_twice(form, **fields).status_code == 303
    states = {row.power: row.state for row in table.letters("draft_results") if row.power}
    assert states.pop("Argyll") == OutboxState.CANCELLED
    assert set(states.values()) == {OutboxState.SENT}
    again, letters = table.resolution(), len(table.letters())
    for path, answer in ((form, f"/results/{table.phase().id}"),
                         (f"/results/{table.phase().id}/take-back", f"/desk/{table.phase().id}")):
        assert desk.post(path, **fields).headers["location"] == answer
    assert (table.resolution(), len(table.letters())) == (again, letters)
