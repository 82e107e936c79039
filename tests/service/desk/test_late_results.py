"""PHA-01: results that leave past the next deadline ask the coordinator for another one, at the desk."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from service.clock import SimulatedClock
from service.notices.results import ResultsAnnouncer
from service.operations.health import Observation, check_results
from service.operations.mailbox_status import MailboxStatus
from service.store.tables import PhaseState, PlayerRow
from tests.support.desk_table import DeskTable, open_desk
from tests.support.site import Site
from tests.support.table import Table, autumn_1642, open_table

WHY = "The coordinator was ill for a weekend."


@pytest.fixture
def desk(site: Site) -> DeskTable:
    """An Autumn that is judged, with a unit that must retreat."""
    table = open_table(site, position=autumn_1642())
    table.announce = ResultsAnnouncer(table.writer, drawing=False)
    sheet = table.file(
        "Manchester", ["A Lindsey - Kesteven & Holland", "A Norfolk S A Lindsey - Kesteven & Holland"])
    site.clock.set(table.phase().deadline)
    table.close_phase(table.phase().id)
    opened = open_desk(table, approve=table.approve_phase, wall=SimulatedClock(site.clock.now()))
    assert opened.post(f"/sheet/{sheet}/right").status_code == 303
    return opened


def test_whoever_waits_for_results_is_told_no_date_that_is_past(desk: DeskTable) -> None:
    """PHA-10: Health and its alarm name the results that wait, and what they overtake."""
    table, retreats = desk.table, desk.table.phase(2)
    with table.site.store() as session:
        assert not check_results(observation(table, session)).is_trouble
        table.site.clock.set(table.phase().deadline + timedelta(hours=25))
        finding = check_results(observation(table, session))
    assert finding.is_trouble
    assert f"Autumn 1642 Retreat closes {retreats.deadline:%d %b %Y, %H:%M} GMT" in finding.sentence
    page = f"/public/{table.game}"
    assert f"due {retreats.deadline:%a %d %b %Y}" in desk.text(page)
    table.site.clock.set(retreats.deadline + timedelta(hours=1))
    assert "Next: Autumn 1642 Retreat Orders, once the results before it are sent." in desk.text(page)


def observation(table: Table, session: Session) -> Observation:
    site = table.site
    return Observation(session, site.clock.now(), MailboxStatus(site.clock), Path(), engines_loaded=True)


def test_the_page_proposes_a_deadline_and_takes_it(desk: DeskTable) -> None:
    table = desk.table
    path, retreats = f"/results/{table.phase().id}", table.phase(2)
    assert "the players have until" in desk.text(path)
    table.site.clock.set(retreats.deadline + timedelta(hours=30))
    page = desk.client.get(path).text
    assert "Its deadline passed" in desk.text(path)
    day, hour = (re.findall(rf'name="{name}" required value="([^"]+)"', page)[0] for name in ("day", "hour"))
    refused = desk.post(f"{path}/approve")
    assert (refused.status_code, table.phase().state) == (409, PhaseState.READY)
    assert "Choose a deadline" in refused.text
    assert desk.post(f"{path}/approve", day=day, hour="seven", why=WHY).status_code == 409
    assert desk.post(f"{path}/approve", day=day, hour=hour, why=WHY).status_code == 303
    moved = table.phase(2)
    assert (table.phase().state, moved.state) == (PhaseState.SENT, PhaseState.OPEN)
    assert f"{moved.deadline:%Y-%m-%d %H:%M}" == f"{day} {hour}"
    assert moved.deadline - table.site.clock.now() >= retreats.deadline - retreats.opens_at
    assert all(WHY in table.words(row) for row in table.letters("deadline_moved"))


def test_the_reason_that_is_ours_is_in_the_readers_language(desk: DeskTable) -> None:
    """PHA-11, mixed German: a letter in German had this reason in English."""
    table = desk.table
    with table.site.store.begin() as session:
        session.execute(update(PlayerRow).where(PlayerRow.name == "Player Argyll").values(language="de"))
    table.site.clock.set(table.phase(2).deadline + timedelta(hours=30))
    table.approve_however_late(table.phase().id, "ada")
    words = {row.power: table.words(row) for row in table.letters("deadline_moved")}
    assert "Die Ergebnisse davor wurden später verschickt als geplant." in words["Argyll"]
    assert "The results before it" not in words["Argyll"]
    assert "Reason: The results before it were sent later than planned." in words["Montrose"]
