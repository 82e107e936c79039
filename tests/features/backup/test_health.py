"""How old the last backup and its last test are: on Today and Health, and in `galloper check`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from service.config import Settings
from service.facts.events import Event
from service.features.backup.health import check_site_backup
from service.operations.findings import Finding, FindingState
from service.operations.health import Health
from service.operations.mailbox_status import MailboxStatus
from service.site_folder import opened
from service.store import records
from service.store.blobs import open_blobs
from service.store.tables import EventRow
from tests.service.cli.test_check_site import folder, settings
from tests.service.desk.test_operation import log, look, table
from tests.support.desk_table import NAME, open_desk
from tests.support.table import Table

__all__ = ["folder", "settings", "table"]


def test_today_tells_of_the_backup_even_when_it_is_well(table: Table) -> None:
    """The desk plan's Today: backup age."""
    facts = (Finding("Backup", FindingState.WELL, "Last made 5 hours ago."),)
    assert "Backup Last made 5 hours ago." in open_desk(table, health=lambda: facts).text("/")


def test_the_page_tells_of_the_backup(table: Table) -> None:
    clock = table.site.clock
    desk = open_desk(
        table, health=Health(table.site.store, clock, MailboxStatus(clock), Path(), lambda: False).findings)
    assert "Backup ! needs attention None made yet." in desk.text("/health")


def test_a_backup_that_was_never_made_is_said_to_be_none(table: Table) -> None:
    fact = look(table)["Backup"]
    assert (fact.state, fact.sentence) == (FindingState.TROUBLE, "None made yet.")
    log(table, Event.BACKUP_MADE)
    table.site.clock.advance(timedelta(hours=3))
    assert look(table)["Backup"].sentence == "Last made 3 hours ago."


def test_a_backup_that_did_not_come_last_night_is_told(table: Table) -> None:
    log(table, Event.BACKUP_MADE)
    table.site.clock.advance(timedelta(hours=35))
    assert look(table)["Backup"].state is FindingState.WELL
    table.site.clock.advance(timedelta(hours=2))
    fact = look(table)["Backup"]
    assert (fact.state, fact.sentence) == (FindingState.TROUBLE, "Last made 1 day ago.")
    assert fact.advice


def test_a_backup_and_its_test_are_noted_by_name_and_told_with_their_age(table: Table) -> None:
    """The desk plan's Health: "last backup, last restore test"."""
    desk = open_desk(table)
    assert (look(table)["Restore test"].state, look(table)["Restore test"].sentence) == (
        FindingState.TROUBLE, "Never made.",
    )
    for kind in ("backup_made", "restore_tested"):
        assert desk.post("/health/note", what=kind).headers["location"] == "/health?notice=noted"
    findings = look(table)
    assert [(findings[name].state, findings[name].sentence) for name in ("Backup", "Restore test")] == [
        ("well", "Last made just now.")
    ] * 2
    with table.site.store() as session:
        rows = session.scalars(
            select(EventRow).where(EventRow.what.in_(["backup_made", "restore_tested"]))
        ).all()
    assert [(row.what, row.actor) for row in rows] == [("backup_made", NAME), ("restore_tested", NAME)]
    assert "Nothing was noted" in desk.post("/health/note", what="moon_landed").text
    # A restore test is due every quarter of a year.
    table.site.clock.advance(timedelta(days=93))
    assert look(table)["Restore test"].state is FindingState.TROUBLE


@pytest.mark.parametrize(
    ("backup_hours", "test_hours", "state", "words"),
    [
        (None, None, FindingState.NOTE, "backup: None made yet."),
        # A nightly backup that is 36 hours old was missed once.
        (40, None, FindingState.NOTE, "backup: Last made 1 day ago. restore test: Never made. Make one now"),
        (2, None, FindingState.NOTE, "restore test: Never made. Restore a backup"),
        (2, 24 * 100, FindingState.NOTE, "restore test: Last made 100 days ago. Restore a backup"),
        (2, 24 * 10, FindingState.WELL, ("backup: Last made 2 hours ago. restore test: Last made 10 days "
                                         "ago.")),
    ],
)
def test_the_backup_is_told_with_its_age_and_its_test(
    settings: Settings, backup_hours: int | None, test_hours: int | None, state: FindingState, words: str
) -> None:
    assert check_site_backup(settings).sentence.startswith("nothing to back up yet")
    now = datetime.now(UTC)
    with opened(settings) as store, store.begin() as session:
        for event_kind, hours in ((Event.BACKUP_MADE, backup_hours), (Event.RESTORE_TESTED, test_hours)):
            if hours is not None:
                records.log_event(session, now - timedelta(hours=hours), event_kind)
    finding = check_site_backup(settings)
    assert finding.state is state
    assert words in finding.sentence


def test_a_mail_whose_bytes_are_gone_is_told(settings: Settings) -> None:
    with opened(settings) as store, store.begin() as session:
        now = datetime.now(UTC)
        records.add_mail(session, open_blobs(settings).put(b"here"), 4, now, now)
        records.add_mail(session, "0" * 64, 4, now, now)
    finding = check_site_backup(settings)
    assert finding.state is FindingState.TROUBLE
    assert finding.sentence.startswith("1 of the newest 2 mails are in the database but not among the "
                                     "photographs")
