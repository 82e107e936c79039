"""How old the last backup and its last test are: for the page Health, and in `galloper check`; and the
act that notes one of either."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from service.config import Settings
from service.facts.events import Event
from service.games.acts.act import Act, ActTable, LoggedEvent
from service.games.refused import Refused
from service.operations.findings import Finding, FindingState, ago
from service.operations.health import Check, Observation, last_event

LONGEST_WITHOUT_RESTORE_TEST = timedelta(days=92)
"""A quarter of a year. After that no one can be sure that the backup is one."""
LONGEST_WITHOUT_BACKUP = timedelta(hours=36)
"""A nightly backup that is this old was missed once."""
NEWEST = 20
"""The newest mails whose bytes must be there."""

NOTED = {event.value: event for event in (Event.BACKUP_MADE, Event.RESTORE_TESTED)}


def check_backup(observation: Observation) -> Finding:
    """Was a backup made lately?"""
    return backup_finding(last_event(observation.session, Event.BACKUP_MADE), observation.now)


def backup_finding(made_at: datetime | None, now: datetime) -> Finding:
    """The sentence about the last backup (UTC; None if there was none)."""
    # The week is the trouble's id, so that the coordinator hears of a missing backup once a week.
    week = f"{now:%G-W%V}"
    if made_at is None:
        return Finding("Backup", FindingState.TROUBLE, "None made yet.",
                       "Make one with `galloper backup`; until then the only other copy is on the mail "
                       "server.",
                       week)
    sentence = f"Last made {ago(now - made_at)}."
    if now - made_at > LONGEST_WITHOUT_BACKUP:
        return Finding("Backup", FindingState.TROUBLE, sentence,
                       "Make one now: newer mails are only on this machine and the mail server.", week)
    return Finding("Backup", FindingState.WELL, sentence)


def check_restore_test(observation: Observation) -> Finding:
    """Was a backup put back as a test in the last quarter of a year?"""
    return restore_test_finding(last_event(observation.session, Event.RESTORE_TESTED), observation.now)


def restore_test_finding(tested_at: datetime | None, now: datetime) -> Finding:
    """The sentence about the last test of a backup (UTC; None if there was none)."""
    if tested_at is None:
        return Finding(
            "Restore test", FindingState.TROUBLE, "Never made.",
            "Restore a backup on another machine, check that its games are complete, and note it at Health, "
            "below Backups: an untested backup may be incomplete.")
    sentence = f"Last made {ago(now - tested_at)}."
    if now - tested_at > LONGEST_WITHOUT_RESTORE_TEST:
        return Finding("Restore test", FindingState.TROUBLE, sentence,
                       "Restore a backup on another machine again, and note it at Health, below Backups.")
    return Finding("Restore test", FindingState.WELL, sentence)


CHECKS = (
    Check("Backup", check_backup, "newer mails are only on this machine.", is_daily=True),
    # Nothing follows from an untested backup until it is needed: the page says so, no letter does.
    Check("Restore test", check_restore_test),
)


def check_site_backup(settings: Settings) -> Finding:
    """Whether the newest mails are there to be backed up, and what the Health page states about the backup
    and its test."""
    notes = _stored_notes(settings)
    if notes is None:
        return Finding("backup", FindingState.NOTE, "nothing to back up yet; see docs/operations.md for how")
    made_at, tested_at, newest, lost = notes
    if lost:
        return Finding(
            "backup", FindingState.TROUBLE,
            f"{lost} of the newest {newest} mails are in the database but not among the photographs; "
            "restore them from the backup")
    now = datetime.now(UTC)
    backup, restore_test = backup_finding(made_at, now), restore_test_finding(tested_at, now)
    # Neither keeps a site from starting, so a trouble is a note here.
    troubles = [finding for finding in (backup, restore_test) if finding.is_trouble]
    sentence = f"backup: {backup.sentence} restore test: {restore_test.sentence}"
    if troubles:
        return Finding("backup", FindingState.NOTE, f"{sentence} {troubles[0].advice}")
    return Finding("backup", FindingState.WELL, sentence)


def _stored_notes(settings: Settings) -> tuple[datetime | None, datetime | None, int, int] | None:
    """When a backup was made, when one was tested, how many of the newest mails were looked for, and how many
    of them are lost. None if there is no database yet."""
    from sqlalchemy import func, inspect, select

    from service.record.sessions import sessions
    from service.store.blobs import open_blobs
    from service.store.engine import full_url, open_engine
    from service.store.tables import EventRow, MailRow

    url = full_url(settings.database_url)
    # Opening it would create the file, and this command changes nothing.
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
        return None
    engine, blobs = open_engine(settings.database_url), open_blobs(settings)
    try:
        if not inspect(engine).has_table(EventRow.__tablename__):
            return None
        with sessions(engine)() as session:
            made_at, tested_at = (session.scalar(select(func.max(EventRow.at)).where(EventRow.what == kind))
                            for kind in (Event.BACKUP_MADE, Event.RESTORE_TESTED))
            newest = session.scalars(
                select(MailRow.sha256).order_by(MailRow.stored_at.desc()).limit(NEWEST)
            ).all()
    finally:
        engine.dispose()
    return made_at, tested_at, len(newest), sum(not blobs.has(key) for key in newest)


@dataclass(frozen=True, slots=True)
class NoteBackup(Act[None]):
    """Notes that a backup was made, or that one was tested. `what`: the name of its event."""

    what: str

    def check(self, table: ActTable) -> None:
        """Refuse any other event."""
        if self.what not in NOTED:
            raise Refused("Nothing was noted: this is neither a backup nor a restore test.")

    def change(self, table: ActTable) -> None:
        """Nothing: the event is all that is stored."""

    def event(self, table: ActTable, outcome: None, letters: int) -> LoggedEvent:
        """The event alone."""
        return LoggedEvent(NOTED[self.what], None)
