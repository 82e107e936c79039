"""No player is asked to clarify, and no one sees the lines before the deadline (SUB-07)."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from service.store.tables import LineRow, LineState, PhaseState
from tests.service.intake.sheets.test_read_submission import HEADING, MONTROSE, Desk, page, recognized
from tests.support.desk_table import open_desk
from tests.support.mail_builder import picture
from tests.support.site import Site
from tests.support.table import open_table

DOUBTFUL = ("Army Aberden mowes to The Meams", 0.6)
FOOLISH = "Army London moves to Orkney"
"""Clearly written, for a unit that no one has, and impossible on the board."""


@pytest.fixture
def desk(site: Site) -> Desk:
    return Desk(open_table(site))


def test_a_doubtful_and_a_foolish_line_bring_a_receipt_and_no_question(desk: Desk) -> None:
    """SUB-07: from the arrival to the desk after the deadline the player gets one letter, and no question."""
    submission_id = desk.mailed()
    desk.read(submission_id, {picture(90): (recognized(page([*HEADING, DOUBTFUL, FOOLISH])),)})
    assert desk.table.written_letters() == [("receipt", MONTROSE)]
    words = desk.table.words(desk.table.letters()[0])
    assert "?" not in words
    assert "No person has read your orders yet." in words
    phase = desk.table.phase()
    desk.table.site.clock.set(phase.deadline)
    desk.table.close_phase(phase.id)
    assert desk.table.phase().state == PhaseState.CLOSED
    assert desk.table.written_letters() == [("receipt", MONTROSE)]
    with desk.table.site.store() as session:
        waits = session.scalars(select(LineRow.text).where(LineRow.status == LineState.OPEN)).all()
    assert DOUBTFUL[0] in waits, "the coordinator reads it"


def test_before_the_deadline_no_line_can_be_reviewed(desk: Desk) -> None:
    """SUB-07: waiting lines are neither shown nor decided while orders can still be revised."""
    submission_id = desk.mailed()
    desk.read(submission_id, {picture(90): (recognized(page([*HEADING, DOUBTFUL])),)})
    phase, browser = desk.table.phase(), open_desk(desk.table)
    for path in (f"/desk/{phase.id}", f"/sheets/{phase.id}", f"/sheet/{submission_id}", "/"):
        page_text = browser.text(path)
        assert "Meams" not in page_text
        assert "Mearns" not in page_text
    line = desk.lines(submission_id)[-1]
    answer = browser.post(f"/desk/{phase.id}/decide", line=line.id, key="k", do="first")
    assert answer.status_code in {403, 409}
    assert desk.lines(submission_id)[-1].status == LineState.OPEN
